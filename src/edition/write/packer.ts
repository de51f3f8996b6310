// A packer: a thread that packs entries for the one that writes the edition log, with lower priority than those that
// answer requests.
import { parentPort } from 'node:worker_threads'
import { lowerThreadPriority } from '../../platform/thread-priority.ts'
import type { NewEntry, PackedEntries } from './pack-entries.ts'

/**
 * Memory for the pieces of a task, which is passed back and forth: allocating it each time would trigger constant
 * garbage collection.
 */
export type PackerRoom = { readonly plain: ArrayBuffer; readonly gzip: ArrayBuffer }
export type PackerTask = {
  readonly edition: number
  readonly entries: readonly NewEntry[]
  readonly room: PackerRoom | undefined
}
export type PackerAnswer = { readonly packed: PackedEntries } | { readonly error: string }

const port = parentPort
if (!port) throw new Error('a packer is a thread of the service, not a program')
// before it loads anything: loading is most of the work for a small edition
lowerThreadPriority()
const { packEntries } = await import('./pack-entries.ts')
port.on('message', ({ edition, entries, room }: PackerTask) => {
  try {
    const { batch, plain, gzip, hashes } = pack(edition, entries)
    const bodies = { plain: joined(plain, room?.plain), gzip: joined(gzip, room?.gzip) }
    const packed = { batch, plain: [bodies.plain], gzip: [bodies.gzip], hashes }
    port.postMessage({ packed } satisfies PackerAnswer, [bodies.plain.buffer, bodies.gzip.buffer])
  } catch (error) {
    port.postMessage({ error: error instanceof Error ? error.message : String(error) } satisfies PackerAnswer)
  }
})

function pack(edition: number, entries: readonly NewEntry[]): PackedEntries {
  const steps = packEntries(edition, entries)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Factor for the size of a new buffer: the next tasks need about as much. */
const spareShare = 1.25

/** Joins the pieces, in `room` when they fit. */
function joined(pieces: readonly Uint8Array[], room: ArrayBuffer | undefined): Uint8Array<ArrayBuffer> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const memory = room && room.byteLength >= length ? room : new ArrayBuffer(Math.ceil(length * spareShare))
  const bytes = new Uint8Array(memory, 0, length)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}
