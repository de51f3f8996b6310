// A segment of the word index as a file: a header in JSON, the arrays, and a CRC-32 over both. It is read into shared
// memory as it is; a file that is not exactly what was written counts as missing.
import { open, rename, rm, writeFile } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { readUpTo } from './transfer.ts'
import type { Segment, SegmentArrays } from './word-segment.ts'

/** Changes with the layout, with what the arrays mean, and with how words are folded. */
const magic = 'TSWORDS3'
/** Bytes in front of the header (magic, its length) and behind the arrays (CRC-32). */
const headLength = 12
const crcLength = 4
/** Arrays begin at multiples of it. */
const alignment = 8

const makers = {
  lastModified: Float64Array,
  crc: Uint32Array,
  deadline: Float64Array,
  codeEnds: Uint32Array,
  codes: Uint16Array,
  wordBytes: Uint8Array,
  wordEnds: Uint32Array,
  byEnding: Uint32Array,
  postingEnds: Uint32Array,
  postings: Uint16Array,
} as const satisfies { readonly [name in keyof SegmentArrays]: unknown }
const names = Object.keys(makers) as (keyof SegmentArrays)[]

/** `lengths`: items of each array. */
type Header = {
  readonly rows: number
  readonly keys: readonly string[]
  readonly lengths: { readonly [name in keyof SegmentArrays]: number }
}

const aligned = (offset: number): number => Math.ceil(offset / alignment) * alignment

/** Writes the file beside its place, then names it. */
export async function writeSegment(path: string, segment: Segment): Promise<void> {
  const lengths = Object.fromEntries(names.map((name) => [name, segment[name].length])) as Header['lengths']
  const header = Buffer.from(JSON.stringify({ rows: segment.rows, keys: segment.keys, lengths } satisfies Header))
  const parts: Uint8Array[] = [Buffer.alloc(headLength), header]
  let end = headLength + header.length
  for (const name of names) {
    const { buffer, byteOffset, byteLength } = segment[name]
    parts.push(Buffer.alloc(aligned(end) - end), new Uint8Array(buffer, byteOffset, byteLength))
    end = aligned(end) + byteLength
  }
  const head = parts[0] as Buffer
  head.write(magic, 'latin1')
  head.writeUInt32LE(header.length, magic.length)
  const trailer = Buffer.alloc(crcLength)
  trailer.writeUInt32LE(parts.reduce((crc, part) => crc32(part, crc), 0))
  try {
    await writeFile(`${path}.new`, [...parts, trailer])
    await rename(`${path}.new`, path)
  } catch (error) {
    await rm(`${path}.new`, { force: true })
    throw error
  }
}

/** Undefined for a file that is damaged, or of another version. */
export async function readSegment(path: string): Promise<Segment | undefined> {
  const bytes = await readShared(path)
  const end = bytes.length - crcLength
  if (end < headLength || bytes.toString('latin1', 0, magic.length) !== magic) return undefined
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)) return undefined
  let at = headLength + bytes.readUInt32LE(magic.length)
  const { rows, keys, lengths } = JSON.parse(bytes.toString('utf8', headLength, at)) as Header
  const arrays = names.map((name) => {
    const Maker = makers[name]
    const array = new Maker(bytes.buffer as ArrayBuffer, aligned(at), lengths[name])
    at = aligned(at) + array.byteLength
    return [name, array]
  })
  return { rows, keys, ...(Object.fromEntries(arrays) as SegmentArrays) }
}

async function readShared(path: string): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const bytes = new Uint8Array(new SharedArrayBuffer(size))
    const length = await readUpTo(file, bytes, 0)
    return Buffer.from(bytes.buffer as unknown as ArrayBuffer, 0, length)
  } finally {
    await file.close()
  }
}
