// A table in Parquet that is written in groups of rows, so that any number of them needs the memory of a few.
import { rm } from 'node:fs/promises'
import type { parquetColumn } from './parquet-column.ts'

/**
 * Maximum rows of a group, and characters of their records: few enough for the memory of a small machine, enough to
 * compress well.
 */
const groupRows = 5000
const groupLength = 16 * 1024 * 1024

export type ParquetTable<Of> = {
  /** `length`: characters that the row holds in memory. */
  readonly add: (row: Of, length: number) => Promise<void>
  /** Resolves to the number of rows when the file is complete; it is not durable yet. */
  readonly finish: () => Promise<number>
  readonly abandon: () => Promise<void>
}

/** The caller loads hyparquet-writer, only for this format. */
export function openParquetTable<Of>(
  { ParquetWriter, fileWriter }: typeof import('hyparquet-writer'),
  path: string,
  name: string,
  columns: readonly ReturnType<typeof parquetColumn<never, Of>>[],
): ParquetTable<Of> {
  const out = new ParquetWriter({
    writer: fileWriter(path),
    schema: [{ name, num_children: columns.length }, ...columns.map(({ schema }) => schema)],
    createdBy: 'tenderstock',
  })
  let waiting: Of[] = []
  let [length, rows] = [0, 0]
  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return
    const columnData = columns.map(({ schema, of }) => ({ name: schema.name, data: waiting.map(of) }))
    await out.write({ columnData, rowGroupSize: waiting.length })
    waiting = []
    length = 0
  }
  return {
    add: async (row, rowLength) => {
      waiting.push(row)
      length += rowLength
      rows += 1
      if (waiting.length === groupRows || length >= groupLength) await flush()
    },
    finish: async () => {
      await flush()
      await out.finish()
      return rows
    },
    abandon: () => rm(path, { force: true }),
  }
}
