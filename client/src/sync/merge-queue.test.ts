import { expect, it } from 'vitest'
import { ProblemError } from '../problem-error.ts'
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

it('says of each survivor whether it still exists, and gives back what has none', async () => {
  const sink = memorySink({ isStaged: false })
  await sink.begin({ kind: 'delta', filterHash: 'f1', resumed: false, keepArchived: false })
  const said: (readonly [string, boolean])[] = []
  const queue = new MergeQueue({
    sink,
    keepArchived: false,
    fetchRecord: async (id) => {
      if (id === idOf(3)) return recordOf(3)
      throw new ProblemError({ type: 'not-found', title: 'Not found', status: 404, detail: '' } as never)
    },
    write: async () => {},
    onSurvivor: (id, isThere) => said.push([id, isThere]),
  })
  await sink.upsert([recordOf(1), recordOf(2)])
  await queue.due([mergedOf(1, 2, 3), mergedOf(2, 2, 4)], new Set([idOf(1), idOf(2)]))
  expect(await queue.settle()).toEqual({
    merges: [{ record: mergedOf(1, 2, 3), into: idOf(3) }],
    orphans: [mergedOf(2, 2, 4)],
  })
  expect(said).toEqual([
    [idOf(3), true],
    [idOf(4), false],
  ])
})
