// Sync into a Parquet file: typed columns and the full record as JSON; written anew, whole and in one step, at the end of
// each run that changed something.
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sink } from '../sync/sink.ts'
import type { TenderRecord } from '../types.ts'
import { putInPlace } from './durable-files.ts'
import { fileSink } from './file-sink.ts'
import { type FlatType, type FlatValue, tenderColumns } from './flat-tender.ts'
import { isMissingModule, SinkError } from './sink-error.ts'
import type { CopyExport } from './working-copy.ts'

export type ParquetSinkOptions = {
  /** Path of the file. The folder `<file>.sync` beside it holds the full records and the state. */
  readonly file: string
}

type Writer = typeof import('hyparquet-writer')

async function loadWriter(): Promise<Writer> {
  try {
    return await import('hyparquet-writer')
  } catch (cause) {
    if (!isMissingModule(cause, 'hyparquet')) throw cause
    throw new SinkError('The Parquet sink needs the package hyparquet-writer: npm install hyparquet-writer', { cause })
  }
}

/** Throws a SinkError that says what to install when hyparquet-writer is missing. */
export async function parquetSink({ file }: ParquetSinkOptions): Promise<Sink> {
  const writer = await loadWriter()
  const folder = `${file}.sync`
  return fileSink({
    name: 'parquet',
    base: join(folder, 'records.ndjson'),
    folder,
    exportPaths: [file],
    openExport: async () => openExport(writer, file, join(folder, 'parquet.new')),
  })
}

const elementTypes = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  instant: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  number: { type: 'DOUBLE' },
  integer: { type: 'INT32' },
  boolean: { type: 'BOOLEAN' },
} as const satisfies Record<FlatType, object>

type Row = { readonly record: TenderRecord; readonly text: string }

/** Small enough to be built in the memory of a small machine, large enough to compress well. */
const rowsPerGroup = 10_000

const cellOf = (type: FlatType, value: FlatValue) =>
  type === 'instant' && typeof value === 'string' ? new Date(value) : value

function openExport({ ParquetWriter, fileWriter }: Writer, file: string, temporary: string): CopyExport {
  const columns = [
    ...tenderColumns.map(({ name, type, isRequired, of }) => ({
      schema: { name, ...elementTypes[type], repetition_type: isRequired ? 'REQUIRED' : 'OPTIONAL' } as const,
      of: ({ record }: Row) => cellOf(type, of(record)),
    })),
    {
      schema: { name: 'record', ...elementTypes.text, repetition_type: 'REQUIRED' } as const,
      of: ({ text }: Row) => text,
    },
  ]
  const out = new ParquetWriter({
    writer: fileWriter(temporary),
    schema: [{ name: 'tender', num_children: columns.length }, ...columns.map(({ schema }) => schema)],
    createdBy: 'tender-sync',
  })
  let rows: Row[] = []
  const flush = async (): Promise<void> => {
    if (rows.length === 0) return
    const columnData = columns.map(({ schema, of }) => ({ name: schema.name, data: rows.map(of) }))
    await out.write({ columnData, rowGroupSize: rowsPerGroup })
    rows = []
  }
  return {
    add: async (bytes) => {
      const text = bytes.toString()
      rows.push({ record: JSON.parse(text) as TenderRecord, text })
      if (rows.length === rowsPerGroup) await flush()
    },
    finish: async () => {
      await flush()
      await out.finish()
      const written = await open(temporary, 'r+')
      await written.sync()
      await written.close()
    },
    putInPlace: () => putInPlace(temporary, file),
    abandon: () => rm(temporary, { force: true }),
  }
}
