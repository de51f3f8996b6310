// A month of portals with every fault enabled and clients that die: everything that was published is in the store,
// once.
import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayMs, hourMs } from '../../src/domain/time.ts'
import type { RunOptions } from '../../src/ingest/run-options.ts'
import { runSource } from '../../src/ingest/run-sources.ts'
import { type FaultName, type Faults, faultNames } from '../../src/simulator/faults.ts'
import { seeded } from '../../src/simulator/samples/seeded.ts'
import { parseDocument } from '../../src/sources/parse-document.ts'
import { loadSources } from '../../src/sources/registry.ts'
import type { Source } from '../../src/sources/source.ts'
import { proofCount } from '../proof/proof-count.ts'
import { engines, openTestStore, type TestStore } from '../world.ts'
import { type SimulatedPortals, simulatedPortals, worldStart } from './simulated-portals.ts'

const seed = process.env.TEST_SEED ?? 'month'
const wanted = process.env.TEST_SOURCES
const all = [...(await loadSources()).values()]
/** Both journals, and one source for each way of delivering: `TEST_SOURCES=all` takes every source, or name some. */
const representative = [
  'ted',
  'doe',
  'gb-find-a-tender', // single, by hours
  'no-doffin', // pages with details, eForms
  'be-bosa', // pages
  'ch-simap', // cursor with details
  'pl-bzp', // keyset
  'ua-prozorro', // a feed with details
  'es-placsp-643', // Atom by links, archives by months
  'es-catalunya', // offset
  'am-armeps', // links by days
  'at-kdq-aus', // an index of files
  'ca-canadabuys', // whole tables
  'hn-oncae', // archives of lines by years
  'hr-eojn', // a separate protocol, by weeks
  'us-portland', // records
]
const chosen = wanted === 'all' ? all : all.filter(({ id }) => (wanted?.split(',') ?? representative).includes(id))
const days = proofCount({ share: 12, full: 30 })
/** So that every hour of the day has its turn. */
const stepMs = 25 * hourMs
/** Long enough for every second reading that cards require of their spans, and for the delays that faults cause. */
const patienceDays = 36
/** Ended at a request, as by a signal; or dead between two queries, silently. */
const shares = { stopped: 0.15, killed: 0.1 }
/** A worker that died holds its source for less than this. */
const leaseMs = 100_000

/** Portals that never come back teach nothing about loss; every other fault happens, often. */
const faultShares: { readonly [name in FaultName]?: number } = { silent: 0, gone: 0.02 }
const faults: Faults = Object.fromEntries(faultNames.map((name) => [name, faultShares[name] ?? 0.06]))

let portals: SimulatedPortals
let store: TestStore
beforeAll(async () => {
  portals = await simulatedPortals(all, { seed, faults })
  store = await openTestStore(engines.at(-1)!)
})
afterAll(async () => {
  await portals[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})

test(`over ${days} days with all faults, every published notice is stored exactly once, whichever process died`, async () => {
  const random = seeded(`${seed}|deaths`)
  const backfillSince = new Date(worldStart - 3 * dayMs).toISOString().slice(0, 10)
  const sums = { readings: 0, requests: 0, bad: 0, stopped: 0, killed: 0 }
  let worker = 0
  const read = async (source: Source, mayDie: boolean) => {
    worker += 1
    const signal = new AbortController()
    const { hosts, ...options } = portals.runOptions(`worker ${worker}`, signal.signal)
    const fate = mayDie ? random.next() : 1
    let requestsLeft = fate < shares.stopped ? random.whole(1, 6) : Number.POSITIVE_INFINITY
    const isToDie = fate >= shares.stopped && fate < shares.stopped + shares.killed
    const life = mortal(store, isToDie ? random.whole(5, 80) : Number.POSITIVE_INFINITY)
    const dying: RunOptions['hosts'] = {
      openConnection: (run) => {
        const line = hosts.openConnection(run)
        return {
          ...line,
          send: (request) => {
            requestsLeft -= 1
            if (requestsLeft < 0) signal.abort(new Error('stopped'))
            return line.send(request)
          },
        }
      },
    }
    try {
      const results = await runSource(life.store, source, { ...options, hosts: dying, backfillSince })
      for (const result of results) {
        sums.readings += 1
        sums.requests += result.requests
        if (['failed', 'refused', 'short', 'stopped'].includes(result.outcome)) sums.bad += 1
      }
    } catch (error) {
      if (!signal.signal.aborted && !life.isOver()) throw error
    }
    if (signal.signal.aborted) sums.stopped += 1
    if (!life.isOver()) return
    // its leases expire after a while, and another worker continues
    sums.killed += 1
    const next = portals.runOptions(`worker ${worker} again`)
    await expect(runSource(store, source, { ...next, backfillSince })).rejects.toThrow('Another worker reads')
    portals.advance(leaseMs)
    await read(source, false)
  }
  const round = async (mayDie: boolean) => {
    for (const source of chosen) await read(source, mayDie)
  }
  while (portals.clock() < worldStart + days * dayMs) {
    await round(true)
    portals.advance(stepMs)
  }
  const end = portals.clock()
  const counts = portals.simulator.faultCounts()
  portals.simulator.setFaults({})
  while (portals.clock() < end + patienceDays * dayMs) {
    await round(false)
    portals.advance(3 * dayMs)
  }

  const lost: string[] = []
  const twice: string[] = []
  let published = 0
  for (const source of chosen) {
    const copies = await copiesInStore(source)
    const held = new Set([...copies.keys()].map((state) => state.slice(0, state.lastIndexOf(' '))))
    for (const [key, contents] of copies) if (new Set(contents).size > 1) twice.push(`${source.id} ${key}`)
    for (const { bytes, publishedAt, id } of portals.simulator.published(source.id, end)) {
      if (publishedAt < worldStart - dayMs) continue
      published += 1
      for (const part of (source.parse ?? parseDocument)(bytes))
        if ('notice' in part && !held.has(part.notice.noticeKey)) lost.push(`${source.id} ${id}`)
    }
  }
  const met = Object.values(counts).reduce((sum, count) => sum + count, 0)
  console.log(
    `month: seed ${seed}, ${chosen.length} sources, ${published} published, ${sums.readings} readings ` +
      `(${sums.bad} not well), ${sums.stopped} workers stopped and ${sums.killed} killed, ${sums.requests} ` +
      `requests, ${met} faults of ${Object.keys(counts).length} kinds, ${lost.length} lost`,
  )
  expect(lost).toEqual([])
  expect(twice).toEqual([])
  expect(published).toBeGreaterThan(chosen.length)
  expect(sums.stopped + sums.killed).toBeGreaterThan(Math.min(10, chosen.length))
  expect(Object.keys(counts).length).toBeGreaterThan(20)
}, 600_000)

/**
 * The store as seen by a worker that dies at one of its queries: from there on it can do nothing, not even report it.
 */
function mortal(whole: TestStore, queries: number): { readonly store: TestStore; readonly isOver: () => boolean } {
  let left = queries
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      left -= 1
      if (left < 0) throw new Error('killed')
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }
  return { store: { ...whole, db: whole.db.withPlugin(plugin) }, isOver: () => left < 0 }
}

/**
 * What each state of a notice was parsed as. Documents that differ only in bytes that a fault inserted are copies; a
 * compiled record that continued is another state of one notice, of which the newest counts.
 */
async function copiesInStore(source: Source): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await store.db
    .selectFrom('notice')
    .select(['notice_key', 'publication_ms', 'content'])
    .where('source_id', '=', source.id)
    .execute()
  const copies = new Map<string, string[]>()
  for (const { notice_key, publication_ms, content } of rows) {
    const state = `${notice_key} ${publication_ms}`
    copies.set(state, [...(copies.get(state) ?? []), content])
  }
  return copies
}
