// The checkpoint of a generation: its columns, summaries and ID index as they are in memory at one edition, so that
// opening the log costs what copying bytes costs.
//
// File: segments (the bytes of some arrays, one after the other), contents (JSON), trailer. Each segment and the
// contents have a CRC-32. Numbers are in the byte order of the machine. If anything is wrong with the file, the index
// file has all of it.
import { type FileHandle, open } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { GradualSync } from '../format/gradual-sync.ts'
import { readUpTo, writeTogether } from '../format/transfer.ts'
import type { TakenEdition } from '../read/held-log.ts'
import { type Chunk, newChunk } from '../read/record-table.ts'
import { sharedBytes } from '../read/shared-arrays.ts'

/** Version of the format; increase it when arrays keep their names but change their meaning. */
const formatVersion = 3
const magic = 'TSCHECKP'
/** Bytes of the trailer: magic number, format version, length of the contents, their CRC-32. */
const trailerLength = 20

/** Maximum number of segments to read at the same time: reading runs in other threads, the checksums in this one. */
const readsAtOnce = 3
/** Number of shards of the ID index in one segment. */
const shardsTogether = 16

/** What a checkpoint states besides the arrays. */
export type CheckpointState = {
  readonly stockId: string
  /** Number of entries in the table. */
  readonly count: number
  /** Number of different IDs. */
  readonly records: number
  readonly editions: readonly (TakenEdition & { readonly replaced: number })[]
  readonly sourceSets: readonly string[]
  /** Position of the frames that follow, and CRC-32 of the `tailLength` bytes before it. */
  readonly indexEnd: number
  readonly tailCrc: number
  readonly plainEnd: number
  readonly gzipEnd: number
  /** Number of IDs in each shard of the index. */
  readonly used: readonly number[]
}

export type Checkpoint = CheckpointState & { readonly chunks: readonly Chunk[]; readonly slots: readonly Int32Array[] }

/** Number of bytes of the index file that identify it to the checkpoint. */
export const tailLength = 4096

const kinds = {
  float: Float64Array,
  word: Uint32Array,
  slot: Int32Array,
  short: Uint16Array,
  byte: Uint8Array,
} as const
type ArrayKind = keyof typeof kinds
type SharedArray = Float64Array | Uint32Array | Int32Array | Uint16Array | Uint8Array

function kindOf(array: unknown): ArrayKind {
  for (const [kind, type] of Object.entries(kinds)) if (array instanceof type) return kind as ArrayKind
  // a bug of who added the column: `kinds` lacks it
  throw new Error('a column of a kind that checkpoints do not know')
}

/** Determined again after each start. */
const transient = new Set(['verified'])

/** Arrays begin at multiples of eight bytes of their segment. */
const padded = (length: number): number => (length + 7) & ~7
const padding = new Uint8Array(8)

type ArrayLocation = { readonly path: string; readonly owner: { [name: string]: unknown }; readonly name: string }

/** The arrays of a chunk, in a fixed order. */
function arraysOf(owner: object, prefix = ''): ArrayLocation[] {
  return Object.entries(owner).flatMap(([name, value]) => {
    if (transient.has(name)) return []
    const path = prefix + name
    return ArrayBuffer.isView(value)
      ? [{ path, owner: owner as { [name: string]: unknown }, name }]
      : arraysOf(value as object, `${path}.`)
  })
}

/** Kind, length and, within a chunk, path of an array. */
type Described = readonly [kind: ArrayKind, length: number, path?: string]
type Segment = { readonly arrays: readonly Described[]; readonly crc: number; readonly length: number }
type Contents = CheckpointState & { readonly chunks: readonly Segment[]; readonly shards: readonly Segment[] }

const bytesOf = (array: SharedArray): Uint8Array => new Uint8Array(array.buffer, array.byteOffset, array.byteLength)

/**
 * Writes a checkpoint to `path`, which is not yet durable then. Nothing may be appended meanwhile; lookups continue:
 * one chunk, about two milliseconds, is checksummed at a time. Returns false, with the file unfinished, if `isStopped`
 * returned true.
 */
export async function writeCheckpoint(
  path: string,
  state: CheckpointState,
  chunks: readonly Chunk[],
  slots: readonly Int32Array[],
  isStopped: () => boolean,
): Promise<boolean> {
  const handle = await open(path, 'w')
  const sync = new GradualSync(handle)
  try {
    let end = 0
    const write = async (arrays: readonly SharedArray[], paths?: readonly string[]): Promise<Segment> => {
      const bytes = arrays
        .map(bytesOf)
        .flatMap((each) => [each, padding.subarray(0, padded(each.length) - each.length)])
      const crc = crcOf(bytes)
      await nextTurn()
      await writeTogether(handle, bytes, end)
      const length = lengthOf(bytes)
      await sync.wrote(length)
      end += length
      return { arrays: arrays.map((array, index) => describe(array, paths?.[index])), crc, length }
    }
    const contents = { ...state, chunks: [] as Segment[], shards: [] as Segment[] }
    for (const chunk of chunks) {
      if (isStopped()) return false
      const locations = arraysOf(chunk)
      const arrays = locations.map(({ owner, name }) => owner[name] as SharedArray)
      contents.chunks.push(
        await write(
          arrays,
          locations.map(({ path }) => path),
        ),
      )
    }
    for (let shard = 0; shard < slots.length; shard += shardsTogether) {
      if (isStopped()) return false
      contents.shards.push(await write(slots.slice(shard, shard + shardsTogether)))
    }
    const text = Buffer.from(JSON.stringify(contents satisfies Contents))
    const trailer = Buffer.alloc(trailerLength)
    trailer.write(magic, 0, 'latin1')
    trailer.writeUInt32LE(formatVersion, 8)
    trailer.writeUInt32LE(text.length, 12)
    trailer.writeUInt32LE(crc32(text), 16)
    await writeTogether(handle, [text, trailer], end)
    // the code that makes the file durable opens it again, and would not see an error
    await sync.settle()
    return true
  } finally {
    await handle.close()
  }
}

const describe = (array: SharedArray, path: string | undefined): Described =>
  path === undefined ? [kindOf(array), array.length] : [kindOf(array), array.length, path]

/** Reads a checkpoint. Undefined when there is no whole one with this layout. */
export async function readCheckpoint(path: string): Promise<Checkpoint | undefined> {
  let handle: FileHandle
  try {
    handle = await open(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const contents = await readContents(handle)
    return contents && (await readArrays(handle, contents))
  } finally {
    await handle.close()
  }
}

async function readContents(handle: FileHandle): Promise<Contents | undefined> {
  const { size } = await handle.stat()
  if (size < trailerLength) return undefined
  const trailer = await readBytes(handle, trailerLength, size - trailerLength)
  if (trailer.length < trailerLength) return undefined
  const length = trailer.readUInt32LE(12)
  if (
    trailer.toString('latin1', 0, 8) !== magic ||
    trailer.readUInt32LE(8) !== formatVersion ||
    length > size - trailerLength
  )
    return undefined
  const text = await readBytes(handle, length, size - trailerLength - length)
  if (crc32(text) !== trailer.readUInt32LE(16)) return undefined
  const contents = JSON.parse(text.toString()) as Contents
  const segments = [...contents.chunks, ...contents.shards]
  const sum = segments.reduce((total, segment) => total + segment.length, 0)
  return sum === size - trailerLength - length ? contents : undefined
}

async function readBytes(handle: FileHandle, length: number, from: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, await readUpTo(handle, bytes, from))
}

async function readArrays(handle: FileHandle, contents: Contents): Promise<Checkpoint | undefined> {
  const model = newChunk()
  const paths = arraysOf(model).map(({ path, owner, name }) => `${path} ${kindOf(owner[name])}`)
  for (const { arrays } of contents.chunks)
    if (arrays.length !== paths.length || arrays.some(([kind, , path], index) => paths[index] !== `${path} ${kind}`))
      return undefined
  const segments = [...contents.chunks, ...contents.shards]
  const memories: SharedArrayBuffer[] = []
  const begins: number[] = []
  let end = 0
  for (const { length } of segments) {
    begins.push(end)
    end += length
  }
  let isWhole = true
  const rest = segments.entries()
  const work = async (): Promise<void> => {
    for (const [index, { length, crc }] of rest) {
      if (!isWhole) return
      memories[index] = new SharedArrayBuffer(length)
      const bytes = new Uint8Array(memories[index])
      if ((await readUpTo(handle, bytes, begins[index]!)) < length || crc32(bytes) !== crc) isWhole = false
    }
  }
  await Promise.all(Array.from({ length: readsAtOnce }, work))
  if (!isWhole) return undefined
  const chunks = contents.chunks.map((segment, index) => withArrays(model, viewsOf(segment, memories[index]!).values()))
  const slots = contents.shards.flatMap(
    (segment, index) => viewsOf(segment, memories[chunks.length + index]!) as Int32Array[],
  )
  return { ...contents, chunks, slots }
}

/** The arrays of a segment as views of its memory. */
function viewsOf({ arrays }: Segment, memory: SharedArrayBuffer): SharedArray[] {
  let from = 0
  return arrays.map(([kind, length]) => {
    const type: new (memory: SharedArrayBuffer, from: number, length: number) => SharedArray = kinds[kind]
    const array = new type(memory, from, length)
    from += padded(array.byteLength)
    return array
  })
}

/** An object made like `model`, with these arrays instead of its own. */
function withArrays<Model extends object>(model: Model, arrays: Iterator<SharedArray>): Model {
  const entries = Object.entries(model).map(([name, value]) => {
    if (transient.has(name)) return [name, sharedBytes((value as Uint8Array).length)]
    return [name, ArrayBuffer.isView(value) ? arrays.next().value : withArrays(value as object, arrays)]
  })
  return Object.fromEntries(entries) as Model
}

function crcOf(views: readonly Uint8Array[]): number {
  let crc = 0
  for (const view of views) crc = crc32(view, crc)
  return crc
}

const lengthOf = (views: readonly Uint8Array[]): number => views.reduce((sum, view) => sum + view.length, 0)
