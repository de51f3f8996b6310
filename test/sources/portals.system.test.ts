// Every source with its portal on loopback: everything published arrives, once, readable, and again after any kill.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ParsedPart } from '../../src/domain/notice.ts'
import { dayMs } from '../../src/domain/time.ts'
import { isSpan } from '../../src/ingest/plan-slots.ts'
import { runSource } from '../../src/ingest/run-sources.ts'
import { slotOf, spansBetween } from '../../src/ingest/slot-spans.ts'
import { fetchOf } from '../../src/sources/deliver/fetch-of.ts'
import type { Json, Slot } from '../../src/sources/fetch.ts'
import { parseDocument } from '../../src/sources/parse-document.ts'
import { loadSources } from '../../src/sources/registry.ts'
import type { Channel, Source } from '../../src/sources/source.ts'
import { openTestStore, type TestStore } from '../world.ts'
import { type SimulatedPortals, simulatedPortals, worldStart } from './simulated-portals.ts'

const seed = process.env.TEST_SEED ?? 'portals'
const all = [...(await loadSources()).values()]
/** Sources that are off are read here too: naming them runs them. */
const named = process.env.TEST_SOURCES?.split(',')
const chosen = named ? all.filter(({ id }) => named.includes(id)) : all
const horizonDays = 45
const horizonMs = worldStart - horizonDays * dayMs
const backfillSince = new Date(horizonMs - 2 * dayMs).toISOString().slice(0, 10)

let portals: SimulatedPortals
let store: TestStore
beforeAll(async () => {
  console.log(`portals: TEST_SEED=${seed}`)
  portals = await simulatedPortals(all, { seed })
  store = await openTestStore('embedded')
})
afterAll(async () => {
  await portals[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})

const readerOf = (source: Source) => source.parse ?? parseDocument
const keysOf = (parts: readonly ParsedPart[]) =>
  parts.map((part) => ('notice' in part ? part.notice.noticeKey : 'rejected'))
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Notice keys of what the portal published since the horizon, sorted. */
function publishedKeys(source: Source): string[] {
  const since = portals.simulator.published(source.id, worldStart).filter(({ publishedAt }) => publishedAt >= horizonMs)
  return [...new Set(since.flatMap(({ bytes }) => keysOf(readerOf(source)(bytes))))].sort()
}

describe.each(chosen.map((source) => [source.id, source] as const))('%s', (_, source) => {
  test('everything published is received once and is readable, and a second reading finds nothing new', async () => {
    const options = { ...portals.runOptions('first'), backfillSince }
    const results = await runSource(store, source, options)
    expect(
      results.filter(({ outcome }) => ['failed', 'refused', 'short'].includes(outcome)).map(({ detail }) => detail),
    ).toEqual([])
    const rows = await store.db
      .selectFrom('notice')
      .select(['notice_key', 'publication_ms'])
      .where('source_id', '=', source.id)
      .execute()
    const keys = rows.map((row) => row.notice_key)
    // A compiled record that changed is in two monthly files: two states of one notice, of which the newer counts.
    const states = rows.map((row) => `${row.notice_key} ${row.publication_ms}`)
    expect(states.length, 'a notice came twice').toBe(new Set(states).size)
    const expected = publishedKeys(source)
    expect(expected).not.toContain('rejected')
    expect(expected.filter((key) => !keys.includes(key))).toEqual([])
    const rejected = await store.db
      .selectFrom('rejection')
      .innerJoin('source_document', 'source_document.document_id', 'rejection.document_id')
      .select(['reason', 'detail', 'address'])
      .where('source_id', '=', source.id)
      .execute()
    expect(rejected).toEqual([])
    const again = await runSource(store, source, { ...options, worker: 'second' })
    expect(again.reduce((sum, { documents }) => sum + documents, 0)).toBe(0)
  })

  test('parsing is deterministic and has no side effects', () => {
    const parse = readerOf(source)
    for (const { bytes } of portals.simulator.published(source.id, worldStart).slice(0, 20)) {
      const before = hashOf(bytes)
      const first = parse(bytes)
      expect(first.length).toBeGreaterThan(0)
      expect(parse(Buffer.from(bytes))).toEqual(first)
      expect(hashOf(bytes)).toBe(before)
    }
  })

  test('truncated and hostile documents become rejections, and nothing is thrown', () => {
    const parse = readerOf(source)
    const [entry] = portals.simulator.published(source.id, worldStart)
    const whole = entry?.bytes ?? Buffer.from('{}')
    const cuts = Array.from({ length: 12 }, (__, turn) => whole.subarray(0, Math.floor((whole.length * turn) / 12)))
    const flipped = Array.from({ length: 12 }, (__, turn) => {
      const bytes = Buffer.from(whole)
      const at = Math.floor((bytes.length * (turn + 0.5)) / 12)
      bytes[at] = [0, 0xff, 0x3c, 0x22, 0x7d, 0x5d][turn % 6]!
      return bytes
    })
    const hostile = [
      '',
      '[]',
      '{}',
      'null',
      '"text"',
      '1e999',
      '\u0000',
      '<!DOCTYPE html><html><body>Sign in</body></html>',
      '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>',
      '['.repeat(100_000),
      '<a>'.repeat(100_000),
      '{"__proto__":{"polluted":true},"id":{"toString":1},"title":[[[[]]]],"lots":{"length":-1}}',
      'a;b;c\n1;2\n',
    ].map((text) => Buffer.from(text))
    for (const bytes of [...cuts, ...flipped, ...hostile]) {
      const parts = parse(bytes)
      expect(parts.length).toBeGreaterThan(0)
      for (const part of parts)
        if ('notice' in part) expect(part.notice.noticeKey).toMatch(/^[^:\s]+:\S/)
        else expect(part.rejection.reason).not.toBe('')
    }
    for (const bytes of [...cuts.slice(0, 6), ...hostile]) expect(keysOf(parse(bytes))).not.toContain(undefined)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  test('a run that is killed at any request continues to the same documents', async () => {
    for (const channel of source.channels) {
      for (const slot of slotsOf(source, channel)) {
        const whole = await readSlot(source, channel, slot)
        const deaths = Math.min(whole.requests, 12)
        for (let death = 1; death <= deaths; death++) {
          const survivor = await readSlot(source, channel, slot, death)
          expect([...survivor.documents].sort(), `${channel.name} ${slot.key}, killed at request ${death}`).toEqual(
            [...whole.documents].sort(),
          )
        }
      }
    }
  })
})

/** The slots of a channel in which something was published lately: the three newest. */
function slotsOf(source: Source, channel: Channel): Slot[] {
  if (!isSpan(channel.slots)) return [{ key: channel.slots.kind }]
  const dates = portals.simulator.published(source.id, worldStart).map(({ publishedAt }) => publishedAt)
  const spans = [...spansBetween(channel.slots, source.zone, horizonMs, worldStart - 1)]
  const settled = spans.filter(
    ({ toMs }) => toMs + (isSpan(channel.slots) ? (channel.slots.delayMs ?? 0) : 0) <= worldStart,
  )
  return settled
    .filter(({ fromMs, toMs }) => dates.some((at) => at >= fromMs && at < toMs))
    .slice(-3)
    .map(slotOf)
}

class Killed extends Error {}

/**
 * Reads a slot with a memory like the ledger's; with `death`, the process dies at that request, and another one
 * continues.
 */
async function readSlot(source: Source, channel: Channel, slot: Slot, death?: number) {
  const documents = new Set<string>()
  const items = new Map<string, string>()
  let checkpoint: Json | undefined
  let requests = 0
  for (let life = 0; life < 2; life++) {
    const { hosts, scratchFolder, keyOf, clock, signal } = portals.runOptions('memory')
    const key = source.access.kind === 'key' ? keyOf(source.access.setting) : undefined
    const line = hosts.openConnection({ source, key, signal })
    const steps = fetchOf(channel.delivery)({
      slot,
      checkpoint,
      send: (request) => {
        requests += 1
        if (life === 0 && requests === death) throw new Killed()
        return line.send(request)
      },
      knownVersions: (keys) => Promise.resolve(new Map([...items].filter(([name]) => keys.includes(name)))),
      key,
      zone: source.zone,
      now: clock,
      scratchFolder,
      signal,
    })
    try {
      for (let next = await steps.next(); !next.done; next = await steps.next()) {
        for (const { bytes } of next.value.documents) documents.add(hashOf(bytes))
        for (const item of next.value.items ?? []) items.set(item.key, item.version)
        if (next.value.checkpoint !== undefined) checkpoint = next.value.checkpoint
      }
      return { documents, requests }
    } catch (error) {
      if (!(error instanceof Killed)) throw error
    }
  }
  throw new Error('unreachable')
}
