// The list and the records of the API behind a `fetch`, small enough to be obviously right, with scripted faults.
import type { TenderRecord } from '../src/types.ts'

/** What a test states about a record; the rest has defaults. */
export type Change = Partial<TenderRecord> & { readonly id: string }
export const madeUpRecord = (change: Change): TenderRecord => ({
  status: 'open',
  title: 'Made up',
  contractAmount: null,
  cpvCodes: [],
  nutsCodes: [],
  lots: [],
  originalSources: [],
  lastModified: '2026-11-02T08:00:00.000Z',
  checkedAt: '2026-11-02T08:00:00.000Z',
  ...change,
})
type Version = {
  readonly record: TenderRecord
  readonly ms: number
  readonly born: number
  replacedBy: number | undefined
}
type Fault = (url: URL) => Response | Error | undefined

const dayMs = 86_400_000
const start = Date.UTC(2026, 10, 2, 8)

export type FakeApi = {
  readonly fetch: typeof globalThis.fetch
  /** Path and query of every request, in order. */
  readonly asked: string[]
  /** Publishes an edition; `stampStep` 0 gives all its records one `lastModified`. Resolves to its number. */
  readonly publish: (changes: readonly Change[], stampStep?: number) => number
  /** Answers to the next requests, in order; undefined in the list lets one through. */
  readonly faults: (Fault | undefined)[]
  /** Called with each request that is let through, before it is answered. */
  onRequest: (count: number) => void
  /** The server's own time. */
  now: number
  /** Newest edition that this node knows; if it is lower than the published one, the node lags. */
  newest: number
  /** Records as the newest edition published has them. */
  readonly stock: () => Map<string, TenderRecord>
}

export const jsonAnswer = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })

export const problemAnswer = (status: number, slug: string, headers: Record<string, string> = {}): Response =>
  jsonAnswer(
    status,
    {
      type: `https://docs.test.example/access#error-${slug}`,
      title: slug,
      status,
      detail: `made up: ${slug}`,
      instance: '/v1/tenders',
    },
    headers,
  )

export function createFakeApi(): FakeApi {
  const versions: Version[] = []
  let stamp = start
  let published = 0

  const isAlive = ({ born, replacedBy }: Version, edition: number): boolean =>
    born <= edition && (replacedBy === undefined || replacedBy > edition)

  function page(url: URL): Response {
    const query = url.searchParams
    const since = query.has('updated_since') ? Date.parse(query.get('updated_since')!) : undefined
    const limit = Number(query.get('limit') ?? 100)
    const cpv = query.get('cpv')?.split(',')
    let edition = api.newest
    let after = { ms: Number.NEGATIVE_INFINITY, id: '' }
    const cursor = query.get('cursor')
    if (cursor !== null) {
      const sealed = JSON.parse(atob(cursor)) as { edition: number; ms: number; id: string; issued: number }
      if (api.now - sealed.issued > dayMs) return problemAnswer(400, 'cursor-expired')
      if (sealed.edition > api.newest) return problemAnswer(503, 'state-unavailable', { 'retry-after': '2' })
      edition = sealed.edition
      after = sealed
    }
    const found = versions
      .filter((version) => isAlive(version, edition))
      .filter(({ record }) => record.archiveReason === undefined || since !== undefined)
      .filter(({ record }) => !cpv || record.cpvCodes.some((code) => cpv.includes(code)))
      .filter(({ ms }) => since === undefined || ms >= since)
      .filter(({ ms, record }) => ms > after.ms || (ms === after.ms && record.id > after.id))
      .sort((a, b) => a.ms - b.ms || (a.record.id < b.record.id ? -1 : 1))
    const data = found.slice(0, limit)
    const last = data.at(-1)
    const nextCursor =
      found.length > limit && last
        ? btoa(JSON.stringify({ edition, ms: last.ms, id: last.record.id, issued: api.now }))
        : null
    return jsonAnswer(200, { data: data.map(({ record }) => record), nextCursor })
  }

  function answer(url: URL): Response {
    if (url.pathname === '/v1/tenders') return page(url)
    const id = decodeURIComponent(url.pathname.slice('/v1/tenders/'.length))
    const version = versions.find((candidate) => candidate.record.id === id && isAlive(candidate, api.newest))
    return version ? jsonAnswer(200, version.record) : problemAnswer(404, 'not-found')
  }

  const api: FakeApi = {
    asked: [],
    faults: [],
    onRequest: () => {},
    now: start,
    newest: 0,
    fetch: async (input) => {
      const url = new URL(String(input))
      api.asked.push(url.pathname + decodeURIComponent(url.search))
      const fault = api.faults.shift()?.(url)
      if (fault instanceof Error) throw fault
      if (fault) return fault
      api.onRequest(api.asked.length)
      return answer(url)
    },
    publish: (changes, stampStep = 1) => {
      published++
      stamp = Math.max(stamp + 1, api.now)
      for (const change of changes) {
        const old = versions.find(({ record, replacedBy }) => record.id === change.id && replacedBy === undefined)
        if (old) old.replacedBy = published
        const time = new Date(stamp).toISOString()
        const record = madeUpRecord({ ...change, lastModified: time, checkedAt: time })
        versions.push({ record, ms: stamp, born: published, replacedBy: undefined })
        stamp += stampStep
      }
      api.newest = published
      return published
    },
    stock: () =>
      new Map(versions.filter((version) => isAlive(version, published)).map(({ record }) => [record.id, record])),
  }
  return api
}
