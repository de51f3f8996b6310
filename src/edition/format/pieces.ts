// A record as it is in the body files, so that a page is made by joining pieces, in plain text and in gzip.
//
// plain piece: `,{"id":"<uuid>","checkedAt":"<time>",` + rest of the record
// gzip piece:  the head above as a stored deflate block, then the rest as deflate blocks that end on a byte boundary
//
// `checkedAt` changes without a change of the record (C26). In the files its place holds a time that never existed;
// the code that reads a piece overwrites it with the true one, in the stored block too, and corrects the page's CRC by
// arithmetic.

import { constants, crc32, deflateRawSync, inflateRawSync } from 'node:zlib'
import { withCheckedAt } from '../../domain/record-body.ts'
import { multiply, shiftFactor, unshiftFactor } from './crc.ts'
import { isRecordId } from './record-id.ts'

/** Number of bytes of the time in a piece. */
const timeLength = 24
const unsetTime = '0000-00-00T00:00:00.000Z'
/** Position of the time in a plain piece, and of the end of the head that holds it. */
const plainTimeOffset = 59
const headLength = 85
/** Number of bytes in the header of a stored block (RFC 1951, 3.2.4), byte-aligned. */
const blockHeaderLength = 5
const gzipTimeOffset = blockHeaderLength + plainTimeOffset

const pageHead = Buffer.from('{"data":[')
/** RFC 1952: deflate, no name, no time, unknown system. */
export const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
const gzipTrailerLength = 8

/**
 * Measured on records of 3.3 KB: every setting from level 1 to 9 takes 47 to 53 µs, most of it set-up, and compresses
 * between 2.37 and 2.46 to 1; these reach the best ratio with a quarter of the memory. Records have no common history:
 * a page's pieces may be in any order.
 */
const deflateOptions = { level: 6, windowBits: 14, memLevel: 6, finishFlush: constants.Z_SYNC_FLUSH } as const
/** Maximum bytes by which a deflated record may be longer than the record. */
const deflateMargin = 64

export type Pieces = { readonly plain: Buffer; readonly gzip: Buffer }

export function storedBlockHeader(target: Buffer, offset: number, length: number, isLast: boolean): void {
  target[offset] = isLast ? 1 : 0
  target.writeUInt16LE(length, offset + 1)
  target.writeUInt16LE(~length & 0xffff, offset + 3)
}

/** Makes the gzip piece of a plain one: the same bytes for the same text on the same version of Node. */
export function gzipPieceOf(plain: Buffer): Buffer {
  // Node's default of 16 KB per record would leave five times as much garbage as output.
  const chunkSize = plain.length + deflateMargin
  const rest = deflateRawSync(plain.subarray(headLength), { ...deflateOptions, chunkSize })
  const piece = Buffer.allocUnsafe(blockHeaderLength + headLength + rest.length)
  storedBlockHeader(piece, 0, headLength, false)
  plain.copy(piece, blockHeaderLength, 0, headLength)
  rest.copy(piece, blockHeaderLength + headLength)
  return piece
}

/** The plain piece from which a gzip piece was made. Throws if it cannot be inflated. */
export function plainPieceOf(gzip: Buffer): Buffer {
  const rest = inflateRawSync(gzip.subarray(blockHeaderLength + headLength), { finishFlush: constants.Z_SYNC_FLUSH })
  return Buffer.concat([gzip.subarray(blockHeaderLength, blockHeaderLength + headLength), rest])
}

/**
 * Pieces of a record whose JSON begins with its id and lacks `checkedAt`. Throws on any other text: a bug of the
 * publisher.
 */
export function piecesOf(body: string): Pieces {
  if (!isRecordId(body.slice(7, 43)) || !body.endsWith('}'))
    throw new Error(`not the body of a record: ${body.slice(0, 60)}`)
  const plain = Buffer.from(`,${withCheckedAt(body, unsetTime)}`)
  return { plain, gzip: gzipPieceOf(plain) }
}

/**
 * A time ready to be written into pieces. `crc` is its contribution to the CRC of the text around it, before the bytes
 * that follow.
 */
export type TimeStamp = { readonly bytes: Buffer; readonly crc: number }

const unsetTimeCrc = crc32(unsetTime)
const afterTime = unshiftFactor(plainTimeOffset + timeLength)
const afterFirst = unshiftFactor(1)

export function timeStampOf(instant: string): TimeStamp {
  const bytes = Buffer.from(instant, 'latin1')
  if (bytes.length !== timeLength) throw new Error(`not an instant: ${instant}`)
  return { bytes, crc: multiply((crc32(bytes) ^ unsetTimeCrc) >>> 0, afterTime) }
}

/** Initial value of a page's CRC before its pieces are added: the comma of the first piece is not in the text. */
const pageStartCrc = (crc32('{"data":') ^ multiply((crc32('[') ^ crc32(',')) >>> 0, afterFirst)) >>> 0
const recordStartCrc = multiply(crc32(','), afterFirst)

/** Consecutive pieces, with what is known of each in parallel arrays. */
export type PieceRun = {
  readonly count: number
  readonly plainLength: Uint32Array
  readonly gzipLength: Uint32Array
  /** CRC-32 of the plain form. */
  readonly plainCrc: Uint32Array
  /** The time to write into the piece. */
  readonly stamp: TimeStamp[]
}

let room: Omit<PieceRun, 'count'> = {
  plainLength: new Uint32Array(),
  gzipLength: new Uint32Array(),
  plainCrc: new Uint32Array(),
  stamp: [],
}

/** Returns room for `count` pieces. It is reused, so it is valid only until the next call. */
export function pieceRun(count: number): PieceRun {
  if (count > room.plainLength.length) {
    const words = () => new Uint32Array(Math.max(128, count))
    room = { plainLength: words(), gzipLength: words(), plainCrc: words(), stamp: [] }
  }
  return { count, ...room }
}

function crcOfPieces(start: number, { count, plainLength, plainCrc, stamp }: PieceRun): number {
  let crc = start
  for (let index = 0; index < count; index++)
    crc = multiply((crc ^ stamp[index]!.crc) >>> 0, shiftFactor(plainLength[index]!)) ^ plainCrc[index]!
  return crc >>> 0
}

/** Writes the pieces into the answer from `offset` on, one after the other, with their times unset. */
export type Fill = (target: Buffer, offset: number) => void

function sumOf(lengths: Uint32Array, count: number): number {
  let sum = 0
  for (let index = 0; index < count; index++) sum += lengths[index]!
  return sum
}

function writeTimes(target: Buffer, offset: number, { count, stamp }: PieceRun, lengths: Uint32Array): void {
  let at = offset
  for (let index = 0; index < count; index++) {
    target.set(stamp[index]!.bytes, at)
    at += lengths[index]!
  }
}

/**
 * A page without its tail: the same for all clients that send the same query. The answer is `bytes`, then
 * `finish(nextCursor)`. `bytes` may serve several requests at the same time: they are never written to.
 */
export type PageBody = {
  readonly bytes: Buffer
  readonly finish: (nextCursor: string | null) => Buffer
  /**
   * Call it at most once, when `bytes` have been sent: their memory is reused. Without the call they are
   * garbage-collected.
   */
  readonly release?: (() => void) | undefined
}

/** Cursors are base64url: they need no escaping. */
const pageTail = (nextCursor: string | null): string =>
  nextCursor === null ? '],"nextCursor":null}' : `],"nextCursor":"${nextCursor}"}`

// The bracket that ends the head replaces the comma of the first piece.
const plainStart = ({ count }: PieceRun): number => (count === 0 ? pageHead.length : pageHead.length - 1)
// The header of the block that begins with the page's head replaces the first stored block's header and the first
// comma.
const gzipStart = ({ count }: PieceRun): number =>
  gzipHeader.length + pageHead.length + (count === 0 ? blockHeaderLength : -1)

/** Number of bytes of a page's body, which `plainPage` or `gzipPage` fill. */
export function pageLength(run: PieceRun, kind: 'plain' | 'gzip'): number {
  return kind === 'plain'
    ? plainStart(run) + sumOf(run.plainLength, run.count)
    : gzipStart(run) + sumOf(run.gzipLength, run.count)
}

/** The page in plain text. */
export function plainPage(run: PieceRun, bytes: Buffer, fill: Fill): PageBody {
  const start = plainStart(run)
  fill(bytes, start)
  writeTimes(bytes, start + plainTimeOffset, run, run.plainLength)
  pageHead.copy(bytes)
  return { bytes, finish: (nextCursor) => Buffer.from(pageTail(nextCursor), 'latin1') }
}

const pageHeadCrc = crc32(pageHead)

/** The page as gzip: nothing is compressed, and a CRC is computed only over the tail. */
export function gzipPage(run: PieceRun, bytes: Buffer, fill: Fill): PageBody {
  const isEmpty = run.count === 0
  const start = gzipStart(run)
  fill(bytes, start)
  writeTimes(bytes, start + gzipTimeOffset, run, run.gzipLength)
  gzipHeader.copy(bytes)
  storedBlockHeader(bytes, gzipHeader.length, pageHead.length + (isEmpty ? 0 : headLength - 1), false)
  pageHead.copy(bytes, gzipHeader.length + blockHeaderLength)
  const crc = isEmpty ? pageHeadCrc : crcOfPieces(pageStartCrc, run)
  const plainLength = pageHead.length + (isEmpty ? 0 : sumOf(run.plainLength, run.count) - 1)
  return { bytes, finish: (nextCursor) => gzipTail(pageTail(nextCursor), crc, plainLength) }
}

/**
 * The last stored block, and the trailer over the whole answer; `crcBefore` and the length cover the plain text before.
 */
function gzipTail(text: string, crcBefore: number, lengthBefore: number): Buffer {
  const tail = Buffer.allocUnsafe(blockHeaderLength + text.length + gzipTrailerLength)
  storedBlockHeader(tail, 0, text.length, true)
  tail.write(text, blockHeaderLength, 'latin1')
  const trailer = blockHeaderLength + text.length
  tail.writeUInt32LE(crc32(tail.subarray(blockHeaderLength, trailer), crcBefore), trailer)
  tail.writeUInt32LE((lengthBefore + text.length) % 2 ** 32, trailer + 4)
  return tail
}

/** The records of a run as lines: each JSON text ends with a line feed. `bytes` has the length of their pieces. */
export function plainLines(run: PieceRun, bytes: Buffer, fill: Fill): Buffer {
  fill(bytes, 0)
  writeTimes(bytes, plainTimeOffset, run, run.plainLength)
  for (let index = 1, at = run.plainLength[0]!; index < run.count; at += run.plainLength[index++]!) bytes[at] = lineFeed
  // the comma of the first piece becomes the line end of the last one
  bytes.copyWithin(0, 1)
  bytes[bytes.length - 1] = lineFeed
  return bytes
}

const lineFeed = 10

/** The whole answer in one buffer. */
export function wholePage(body: PageBody, nextCursor: string | null): Buffer {
  return Buffer.concat([body.bytes, body.finish(nextCursor)])
}

/** One record as it is sent. */
export type RecordBody = Pick<PageBody, 'bytes' | 'release'>

/** Number of bytes that `plainRecord` and `gzipRecord` need; they may leave the first one unused. */
export function recordLength({ plainLength, gzipLength }: PieceRun, kind: 'plain' | 'gzip'): number {
  return kind === 'plain' ? plainLength[0]! : gzipRecordStart + gzipLength[0]! + blockHeaderLength + gzipTrailerLength
}

/** Writes the record of a run of one as plain text. */
export function plainRecord({ stamp }: PieceRun, bytes: Buffer, fill: Fill): Buffer {
  fill(bytes, 0)
  bytes.set(stamp[0]!.bytes, plainTimeOffset)
  return bytes.subarray(1)
}

const gzipRecordStart = gzipHeader.length - 1

/** Writes the record of a run of one as gzip. */
export function gzipRecord(run: PieceRun, bytes: Buffer, fill: Fill): Buffer {
  const start = gzipRecordStart
  const end = start + run.gzipLength[0]!
  fill(bytes, start)
  bytes.set(run.stamp[0]!.bytes, start + gzipTimeOffset)
  gzipHeader.copy(bytes)
  storedBlockHeader(bytes, gzipHeader.length, headLength - 1, false)
  storedBlockHeader(bytes, end, 0, true)
  bytes.writeUInt32LE(crcOfPieces(recordStartCrc, run), end + blockHeaderLength)
  bytes.writeUInt32LE(run.plainLength[0]! - 1, end + blockHeaderLength + 4)
  return bytes
}
