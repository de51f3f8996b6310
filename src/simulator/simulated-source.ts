// A source as the simulator plays it: its card, and how its portal writes announcements.
import type { Source } from '../sources/source.ts'
import { ownWriters, type SampleWriter } from './portals/own-writers.ts'

/** If `writeSample` is undefined, the portal writes eForms, TED_EXPORT or OCDS. */
export type SimulatedSource = Source & { readonly writeSample: SampleWriter | undefined }

/** Adds the portal's writer. A writer that the source already has, as made-up cards do, stays. */
export function simulated(source: Source): SimulatedSource {
  return { writeSample: ownWriters[source.id], ...source }
}
