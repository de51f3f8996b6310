// The first day of a service: `start --live` before portals of which many do not answer, refuse, forbid or send
// garbage. The healthy ones are read all the same, and the operator sees the cause of each other one.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { Source } from '../../src/sources/source.ts'
import { plantingHook } from '../planted-edit.ts'
import type { PrintedEvent } from '../testing/printed-event.ts'
import { putEmptyStock } from '../world.ts'
import { draw, type Fault, faults, spoil, startDistrusted } from './hostile-internet.ts'
import { openPortals, runProgram } from './live-program.ts'

const minute = 60_000
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

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
      return fault !== undefined && fault !== 'tls' && spoil(fault, path === '' ? '/' : path!, answer)
    },
  )
  return { url, most }
}

/** The program reaches these hosts by TLS, which the simulator does not speak. */
function leadsTo(url: string, hosts: readonly string[]): readonly string[] {
  const file = 'src/service/control/portal-access.ts'
  const from = 'const route = (url: URL) => new URL('
  const to = `const route = (url: URL) => ${JSON.stringify(hosts)}.includes(url.host) ? new URL('${url}') : new URL(`
  return ['--import', plantingHook({ name: 'TLS', file, from, to })]
}

test('portals that do not deliver starve nobody, and each says why', { timeout: 40 * minute }, async () => {
  const { sources, bad, faultOfHost, healthy } = await draw()
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-first-day-'))
  closers.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const data = await putEmptyStock(join(folder, 'data'))
  const internet = await openInternet(sources, faultOfHost)
  const distrusted = await startDistrusted(folder)
  closers.push(distrusted.close)
  const hostsOf = (fault: Fault) => [...faultOfHost].flatMap(([host, each]) => (each === fault ? [host] : []))
  const node = leadsTo(distrusted.url, hostsOf('tls'))
  const run = (args: readonly string[]) => runProgram(args, closers, node)
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
  // each tried to speak to it, and none went on
  expect(distrusted.seen.connections).toBeGreaterThan(0)
  expect(distrusted.seen.requests).toBe(0)
  const ofTls = list.events.filter(({ sourceId }) => bad.get(String(sourceId)) === 'tls')
  expect(ofTls.map(({ lastReason }) => lastReason)).toEqual(hostsOf('tls').map(() => 'tls'))
  for (const id of bad.keys()) expect(['unreachable', 'differs'], id).toContain(verdicts.get(id))
})
