import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { recordOf, type SeenRecord, sinkConformance } from '../testing/sink-conformance.ts'
import type { TenderRecord } from '../types.ts'
import { parquetSink } from './parquet-sink.ts'

function bytesOf(file: string): ArrayBuffer {
  const bytes = readFileSync(file)
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
}
const rowsOf = (file: string) => parquetReadObjects({ file: bytesOf(file) }) as Promise<Record<string, unknown>[]>

describe('the Parquet sink', () => {
  const cases = sinkConformance(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tender-parquet-'))
    const file = join(folder, 'tenders.parquet')
    return {
      open: () => parquetSink({ file }),
      seen: async () =>
        new Map(
          (existsSync(file) ? await rowsOf(file) : []).map((row): [string, SeenRecord] => [
            row.id as string,
            {
              state: row.archive_reason === 'merged' ? 'merged' : row.archive_reason ? 'closed' : 'open',
              lastModified: (row.last_modified as Date).toISOString(),
              title: row.title as string,
              ...(row.merged_into ? { mergedInto: row.merged_into as string } : {}),
              record: JSON.parse(row.record as string) as TenderRecord,
            },
          ]),
        ),
      close: async () => rmSync(folder, { recursive: true, force: true }),
    }
  })
  for (const { name, run } of cases) it(name, run)

  it('has typed columns, nulls where nothing is known, and several row groups when there are many', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tender-parquet-'))
    const file = join(folder, 'tenders.parquet')
    const sink = await parquetSink({ file })
    await sink.begin({ kind: 'first', filterHash: 'f1', resumed: false, keepArchived: false })
    for (let from = 0; from < 5100; from += 100)
      await sink.upsert(Array.from({ length: 100 }, (_, index) => recordOf(from + index, 0, { lots: [] })))
    await sink.commit({ schema: 1, filterHash: 'f1' }, 'run')
    await sink.end()
    const bytes = bytesOf(file)
    const groups = parquetMetadata(bytes).row_groups
    expect(groups.map(({ num_rows }) => Number(num_rows))).toEqual([5000, 100])
    const [last] = await parquetReadObjects({ file: bytes, rowStart: 5099 })
    expect(last).toMatchObject({
      id: recordOf(5099).id,
      last_modified: new Date(recordOf(5099).lastModified),
      submission_date: new Date(recordOf(1).submissionDate!),
      participation_date: null,
      contract_value: recordOf(5099).contractAmount!.value,
      contract_estimated: false,
      is_framework: null,
      lot_count: 0,
      archive_reason: null,
    })
    rmSync(folder, { recursive: true })
  })
})
