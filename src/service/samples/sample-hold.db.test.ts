import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fillSampleStock, sampleHour } from '../../../test/docs/sample-stock.ts'
import { putNumbered } from '../../../test/numbered-tenders.ts'
import { drawnEngines, openTestStore } from '../../../test/world.ts'
import { hourMs, minuteMs } from '../../domain/time.ts'
import { publish } from '../../publish/publish.ts'
import { alarmsOf } from '../../store/sources/source-health.ts'
import { plantHold } from './sample-hold.ts'

test.each(drawnEngines)('one edition of the samples is held for an hour, and no other (%s)', async (engine) => {
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-hold-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await using store = await openTestStore(engine)
  let changes = 0
  const published = async (now: number) => {
    await putNumbered(store, changes, ++changes)
    return await publish(store, { now, minIntervalMs: 0 })
  }
  const plant = (now: number, sources = ['ted', 'no-doffin']) => plantHold(store, { now, sources })
  await plant(sampleHour)
  await fillSampleStock(store, folder)
  expect(await published(sampleHour)).toMatchObject({ kind: 'published', edition: 1 })

  await plant(sampleHour + hourMs - 1)
  await plant(sampleHour + hourMs, ['ted'])
  expect(await alarmsOf(store.db, 'no-doffin', 2)).toEqual([])
  const raisedAt = sampleHour + hourMs
  await plant(raisedAt)
  await plant(raisedAt + minuteMs)
  expect(await alarmsOf(store.db, 'no-doffin', 2)).toMatchObject([{ kind: 'totals', raisedAt, clearedAt: null }])
  const held = { kind: 'held', reasons: [expect.stringMatching(/^The source no-doffin: .*part of the samples/)] }
  expect(await published(raisedAt + minuteMs)).toMatchObject(held)

  await plant(raisedAt + hourMs - 1)
  expect(await published(raisedAt + hourMs - 1)).toMatchObject(held)
  await plant(raisedAt + hourMs)
  expect(await published(raisedAt + hourMs)).toMatchObject({ kind: 'published', edition: 2, warnings: [] })
  await plant(raisedAt + 3 * hourMs)
  expect(await alarmsOf(store.db, 'no-doffin', 2)).toMatchObject([{ raisedAt, clearedAt: raisedAt + hourMs }])
})
