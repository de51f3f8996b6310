// Entries as the files of the log hold them: their pieces, and their columns as a batch.
import { crc32 } from 'node:zlib'
import { recordHash, recordHashLength } from '../../domain/stock-digest.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import { archivedFlag, type EntryBatch, mergedFlag } from '../format/entry-batch.ts'
import { type Pieces, piecesOf } from '../format/pieces.ts'
import { columnsOf, type RecordColumns } from '../format/record-columns.ts'
import { writeId } from '../format/record-id.ts'

/** An entry to be loaded. `body` begins with the ID and lacks `checkedAt`; `sources` is a JSON array of source IDs. */
export type NewEntry = { readonly lastModified: number; readonly body: string; readonly sources: string }

/** Entries ready to be written. Their batch begins at 0 in both files until their position is known. */
export type PackedEntries = {
  readonly batch: EntryBatch
  /** The bytes for the body files, in order: each element is one piece or several. */
  readonly plain: readonly Uint8Array[]
  readonly gzip: readonly Uint8Array[]
  /** The hash of each entry, one after the other. */
  readonly hashes: Uint8Array
}

/** Number of records compressed in one step: about one millisecond. */
const sliceSize = 16

/** Packs entries of an edition, in steps between which other work may run. */
export function* packEntries(edition: number, entries: readonly NewEntry[]): Generator<undefined, PackedEntries> {
  const pieces: Pieces[] = []
  const columns: RecordColumns[] = []
  const hashes = new Uint8Array(entries.length * recordHashLength)
  for (const [index, { body }] of entries.entries()) {
    pieces.push(piecesOf(body))
    const record = JSON.parse(body) as TenderRecord
    columns.push(columnsOf(record))
    hashes.set(recordHash(record), index * recordHashLength)
    if (pieces.length % sliceSize === 0) yield
  }
  return {
    batch: batchOf(edition, entries, pieces, columns, { plain: 0, gzip: 0 }),
    plain: pieces.map(({ plain }) => plain),
    gzip: pieces.map(({ gzip }) => gzip),
    hashes,
  }
}

/** Returns the columns of entries whose pieces will be in the body files from `start` on. */
export function batchOf(
  edition: number,
  entries: readonly NewEntry[],
  pieces: readonly Pieces[],
  columns: readonly RecordColumns[],
  start: { readonly plain: number; readonly gzip: number },
): EntryBatch {
  const sets = [...new Set(entries.map(({ sources }) => sources))]
  const ids = new Uint32Array(entries.length * 4)
  for (const [index, entry] of entries.entries()) writeId(entry.body.slice(7, 43), ids, index * 4)
  return {
    edition,
    count: entries.length,
    plainStart: start.plain,
    gzipStart: start.gzip,
    lastModified: Float64Array.from(entries, ({ lastModified }) => lastModified),
    publication: Float64Array.from(columns, ({ publication }) => publication),
    submission: Float64Array.from(columns, ({ submission }) => submission),
    eurValue: Float64Array.from(columns, ({ eurValue }) => eurValue),
    ids,
    plainLength: Uint32Array.from(pieces, ({ plain }) => plain.length),
    gzipLength: Uint32Array.from(pieces, ({ gzip }) => gzip.length),
    plainCrc: Uint32Array.from(pieces, ({ plain }) => crc32(plain)),
    gzipCrc: Uint32Array.from(pieces, ({ gzip }) => crc32(gzip)),
    sourceSet: Uint32Array.from(entries, ({ sources }) => sets.indexOf(sources)),
    cpvCount: Uint32Array.from(columns, ({ cpv }) => cpv.length),
    nutsCount: Uint32Array.from(columns, ({ nuts }) => nuts.length),
    cpv: Uint32Array.from(columns.flatMap(({ cpv }) => cpv)),
    nuts: Uint32Array.from(columns.flatMap(({ nuts }) => nuts)),
    flags: Uint8Array.from(
      columns,
      ({ isArchived, isMerged }) => (isArchived ? archivedFlag : 0) | (isMerged ? mergedFlag : 0),
    ),
    procedure: Uint8Array.from(columns, ({ procedure }) => procedure),
    sourceSets: sets,
  }
}
