// A segment: entries of editions as one object of a bucket, packed once for all nodes. It is a gzip file of a JSON
// array: a head with the columns of the entries, then the records. Its gzip pieces are those of the body files, byte
// for byte, so that a node copies them and inflates the file once; any other program reads it with gunzip and a JSON
// parser (docs/editions-in-a-bucket.md).

import { promisify } from 'node:util'
import { constants, crc32, deflateRawSync, gunzip } from 'node:zlib'
import { recordHashLength } from '../../domain/stock-digest.ts'
import { multiply, shiftFactor } from './crc.ts'
import { decodeBatch, type EntryBatch, encodeBatch } from './entry-batch.ts'
import { gzipHeader, storedBlockHeader } from './pieces.ts'

/** Entries of one edition, ready to be written. The batch begins at 0 in both files. */
export type SegmentPart = {
  readonly batch: EntryBatch
  readonly gzip: readonly Uint8Array[]
  /** The hash of each entry, one after the other. */
  readonly hashes: Uint8Array
}

/** A part that was read, including its plain pieces. */
export type ReadPart = SegmentPart & { readonly plain: readonly Uint8Array[] }

type Head = {
  readonly segment: 1
  readonly batches: readonly {
    readonly edition: number
    readonly count: number
    readonly columns: string
    readonly hashes: string
  }[]
}

const blockHeaderLength = 5
const trailerLength = 8
const end = Buffer.from(']')
/** Begins the first record; nothing in a head looks like it. */
const recordStart = ',{"id":"'
/** Maximum size of an inflated segment, in bytes. */
const maxPlainBytes = 512 * 1024 * 1024

export function encodeSegment(parts: readonly SegmentPart[]): Buffer {
  const head: Head = {
    segment: 1,
    batches: parts.map(({ batch, hashes }) => ({
      edition: batch.edition,
      count: batch.count,
      columns: encodeBatch({ ...batch, plainStart: 0, gzipStart: 0 }).toString('base64'),
      hashes: Buffer.from(hashes).toString('base64'),
    })),
  }
  const start = Buffer.from(`[${JSON.stringify(head)}`)
  let [crc, length] = [crc32(start), start.length]
  for (const { batch } of parts)
    for (let index = 0; index < batch.count; index++) {
      crc = multiply(crc, shiftFactor(batch.plainLength[index]!)) ^ batch.plainCrc[index]!
      length += batch.plainLength[index]!
    }
  const tail = Buffer.alloc(blockHeaderLength + end.length + trailerLength)
  storedBlockHeader(tail, 0, end.length, true)
  end.copy(tail, blockHeaderLength)
  tail.writeUInt32LE(crc32(end, crc >>> 0), blockHeaderLength + end.length)
  tail.writeUInt32LE((length + end.length) % 2 ** 32, blockHeaderLength + end.length + 4)
  return Buffer.concat([
    gzipHeader,
    deflateRawSync(start, { finishFlush: constants.Z_SYNC_FLUSH }),
    ...parts.flatMap(({ gzip }) => gzip),
    tail,
  ])
}

const inflate = promisify(gunzip)

/** Throws for anything but a segment of this version. */
export async function decodeSegment(bytes: Buffer): Promise<ReadPart[]> {
  const plain = await inflate(bytes, { maxOutputLength: maxPlainBytes })
  const headEnd = plain.indexOf(recordStart)
  if (headEnd === -1) throw new Error('a segment without records')
  const head = JSON.parse(plain.toString('utf8', 1, headEnd)) as Head
  if (head.segment !== 1) throw new Error(`a segment of version ${String(head.segment)}`)
  const batches = head.batches.map(({ columns, hashes, count }) => {
    // copied, so that it begins at a multiple of eight as its numbers require
    const batch = decodeBatch(new Uint8Array(Buffer.from(columns, 'base64')))
    const found = new Uint8Array(Buffer.from(hashes, 'base64'))
    if (batch.count !== count || found.length !== count * recordHashLength)
      throw new Error('a segment whose columns are not those of its records')
    return { batch, hashes: found }
  })
  let plainAt = headEnd
  let gzipAt = bytes.length - trailerLength - end.length - blockHeaderLength
  for (const { batch } of batches) gzipAt -= sumOf(batch.gzipLength)
  return batches.map(({ batch, hashes }) => {
    const [plainEnd, gzipEnd] = [plainAt + sumOf(batch.plainLength), gzipAt + sumOf(batch.gzipLength)]
    const part = {
      batch,
      hashes,
      plain: [plain.subarray(plainAt, plainEnd)],
      gzip: [bytes.subarray(gzipAt, gzipEnd)],
    }
    ;[plainAt, gzipAt] = [plainEnd, gzipEnd]
    return part
  })
}

const sumOf = (lengths: Uint32Array): number => lengths.reduce((sum, length) => sum + length, 0)
