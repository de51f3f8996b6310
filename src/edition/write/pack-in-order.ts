// Packs the entries of an edition in this thread, or several batches at once in others, and yields them in their order.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ReadPart } from '../format/segment.ts'
import { type NewEntry, type PackedEntries, packEntries } from './pack-entries.ts'
import { type Packers, packersFor, tasksEach } from './packers.ts'

/** Number of entries written together: loading their frame takes well under a millisecond. */
const batchSize = 256
/** Minimum number of changes for the packer threads; fewer are packed here, in about a tenth of a second. */
const minForPackers = 1000

/**
 * Batches of the entries; parts of a bucket, which are packed already, pass as they are. What is yielded is valid until
 * the next is taken: then its memory goes back to the packer.
 */
export async function* packedInOrder(
  { edition, changes }: { readonly edition: number; readonly changes: number },
  entries: Iterable<NewEntry | ReadPart> | AsyncIterable<NewEntry | ReadPart>,
  given: Packers | undefined,
): AsyncGenerator<PackedEntries> {
  const packers = changes < minForPackers ? undefined : given
  const most = packersFor(changes)
  const ahead = packers ? most * tasksEach : 0
  /** Batches in order, in progress or packed. */
  const packed: Promise<PackedEntries>[] = []
  const pack = (batch: readonly NewEntry[]): void => {
    const entriesOfBatch = packers ? packers.pack(edition, batch, most) : packHere(edition, batch)
    // the code that waits for this promise receives the error; after a failure nothing waits for the later ones
    entriesOfBatch.catch(() => {})
    packed.push(entriesOfBatch)
  }
  async function* first(): AsyncGenerator<PackedEntries> {
    const next = await packed.shift()!
    yield next
    packers?.giveBack(next)
  }
  let batch: NewEntry[] = []
  for await (const entry of entries) {
    if ('batch' in entry) {
      yield entry
      continue
    }
    batch.push(entry)
    if (batch.length < batchSize) continue
    pack(batch)
    batch = []
    if (packed.length > ahead) yield* first()
  }
  if (batch.length > 0) pack(batch)
  while (packed.length > 0) yield* first()
}

/** Packs in this thread; other work can run in between. */
async function packHere(edition: number, entries: readonly NewEntry[]): Promise<PackedEntries> {
  const steps = packEntries(edition, entries)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await nextTurn()
  }
}
