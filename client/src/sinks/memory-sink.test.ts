import { describe, it } from 'vitest'
import { type SeenRecord, sinkConformance } from '../testing/sink-conformance.ts'
import type { TenderRecord } from '../types.ts'
import { memorySink } from './memory-sink.ts'

const seenOf = (record: TenderRecord): SeenRecord => ({
  state: record.archiveReason === 'merged' ? 'merged' : record.archiveReason ? 'closed' : 'open',
  lastModified: record.lastModified,
  title: record.title,
  ...(record.mergedInto && { mergedInto: record.mergedInto }),
  record,
})

describe.each([{ isStaged: true }, { isStaged: false }])('the sink in memory, staged: $isStaged', (options) => {
  const cases = sinkConformance(async () => {
    const sink = memorySink({ ...options, keepsState: true })
    return {
      open: async () => sink,
      seen: async () => new Map([...sink.records.values()].map((record) => [record.id, seenOf(record)])),
      close: async () => {},
      keepsOldRecords: !options.isStaged,
      crash: async () => {},
    }
  })
  for (const { name, run } of cases) it(name, run)
})
