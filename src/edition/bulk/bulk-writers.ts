// What records are written into: lines of JSON as gzip, with their heads beside them, or tables of tenders and their
// lots.
import { stat, writeFile } from 'node:fs/promises'
import { sumOf } from '#flat/files/durable-files'
import { parquetColumn } from '#flat/files/parquet-column'
import { openParquetTable } from '#flat/files/parquet-table'
import { lotColumns, lotsOf, tenderColumns } from '#flat/record/flat-tender'
import { type DigestSum, recordHash } from '../../domain/stock-digest.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import { syncFile } from '../../platform/folders.ts'
import type { BulkFile } from './bulk-state.ts'
import { GzipLines } from './gzip-lines.ts'

/** A durable file that has no name yet. */
type MadeFile = Omit<BulkFile, 'part'> & { readonly path: string }

export type BulkWriter = {
  /** `lines`: whole records, each with its line end. */
  readonly add: (lines: Buffer, count: number) => Promise<void>
  readonly finish: () => Promise<readonly MadeFile[]>
  readonly abandon: () => Promise<void>
}

const loneSurrogate = /\\ud[89a-f][0-9a-f]{2}/i

/** A record; half pairs of surrogates, which no program accepts, are replaced. */
const parsed = (line: string): TenderRecord =>
  loneSurrogate.test(line)
    ? JSON.parse(line, (_key, part: unknown) => (typeof part === 'string' ? part.toWellFormed() : part))
    : JSON.parse(line)

/**
 * The head of a record, in a line: what a copy must know of it that keeps the line of the record as it is. The hash is
 * that of the digest, computed from this line.
 */
const headOf = (record: TenderRecord, bytes: number, hash: Buffer): string =>
  `${JSON.stringify({
    id: record.id,
    lastModified: record.lastModified,
    status: record.status,
    ...(record.archiveReason !== undefined && { archiveReason: record.archiveReason }),
    ...(record.mergedInto !== undefined && { mergedInto: record.mergedInto }),
    bytes,
    hash: hash.toString('hex'),
  })}\n`

const newline = 10

/** `sum`: receives the hashes of all records. */
export async function openLines(path: string, sum: DigestSum): Promise<BulkWriter> {
  const headPath = `${path}-heads`
  const file = await GzipLines.create(path)
  const heads = await GzipLines.create(headPath)
  let rows = 0
  return {
    add: async (lines, count) => {
      rows += count
      let text = ''
      for (let from = 0; from < lines.length; ) {
        const end = lines.indexOf(newline, from)
        const record = JSON.parse(lines.toString('utf8', from, end)) as TenderRecord
        const hash = recordHash(record)
        sum.add(hash, record.archiveReason === undefined)
        text += headOf(record, end - from, hash)
        from = end + 1
      }
      await heads.add(Buffer.from(text))
      await file.add(lines)
    },
    finish: async () => [
      { ...(await file.finish()), rows, format: 'ndjson', table: 'tenders', path },
      { ...(await heads.finish()), rows, format: 'heads', table: 'tenders', path: headPath },
    ],
    abandon: async () => {
      await file.abandon()
      await heads.abandon()
    },
  }
}

/** The columns that the sinks of the client have, without the whole record: that is in the lines. */
export async function openTables(path: string): Promise<BulkWriter> {
  const paths = { tenders: `${path}-tenders`, lots: `${path}-lots` }
  const library = await import('hyparquet-writer')
  // the library keeps the rights of a file that is there
  for (const each of Object.values(paths)) await writeFile(each, '', { mode: 0o600 })
  const tenders = openParquetTable(
    library,
    paths.tenders,
    'tenders',
    tenderColumns.map((column) => parquetColumn(column, (record: TenderRecord) => record)),
  )
  const lots = openParquetTable(
    library,
    paths.lots,
    'lots',
    lotColumns.map((column) => parquetColumn(column, (lot: ReturnType<typeof lotsOf>[number]) => lot)),
  )
  const made = async (table: 'tenders' | 'lots', rows: number): Promise<MadeFile> => {
    await syncFile(paths[table])
    const [{ size: bytes }, sha256] = [await stat(paths[table]), await sumOf(paths[table])]
    return { sha256, bytes, rows, format: 'parquet', table, path: paths[table] }
  }
  return {
    add: async (lines) => {
      for (const line of lines.toString().split('\n')) {
        if (line === '') continue
        const record = parsed(line)
        await tenders.add(record, line.length)
        for (const lot of lotsOf(record)) await lots.add(lot, 0)
      }
    },
    finish: async () => [await made('tenders', await tenders.finish()), await made('lots', await lots.finish())],
    abandon: async () => {
      await tenders.abandon()
      await lots.abandon()
    },
  }
}
