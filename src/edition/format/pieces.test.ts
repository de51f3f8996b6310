// Pages and records that are joined from pieces, against the same answer made by JSON.stringify.
import { crc32, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  type Fill,
  gzipPage,
  gzipRecord,
  type PieceRun,
  pageLength,
  pieceRun,
  piecesOf,
  plainPage,
  plainPieceOf,
  plainRecord,
  recordLength,
  timeStampOf,
  wholePage,
} from './pieces.ts'

const checkedAt = '2026-03-10T11:00:00.000Z'
const recordsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `0a1b2c3d-0000-4000-8000-${String(index).padStart(12, '0')}`,
    title: `Straße ${'x'.repeat(index * 7)}`,
  }))

/** A run of the pieces of the records, and what fills in their bytes. */
function runOf(count: number, kind: 'plain' | 'gzip'): { readonly run: PieceRun; readonly fill: Fill } {
  const pieces = recordsOf(count).map((record) => piecesOf(JSON.stringify(record)))
  const run = pieceRun(count)
  for (const [index, { plain, gzip }] of pieces.entries()) {
    run.plainLength[index] = plain.length
    run.gzipLength[index] = gzip.length
    run.plainCrc[index] = crc32(plain)
    run.stamp[index] = timeStampOf(checkedAt)
  }
  const bytes = Buffer.concat(pieces.map((each) => each[kind]))
  return { run, fill: (target, offset) => bytes.copy(target, offset) }
}
const written = (count: number) => recordsOf(count).map(({ id, title }) => ({ id, checkedAt, title }))

describe.each([0, 1, 2, 150])('a page of %i records', (count) => {
  test.each([null, 'bmV4dA'])('ends with the cursor %s, in plain text and as gzip', (nextCursor) => {
    const answer = JSON.stringify({ data: written(count), nextCursor })
    const plain = runOf(count, 'plain')
    const body = plainPage(plain.run, Buffer.alloc(pageLength(plain.run, 'plain'), '!'), plain.fill)
    expect(wholePage(body, nextCursor).toString()).toBe(answer)
    const gzip = runOf(count, 'gzip')
    const packed = gzipPage(gzip.run, Buffer.alloc(pageLength(gzip.run, 'gzip'), '!'), gzip.fill)
    expect(gunzipSync(wholePage(packed, nextCursor)).toString()).toBe(answer)
  })
})

test('a record is sent without what joins it to others, in plain text and as gzip', () => {
  const answer = JSON.stringify(written(1)[0])
  const plain = runOf(1, 'plain')
  const bytes = Buffer.alloc(recordLength(plain.run, 'plain'), '!')
  expect(plainRecord(plain.run, bytes, plain.fill).toString()).toBe(answer)
  const gzip = runOf(1, 'gzip')
  const packed = gzipRecord(gzip.run, Buffer.alloc(recordLength(gzip.run, 'gzip'), '!'), gzip.fill)
  expect(gunzipSync(packed).toString()).toBe(answer)
})

test('a piece is unpacked to what it was made of; other texts are refused', () => {
  const { plain, gzip } = piecesOf(JSON.stringify(recordsOf(1)[0]))
  expect(plainPieceOf(gzip)).toEqual(plain)
  for (const text of ['{"id":"7"}', JSON.stringify(recordsOf(1)[0]).slice(0, -1)])
    expect(() => piecesOf(text)).toThrow('not the body of a record')
  expect(() => timeStampOf('2026-03-10T11:00:00Z')).toThrow('not an instant')
})
