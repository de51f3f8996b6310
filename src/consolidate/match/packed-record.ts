// A stored record: its largest part, the sketches, as bytes instead of digits.
import type { MatchRecord } from './match-record.ts'
import { wordHashBytes } from './text-words.ts'

/** The record as text; equal records give equal texts. */
export function packRecord(record: MatchRecord): string {
  const shingles = packed(record.shingles, 4)
  return JSON.stringify({ ...record, shingles, textWords: packed(record.textWords, wordHashBytes) })
}

/** The record that `packRecord` was given. */
export function unpackRecord(text: string): MatchRecord {
  const stored = JSON.parse(text) as Omit<MatchRecord, 'shingles' | 'textWords'> & {
    readonly shingles: string
    readonly textWords: string
  }
  return { ...stored, shingles: unpacked(stored.shingles, 4), textWords: unpacked(stored.textWords, wordHashBytes) }
}

function packed(hashes: readonly number[], width: number): string {
  const bytes = Buffer.allocUnsafe(hashes.length * width)
  let at = 0
  for (const hash of hashes) for (let shift = 0; shift < 8 * width; shift += 8) bytes[at++] = hash >>> shift
  return bytes.toString('base64')
}

function unpacked(text: string, width: number): number[] {
  const bytes = Buffer.from(text, 'base64')
  const hashes: number[] = []
  for (let at = 0; at + width <= bytes.length; at += width) hashes.push(bytes.readUIntLE(at, width))
  return hashes
}
