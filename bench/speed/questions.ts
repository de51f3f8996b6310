// The requests: pages by cursor and from random positions, records, and filters in so many variants that no answer
// repeats.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { request } from 'undici'
import { toInstant } from '../../src/domain/time.ts'
import { randomOf } from '../../test/testing/generate/random.ts'
import type { LoadRequest } from '../load.ts'
import type { Stock } from './stock.ts'

export type ListAnswer = {
  readonly data: { readonly id: string; readonly status: string; readonly lastModified: string }[]
  readonly nextCursor: string | null
}

export const pathsOf = (paths: readonly string[]): LoadRequest[] => paths.map((path) => ({ path }))

export async function getList(port: number, path: string, token: string): Promise<ListAnswer> {
  const { statusCode, headers, body } = await request(`http://127.0.0.1:${port}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${await body.text()}`)
  if (headers['content-encoding'] !== 'gzip') return (await body.json()) as ListAnswer
  // a peer that stores nothing else
  return JSON.parse(gunzipSync(await body.arrayBuffer()).toString()) as ListAnswer
}

/** Returns pages by following cursors from the first one on, and the answers. */
export async function walk(
  port: number,
  token: string,
  first: string,
  count: number,
): Promise<{ readonly paths: string[]; readonly answers: ListAnswer[] }> {
  const paths: string[] = []
  const answers: ListAnswer[] = []
  for (let path = first; paths.length < count; ) {
    const answer = await getList(port, path, token)
    paths.push(path)
    answers.push(answer)
    if (answer.nextCursor === null) break
    path = `${first}&cursor=${encodeURIComponent(answer.nextCursor)}`
  }
  return { paths, answers }
}

/** Returns the same number of different pages of 100, from positions spread evenly over everything published. */
export function randomPages({ cluster, database }: Stock, count: number, stream: number): string[] {
  const editions = cluster
    .psql(database, 'select last_modified, changes from edition where changes > 0 order by edition')
    .trim()
    .split('\n')
    .map((line) => line.split('|').map(Number) as [last: number, changes: number])
  const random = randomOf(1, stream)
  const total = editions.reduce((sum, [, changes]) => sum + changes, 0)
  return Array.from({ length: count }, () => {
    let rest = Math.floor(random.next() * total)
    for (const [last, changes] of editions) {
      if (rest < changes) return `/v1/tenders?updated_since=${toInstant(last - changes + 1 + rest)}&limit=100`
      rest -= changes
    }
    throw new Error('no edition holds changes')
  })
}

/** Saves the answers to these paths as NAME and NAME.gz, as our service sends them. Returns the names. */
export async function saveAnswers(
  port: number,
  token: string,
  paths: readonly string[],
  folder: string,
  nameOf: (path: string, index: number) => string = (_, index) => String(index),
): Promise<string[]> {
  mkdirSync(folder, { recursive: true })
  const names: string[] = []
  for (const [index, path] of paths.entries()) {
    const name = nameOf(path, index)
    for (const encoding of ['identity', 'gzip']) {
      const { statusCode, headers, body } = await request(`http://127.0.0.1:${port}${path}`, {
        headers: { authorization: `Bearer ${token}`, 'accept-encoding': encoding },
      })
      if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`)
      if ((headers['content-encoding'] ?? 'identity') !== encoding) throw new Error(`${path}: not ${encoding}`)
      const file = join(folder, encoding === 'gzip' ? `${name}.gz` : name)
      writeFileSync(file, new Uint8Array(await body.arrayBuffer()))
    }
    names.push(name)
  }
  return names
}

type Choice = readonly [cpv: string, nuts: string, procedure: string]

/** Values that match often, so that even a small stock fills a page. */
const broad: readonly Choice[] = [
  ['45000000,71000000,79000000,85000000', 'FR,DE,ES,IT', 'open,neg-wo-call,neg-w-call,restricted'],
  ['72000000,34000000,38000000,45000000,71000000', 'DE,FR,BE,NL,FI', 'open,neg-wo-call,restricted'],
  ['45000000,60000000,90000000,50000000,85000000', 'FR,IT,ES,AT,BE', 'open,neg-w-call,neg-wo-call'],
  ['79000000,71000000,45000000,33000000,55000000', 'DE,IT,NL,FI,SI', 'open,restricted,neg-wo-call'],
]
/** Values that match rarely: less than one record in a thousand. */
const narrow: readonly Choice[] = [
  ['45000000', 'DE2', 'open'],
  ['71000000,79000000', 'DE2,DE7', 'open,restricted'],
  ['33000000', 'FR', 'open'],
  ['45210000,45310000', 'DE,AT,FR', 'open,neg-w-call'],
]
const choices = { broad, narrow }

/** Six filters, in `count` different queries. */
export function sixFilterQuestions(kind: keyof typeof choices, count: number, stream = 1): SixFilters[] {
  const random = randomOf(2, stream)
  const firstDay = Date.UTC(2023, 0, 1)
  return Array.from({ length: count }, (_, index) => {
    const [cpv, nuts, procedure] = choices[kind][index % choices[kind].length]!
    const publishedSince = firstDay + random.integer(0, 60 * 24 * 3600) * 1000
    return {
      cpv,
      nuts,
      procedure,
      publishedSince,
      deadlineAfter: publishedSince + random.integer(1, 30 * 24 * 3600) * 1000,
      valueMin: random.integer(kind === 'broad' ? 1000 : 20_000, kind === 'broad' ? 50_000 : 90_000),
    }
  })
}

export type SixFilters = {
  readonly cpv: string
  readonly nuts: string
  readonly procedure: string
  readonly publishedSince: number
  readonly deadlineAfter: number
  readonly valueMin: number
}

export const pathOfSix = (filters: SixFilters): string =>
  `/v1/tenders?${parametersOf(filters, 6)}&archived=true&limit=100`

/** The first `count` of the six filters. */
export function parametersOf(filters: SixFilters, count: number): string {
  return [
    `cpv=${filters.cpv}`,
    `nuts=${filters.nuts}`,
    `procedure=${filters.procedure}`,
    `value_min=${filters.valueMin}`,
    `published_since=${toInstant(filters.publishedSince)}`,
    `deadline_after=${toInstant(filters.deadlineAfter)}`,
  ]
    .slice(0, count)
    .join('&')
}

/** A moment, spread over a year, before everything in the stock: it makes queries differ, but filters nothing. */
const early = (index: number): string => `published_since=${toInstant(Date.UTC(1990, 0, 1) + index * 1000)}`

/** Queries that match nothing, each in `count` variants, and why they match nothing. */
export const noMatchQuestions: readonly { readonly name: string; readonly paths: (count: number) => string[] }[] = [
  { name: 'a CPV division that no record has', filters: 'cpv=16000000' },
  { name: 'a country that no record has', filters: 'nuts=MT' },
  { name: 'a value above all', filters: 'value_min=100000000000' },
  { name: 'a deadline after all', filters: 'deadline_after=2090-01-01T00:00:00Z' },
  // only values in EUR are compared, and there they are published in PLN or USD
  { name: 'Poland and a value in EUR: each frequent, never together', filters: 'nuts=PL&value_min=1' },
  {
    name: 'works in Hungary and a value in EUR: each frequent, never together',
    filters: 'cpv=45000000&nuts=HU&value_min=1',
  },
  {
    name: 'six filters, one of them absent',
    filters: 'cpv=45000000&nuts=DE&procedure=open&value_min=100000000000&deadline_after=2023-01-01T00:00:00Z',
  },
].map(({ name, filters }) => ({
  name,
  paths: (count) =>
    Array.from({ length: count }, (_, index) => `/v1/tenders?${filters}&${early(index)}&archived=true&limit=100`),
}))
