// Syncs into CSV (RFC 4180): one row per tender, and one per lot in a second file if requested; rewritten, whole and in
// one step, at the end of each run that changed something.
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import type { ReadBack } from '../sync/sink.ts'
import type { TenderRecord } from '../types.ts'
import type { OpenSink } from './disposable.ts'
import { CopyDamagedError, installed, SinkError } from './faults/sink-error.ts'
import { fileSink } from './file-sink.ts'
import { byteOrderMark, cellsOf, csvLine } from './files/csv-line.ts'
import { behindLink, putInPlace, sizeOf } from './files/durable-files.ts'
import { BlockWriter, readLines } from './files/line-file.ts'
import type { CopyExport } from './files/working-copy.ts'
import { digestOf } from './record/digest.ts'
import type { FlatColumn } from './record/flat-column.ts'
import { lotColumns, lotsOf, tenderColumns } from './record/flat-tender.ts'
import { storedRecord, wellFormed } from './record/record-json.ts'

export type CsvSinkOptions = {
  /** Path of the file of tenders. The folder `<file>.sync` beside it holds the full records and the state. */
  readonly file: string
  /** Path of the file of lots; without it none is written. */
  readonly lotsFile?: string
  /** Character between the values; default `,`. Excel in countries with a decimal comma opens `;` by a double click. */
  readonly delimiter?: ',' | ';' | '\t' | '|'
  /**
   * Default true: `'` is put before a text that begins with `=`, `+`, `-` or `@`, because Excel would run it as a
   * formula, and anybody who publishes a notice can write such texts. False: texts exactly as delivered, for programs.
   */
  readonly escapesFormulas?: boolean
}

/** Never rejects: writing needs no package. Only reading back, for `tender-sync verify`, needs csv-parse. */
export async function csvSink(given: CsvSinkOptions): Promise<OpenSink> {
  const options = {
    ...given,
    file: behindLink(given.file),
    ...(given.lotsFile !== undefined && { lotsFile: behindLink(given.lotsFile) }),
  }
  const { file, lotsFile } = options
  const folder = `${file}.sync`
  return fileSink({
    name: 'csv',
    file,
    base: join(folder, 'records.ndjson'),
    folder,
    exportPaths: lotsFile === undefined ? [file] : [file, lotsFile],
    openExport: async () => {
      const tenders = await openTable(file, join(folder, 'tenders.new'), tenderColumns, options)
      const lots =
        lotsFile === undefined ? undefined : await openTable(lotsFile, join(folder, 'lots.new'), lotColumns, options)
      return exportOf(tenders, lots)
    },
    readBack: readBackOf(options),
  })
}

function exportOf(
  tenders: Table<TenderRecord>,
  lots: Table<ReturnType<typeof lotsOf>[number]> | undefined,
): CopyExport {
  const both = async (act: (table: Pick<Table<never>, 'finish' | 'putInPlace' | 'abandon'>) => Promise<void>) => {
    await act(tenders)
    if (lots) await act(lots)
  }
  return {
    add: async (bytes) => {
      const record = JSON.parse(bytes.toString()) as TenderRecord
      await tenders.add(record)
      for (const lot of lots ? lotsOf(record) : []) await lots!.add(lot)
    },
    finish: () => both((table) => table.finish()),
    putInPlace: () => both((table) => table.putInPlace()),
    abandon: () => both((table) => table.abandon()),
  }
}

type Table<T> = {
  add(row: T): Promise<void>
  finish(): Promise<void>
  putInPlace(): Promise<void>
  abandon(): Promise<void>
}

async function openTable<T>(
  file: string,
  temporary: string,
  columns: readonly FlatColumn<T>[],
  options: CsvSinkOptions,
): Promise<Table<T>> {
  const { delimiter = ',' } = options
  const out = await BlockWriter.create(temporary)
  const write = (cells: readonly string[], start = ''): Promise<void> =>
    out.write(Buffer.from(start + csvLine(cells, delimiter)))
  await write(
    columns.map(({ name }) => name),
    byteOrderMark,
  )
  return {
    add: (row) => write(cellsOf(columns, row, options)),
    finish: () => out.finish(),
    putInPlace: () => putInPlace(temporary, file, 'user'),
    abandon: async () => {
      await out.abandon()
      await rm(temporary, { force: true })
    },
  }
}

/** Maximum bytes of one row that is read back; a lost quote turns the rest of the file into one row. */
const maxRowBytes = 1 << 26

/** The rows of a file as another program reads them. */
async function* readRows(file: string, columns: readonly string[], { delimiter = ',' }: CsvSinkOptions) {
  const { parse } = await installed(import('csv-parse'), 'csv-parse', 'Reading the CSV file back')
  if ((await sizeOf(file)) === undefined) return
  // Every kind of line end outside quotes ends a row: that is how most programs read.
  const rows = parse({ delimiter, bom: true, record_delimiter: ['\r\n', '\n', '\r'], max_record_size: maxRowBytes })
  // A fault of either ends the loop below.
  pipeline(createReadStream(file), rows, () => {})
  let isHeader = true
  try {
    for await (const row of rows as AsyncIterable<string[]>) {
      if (!isHeader) yield row
      else if (row.join() !== columns.join())
        throw new CopyDamagedError(
          `${file} has different columns from those that this sink writes; verify needs the options of the run.`,
        )
      isHeader = false
    }
  } catch (cause) {
    if (cause instanceof SinkError) throw cause
    const reason = (cause as Error).message
    throw new CopyDamagedError(`${file} cannot be read as CSV (${reason}); verify needs the options of the run.`, {
      cause,
    })
  }
  if (isHeader) throw new CopyDamagedError(`${file} is empty: it lacks even a header.`)
}

/** The full records beside the table, in the order of its rows; damaged lines belong to other records. */
async function* fullRecords(base: string): AsyncGenerator<TenderRecord> {
  for await (const { bytes } of readLines(base)) yield storedRecord(bytes.toString(), `A line of ${base}`)
}

function readBackOf(options: CsvSinkOptions): ReadBack {
  const { file, lotsFile } = options
  const base = join(`${file}.sync`, 'records.ndjson')
  const names = (columns: readonly { readonly name: string }[]): string[] => columns.map(({ name }) => name)
  /** Names the rows of the lots of one tender, in their order. */
  const withLot = (before: string, cells: readonly string[]): string => digestOf(before + JSON.stringify(cells))
  return {
    async *rows() {
      const lotsOfId = new Map<string, string>()
      if (lotsFile !== undefined)
        for await (const cells of readRows(lotsFile, names(lotColumns), options))
          lotsOfId.set(cells[0]!, withLot(lotsOfId.get(cells[0]!) ?? '', cells))
      const records = fullRecords(base)
      try {
        for await (const cells of readRows(file, names(tenderColumns), options)) {
          const [id, lastModified, status] = cells as [string, string, string]
          const { value: record } = await records.next()
          const content = digestOf(JSON.stringify(cells)) + (lotsOfId.get(id) ?? '')
          yield { id, lastModified, status, content, ...(record?.id === id && { record }) }
          lotsOfId.delete(id)
        }
      } finally {
        await records.return(undefined)
      }
      const [stray] = lotsOfId.keys()
      if (stray !== undefined) throw new CopyDamagedError(`${lotsFile} holds lots of ${stray}, which ${file} does not.`)
    },
    contentOf: (delivered) => {
      const { record } = wellFormed(delivered)
      let lots = ''
      if (lotsFile !== undefined)
        for (const lot of lotsOf(record)) lots = withLot(lots, cellsOf(lotColumns, lot, options))
      return digestOf(JSON.stringify(cellsOf(tenderColumns, record, options))) + lots
    },
  }
}
