// Live reading in a service: the contact that it sends, what it reports, how it ends.
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { scriptedPortal, scriptedSource } from '../../../test/scripted-source.ts'
import type { PrintedEvent } from '../../../test/testing/printed-event.ts'
import { openTestStore } from '../../../test/world.ts'
import { openLog } from '../../platform/log.ts'
import { systemRandom } from '../../platform/random.ts'
import type { Fetch } from '../../sources/fetch.ts'
import type { Source } from '../../sources/source.ts'
import type { Store } from '../../store/database/database.ts'
import { countReceived } from '../../store/received/documents.ts'
import { claimStockKind } from '../operations/stock-kind.ts'
import { type LiveOptions, startLiveSources } from './live-sources.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** Delivers two documents without a request. */
const fetchTwo = (id: string): Fetch =>
  async function* () {
    yield { documents: ['1', '2'].map((each) => ({ address: each, bytes: Buffer.from(`${id} ${each}`) })) }
    return { kind: 'complete' }
  }

const sourceOf = (id: string, more: Partial<Source> = {}) =>
  scriptedSource(scriptedPortal(), {
    id,
    channel: { slots: { kind: 'whole' }, delivery: { kind: 'own', fetch: fetchTwo(id) } },
    ...more,
  })
const needsKey = { kind: 'key', setting: 'MADE_UP_KEY', getItAt: 'https://keys.example' } as const
const all: readonly Source[] = [
  sourceOf('de-one'),
  sourceOf('fr-two', { country: 'FR' }),
  sourceOf('us-key', { access: needsKey }),
  sourceOf('us-off', { offBecause: 'its robots.txt forbids it' }),
]

async function liveOptions(store: Store, more: Partial<LiveOptions> = {}) {
  const dataFolder = await mkdtemp(join(tmpdir(), 'tenderstock-live-'))
  closers.push(() => rm(dataFolder, { recursive: true, force: true }))
  const events: PrintedEvent[] = []
  const stop = new AbortController()
  let announce = () => {}
  const options: LiveOptions = {
    store,
    dataFolder,
    clock: () => Date.now(),
    random: systemRandom,
    log: openLog('silent'),
    emit: (event) => {
      events.push(event)
      announce()
    },
    stop: stop.signal,
    http: { send: () => Promise.reject(new Error('no request is made here')) },
    contact: 'https://operator.example',
    version: '0',
    keyOf: () => undefined,
    sources: new Map(all.map((source) => [source.id, source])),
    named: [],
    workers: 2,
    ...more,
  }
  const untilRead = async (count: number) => {
    while (events.filter(({ event }) => event === 'sourceRead').length < count)
      await new Promise<void>((resolve) => {
        announce = resolve
      })
  }
  return { options, events, stop, untilRead }
}

describe('live reading', () => {
  test('runs everything that is not off, reports each reading, and ends with the service', async () => {
    await using store = await openTestStore('embedded')
    const { options, events, stop, untilRead } = await liveOptions(store)
    // a process that was killed left its archives
    const dead = execFileSync(process.execPath, ['-p', 'process.pid']).toString().trim()
    await mkdir(join(options.dataFolder, 'scratch', dead, 'archive'), { recursive: true })
    const live = startLiveSources(options)
    expect(live.firstReading()).toEqual({ total: 2, read: 0, failing: 0, waitsFor: [] })
    await untilRead(2)
    stop.abort()
    await live.done
    expect(events[0]).toEqual({ event: 'sourcesStarted', running: 2, countries: 2, off: 1, keysMissing: ['us-key'] })
    const read = events.filter(({ event }) => event === 'sourceRead')
    expect(read.map(({ source, outcome, documents, notices }) => [source, outcome, documents, notices]).sort()).toEqual(
      [
        ['de-one', 'complete', 2, 2],
        ['fr-two', 'complete', 2, 2],
      ],
    )
    const { sources } = await countReceived(store.db, 1)
    expect(Object.keys(sources).sort()).toEqual(['de-one', 'fr-two'])
    expect(Object.values(sources).every(({ checkedAt }) => checkedAt !== null)).toBe(true)
    expect(await readdir(join(options.dataFolder, 'scratch'))).not.toContain(dead)
  })

  test('a named source runs although its card turns it off; one without its key, or that does not exist, is reported in a sentence', async () => {
    await using store = await openTestStore('embedded')
    const { options, events, stop, untilRead } = await liveOptions(store, { named: ['us-off'] })
    const live = startLiveSources(options)
    await untilRead(1)
    stop.abort()
    await live.done
    expect(events.find(({ event }) => event === 'sourceRead')).toMatchObject({ source: 'us-off', documents: 2 })
    expect(() => startLiveSources({ ...options, named: ['us-key'] })).toThrow(
      /us-key needs a key: get one at https:\/\/keys\.example and set TENDERSTOCK_MADE_UP_KEY/,
    )
    expect(() => startLiveSources({ ...options, named: ['us-kex'] })).toThrow(/There is no source "us-kex"/)
  })

  test('made-up and live notices never mix in one stock', async () => {
    await using live = await openTestStore('embedded')
    await claimStockKind(live, 'live')
    await claimStockKind(live, 'live')
    await expect(claimStockKind(live, 'samples')).rejects.toThrow(/holds live notices: start it with --live/)
    await using samples = await openTestStore('embedded')
    await claimStockKind(samples, 'samples')
    await expect(claimStockKind(samples, 'live')).rejects.toThrow(
      /use a separate data folder \(or database\) for --live/,
    )
  })
})
