import { expect, it } from 'vitest'
import { memorySink } from '../sinks/memory-sink.ts'
import { idOf, mergedOf, recordOf } from '../testing/sink-conformance.ts'
import type { TenderRecord } from '../types.ts'
import { MergeQueue } from './merge-queue.ts'

it('a record into which its survivor was merged meanwhile is not merged into itself (C158)', async () => {
  const sink = memorySink({ isStaged: false })
  await sink.begin({ kind: 'delta', filterHash: 'f1', resumed: false, keepArchived: false })
  await sink.upsert([recordOf(1)])
  const newest = new Map([recordOf(1, 3), mergedOf(2, 3, 1)].map((record) => [record.id, record]))
  const written: TenderRecord[] = []
  const queue = new MergeQueue({
    sink,
    keepArchived: false,
    fetchRecord: async (id) => newest.get(id)!,
    write: async (record) => void written.push(record),
    onSurvivor: () => {},
  })
  expect(await queue.due([mergedOf(1, 1, 2)], new Set([idOf(1)]))).toEqual([])
  expect(await queue.settle()).toEqual({ merges: [], orphans: [] })
  expect(written).toEqual([recordOf(1, 3)])
})
