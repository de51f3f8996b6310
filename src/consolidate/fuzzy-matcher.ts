// The matching that the stage runs with: what exact keys left apart, compared by words, dates and codes.
import { blockingKeys, isWeakKey } from './match/blocking-keys.ts'
import { decide } from './match/decide.ts'
import { packRecord, unpackRecord } from './match/packed-record.ts'
import { partition } from './match/partition.ts'
import { prepare } from './match/prepare.ts'
import { maxHoldersOfBlock, maxHoldersOfWeakBlock } from './match/thresholds.ts'
import { areTooFarApart, timeMark } from './match/time-mark.ts'
import { twinKey } from './match/twin-key.ts'
import type { Matcher } from './rematch.ts'

export const fuzzyMatcher: Matcher = {
  prepare,
  blockingKeys,
  isWeakKey,
  maxHolders: maxHoldersOfBlock,
  maxHoldersOfWeak: maxHoldersOfWeakBlock,
  mark: timeMark,
  areTooFarApart,
  twinKey,
  decide,
  partition,
  pack: packRecord,
  unpack: unpackRecord,
}
