// Sync into CSV (RFC 4180): one row per tender, and one per lot in a second file if wanted; written anew, whole and in one
// step, at the end of each run that changed something.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sink } from '../sync/sink.ts'
import type { TenderRecord } from '../types.ts'
import { putInPlace } from './durable-files.ts'
import { fileSink } from './file-sink.ts'
import { type FlatColumn, lotColumns, lotsOf, tenderColumns } from './flat-tender.ts'
import { BlockWriter } from './line-file.ts'
import { isMissingModule, SinkError } from './sink-error.ts'
import type { CopyExport } from './working-copy.ts'

export type CsvSinkOptions = {
  /** Path of the file of tenders. The folder `<file>.sync` beside it holds the full records and the state. */
  readonly file: string
  /** Path of the file of lots; without it none is written. */
  readonly lotsFile?: string
  /** Between the values; default `,`. Excel in countries with a decimal comma opens `;` by a double click. */
  readonly delimiter?: ',' | ';' | '\t' | '|'
  /**
   * Default true: a text that begins with `=`, `+`, `-` or `@` gets a `'` before it, because Excel would run it as a
   * formula, and the texts come from whoever publishes a notice. False: texts exactly as delivered, for programs.
   */
  readonly escapesFormulas?: boolean
}

async function loadStringify(): Promise<typeof import('csv-stringify/sync')['stringify']> {
  try {
    return (await import('csv-stringify/sync')).stringify
  } catch (cause) {
    if (!isMissingModule(cause, 'csv-stringify')) throw cause
    throw new SinkError('The CSV sink needs the package csv-stringify: npm install csv-stringify', { cause })
  }
}

/** Throws a SinkError that says what to install when csv-stringify is missing. */
export async function csvSink(options: CsvSinkOptions): Promise<Sink> {
  const { file, lotsFile } = options
  const stringify = await loadStringify()
  const folder = `${file}.sync`
  return fileSink({
    name: 'csv',
    base: join(folder, 'records.ndjson'),
    folder,
    exportPaths: lotsFile === undefined ? [file] : [file, lotsFile],
    openExport: async () => {
      const tenders = await openTable(file, join(folder, 'tenders.new'), tenderColumns, stringify, options)
      const lots =
        lotsFile === undefined
          ? undefined
          : await openTable(lotsFile, join(folder, 'lots.new'), lotColumns, stringify, options)
      return exportOf(tenders, lots)
    },
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

const rowsAtOnce = 500

async function openTable<T>(
  file: string,
  temporary: string,
  columns: readonly FlatColumn<T>[],
  stringify: typeof import('csv-stringify/sync')['stringify'],
  { delimiter = ',', escapesFormulas = true }: CsvSinkOptions,
): Promise<Table<T>> {
  const out = await BlockWriter.create(temporary)
  const textOf = (rows: readonly (readonly unknown[])[], isFirst: boolean): string =>
    stringify(rows as unknown[][], {
      delimiter,
      record_delimiter: '\r\n',
      // Excel takes a file without the mark for one in the machine's old code page.
      bom: isFirst,
      cast: { boolean: (value) => (value ? 'true' : 'false'), number: (value) => String(value) },
      escape_formulas: escapesFormulas,
    })
  await out.write(Buffer.from(textOf([columns.map(({ name }) => name)], true)))
  let rows: (readonly unknown[])[] = []
  const flush = async (): Promise<void> => {
    if (rows.length > 0) await out.write(Buffer.from(textOf(rows, false)))
    rows = []
  }
  return {
    add: async (row) => {
      rows.push(columns.map(({ of }) => of(row)))
      if (rows.length === rowsAtOnce) await flush()
    },
    finish: async () => {
      await flush()
      await out.finish()
    },
    putInPlace: () => putInPlace(temporary, file),
    abandon: async () => {
      await out.abandon()
      await rm(temporary, { force: true })
    },
  }
}
