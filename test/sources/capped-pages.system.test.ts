// Every list of every source, at portals that cap their pages and repeat the last one: the same documents arrive as
// without a cap.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayMs } from '../../src/domain/time.ts'
import { isSpan } from '../../src/ingest/plan-slots.ts'
import { slotOf, spansBetween } from '../../src/ingest/slot-spans.ts'
import { fetchOf } from '../../src/sources/deliver/fetch-of.ts'
import type { Delivery } from '../../src/sources/delivery.ts'
import type { Json, Slot } from '../../src/sources/fetch.ts'
import { loadSources } from '../../src/sources/registry.ts'
import type { Channel, Source } from '../../src/sources/source.ts'
import { type SimulatedPortals, simulatedPortals, worldStart } from './simulated-portals.ts'

const seed = process.env.TEST_SEED ?? 'capped-pages'
const horizonMs = worldStart - 45 * dayMs
/** Maximum slots of one channel that are read: the newest in which something was published. */
const slotsOfChannel = 2

const listOf = (delivery: Delivery): Delivery | undefined => (delivery.kind === 'own' ? delivery.like : delivery)
/** A feed that begins with its newest page reads no older ones, however short that page is. */
const isPaged = (channel: Channel): boolean => {
  const list = listOf(channel.delivery)
  if (list === undefined || list.kind === 'single' || list.kind === 'index' || list.kind === 'own') return false
  return !(list.kind === 'link-next' && list.firstNext !== undefined)
}
const sources = [...(await loadSources()).values()].filter(({ channels }) => channels.some(isPaged))

let usual: SimulatedPortals
let capped: SimulatedPortals
beforeAll(async () => {
  usual = await simulatedPortals(sources, { seed })
  capped = await simulatedPortals(sources, { seed, faults: { 'capped-pages': 1, 'last-page-again': 1 } })
})
afterAll(async () => {
  await usual[Symbol.asyncDispose]()
  await capped[Symbol.asyncDispose]()
})

/** The newest slots of a channel in which something was published. */
function slotsOf(source: Source, channel: Channel): Slot[] {
  const { slots } = channel
  if (!isSpan(slots)) return [{ key: slots.kind }]
  const dates = usual.simulator.published(source.id, worldStart).map(({ publishedAt }) => publishedAt)
  return [...spansBetween(slots, source.zone, horizonMs, worldStart - 1)]
    .filter(({ toMs }) => toMs + (slots.delayMs ?? 0) <= worldStart)
    .filter(({ fromMs, toMs }) => dates.some((at) => at >= fromMs && at < toMs))
    .slice(-slotsOfChannel)
    .map(slotOf)
}

async function readSlot(portals: SimulatedPortals, source: Source, channel: Channel, slot: Slot) {
  const documents: string[] = []
  const { hosts, scratchFolder, keyOf, clock, signal } = portals.runOptions('worker')
  const key = source.access.kind === 'key' ? keyOf(source.access.setting) : undefined
  const line = hosts.openConnection({ source, key, signal })
  let requests = 0
  const steps = fetchOf(channel.delivery)({
    slot,
    checkpoint: undefined as Json | undefined,
    send: (request) => {
      requests += 1
      return line.send(request)
    },
    knownVersions: () => Promise.resolve(new Map()),
    key,
    zone: source.zone,
    ...(source.expects.totalTolerance !== undefined && { totalTolerance: source.expects.totalTolerance }),
    now: clock,
    scratchFolder,
    signal,
  })
  for (;;) {
    const next = await steps.next()
    if (next.done) return { end: next.value, documents: [...new Set(documents)].sort(), requests }
    for (const { bytes } of next.value.documents) documents.push(Buffer.from(bytes).toString('latin1'))
  }
}

test('every list is received completely from a portal that delivers three entries per page and repeats its last page', async () => {
  let slots = 0
  let longer = 0
  for (const source of sources)
    for (const channel of source.channels.filter(isPaged))
      for (const slot of slotsOf(source, channel)) {
        const name = `${source.id} ${channel.name} ${slot.key}`
        const [whole, inParts] = [
          await readSlot(usual, source, channel, slot),
          await readSlot(capped, source, channel, slot),
        ]
        expect(inParts.end, name).toEqual(whole.end)
        expect(inParts.documents.length, name).toBe(whole.documents.length)
        expect(inParts.documents.join('\n') === whole.documents.join('\n'), `${name}: other documents`).toBe(true)
        slots += 1
        if (inParts.requests > whole.requests) longer += 1
      }
  console.log(
    `capped-pages: ${sources.length} sources, ${slots} slots, ${longer} of them with more requests than usual`,
  )
  expect(longer).toBeGreaterThan(sources.length / 2)
})
