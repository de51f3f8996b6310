import { expect, test } from 'vitest'
import { syncWorld } from '../../test/sync-world.ts'
import { memorySink } from '../sinks/memory-sink.ts'
import { type BulkPage, type BulkSource, bulkCursor, fromFiles } from './bulk-source.ts'
import type { Run } from './sink.ts'

/** Files of the first two records, of which the second file cannot be read. */
function filesOf(world: ReturnType<typeof syncWorld>, isThere = true): BulkSource {
  const stock = [...world.api.stock().values()].slice(0, 2)
  let isLeft = isThere
  const page: BulkPage = async (cursor) => {
    isLeft &&= cursor === undefined
    return isLeft ? { data: stock as never, nextCursor: `${bulkCursor}next`, edition: 1 } : undefined
  }
  return {
    open: async () => isLeft,
    over: (client, floor, sink) => fromFiles(client, page, floor, sink),
  }
}

function openWorld(commitsPages: boolean) {
  const world = syncWorld('staged')
  world.api.publish(['a', 'b', 'c', 'd'].map((id) => ({ id })))
  const begun: (boolean | undefined)[] = []
  const inner = memorySink({ commitsPages, keepsState: true })
  const sink: typeof inner = Object.create(inner, {
    begin: {
      value: (run: Run) => {
        begun.push(run.isFromFiles)
        return inner.begin(run)
      },
    },
  })
  return { world, begun, sink }
}

test.each([
  ['a sink that keeps pages goes on with the list', true, [true], { pages: 3, records: 5 }],
  ['a sink that keeps none begins again, with the list alone', false, [true, false], { pages: 3, records: 6 }],
])('files that cannot be read to their end: %s', async (_, commitsPages, runs, counts) => {
  const { world, begun, sink } = openWorld(commitsPages)
  const outcome = await world.complete({ sink, bulk: filesOf(world) })
  expect(outcome).toMatchObject({ kind: 'first', counts })
  expect(begun).toEqual(runs)
  expect([...sink.records.keys()].sort()).toEqual(['a', 'b', 'c', 'd'])
})

test('a run without files, or with filters, is not said to come from them', async () => {
  const { world, begun, sink } = openWorld(true)
  await world.complete({ sink, bulk: filesOf(world, false) })
  const other = openWorld(true)
  await other.world.complete({ sink: other.sink, bulk: filesOf(other.world), filters: { cpv: ['45000000'] } })
  expect([...begun, ...other.begun]).toEqual([false, false])
})
