// Repairs pieces that are no longer what was written: in place, from the other body file's copy of the record.

import { DamagedLogError } from '../format/damaged-log-error.ts'
import { isUnreadable } from '../format/transfer.ts'
import { pieceRuns, RunMemory } from './body-runs.ts'
import type { LogState } from './log-state.ts'

export type Repaired = {
  readonly repaired: number
  /**
   * Pieces of records that both files lost, or that the disk cannot store: the log has to be rebuilt from the database.
   */
  readonly lost: number
}

/** Number of positions that are checked together. */
const stepSize = 256

/**
 * Checks both pieces of the entries in [from, to) and repairs what can be repaired. Stops early when `isStopped`
 * returns true.
 */
export async function repair(log: LogState, from: number, to: number, isStopped: () => boolean): Promise<Repaired> {
  const memory = new RunMemory()
  let repaired = 0
  let lost = 0
  for (let begin = from; begin < to && !isStopped(); begin += stepSize) {
    const positions = Array.from({ length: Math.min(stepSize, to - begin) }, (_, index) => begin + index)
    for (const kind of ['plain', 'gzip'] as const)
      for await (const pieces of pieceRuns(log, kind, positions, memory)) {
        memory.reset()
        for (const { position, isIntact } of pieces) {
          if (isIntact) continue
          try {
            await log.overwrite(kind, position, log.fromTheOther(kind, position))
            repaired++
          } catch (error) {
            if (!(error instanceof DamagedLogError) && !isUnreadable(error)) throw error
            lost++
          }
        }
      }
  }
  if (repaired > 0) await log.sync()
  return { repaired, lost }
}
