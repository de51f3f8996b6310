// A source as the simulator plays it: its card, and how its portal writes announcements.
import type { Source } from '../sources/source.ts'
import { ownWriters, type SampleWriter } from './portals/own-writers.ts'

/** Without a writer of its own, a portal writes eForms, TED_EXPORT or OCDS. */
export type SimulatedSource = Source & { readonly writeSample: SampleWriter | undefined }

/** A writer that the source brings along, as made-up cards do, is kept. */
export function simulated(source: Source): SimulatedSource {
  return { writeSample: ownWriters[source.id], ...source }
}
