// The first day of a service: `start --live` before portals of which many do not answer, refuse, forbid or send
// garbage. The healthy ones are read all the same, and the operator sees the cause of each other one.
import { mkdtemp, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { SourceState } from '../../src/domain/source-state.ts'
import { hostGroups } from '../../src/ingest/host-groups.ts'
import { loadSources } from '../../src/sources/registry.ts'
import type { Source } from '../../src/sources/source.ts'
import { proofCount } from '../proof/proof-count.ts'
import { randomOf } from '../testing/generate/random.ts'
import type { PrintedEvent } from '../testing/printed-event.ts'
import { seed } from '../testing/seed.ts'
import { putEmptyStock } from '../world.ts'
import { openPortals, runProgram } from './live-program.ts'

const minute = 60_000
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** What a portal does, its share of all, and the state in which the operator finds its sources. */
const faults = {
  silent: { share: 0.3, state: 'no-answer' },
  away: { share: 0.08, state: 'no-answer' },
  refusing: { share: 0.1, state: 'refused' },
  forbidding: { share: 0.05, state: 'forbidden' },
  garbage: { share: 0.05, state: 'wrong-content' },
  page: { share: 0.05, state: 'wrong-content' },
} as const satisfies { readonly [name: string]: { readonly share: number; readonly state: SourceState } }
type Fault = keyof typeof faults

/** Answers as the fault does; false leaves the request to the portal. */
function spoil(fault: Fault, path: string, answer: ServerResponse): boolean {
  if (fault === 'silent') return true
  if (fault === 'away') {
    answer.destroy()
    return true
  }
  const isRobots = path === '/robots.txt'
  if (fault === 'forbidding') {
    if (isRobots) answer.end('User-agent: *\nDisallow: /\n')
    return isRobots
  }
  if (isRobots) answer.writeHead(404).end()
  else if (fault === 'refusing') answer.writeHead(403).end('no')
  else if (fault === 'page') answer.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Welcome')
  else answer.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip at all')
  return true
}

/** The simulator behind a proxy that spoils what some hosts answer, and counts requests that are open at a time. */
async function openInternet(sources: readonly Source[], faultOf: ReadonlyMap<string, Fault>) {
  const open = new Map<string, number>()
  const most = new Map<string, number>()
  const url = await openPortals(
    sources.map(({ id }) => id),
    closers,
    (asked, answer) => {
      const [, host, path] = /^\/([^/?]+)([^?]*)/.exec(asked.url!)!
      const now = (open.get(host!) ?? 0) + 1
      open.set(host!, now)
      most.set(host!, Math.max(most.get(host!) ?? 0, now))
      answer.once('close', () => open.set(host!, open.get(host!)! - 1))
      const fault = faultOf.get(host!)
      return fault !== undefined && spoil(fault, path === '' ? '/' : path!, answer)
    },
  )
  return { url, most }
}

const run = (args: readonly string[]) => runProgram(args, closers)

/** TED, DÖE, and others drawn at random, with the fault of each; several of one host stand for its group. */
async function draw() {
  const random = randomOf(seed, 41)
  const all = [...(await loadSources()).values()].filter(
    ({ access, offBecause }) => access.kind === 'open' && offBecause === undefined,
  )
  const groups = hostGroups(all)
  const obeys = ({ politeness }: Source) => (politeness.robots ?? 'obey') === 'obey'
  const hostsOf = ({ channels }: Source) => new Set(JSON.stringify(channels).match(/https?:\/\/[^/?#{}"]+/g))
  // one source of one host, so that the host's fault is the source's; what ignores robots.txt cannot be forbidden
  const others = [...Map.groupBy(all, ({ id }) => groups.get(id)!).values()]
    .filter((some) => some.length === 1 && some[0]!.leads !== true && obeys(some[0]!) && hostsOf(some[0]!).size === 1)
    .map(([source]) => ({ source: source!, rank: random.next() }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, proofCount({ share: 22, full: all.length }))
    .map(({ source }) => source)
  const bad = new Map<string, Fault>()
  let from = 0
  for (const [name, { share }] of Object.entries(faults)) {
    const count = Math.max(1, Math.round(share * others.length))
    for (const { id } of others.slice(from, from + count)) bad.set(id, name as Fault)
    from += count
  }
  const sources = [...all.filter(({ leads }) => leads === true), ...others]
  const faultOfHost = new Map([...bad].map(([id, fault]) => [groups.get(id)!, fault]))
  return { sources, bad, faultOfHost, healthy: sources.filter(({ id }) => !bad.has(id)) }
}

test('portals that do not deliver starve nobody, and each says why', { timeout: 40 * minute }, async () => {
  const { sources, bad, faultOfHost, healthy } = await draw()
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-first-day-'))
  closers.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const data = await putEmptyStock(join(folder, 'data'))
  const internet = await openInternet(sources, faultOfHost)
  const startedAt = Date.now()
  const since = (what: string) =>
    console.log(`first-day: ${what} after ${Math.round((Date.now() - startedAt) / 1000)} s`)
  const ids = sources.map(({ id }) => id)
  const options = ['--data', data, '--api-port', '0', '--console-port', '0', '--simulator', internet.url]
  const service = run(['start', '--live', ...options, '--source', ...ids])
  const of = (name: string) => service.events.filter(({ event }) => event === name)
  const isGood = ({ outcome }: PrintedEvent) => !['failed', 'refused'].includes(String(outcome))
  const readOnce = () =>
    new Set(
      of('sourceRead')
        .filter(isGood)
        .map(({ source }) => String(source)),
    )

  await expect
    .poll(() => [...readOnce()], { timeout: 5 * minute, interval: 500 })
    .toEqual(expect.arrayContaining(['ted', 'doe']))
  since('TED and DÖE are read')
  await expect.poll(() => of('published').length, { timeout: 16 * minute, interval: 500 }).toBeGreaterThan(0)
  since('the first edition is published')
  expect(of('firstReading').at(0)).toMatchObject({ total: sources.length })
  await expect
    .poll(() => healthy.filter(({ id }) => !readOnce().has(id)).map(({ id }) => id), {
      timeout: 30 * minute,
      interval: 500,
    })
    .toEqual([])
  since('every healthy portal is read')

  const list = run(['source', 'list', '--all', '--data', data])
  expect(await list.end).toBe(0)
  const stateOf = new Map(
    list.events.filter(({ event }) => event === 'source').map(({ sourceId, state }) => [sourceId, state]),
  )
  const states = (some: Iterable<string>) => Object.fromEntries([...some].map((id) => [id, stateOf.get(id)]))
  expect(states(bad.keys())).toEqual(Object.fromEntries([...bad].map(([id, fault]) => [id, faults[fault].state])))
  const status = run(['status', '--data', data])
  expect(await status.end).toBe(0)
  const { portals } = status.events[0] as unknown as { readonly portals: { readonly [state: string]: number } }
  for (const state of new Set(Object.values(faults).map((each) => each.state)))
    expect([state, portals[state]]).toEqual([
      state,
      [...bad.values()].filter((fault) => faults[fault].state === state).length,
    ])
  // no false sentence about the network, and no flood of alarms
  const warnings = of('warning').map(({ message }) => String(message))
  expect(warnings.filter((message) => message.includes('reaches no portal'))).toEqual([])
  expect(warnings.length).toBeLessThanOrEqual(5)
  const connectionsOf = new Map(sources.map(({ id, politeness }) => [id, politeness.connections ?? 1]))
  expect([...internet.most.values()].every((most) => most <= Math.max(...connectionsOf.values()))).toBe(true)

  const check = run(['source', 'check', ...ids, '--data', data, '--simulator', internet.url])
  expect(await check.end).toBe(6)
  since('all are checked')
  const verdicts = new Map(
    check.events.filter(({ event }) => event === 'sourceChecked').map(({ sourceId, verdict }) => [sourceId, verdict]),
  )
  expect(verdicts.size).toBe(ids.length)
  for (const id of bad.keys()) expect(['unreachable', 'differs'], id).toContain(verdicts.get(id))
})
