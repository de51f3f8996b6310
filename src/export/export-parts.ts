// What one part of an export is in each format: its files, and how records get into them. A file gets its name once it
// is whole and durable.
import { byteOrderMark, cellsOf, csvLine } from '#flat/files/csv-line'
import { parquetColumn } from '#flat/files/parquet-column'
import { openParquetTable } from '#flat/files/parquet-table'
import { lotColumns, lotsOf, tenderColumns } from '#flat/record/flat-tender'
import type { TenderRecord } from '../domain/tender.ts'
import { syncFile } from '../platform/folders.ts'
import { type ExportedFile, incomingPath, LineFile, nameFile } from './export-files.ts'
import { ocdsRelease } from './ocds-release.ts'

// The formats in which an edition is exported.
export type ExportFormat = 'ocds' | 'parquet' | 'ndjson' | 'csv'

export type Part = {
  readonly folder: string
  /** Part number, from 1 on. */
  readonly number: number
  readonly format: ExportFormat
  readonly ocidPrefix: string
}

/** The files of a part while they are being written. */
export type PartWriter = {
  readonly add: (record: TenderRecord, json: string) => Promise<void>
  /** Resolves when the files are whole and durable under their names. */
  readonly finish: () => Promise<readonly ExportedFile[]>
  /** Closes the files whatever they contain. */
  readonly abandon: () => Promise<void>
}

export async function openPart({ folder, number, format, ocidPrefix }: Part): Promise<PartWriter> {
  const name = (table: string, ending: string) => `${table}-${String(number).padStart(4, '0')}.${ending}`
  switch (format) {
    case 'ocds':
      return linesPart(await LineFile.create(folder, name('releases', 'jsonl')), (record) => {
        const release = ocdsRelease(record, ocidPrefix)
        return release && JSON.stringify(release)
      })
    case 'ndjson':
      return linesPart(await LineFile.create(folder, name('tenders', 'ndjson')), (_record, json) => json)
    case 'csv':
      return csvPart(
        await LineFile.create(folder, name('tenders', 'csv'), headOf(tenderColumns)),
        await LineFile.create(folder, name('lots', 'csv'), headOf(lotColumns)),
      )
    case 'parquet':
      return parquetPart(folder, name('tenders', 'parquet'), name('lots', 'parquet'))
  }
}

function linesPart(file: LineFile, lineOf: (record: TenderRecord, json: string) => string | undefined): PartWriter {
  return {
    add: async (record, json) => {
      const line = lineOf(record, json)
      if (line !== undefined) await file.write(`${line}\n`)
    },
    finish: async () => [await file.finish()],
    abandon: () => file.abandon(),
  }
}

// tables

const headOf = (columns: readonly { readonly name: string }[]): string =>
  byteOrderMark + csvLine(columns.map(({ name }) => name))

function csvPart(tenders: LineFile, lots: LineFile): PartWriter {
  return {
    add: async (record) => {
      await tenders.write(csvLine(cellsOf(tenderColumns, record)))
      for (const lot of lotsOf(record)) await lots.write(csvLine(cellsOf(lotColumns, lot)))
    },
    finish: async () => [await tenders.finish(), await lots.finish()],
    abandon: async () => {
      await tenders.abandon()
      await lots.abandon()
    },
  }
}

type Row = { readonly record: TenderRecord; readonly json: string }

async function parquetPart(folder: string, tendersName: string, lotsName: string): Promise<PartWriter> {
  const tenders = await openTable<Row>(folder, tendersName, [
    ...tenderColumns.map((column) => parquetColumn(column, ({ record }: Row) => record)),
    parquetColumn({ name: 'record', type: 'text', isRequired: true, of: ({ json }: Row) => json }, (row: Row) => row),
  ])
  const lots = await openTable<ReturnType<typeof lotsOf>[number]>(
    folder,
    lotsName,
    lotColumns.map((column) => parquetColumn(column, (lot) => lot)),
  )
  return {
    add: async (record, json) => {
      await tenders.add({ record, json }, json.length)
      for (const lot of lotsOf(record)) await lots.add(lot, 0)
    },
    finish: async () => [await tenders.finish(), await lots.finish()],
    abandon: async () => {
      await tenders.abandon()
      await lots.abandon()
    },
  }
}

/** A table in Parquet that gets its name when it is durable. */
async function openTable<Of>(folder: string, name: string, columns: Parameters<typeof openParquetTable<Of>>[3]) {
  const path = incomingPath(folder, name)
  const table = openParquetTable(await import('hyparquet-writer'), path, name.replace(/-.*/, ''), columns)
  return {
    add: table.add,
    finish: async (): Promise<ExportedFile> => {
      const rows = await table.finish()
      await syncFile(path)
      return nameFile(folder, name, rows)
    },
    abandon: table.abandon,
  }
}
