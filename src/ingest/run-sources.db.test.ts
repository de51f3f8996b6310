// The runner on both engines, over a portal in memory: every way to be interrupted, to fail and to end.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import {
  runDueSlots,
  type ScriptedPortal,
  scriptedPortal,
  scriptedRun,
  scriptedSource,
} from '../../test/scripted-source.ts'
import { engines, openTestStore } from '../../test/world.ts'
import { hourMs, minuteMs } from '../domain/time.ts'
import { OperatorError } from '../platform/errors.ts'
import { Refused, Retryable } from '../platform/http.ts'
import type { Channel, Source } from '../sources/source.ts'
import type { Store } from '../store/database/database.ts'
import type { DocumentStore } from '../store/files/document-store.ts'
import { countReceived } from '../store/received/documents.ts'
import { LeaseLost, takeLease } from '../store/sources/source-leases.ts'
import { findSlot, listSlots } from '../store/sources/source-ledger.ts'
import { turnSourceOff, turnSourceOn } from '../store/sources/sources-turned-off.ts'
import { dueBySource, planSource } from './due-slots.ts'
import { hostGroups } from './host-groups.ts'
import { reparse } from './ingest.ts'
import type { RunOptions } from './run-options.ts'
import { runSource, runWorkers } from './run-sources.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-scratch-'))
  closers.push(() => rm(folder, { recursive: true, force: true }))
  return folder
}

// 2026-11-21 09:00 in Berlin: the days of 18, 19 and 20 November are over
const morning = Date.parse('2026-11-21T08:00:00Z')
const threeDays: readonly (readonly [string, readonly string[]])[] = [
  ['2026-11-18', ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7']],
  ['2026-11-19', ['b1', 'bad b2', 'b3', 'a4']],
  ['2026-11-20', ['c1', 'c2', 'c3']],
]

/** What was stored, as text, to compare two stocks by. */
async function contentOf({ db }: Store): Promise<string> {
  const documents = await db
    .selectFrom('source_document')
    .select(['document_id', 'source_id'])
    .orderBy('document_id')
    .execute()
  const notices = await db.selectFrom('notice').select(['notice_id', 'content']).orderBy('notice_id').execute()
  const rejections = await db.selectFrom('rejection').select(['document_id', 'detail']).orderBy('document_id').execute()
  const items = await db.selectFrom('source_item').selectAll().orderBy('item_key').execute()
  const slots = await db
    .selectFrom('source_slot')
    .select(['slot', 'delivered', 'announced', 'checkpoint', 'missing'])
    .where('completed_at', 'is not', null)
    .orderBy('slot')
    .execute()
  return JSON.stringify({ documents, notices, rejections, items, slots })
}

const checkOf = async ({ db }: Store, source: Source) =>
  (await db.selectFrom('source_check').selectAll().where('source_id', '=', source.id).execute())[0]?.checked_at ?? null

const outcomes = async (store: Store) =>
  (await store.db.selectFrom('source_run').select(['slot', 'outcome']).orderBy('started_at').execute()).map(
    ({ slot, outcome }) => `${slot} ${outcome}`,
  )

/** Moves the clock with every request, so that each page is a separate transaction. */
const slowly = (portal: ScriptedPortal, time: { now: number }) => {
  portal.onRequest = () => {
    time.now += 6000
  }
}

describe.each(engines)('running a source (%s)', (engine) => {
  test('reads every slot that is due once, newest first, and nothing when nothing is due', async () => {
    await using store = await openTestStore(engine)
    const portal = scriptedPortal(threeDays)
    const source = scriptedSource(portal)
    const time = { now: morning }
    const options = scriptedRun(portal, time, await scratch())
    const results = await runDueSlots(store, [source], options)
    expect(
      results.map(({ slot, outcome, entries, documents, notices, rejections, requests }) => [
        slot,
        outcome,
        entries,
        documents,
        notices,
        rejections,
        requests,
      ]),
    ).toEqual([
      ['2026-11-20', 'complete', 3, 3, 3, 0, 2],
      ['2026-11-19', 'complete', 4, 4, 3, 1, 2],
      ['2026-11-18', 'complete', 7, 6, 6, 0, 3],
    ])
    expect(await checkOf(store, source)).toBe(morning)
    expect(await runDueSlots(store, [source], options)).toEqual([])
    // the current day is in the ledger, due when it is over in Berlin
    const today = await findSlot(store.db, { sourceId: source.id, channel: 'daily', slot: '2026-11-21' })
    expect(today?.dueAt).toBe(Date.parse('2026-11-21T23:00:00Z'))
    expect(await readdir(options.scratchFolder)).toEqual([])
  })

  test('what is due is listed again when a second has passed, not for each slot', async () => {
    for (const [requestMs, lists] of [
      [0, 3],
      [600, 5],
    ] as const) {
      await using store = await openTestStore(engine)
      const portal = scriptedPortal(threeDays)
      const time = { now: morning }
      portal.onRequest = () => {
        time.now += requestMs
      }
      let listed = 0
      const db = store.db.withPlugin({
        transformQuery: ({ node }) => {
          if (node.kind === 'SelectQueryNode' && JSON.stringify(node.where ?? '').includes('due_at')) listed++
          return node
        },
        transformResult: async ({ result }) => result,
      })
      await runSource({ ...store, db }, scriptedSource(portal), scriptedRun(portal, time, await scratch()))
      expect(await outcomes(store)).toHaveLength(3)
      // the last two find nothing left, before and after more is planned
      expect(listed).toBe(lists)
    }
  })

  test('days missed while nothing ran are found and read', async () => {
    await using store = await openTestStore(engine)
    const portal = scriptedPortal(threeDays)
    const source = scriptedSource(portal)
    const time = { now: morning }
    const options = scriptedRun(portal, time, await scratch())
    await runSource(store, source, options)
    time.now = Date.parse('2026-11-26T08:00:00Z')
    for (const day of ['21', '22', '23', '24', '25']) portal.slots.set(`2026-11-${day}`, [`d${day}`])
    const results = await runSource(store, source, options)
    expect(results.map(({ slot }) => slot).sort()).toEqual([
      '2026-11-21',
      '2026-11-22',
      '2026-11-23',
      '2026-11-24',
      '2026-11-25',
    ])
  })

  test('killed before any of its requests, it resumes to the same notices, and another worker can continue at once when the lease ends', async () => {
    const time = { now: morning }
    const whole = async () => {
      const store = await openTestStore(engine)
      const portal = scriptedPortal(threeDays)
      slowly(portal, time)
      await runSource(store, scriptedSource(portal), scriptedRun(portal, time, await scratch()))
      return { store, requests: portal.requests }
    }
    const { store: reference, requests } = await whole()
    const expected = await contentOf(reference)
    await reference[Symbol.asyncDispose]()
    expect(requests).toBe(7)
    for (const isSlow of [true, false]) {
      // the embedded engine is slower: every other request on it, all of them on the server
      const step = (isSlow ? 1 : 3) * (engine === 'embedded' ? 2 : 1)
      for (let killedAt = 1; killedAt <= requests; killedAt += step) {
        await using store = await openTestStore(engine)
        const portal = scriptedPortal(threeDays)
        const source = scriptedSource(portal)
        time.now = morning
        const options = scriptedRun(portal, time, await scratch())
        // a dead process writes nothing more: neither does one whose lease was taken, as here
        portal.onRequest = async (count) => {
          if (isSlow) time.now += 6000
          if (count !== killedAt) return
          // once when the first worker's lease has expired; once while a worker still holds one
          const [now, untilMs] = [time.now + hourMs, time.now + 5 * minuteMs]
          await takeLease(store.db, { lease: `source ${source.id}`, worker: 'another', now, untilMs })
        }
        await expect(runSource(store, source, options)).rejects.toBeInstanceOf(LeaseLost)
        const before = await contentOf(store)
        portal.onRequest = () => {
          if (isSlow) time.now += 6000
        }
        const early = { ...options, worker: 'second' }
        await expect(runSource(store, source, early)).rejects.toBeInstanceOf(OperatorError)
        expect(await contentOf(store)).toBe(before)
        time.now += 2 * hourMs
        await runSource(store, source, early)
        expect(await contentOf(store), `killed before request ${killedAt}`).toBe(expected)
      }
    }
  }, 180_000)

  test('ended by a signal before any of its requests, it keeps what was received and continues from there', async () => {
    await using store = await openTestStore(engine)
    for (let stoppedAt = 1; stoppedAt <= 7; stoppedAt += 1) {
      const portal = scriptedPortal(
        threeDays.map(([day, entries]) => [day, entries.map((text) => `${text} of ${stoppedAt}`)] as const),
      )
      const source = scriptedSource(portal, { id: `de-stopped-${stoppedAt}` })
      const time = { now: morning }
      const stop = new AbortController()
      const options = scriptedRun(portal, time, await scratch())
      portal.onRequest = (count) => {
        time.now += 6000
        if (count === stoppedAt) stop.abort()
      }
      const results = await runSource(store, source, { ...options, signal: stop.signal })
      expect(results.at(-1)!.outcome).toBe('stopped')
      const { requests } = portal
      const slots = await listSlots(store.db, source.id)
      expect(slots.every(({ failures, lastError }) => failures === 0 && lastError === null)).toBe(true)
      slowly(portal, time)
      const rest = await runSource(store, source, options)
      expect(rest.every(({ outcome }) => outcome === 'complete')).toBe(true)
      // no page is requested twice except the interrupted one
      expect(portal.requests - requests).toBe(7 - (stoppedAt - 1))
      expect((await countReceived(store.db, 1)).sources[source.id]?.documents).toBe(13)
    }
  })

  test('a request that fails keeps the steps before it, counts, and is retried from there after a while', async () => {
    await using store = await openTestStore(engine)
    const portal = scriptedPortal([threeDays[0]!])
    const source = scriptedSource(portal, {
      channel: { slots: { kind: 'day', since: '2026-11-18' }, timetable: '0 0 1 1 *' },
    })
    const time = { now: Date.parse('2026-11-18T23:30:00Z') }
    const options = scriptedRun(portal, time, await scratch())
    portal.onRequest = (count) => {
      if (count === 3) throw new Retryable('the line went dead')
      if (count > 3) throw new Refused('a challenge')
    }
    const name = { sourceId: source.id, channel: 'daily', slot: '2026-11-18' }
    const [failed] = await runSource(store, source, options)
    expect(failed).toMatchObject({ outcome: 'failed', documents: 6, entries: 6, detail: 'the line went dead' })
    expect(failed!.dueAt! - time.now).toBe(minuteMs)
    expect(await findSlot(store.db, name)).toMatchObject({
      checkpoint: '6',
      delivered: 6,
      failures: 1,
      lastError: 'the line went dead',
    })
    expect(await checkOf(store, source)).toBeNull()
    time.now = failed!.dueAt!
    const [refused] = await runSource(store, source, options)
    expect(refused).toMatchObject({ outcome: 'refused', entries: 0 })
    expect(await checkOf(store, source)).toBeNull()
    expect(refused!.dueAt! - time.now).toBe(30 * minuteMs)
    portal.onRequest = () => {}
    time.now = refused!.dueAt!
    const [complete] = await runSource(store, source, options)
    expect(complete).toMatchObject({ outcome: 'complete', entries: 1, documents: 1, requests: 1 })
    expect(await findSlot(store.db, name)).toMatchObject({
      checkpoint: null,
      delivered: 7,
      failures: 0,
      lastError: null,
    })
    expect(await checkOf(store, source)).toBe(time.now)
  })

  test('a checkpoint without further progress is abandoned after five failures', async () => {
    await using store = await openTestStore(engine)
    const portal = scriptedPortal([threeDays[0]!])
    const source = scriptedSource(portal)
    const time = { now: Date.parse('2026-11-18T23:30:00Z') }
    const options = scriptedRun(portal, time, await scratch())
    const asked: number[] = []
    let broken = false
    const send = options.hosts.openConnection
    const hosts: RunOptions['hosts'] = {
      openConnection: (line) => ({
        ...send(line),
        send: async (request) => {
          const at = Number(/at=(\d+)/.exec(request.url)![1])
          asked.push(at)
          if (at === 3) broken = true
          if (broken && at > 0) throw new Retryable('no such cursor')
          return send(line).send(request)
        },
      }),
    }
    for (let round = 0; round < 6; round += 1) {
      const [result] = await runSource(store, source, { ...options, hosts })
      expect(result?.outcome).toBe('failed')
      time.now = result!.dueAt!
    }
    expect(asked).toEqual([0, 3, 3, 3, 3, 3, 0, 3])
    broken = false
    const fresh = await runSource(store, source, options)
    expect(fresh.map(({ outcome }) => outcome)).toEqual(['complete'])
    expect((await countReceived(store.db, 1)).documents).toBe(7)
  })

  test('only readings that the portal answered properly move its check', async () => {
    const kinds = [
      ['complete', true],
      ['unchanged', true],
      ['empty', true],
      ['notYet', false],
      ['short', false],
    ] as const
    await using store = await openTestStore(engine)
    for (const [kind, isCheck] of kinds) {
      const portal = scriptedPortal([threeDays[2]!])
      const source = scriptedSource(portal, {
        id: `de-${kind.toLowerCase()}`,
        channel: { slots: { kind: 'day', since: '2026-11-20' } },
      })
      const time = { now: morning }
      portal.ends.set('2026-11-20', kind === 'short' ? { kind, missing: 'c4' } : { kind })
      const [result] = await runSource(store, source, scriptedRun(portal, time, await scratch()))
      expect(result?.outcome).toBe(kind)
      expect(await checkOf(store, source), kind).toBe(isCheck ? morning : null)
      const slot = await findSlot(store.db, { sourceId: source.id, channel: 'daily', slot: '2026-11-20' })
      expect(slot?.missing, kind).toBe(kind === 'short' ? 'c4' : null)
      expect(slot?.completedAt, kind).toBe(isCheck ? morning : null)
      expect(slot!.dueAt === null, kind).toBe(isCheck)
    }
  })

  test('a day that is not due by its delay may be missing: the request was a check', async () => {
    await using store = await openTestStore(engine)
    const portal = scriptedPortal()
    const slots = { kind: 'day', since: '2026-11-20', delayMs: 12 * hourMs, isOpenRead: true } as const
    const source = scriptedSource(portal, { channel: { slots } })
    const results = await runSource(store, source, scriptedRun(portal, { now: morning }, await scratch()))
    expect(results.map(({ slot, outcome }) => `${slot} ${outcome}`)).toEqual(['2026-11-21 notYet', '2026-11-20 notYet'])
    expect(await checkOf(store, source)).toBe(morning)
  })

  test('a total that differs from the number received is short and is reread soon, until it matches', async () => {
    await using store = await openTestStore(engine)
    const portal = scriptedPortal([['2026-11-20', ['c1', 'c2', 'c3']]])
    portal.announced.set('2026-11-20', 4)
    const channel: Partial<Channel> = { slots: { kind: 'day', since: '2026-11-20' } }
    const source = scriptedSource(portal, { channel })
    const time = { now: morning }
    const options = scriptedRun(portal, time, await scratch())
    const name = { sourceId: source.id, channel: 'daily', slot: '2026-11-20' }
    const [short] = await runSource(store, source, options)
    expect(short).toMatchObject({ outcome: 'short', detail: 'the portal announced 4 and delivered 3' })
    expect(await checkOf(store, source)).toBeNull()
    expect(await findSlot(store.db, name)).toMatchObject({ missingSince: morning, checkpoint: null, completedAt: null })
    time.now = short!.dueAt!
    expect(time.now - morning).toBe(15 * minuteMs)
    await runSource(store, source, options)
    expect(await findSlot(store.db, name)).toMatchObject({ missingSince: morning, failures: 2 })
    time.now += 2 * hourMs
    portal.slots.set('2026-11-20', ['c1', 'c2', 'c3', 'late'])
    expect((await runSource(store, source, options)).map(({ outcome }) => outcome)).toEqual(['complete'])
    expect(await findSlot(store.db, name)).toMatchObject({
      missing: null,
      missingSince: null,
      announced: 4,
      delivered: 4,
    })
    expect((await countReceived(store.db, 1)).documents).toBe(4)
  })

  test('a total within the tolerance of the card, or an estimate, is complete', async () => {
    await using store = await openTestStore(engine)
    for (const totalTolerance of [0.3, null]) {
      const portal = scriptedPortal([['2026-11-20', ['c1', 'c2', 'c3']]])
      portal.announced.set('2026-11-20', 4)
      const source = scriptedSource(portal, {
        id: `de-tolerates-${totalTolerance}`,
        channel: { slots: { kind: 'day', since: '2026-11-20' } },
        expects: { silentAfterDays: 7, shape: [], totalTolerance },
      })
      const results = await runSource(store, source, scriptedRun(portal, { now: morning }, await scratch()))
      expect(results.map(({ outcome }) => outcome)).toEqual(['complete'])
    }
  })

  test('a mistake of a card fails its reading, is reported, and stops no other', async () => {
    await using store = await openTestStore(engine)
    const portal = scriptedPortal(threeDays)
    const source = scriptedSource(portal)
    portal.onRequest = (count) => {
      if (count === 1) throw new TypeError('entries is not iterable')
    }
    const faults: unknown[] = []
    const options = scriptedRun(portal, { now: morning }, await scratch(), {
      onFault: (_source, error) => faults.push(error),
    })
    const results = await runSource(store, source, options)
    expect(results.map(({ outcome, detail }) => `${outcome} ${detail}`.trim())).toEqual([
      'failed fault: TypeError: entries is not iterable',
      'complete',
      'complete',
    ])
    expect(faults).toHaveLength(1)
    expect(await outcomes(store)).toHaveLength(3)
  })

  test('a step larger than a group is stored in pieces, its checkpoint last', async () => {
    await using store = await openTestStore(engine)
    const portal = scriptedPortal()
    const large = Array.from({ length: 450 }, (_, index) => `entry ${index}`)
    const source = scriptedSource(portal, {
      channel: {
        slots: { kind: 'whole' },
        delivery: {
          kind: 'own',
          fetch: async function* () {
            yield { documents: large.map((text) => ({ address: text, bytes: Buffer.from(text) })), checkpoint: 1 }
            throw new Retryable('gone')
          },
        },
      },
    })
    const [result] = await runSource(store, source, scriptedRun(portal, { now: morning }, await scratch()))
    expect(result).toMatchObject({ outcome: 'failed', documents: 450, entries: 450 })
    const slot = await findSlot(store.db, { sourceId: source.id, channel: 'daily', slot: 'whole' })
    expect(slot).toMatchObject({ checkpoint: '1', delivered: 450 })
  })

  test('a feed keeps its checkpoint from reading to reading', async () => {
    await using store = await openTestStore(engine)
    const portal = scriptedPortal([['feed', ['f1', 'f2', 'f3', 'f4']]])
    const source = scriptedSource(portal, { channel: { slots: { kind: 'feed' } } })
    const time = { now: morning }
    const options = scriptedRun(portal, time, await scratch())
    await runSource(store, source, options)
    portal.slots.set('feed', ['f1', 'f2', 'f3', 'f4', 'f5'])
    time.now += hourMs
    const [second] = await runSource(store, source, options)
    expect(second).toMatchObject({ entries: 1, documents: 1, requests: 1 })
  })

  test('named slots are read whether they are due or not; one that does not exist is one sentence', async () => {
    await using store = await openTestStore(engine)
    const portal = scriptedPortal([...threeDays, ['2026-10-01', ['o1']]])
    const source = scriptedSource(portal, { channel: { role: 'spare', slots: { kind: 'day', since: '2026-01-01' } } })
    const options = scriptedRun(portal, { now: morning }, await scratch())
    expect(await runSource(store, source, options)).toEqual([])
    const wish = { channel: 'daily', slots: ['2026-10-01'] }
    const [result] = await runSource(store, source, options, wish)
    expect(result).toMatchObject({ slot: '2026-10-01', outcome: 'complete', documents: 1, dueAt: null })
    expect((await runSource(store, source, options, wish)).length).toBe(1)
    await expect(runSource(store, source, options, { channel: 'x' })).rejects.toThrow(/has no channel x; it has daily/)
    await expect(runSource(store, source, options, { channel: 'daily', slots: ['2026-10'] })).rejects.toThrow(
      'The channel daily of de-scripted has no slot 2026-10; its slots are written like 2026-11-20.',
    )
  })

  test('bytes outside the database are stored before their rows, and a failing storage is no fault of the portal', async () => {
    await using store = await openTestStore(engine)
    const portal = scriptedPortal(threeDays)
    const source = scriptedSource(portal)
    const kept = new Map<string, Buffer>()
    let isDown = true
    const documentStore: DocumentStore = {
      put: async (documents) => {
        const { db } = store
        for (const { documentId, packed } of documents) {
          const row = await db
            .selectFrom('source_document')
            .select('document_id')
            .where('document_id', '=', documentId)
            .execute()
          expect(row).toEqual([])
          if (isDown) throw new Retryable('the bucket does not answer')
          kept.set(documentId, packed)
        }
      },
      get: async (documentId) => kept.get(documentId),
      remove: async () => {},
    }
    const options = scriptedRun(portal, { now: morning }, await scratch(), { documentStore })
    await expect(runSource(store, source, options)).rejects.toThrow('the bucket does not answer')
    expect((await listSlots(store.db, source.id)).every(({ failures }) => failures === 0)).toBe(true)
    expect((await countReceived(store.db, 1)).documents).toBe(0)
    isDown = false
    await runSource(store, source, options)
    expect(kept.size).toBe(13)
    const rows = await store.db.selectFrom('source_document').select('packed').execute()
    expect(rows).toEqual(rows.map(() => ({ packed: null })))
    const { clock } = options
    // read again from there, by the parser of the source
    const before = await contentOf(store)
    await reparse(store, { clock, documentStore, sources: new Map([[source.id, source]]) })
    expect(await contentOf(store)).toBe(before)
    // without the source's card their content decides the format, and they have none
    expect(await reparse(store, { clock, documentStore })).toMatchObject({ notices: 0, rejections: 13 })
    await expect(reparse(store, { clock })).rejects.toBeInstanceOf(OperatorError)
  })

  test('a source without its key is off and says where to get one', async () => {
    await using store = await openTestStore(engine)
    const portal = scriptedPortal(threeDays)
    const access = { kind: 'key', setting: 'SCRIPTED_KEY', getItAt: 'https://keys.example' } as const
    const source = scriptedSource(portal, { access })
    const options = scriptedRun(portal, { now: morning }, await scratch())
    expect(await runDueSlots(store, [source], options)).toEqual([])
    await expect(runSource(store, source, options)).rejects.toThrow(
      /get one at https:\/\/keys\.example and set TENDERSTOCK_SCRIPTED_KEY/,
    )
    const off = scriptedSource(portal, { offBecause: 'robots.txt' })
    expect(await runDueSlots(store, [off], options)).toEqual([])
    expect((await runDueSlots(store, [source], { ...options, keyOf: () => 'secret' })).length).toBe(3)
  })
})

describe.each(engines)('workers (%s)', (engine) => {
  /** Runs workers until nothing is due any more. */
  async function work(
    store: Store,
    sources: readonly Source[],
    portal: ScriptedPortal,
    time: { now: number },
    more: Partial<RunOptions> = {},
    workers = 3,
  ): Promise<void> {
    const stop = new AbortController()
    await runWorkers(store, sources, {
      ...scriptedRun(portal, time, await scratch(), {
        ...more,
        // waits let the others run; the clock hardly moves, so that no lease and no rest ends
        sleep: async (_ms, signal) => {
          signal.throwIfAborted()
          time.now += 1
          await new Promise((resolve) => setImmediate(resolve))
        },
      }),
      signal: stop.signal,
      workers,
      all: sources,
      onNews: ({ due }) => due.size === 0 && stop.abort(),
    })
  }

  const manySources = (portal: ScriptedPortal, count: number) =>
    Array.from({ length: count }, (_, index) => scriptedSource(portal, { id: `de-many-${index}` }))

  test('two of them share sources: all is read, nothing twice at once, nothing twice', async () => {
    await using store = await openTestStore(engine)
    const portal = scriptedPortal(threeDays)
    portal.onRequest = () => new Promise((resolve) => setImmediate(resolve))
    const sources = manySources(portal, 8)
    const time = { now: morning }
    await Promise.all([
      work(store, sources, portal, time, { worker: 'one' }),
      work(store, sources, portal, time, { worker: 'two' }),
    ])
    await work(store, sources, portal, time, { worker: 'three' })
    expect(portal.overlaps).toBe(0)
    const all = (await outcomes(store)).sort()
    expect(all).toEqual(threeDays.flatMap(([slot]) => sources.map(() => `${slot} complete`)))
    expect(portal.requests).toBe(8 * 7)
    expect((await countReceived(store.db, 1)).documents).toBe(13)
  })

  test('one that loses its lease writes nothing more; the other continues from its checkpoint', async () => {
    await using store = await openTestStore(engine)
    const portal = scriptedPortal([threeDays[0]!])
    const source = scriptedSource(portal, { channel: { slots: { kind: 'day', since: '2026-11-18' } } })
    const time = { now: Date.parse('2026-11-18T23:30:00Z') }
    const options = scriptedRun(portal, time, await scratch())
    let second: Promise<unknown> | undefined
    portal.onRequest = async (count) => {
      time.now += 6000
      if (count !== 2) return
      // the first worker hangs, its lease runs out, and a second one reads the source to its end
      time.now += 10 * minuteMs
      second = runSource(store, source, { ...options, worker: 'second' })
      await second
    }
    await expect(runSource(store, source, { ...options, worker: 'first' })).rejects.toBeInstanceOf(LeaseLost)
    await second
    const slot = await findSlot(store.db, { sourceId: source.id, channel: 'daily', slot: '2026-11-18' })
    expect(slot).toMatchObject({ delivered: 7, checkpoint: null, failures: 0 })
    expect(await outcomes(store)).toEqual(['2026-11-18 complete'])
  })

  test('sources on one host alternate, with any number of workers', async () => {
    await using store = await openTestStore(engine)
    const portal = scriptedPortal(threeDays)
    const sources = manySources(portal, 4).map((source): Source => {
      const [channel] = source.channels
      const like = {
        kind: 'single',
        request: { url: 'https://shared.example/{from:iso}' },
        entries: { format: 'document' },
      } as const
      return { ...source, channels: [{ ...channel, delivery: { ...channel.delivery, like } as never }] }
    })
    expect(new Set(hostGroups(sources).values())).toEqual(new Set(['shared.example']))
    let maxAtOnce = 0
    portal.onRequest = async () => {
      maxAtOnce = Math.max(maxAtOnce, portal.reading.size)
      await new Promise((resolve) => setImmediate(resolve))
    }
    const time = { now: morning }
    await Promise.all([
      work(store, sources, portal, time, { worker: 'one' }),
      work(store, sources, portal, time, { worker: 'two' }),
    ])
    await work(store, sources, portal, time, { worker: 'three' })
    expect(maxAtOnce).toBe(1)
    expect(await outcomes(store)).toHaveLength(12)
    // a manual reading waits for the host too
    const options = scriptedRun(portal, time, await scratch(), { all: sources, worker: 'by hand' })
    portal.onRequest = async () => {
      portal.onRequest = () => {}
      await expect(runSource(store, sources[1]!, { ...options, worker: 'another' })).rejects.toThrow(/on the same host/)
    }
    time.now += 24 * hourMs
    portal.slots.set('2026-11-21', ['late'])
    expect((await runSource(store, sources[0]!, options)).map(({ outcome }) => outcome)).toEqual(['complete'])
  })

  test('a source that fails pauses, and the others are read', async () => {
    await using store = await openTestStore(engine)
    const portal = scriptedPortal(threeDays)
    const sources = manySources(portal, 3)
    let asked = 0
    portal.onRequest = (_count, source) => {
      if (source !== 'de-many-1') return
      asked += 1
      throw new Retryable('down')
    }
    const time = { now: morning }
    await work(store, sources, portal, time)
    expect(asked).toBe(1)
    expect((await outcomes(store)).filter((each) => each.endsWith('complete'))).toHaveLength(6)
  })

  test('the leading sources come first, then the largest', async () => {
    await using store = await openTestStore(engine)
    const portal = scriptedPortal(threeDays)
    const expects = (perDay: [number, number]) => ({ silentAfterDays: 7, shape: [], perDay })
    const sources = [
      scriptedSource(portal, { id: 'de-unknown' }),
      scriptedSource(portal, { id: 'de-small', expects: expects([1, 4]) }),
      scriptedSource(portal, { id: 'de-large', expects: expects([100, 400]) }),
      scriptedSource(portal, { id: 'de-leading', leads: true }),
    ]
    const options = scriptedRun(portal, { now: morning }, await scratch())
    for (const source of sources) await planSource(store, source, options)
    const found = await dueBySource(store, sources, options)
    expect(found.map(({ source }) => source.id)).toEqual(['de-leading', 'de-large', 'de-small', 'de-unknown'])
  })

  test('portals that do not answer hold no worker: the others are read meanwhile', async () => {
    await using store = await openTestStore(engine)
    const portal = scriptedPortal(threeDays)
    const silent = manySources(portal, 9)
    const sound = ['de-x', 'de-y', 'de-z'].map((id) => scriptedSource(portal, { id }))
    const gaveUp = Promise.withResolvers<never>()
    gaveUp.promise.catch(() => {})
    portal.onRequest = async (_count, source) => {
      if (source.startsWith('de-many')) await gaveUp.promise
    }
    const time = { now: morning }
    const read = new Set<string>()
    await work(store, [...silent, ...sound], portal, time, {
      onReading: ({ sourceId, outcome }) => {
        if (outcome === 'complete') read.add(sourceId)
        if (read.size === 3) gaveUp.reject(new Retryable('nobody there', { reason: 'no-answer' }))
      },
    })
    expect((await outcomes(store)).filter((each) => each.endsWith('complete'))).toHaveLength(9)
    const reasons = await store.db.selectFrom('source_run').select('reason').where('outcome', '=', 'failed').execute()
    expect(reasons).toEqual(Array.from({ length: 9 }, () => ({ reason: 'no-answer' })))
  })

  test('a source that an operator turned off is not read, and is when it is on again', async () => {
    await using store = await openTestStore(engine)
    const portal = scriptedPortal(threeDays)
    const [off, other] = manySources(portal, 2)
    const time = { now: morning }
    await turnSourceOff(store.db, off!.id, { at: 1, by: 'op', reason: 'no agreement' })
    await work(store, [off!, other!], portal, time)
    const readBy = async ({ id }: Source) =>
      (await store.db.selectFrom('source_run').select('slot').where('source_id', '=', id).execute()).length
    expect([await readBy(off!), await readBy(other!)]).toEqual([0, 3])
    expect(await turnSourceOn(store.db, off!.id)).toBe(true)
    expect(await turnSourceOn(store.db, off!.id)).toBe(false)
    await work(store, [off!, other!], portal, time)
    expect(await readBy(off!)).toBe(3)
  })

  test('news interrupts the past between two steps, which continues afterwards', async () => {
    await using store = await openTestStore(engine)
    const pages = Array.from({ length: 300 }, (_, index) => `p${index}`)
    const portal = scriptedPortal([
      ['2026-11-10', pages],
      ['feed', ['n1']],
    ])
    const past = scriptedSource(portal, {
      id: 'de-past',
      channel: { slots: { kind: 'day', since: '2026-11-10' }, role: 'backfill' },
    })
    for (let day = 11; day <= 20; day += 1) portal.slots.set(`2026-11-${day}`, [])
    const news = scriptedSource(portal, {
      id: 'de-news',
      channel: { slots: { kind: 'feed' }, timetable: '30 9 * * *' },
    })
    const time = { now: morning }
    let newsAt = 0
    let pastDoneAt = 0
    portal.onRequest = async (count, source) => {
      // half past nine in Berlin passes while the past is read
      if (source === 'de-past') time.now += minuteMs
      else if (time.now >= morning + 30 * minuteMs) newsAt ||= count
      if (source === 'de-past') pastDoneAt = count
      await new Promise((resolve) => setImmediate(resolve))
    }
    const stop = new AbortController()
    await runWorkers(store, [past, news], {
      ...scriptedRun(portal, time, await scratch(), {
        signal: stop.signal,
        sleep: () => new Promise((resolve) => setImmediate(resolve)),
        onReading: ({ slot, outcome }) => {
          if (slot === '2026-11-10' && outcome === 'complete') stop.abort()
        },
      }),
      workers: 1,
      visits: 1,
      all: [past, news],
    })
    expect(newsAt).toBeGreaterThan(0)
    expect(newsAt).toBeLessThan(pastDoneAt)
    expect(await outcomes(store)).toContain('2026-11-10 stopped')
    const slot = await findSlot(store.db, { sourceId: 'de-past', channel: 'daily', slot: '2026-11-10' })
    expect(slot).toMatchObject({ delivered: 300, checkpoint: null })
  })

  test('the past is read at a quarter of the pace, after the news', async () => {
    await using store = await openTestStore(engine)
    const portal = scriptedPortal([...threeDays, ['2026-11-10', ['p1', 'p2', 'p3', 'p4']]])
    const source = scriptedSource(portal, { channel: { slots: { kind: 'day', since: '2026-11-10' } } })
    for (let day = 11; day < 18; day += 1) portal.slots.set(`2026-11-${day}`, [`p${day}`])
    const time = { now: morning }
    const waits: number[] = []
    await runSource(store, source, {
      ...scriptedRun(portal, time, await scratch()),
      backfillShare: 0.25,
      sleep: async (ms) => {
        waits.push(ms)
        time.now += ms
      },
    })
    const read = (await store.db.selectFrom('source_run').select('slot').orderBy('started_at').execute()).map(
      ({ slot }) => slot,
    )
    expect([...new Set(read)].length).toBe(11)
    expect(read.slice(0, 3).sort()).toEqual(['2026-11-18', '2026-11-19', '2026-11-20'])
    // 60 requests a minute, a quarter of them: one in four seconds
    expect(waits).toHaveLength(8)
    expect(waits.every((ms) => ms === 4000)).toBe(true)
  })
})
