// The matching that the stage runs with: what exact keys left apart, compared by words, dates and codes.
import { blockingKeys, mostHoldersOfBlock } from './match/blocking-keys.ts'
import { decide } from './match/decide.ts'
import { partition } from './match/partition.ts'
import { prepare } from './match/prepare.ts'
import { twinKey } from './match/twin-key.ts'
import type { Matcher } from './rematch.ts'

export const fuzzyMatcher: Matcher = {
  prepare,
  blockingKeys,
  mostHolders: mostHoldersOfBlock,
  twinKey,
  decide,
  partition,
}
