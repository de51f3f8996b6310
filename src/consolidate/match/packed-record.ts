// A record as it is kept: the sketch, most of it, as bytes instead of digits.
import type { MatchRecord } from './match-record.ts'

/** The record as text; equal records give equal texts. */
export function packRecord(record: MatchRecord): string {
  const bytes = Buffer.allocUnsafe(record.shingles.length * 4)
  for (const [index, hash] of record.shingles.entries()) bytes.writeUInt32LE(hash, index * 4)
  return JSON.stringify({ ...record, shingles: bytes.toString('base64') })
}

/** The record that `packRecord` was given. */
export function unpackRecord(text: string): MatchRecord {
  const packed = JSON.parse(text) as Omit<MatchRecord, 'shingles'> & { readonly shingles: string }
  const bytes = Buffer.from(packed.shingles, 'base64')
  const shingles = Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readUInt32LE(index * 4))
  return { ...packed, shingles }
}
