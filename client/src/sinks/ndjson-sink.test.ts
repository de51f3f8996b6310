import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type SeenRecord, sinkConformance } from '../testing/sink-conformance.ts'
import type { TenderRecord } from '../types.ts'
import { ndjsonSink } from './ndjson-sink.ts'

describe('the NDJSON sink', () => {
  const cases = sinkConformance(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tender-ndjson-'))
    const file = join(folder, 'tenders.ndjson')
    return {
      open: async () => ndjsonSink({ file }),
      seen: async () => new Map(existsSync(file) ? recordsOf(file).map((record) => [record.id, seenOf(record)]) : []),
      close: async () => rmSync(folder, { recursive: true, force: true }),
    }
  })
  for (const { name, run } of cases) it(name, run)
})

function recordsOf(file: string): TenderRecord[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  expect(lines.pop()).toBe('')
  return lines.map((line) => JSON.parse(line) as TenderRecord)
}

const seenOf = (record: TenderRecord): SeenRecord => ({
  state: record.archiveReason === 'merged' ? 'merged' : record.archiveReason ? 'closed' : 'open',
  lastModified: record.lastModified,
  title: record.title,
  ...(record.mergedInto && { mergedInto: record.mergedInto }),
  record,
})
