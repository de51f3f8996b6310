// A rebuild beside everything else: nothing is published from its beginning to its end, others consolidate only what it
// shares with them, only one runs at a time, and one that died is repeated.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { runOperation, serviceContext } from '../../../test/operations-world.ts'
import { receiveNotices } from '../../../test/receive-notices.ts'
import { at, notice } from '../../../test/testing/generate/notices.ts'
import { engines, openTestStore, type TestStore } from '../../../test/world.ts'
import type { CommandName } from '../../cli/command-table.ts'
import { consolidate } from '../../consolidate/consolidate.ts'
import { stockRules } from '../../domain/stock-rules.ts'
import { OperatorError } from '../../platform/errors.ts'
import { systemRandom } from '../../platform/random.ts'
import { publish } from '../../publish/publish.ts'
import { newestEdition } from '../../store/editions/editions.ts'
import { asRebuild, RebuildLostError, rebuildState } from '../../store/editions/rebuild-mark.ts'
import type { CommandEvent } from '../events/command-event.ts'

async function run(store: TestStore, command: CommandName, options: object = {}, operands: readonly string[] = []) {
  const events: CommandEvent[] = []
  const context = serviceContext({ store, dataFolder: store.options.dataFolder })
  await runOperation(context, { command, operands, options: { ...options } }, (event) => {
    if (event.event !== 'progress') events.push(event)
  })
  return events
}

const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'not refused',
    (error: unknown) => {
      expect(error).toBeInstanceOf(OperatorError)
      return (error as Error).message
    },
  )

const release = {
  ocid: 'ocds-x-1',
  id: '1',
  date: '2026-11-20T10:00:00Z',
  tag: ['tender'],
  language: 'en',
  buyer: { id: 'b', name: 'Town' },
  tender: { id: '1', title: 'Road', status: 'active', tenderPeriod: { endDate: '2027-01-20T10:00:00Z' } },
}
const rebuilder = { random: systemRandom, version: '1.2.0', rules: stockRules }
const now = { 'publish-interval-minutes': 0 }
const receive = (store: TestStore, key: string) =>
  receiveNotices(store, [notice({ noticeKey: key, publicationDate: at('2026-01-05') })])
const records = async ({ db }: TestStore) => (await db.selectFrom('tender').select('tender_id').execute()).length
/** As the clock of the database shows it after the process was silent for a minute. */
const expire = ({ db }: TestStore) =>
  sql`update setting set value = replace(value, '"until": ', '"until": -') where name = 'rebuild'`.execute(db)

describe.each(engines)('a rebuild (%s)', (engine) => {
  test('that died is repeated before anything is published, by every way to publish', async () => {
    await using store = await openTestStore(engine)
    const path = join(store.options.dataFolder, 'release.json')
    writeFileSync(path, JSON.stringify(release))
    await run(store, 'ingest', {}, [path])
    const died = asRebuild(store, rebuilder, () => Promise.reject(new Error('killed')))
    await expect(died).rejects.toThrow('killed')
    expect(await rebuildState(store)).toBe('interrupted')
    for (const options of [now, { ...now, 'dry-run': true }])
      expect(await refusal(run(store, 'publish', options))).toMatch(
        /^A rebuild was interrupted: run `tenderstock rebuild` before publishing\./,
      )
    expect(await publish(store, { now: Date.now(), minIntervalMs: 0 })).toEqual({ kind: 'rebuilding' })
    expect(await newestEdition(store.db)).toBeUndefined()
    expect(await run(store, 'rebuild')).toMatchObject([{ event: 'rebuilt', records: 1 }])
    expect(await rebuildState(store)).toBe('none')
    expect(await run(store, 'publish', now)).toMatchObject([{ event: 'published', records: 1 }])
  })
})

describe.runIf(engines.includes('server'))('a rebuild beside other processes', () => {
  test('lets nobody publish or consolidate, and no second one begin', async () => {
    await using store = await openTestStore('server')
    await receive(store, 'ted:1-2026')
    await consolidate(store, { now: Date.now() })
    await asRebuild(store, rebuilder, async () => {
      expect(await rebuildState(store)).toBe('running')
      await receive(store, 'ted:2-2026')
      await consolidate(store, { now: Date.now() })
      expect(await records(store)).toBe(1)
      expect(await refusal(run(store, 'publish', now))).toBe(
        'The stock is being rebuilt: publish again when that has ended.',
      )
      expect(await refusal(run(store, 'rebuild'))).toMatch(/^Another process is rebuilding the stock;/)
    })
    await consolidate(store, { now: Date.now() })
    expect(await records(store)).toBe(2)
    expect(await run(store, 'publish', now)).toMatchObject([{ event: 'published', records: 2 }])
  })

  test('is shared by the process that holds it, and by no other', async () => {
    await using store = await openTestStore('server')
    await receive(store, 'ted:1-2026')
    await asRebuild(store, rebuilder, async ({ share }) => {
      await consolidate(store, { now: Date.now(), version: '1.2.0' })
      expect(await records(store)).toBe(0)
      await share()
      expect(await rebuildState(store)).toBe('running')
      for (const version of [undefined, '1.1.9'])
        await consolidate(store, { now: Date.now(), ...(version && { version }) })
      expect(await records(store)).toBe(0)
      await consolidate(store, { now: Date.now(), version: '1.2.0' })
      expect(await records(store)).toBe(1)
      expect(await publish(store, { now: Date.now(), minIntervalMs: 0 })).toEqual({ kind: 'rebuilding' })

      await expire(store)
      await asRebuild(store, rebuilder, async () => {
        await expect(share()).rejects.toThrow(RebuildLostError)
        await receive(store, 'ted:2-2026')
        await consolidate(store, { now: Date.now(), version: '1.2.0' })
        expect(await records(store)).toBe(1)
      })
    }).catch((error: unknown) => expect(error).toBeInstanceOf(RebuildLostError))
    expect(await rebuildState(store)).toBe('none')
  })

  test('waits for a publication in progress, and a publication for nothing', async () => {
    await using store = await openTestStore('server')
    await receive(store, 'ted:1-2026')
    await consolidate(store, { now: Date.now() })
    let rebuilding: Promise<unknown> | undefined
    let isRebuilding = false
    const outcome = await publish(store, {
      now: Date.now(),
      minIntervalMs: 0,
      onProgress: () => {
        rebuilding ??= asRebuild(store, rebuilder, async () => {
          isRebuilding = true
        })
        expect(isRebuilding).toBe(false)
      },
    })
    expect(outcome.kind).toBe('published')
    await rebuilding
    expect(isRebuilding).toBe(true)
  })

  test('is taken over after its silence, and given up by the process that was asleep', async () => {
    await using store = await openTestStore('server')
    const slept = asRebuild(store, rebuilder, async ({ signal }) => {
      await expire(store)
      expect(await rebuildState(store)).toBe('interrupted')
      const taken = await asRebuild(store, rebuilder, async () => {
        await Promise.race([delay(20_000), new Promise((done) => signal.addEventListener('abort', done))])
        return signal.aborted
      })
      expect(taken).toEqual({ result: true })
    })
    await expect(slept).rejects.toThrow(RebuildLostError)
    expect(await rebuildState(store)).toBe('none')
  })
})
