// Portals that do not deliver: what each does, and which of the real cards it stands for.
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { SourceState } from '../../src/domain/source-state.ts'
import { hostGroups } from '../../src/ingest/host-groups.ts'
import { loadSources } from '../../src/sources/registry.ts'
import type { Source } from '../../src/sources/source.ts'
import { proofCount } from '../proof/proof-count.ts'
import { randomOf } from '../testing/generate/random.ts'
import { madeUpCertificate } from '../testing/made-up-certificate.ts'
import { seed } from '../testing/seed.ts'

/** What a portal does, its share of all, and the state in which the operator finds its sources. */
export const faults = {
  silent: { share: 0.3, state: 'no-answer' },
  away: { share: 0.08, state: 'no-answer' },
  refusing: { share: 0.1, state: 'refused' },
  forbidding: { share: 0.05, state: 'forbidden' },
  garbage: { share: 0.05, state: 'wrong-content' },
  page: { share: 0.05, state: 'wrong-content' },
  tls: { share: 0.05, state: 'no-answer' },
} as const satisfies { readonly [name: string]: { readonly share: number; readonly state: SourceState } }
export type Fault = keyof typeof faults

/**
 * A server whose certificate is of another name, and of nobody whom anyone trusts. Returns its address and how many
 * clients began to speak to it; a request that is answered is a client that accepted it.
 */
export async function startDistrusted(folder: string) {
  const paths = madeUpCertificate(folder, 'DNS:elsewhere.example')
  const seen = { connections: 0, requests: 0 }
  const server = createServer({ key: readFileSync(paths.key), cert: readFileSync(paths.certificate) }, (_, answer) => {
    seen.requests += 1
    answer.end('{}')
  })
  server.on('connection', () => {
    seen.connections += 1
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, close }
}

/** Answers as the fault does; false leaves the request to the portal. Clients of `tls` end before they ask. */
export function spoil(fault: Exclude<Fault, 'tls'>, path: string, answer: ServerResponse): boolean {
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

/** TED, DÖE, and others drawn at random, with the fault of each; several of one host stand for its group. */
export async function draw() {
  const random = randomOf(seed, 41)
  const all = [...(await loadSources()).values()].filter(
    ({ access, offBecause }) => access.kind === 'open' && offBecause === undefined,
  )
  const groups = hostGroups(all)
  const obeys = ({ politeness }: Source) => (politeness.robots ?? 'obey') === 'obey'
  // one that delivers pages cannot be told from one that shows a page in place of data
  const readsPages = ({ expects }: Source) => expects.shape.includes('html')
  const hostsOf = ({ channels }: Source) => new Set(JSON.stringify(channels).match(/https?:\/\/[^/?#{}"]+/g))
  // one source of one host, so that the host's fault is the source's; what ignores robots.txt cannot be forbidden
  const others = [...Map.groupBy(all, ({ id }) => groups.get(id)!).values()]
    .filter(
      (some) =>
        some.length === 1 &&
        some[0]!.leads !== true &&
        obeys(some[0]!) &&
        hostsOf(some[0]!).size === 1 &&
        !readsPages(some[0]!),
    )
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
