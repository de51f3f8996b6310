// A month of portals with every fault switched on and readers that die: what was published is in the store, once.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayMs, hourMs } from '../../src/domain/time.ts'
import { runSource } from '../../src/ingest/run-sources.ts'
import { type FaultName, type Faults, faultNames } from '../../src/simulator/faults.ts'
import { seeded } from '../../src/simulator/samples/seeded.ts'
import type { Delivery } from '../../src/sources/delivery.ts'
import { parseDocument } from '../../src/sources/parse-document.ts'
import { loadSources } from '../../src/sources/registry.ts'
import type { Source } from '../../src/sources/source.ts'
import { openTestStore, type TestStore } from '../world.ts'
import { type SimulatedPortals, simulatedPortals, worldStart } from './simulated-portals.ts'

const seed = process.env.TEST_SEED ?? 'month'
const wanted = process.env.TEST_SOURCES
const all = [...(await loadSources()).values()]
const chosen = chooseSources()
const days = 30
const stepMs = 12 * hourMs
/** Long enough for every second look that cards take at their spans, and for what faults put off. */
const patienceDays = 35
const deathShare = 0.15

/** `all`, names, or one source for each way of delivering and slotting, with TED and the federal portal. */
function chooseSources(): Source[] {
  if (wanted === 'all') return all
  if (wanted) return all.filter(({ id }) => wanted.split(',').includes(id))
  const ways = new Map<string, Source>()
  for (const source of all)
    for (const { delivery, slots, role } of source.channels)
      if (role === undefined || role === 'current') {
        const way = `${wayOf(delivery)} by ${slots.kind}`
        if (!ways.has(way)) ways.set(way, source)
      }
  return [...new Set([...all.filter(({ id }) => id === 'ted' || id === 'doe'), ...ways.values()])]
}

function wayOf(delivery: Delivery): string {
  if (delivery.kind === 'own') return delivery.like ? `own ${wayOf(delivery.like)}` : 'own'
  const entries = delivery.entries.format
  return `${delivery.kind} of ${entries}${'detail' in delivery && delivery.detail ? ' with details' : ''}`
}

/** Portals that never come back teach nothing about loss; every other fault happens, often. */
const shares: { readonly [name in FaultName]?: number } = { silent: 0, gone: 0.02 }
const faults: Faults = Object.fromEntries(faultNames.map((name) => [name, shares[name] ?? 0.06]))

let portals: SimulatedPortals
let store: TestStore
beforeAll(async () => {
  portals = await simulatedPortals(all, { seed, faults })
  store = await openTestStore('embedded')
})
afterAll(async () => {
  await portals[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})

test('a month with all faults on: every notice that was published is in the store, none twice, whoever died', async () => {
  const random = seeded(`${seed}|deaths`)
  const backfillSince = new Date(worldStart - 3 * dayMs).toISOString().slice(0, 10)
  let [readings, requests, bad, deaths] = [0, 0, 0, 0]
  const round = async (mayDie: boolean) => {
    for (const source of chosen) {
      const death = new AbortController()
      const options = portals.runOptions(`worker ${readings}`, death.signal)
      let left = mayDie && random.next() < deathShare ? 1 + Math.floor(random.next() * 6) : Number.POSITIVE_INFINITY
      const dying: typeof options.hosts = {
        openLine: (run) => {
          const line = options.hosts.openLine(run)
          return {
            ...line,
            send: (request) => {
              left -= 1
              if (left < 0) {
                deaths += 1
                death.abort(new Error('killed'))
              }
              return line.send(request)
            },
          }
        },
      }
      const results = await runOne(source, { ...options, hosts: dying, backfillSince })
      for (const result of results) {
        readings += 1
        requests += result.requests
        if (['failed', 'refused', 'short', 'stopped'].includes(result.outcome)) bad += 1
      }
    }
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
    portals.advance(2 * dayMs)
  }

  const lost: string[] = []
  const twice: string[] = []
  let published = 0
  for (const source of chosen) {
    const copies = await copiesInStore(source)
    const held = new Set(copies.keys())
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
    `month: seed ${seed}, ${chosen.length} sources, ${published} published, ${readings} readings (${bad} not well, ${deaths} killed), ${requests} requests, ${met} faults of ${Object.keys(counts).length} kinds, ${lost.length} lost`,
  )
  expect(lost).toEqual([])
  expect(twice).toEqual([])
  expect(published).toBeGreaterThan(chosen.length)
  expect(deaths).toBeGreaterThan(10)
  expect(Object.keys(counts).length).toBeGreaterThan(20)
}, 600_000)

/** A run as the service makes it: what a worker that died held is free after a while. */
async function runOne(source: Source, options: Parameters<typeof runSource>[2]) {
  try {
    return await runSource(store, source, options)
  } catch (error) {
    if (options.signal.aborted) return []
    throw error
  }
}

/** What each notice's documents were read as: documents that differ only in bytes that a fault put between are copies. */
async function copiesInStore(source: Source): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await store.db
    .selectFrom('notice')
    .select(['notice_key', 'content'])
    .where('source_id', '=', source.id)
    .execute()
  const copies = new Map<string, string[]>()
  for (const { notice_key: key, content } of rows) copies.set(key, [...(copies.get(key) ?? []), content])
  return copies
}
