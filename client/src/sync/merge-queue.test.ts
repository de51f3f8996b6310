import { describe, expect, it } from 'vitest'
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

describe('a survivor that was merged meanwhile (C158)', () => {
  /** Record 1 was delivered as merged into 2; 2 is merged into 3. `answers` are what is known of record 1, in turn. */
  async function settled(answers: readonly TenderRecord[]) {
    const sink = memorySink({ isStaged: false })
    await sink.begin({ kind: 'delta', filterHash: 'f1', resumed: false, keepArchived: false })
    await sink.upsert([recordOf(1), recordOf(3)])
    const written: TenderRecord[] = []
    let asked = 0
    const queue = new MergeQueue({
      sink,
      keepArchived: false,
      fetchRecord: async (id) =>
        id === idOf(1)
          ? answers[Math.min(asked++, answers.length - 1)]!
          : id === idOf(2)
            ? mergedOf(2, 4, 3)
            : recordOf(3),
      write: async (record) => void written.push(record),
      onSurvivor: () => {},
    })
    expect(await queue.due([mergedOf(1, 1, 2)], new Set([idOf(1)]))).toEqual([])
    return { ...(await queue.settle()), written, asked }
  }

  it('is named by the present version of the record, which may be outside of the filters', async () => {
    expect(await settled([mergedOf(1, 4, 3)])).toMatchObject({ merges: [{ record: mergedOf(1, 4, 3), into: idOf(3) }] })
  })

  it('is asked for again when a node lags, and a limited number of times', async () => {
    expect(await settled([mergedOf(1, 1, 2), mergedOf(1, 4, 3)])).toMatchObject({
      merges: [{ record: mergedOf(1, 4, 3), into: idOf(3) }],
      asked: 2,
    })
    expect(await settled([mergedOf(1, 1, 2)])).toMatchObject({
      merges: [{ record: mergedOf(1, 1, 2), into: idOf(3) }],
      asked: 8,
    })
  })

  it('is none when the record was reopened', async () => {
    expect(await settled([recordOf(1, 4)])).toEqual({
      merges: [],
      orphans: [],
      written: [recordOf(3), recordOf(1, 4)],
      asked: 1,
    })
  })
})

it('a merge that waits and is delivered again with its survivor is due once, in its newest version', async () => {
  const sink = memorySink({ isStaged: false })
  await sink.begin({ kind: 'delta', filterHash: 'f1', resumed: false, keepArchived: false })
  await sink.upsert([recordOf(1)])
  const queue = new MergeQueue({
    sink,
    keepArchived: false,
    fetchRecord: async () => recordOf(9),
    write: async () => {},
    onSurvivor: () => {},
  })
  expect(await queue.due([mergedOf(1, 1, 2)], new Set([idOf(1)]))).toEqual([])
  await sink.upsert([recordOf(2)])
  const due = await queue.due([mergedOf(1, 2, 2)], new Set([idOf(1), idOf(2)]))
  expect(due).toEqual([{ record: mergedOf(1, 2, 2), into: idOf(2) }])
  expect(queue.waitingIds).toEqual([])
})
