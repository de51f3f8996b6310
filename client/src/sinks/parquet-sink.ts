// Syncs into a Parquet file: typed columns and the full record as JSON; rewritten, whole and in one step, at the end of
// each run that changed something.
import { basename, join } from 'node:path'
import type { ReadBack } from '../sync/sink.ts'
import type { TenderRecord } from '../types.ts'
import type { OpenSink } from './disposable.ts'
import { CopyDamagedError, installed } from './faults/sink-error.ts'
import { fileSink } from './file-sink.ts'
import { behindLink, makeDurable, putInPlace, readIfThere, sizeOf, sumOf, writeWhole } from './files/durable-files.ts'
import { parquetColumn } from './files/parquet-column.ts'
import { openParquetTable } from './files/parquet-table.ts'
import type { CopyExport } from './files/working-copy.ts'
import { digestOf } from './record/digest.ts'
import { type FlatValue, textOf } from './record/flat-column.ts'
import { tenderColumns } from './record/flat-tender.ts'
import { contentJson, storedRecord, wellFormed } from './record/record-json.ts'

export type ParquetSinkOptions = {
  /** Path of the file. The folder `<file>.sync` beside it holds the full records and the state. */
  readonly file: string
}

type Writer = typeof import('hyparquet-writer')

/** Throws a SinkError that says what to install if hyparquet-writer is missing. */
export async function parquetSink(options: ParquetSinkOptions): Promise<OpenSink> {
  const writer = await installed(import('hyparquet-writer'), 'hyparquet-writer', 'The Parquet sink')
  const file = behindLink(options.file)
  const folder = `${file}.sync`
  return fileSink({
    name: 'parquet',
    file,
    base: join(folder, 'records.ndjson'),
    folder,
    exportPaths: [file],
    openExport: async () => openExport(writer, file, folder),
    readBack: readBackOf(file, folder),
  })
}

type Row = { readonly record: TenderRecord; readonly text: string }

function openExport(writer: Writer, file: string, folder: string): CopyExport {
  const temporary = join(folder, 'parquet.new')
  const table = openParquetTable(writer, temporary, 'tender', [
    ...tenderColumns.map((column) => parquetColumn(column, ({ record }: Row) => record)),
    parquetColumn({ name: 'record', type: 'text', isRequired: true, of: ({ text }: Row) => text }, (row: Row) => row),
  ])
  return {
    add: async (bytes) => {
      const text = bytes.toString()
      await table.add({ record: JSON.parse(text) as TenderRecord, text }, text.length)
    },
    finish: async () => {
      await table.finish()
      await makeDurable(temporary)
    },
    putInPlace: async () => {
      await writeWhole(sumPathIn(folder), `${await sumOf(temporary)}  ${basename(file)}\n`)
      await putInPlace(temporary, file, 'user')
    },
    abandon: table.abandon,
  }
}

/**
 * The path of the written file's checksum, in the form of `sha256sum`: a damaged Parquet file may keep a program busy
 * for hours with wrong lengths.
 */
const sumPathIn = (folder: string): string => join(folder, 'parquet.sha256')

function readBackOf(file: string, folder: string): ReadBack {
  // hyparquet removes a byte-order mark at the beginning of a text.
  const named = (cells: readonly string[], content: string): string =>
    digestOf(JSON.stringify([...cells.map((cell) => cell.replace(/^\uFEFF/, '')), content]))
  return {
    async *rows() {
      // it comes with hyparquet-writer
      const reader = await installed(import('hyparquet'), 'hyparquet', 'Reading the Parquet file back')
      if ((await sizeOf(file)) === undefined) return
      const sum = (await readIfThere(sumPathIn(folder)))?.split(' ')[0]
      if (sum !== undefined && sum !== (await sumOf(file)))
        throw new CopyDamagedError(`${file} has changed since the last run wrote it: its SHA-256 differs.`)
      for await (const row of readRows(reader, file)) {
        const cells = tenderColumns.map(({ name }) => cellText(row[name]))
        const [id, lastModified, status] = cells as [string, string, string]
        const record = storedRecord(String(row.record), `The record ${row.id} of ${file}`)
        yield { id, lastModified, status, content: named(cells, contentJson(record)), record }
      }
    },
    contentOf: (delivered) => {
      const { record } = wellFormed(delivered)
      return named(
        tenderColumns.map(({ of }) => textOf(of(record))),
        contentJson(record),
      )
    },
  }
}

const cellText = (value: unknown): string =>
  value instanceof Date ? value.toISOString() : textOf((value ?? null) as FlatValue)

async function* readRows(
  { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects }: typeof import('hyparquet'),
  path: string,
): AsyncGenerator<Record<string, unknown>> {
  try {
    const file = await asyncBufferFromFile(path)
    const metadata = await parquetMetadataAsync(file)
    let rowStart = 0
    for (const { num_rows: rows } of metadata.row_groups) {
      const rowEnd = rowStart + Number(rows)
      yield* await parquetReadObjects({ file, metadata, rowStart, rowEnd })
      rowStart = rowEnd
    }
  } catch (cause) {
    throw new CopyDamagedError(`${path} cannot be read as Parquet (${(cause as Error).message}).`, { cause })
  }
}
