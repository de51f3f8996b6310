// Several readers of one service against the model: while editions follow one another, random runs whose pages come
// from whichever reader a connection leads to give what a plain filter over an array gives, to the byte.
import type { Worker } from 'node:worker_threads'
import { gunzipSync } from 'node:zlib'
import { Client } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemRandom } from '../../src/platform/random.ts'
import { createOrganization, createToken } from '../../src/store/people/organizations.ts'
import { type Random, randomOf } from '../testing/generate/random.ts'
import { seed } from '../testing/seed.ts'
import { naiveAnswer } from './naive-answer.ts'
import { randomQuery } from './random-query.ts'
import { settledTender } from './settled-tender.ts'
import { type ModelWorld, openModelWorld, type PublishedRecord, queryString } from './world.ts'

console.log(`model of several readers: SEED=${seed}`)

// noon: an entity tag is valid for half a day, and all editions together take less
const startMs = Date.UTC(2026, 10, 1, 12)
const readerCount = 3
/** So many that a reader without any is rarer than one run in a million. */
const connectionCount = 40
const asker = { count: 4, runsPerEdition: 12, editions: 15 }
const stock = { seed, count: 400, now: startMs, size: 'small' } as const
const changesPerEdition = 15

type Asked = {
  readonly method?: 'GET' | 'HEAD'
  readonly encoding?: 'gzip' | 'identity'
  /** By a plain request, or through the HTTP server, which handles everything else. */
  readonly way?: 'short' | 'long'
  readonly ifNoneMatch?: string
  readonly authorization?: string
}
type Answer = {
  readonly status: number
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  readonly text: string
  readonly edition: number
  /** Absent: a connection for this request alone. */
  readonly connection: Connection | undefined
}

/** A connection that is kept; `answers` and `owner` say what its reader did, and which reader it was. */
class Connection {
  readonly client: Client
  answers = 0
  breaks = 0
  owner: Worker | undefined

  constructor(address: string) {
    this.client = new Client(address, { keepAliveTimeout: 600_000, keepAliveMaxTimeout: 600_000 })
    this.client.on('disconnect', () => this.breaks++)
  }
}

let world: ModelWorld
let connections: readonly Connection[] = []
const random = randomOf(seed, 1)
const versions = new Map<number, number>()
const totals = { runs: 0, pages: 0, overtaken: 0, fresh: 0, unchanged: 0, heads: 0, records: 0 }
/** Which connection received a cursor, and which one used it. */
const passed: { readonly from: Connection; readonly to: Connection }[] = []

async function publishSome(indexes: readonly number[]): Promise<void> {
  for (const index of indexes) versions.set(index, (versions.get(index) ?? -1) + 1)
  await world.put([...new Set(indexes)].map((index) => settledTender(stock, index, versions.get(index)!)))
  await world.check(random.pick(['ted', 'doe', 'doffin', 'ocds-generated']))
  await world.publishNext()
  world.advance(random.integer(0, 10) * 60_000)
}

beforeAll(async () => {
  world = await openModelWorld(startMs, { readers: readerCount })
  for (const publisher of ['ted', 'doe', 'doffin', 'ocds-generated']) await world.check(publisher)
  await publishSome(Array.from({ length: stock.count }, (_, index) => index))
  connections = Array.from({ length: connectionCount }, () => new Connection(world.address))
})
afterAll(async () => {
  await Promise.all(connections.map(({ client }) => client.destroy()))
  await world[Symbol.asyncDispose]()
})

async function askOn(client: Client, path: string, asked: Asked): Promise<Omit<Answer, 'connection'>> {
  const { method = 'GET', encoding = 'identity', way = 'short', ifNoneMatch } = asked
  const { statusCode, headers, body } = await client.request({
    path,
    method,
    // undici ends the connection of a HEAD otherwise
    reset: false,
    headers: {
      authorization: asked.authorization ?? world.authorization,
      'accept-encoding': encoding,
      ...(way === 'long' && { te: 'trailers' }),
      ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
    },
  })
  const bytes = Buffer.from(await body.arrayBuffer())
  if (method === 'HEAD' || statusCode === 304) expect(bytes).toHaveLength(0)
  else expect(headers['content-length']).toBe(`${bytes.length}`)
  return {
    status: statusCode,
    headers,
    text: (headers['content-encoding'] === 'gzip' && bytes.length > 0 ? gunzipSync(bytes) : bytes).toString('utf8'),
    edition: Number.parseInt(String(headers['x-stock-state']), 10),
  }
}

/** On any of the connections, sometimes on a new one. */
async function ask(own: Random, path: string, asked: Asked = {}): Promise<Answer> {
  if (own.chance(0.05)) {
    const client = new Client(world.address)
    try {
      totals.fresh++
      return { ...(await askOn(client, path, asked)), connection: undefined }
    } finally {
      await client.close()
    }
  }
  const connection = own.pick(connections)
  const answer = await askOn(connection.client, path, asked)
  connection.answers++
  return { ...answer, connection }
}

const someWay = (own: Random) => (own.chance(0.2) ? 'long' : 'short')
const someEncoding = (own: Random) => (own.chance(0.5) ? 'gzip' : 'identity')

/** Sends one random query from its first page to its last, each page from any reader. */
async function run(own: Random): Promise<void> {
  // what many request is kept by each reader, across editions too
  const isPopular = own.chance(0.3)
  const parameters = isPopular ? ([['archived', 'true']] as const) : randomQuery(own, world.newest())
  const query = queryString(parameters, own)
  let expected: readonly PublishedRecord[] = []
  let first: Answer | undefined
  let before: Answer | undefined
  let cursor: string | null = null
  for (let at = 0; ; ) {
    const limit = isPopular ? 100 : own.pick([100, own.integer(20, 100), own.integer(5, 50)])
    const path = `/v1/tenders?${[query, `limit=${limit}`, cursor && `cursor=${cursor}`].filter(Boolean).join('&')}`
    const encoding = someEncoding(own)
    const answer = await ask(own, path, { encoding, way: someWay(own) })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    if (first === undefined) {
      first = answer
      expected = naiveAnswer(world.states.get(answer.edition)!, parameters) as PublishedRecord[]
    }
    expect(answer.edition).toBe(first.edition)
    if (before?.connection && answer.connection) passed.push({ from: before.connection, to: answer.connection })
    const wires = expected.slice(at, at + limit).map(({ wire }) => wire)
    at += limit
    const end = at < expected.length ? /^"([\w-]+)"\}$/ : /^null\}$/
    const begin = `{"data":[${wires.join(',')}],"nextCursor":`
    const rest = end.exec(answer.text.slice(begin.length))
    if (!answer.text.startsWith(begin) || !rest) {
      const { data } = JSON.parse(answer.text) as { data: unknown[] }
      const where = { path, edition: answer.edition, records: data.length, of: expected.length }
      expect({ ...where, data }).toEqual({ ...where, data: wires.map((wire) => JSON.parse(wire)) })
      throw new Error(`${path}: an unexpected body: ${answer.text.slice(0, 100)}…${answer.text.slice(-300)}`)
    }
    expect(answer.headers['content-encoding']).toBe(wires.length > 0 && encoding === 'gzip' ? 'gzip' : undefined)
    totals.pages++
    if (own.chance(0.2)) await compareHeadAndUnchanged(own, path, encoding, answer)
    cursor = rest[1] ?? null
    before = answer
    if (cursor === null) break
  }
  totals.runs++
  if (Math.max(...world.states.keys()) > first.edition) totals.overtaken++
}

/** The same page from another reader: without its body, and as one that the client already has. */
async function compareHeadAndUnchanged(
  own: Random,
  path: string,
  encoding: 'gzip' | 'identity',
  page: Answer,
): Promise<void> {
  const head = await ask(own, path, { method: 'HEAD', encoding, way: someWay(own) })
  expect(head.status).toBe(200)
  // a first page comes from the newest edition, which may have changed meanwhile
  if (head.edition === page.edition) {
    for (const name of ['etag', 'content-type', 'content-encoding', 'content-length', 'vary', 'cache-control'])
      expect([name, head.headers[name]]).toEqual([name, page.headers[name]])
    totals.heads++
  } else expect(path).not.toContain('cursor=')
  const etag = String(page.headers.etag)
  const again = await ask(own, path, { encoding, way: someWay(own), ifNoneMatch: etag })
  if (again.edition === page.edition) {
    expect([again.status, again.headers.etag, again.headers['content-length']]).toEqual([304, etag, undefined])
    totals.unchanged++
  } else {
    expect(path).not.toContain('cursor=')
    expect(again.status).toBe(200)
    expect(again.headers.etag).not.toBe(etag)
  }
}

async function compareRecord(own: Random): Promise<void> {
  const { id } = own.pick(world.newest())
  const encoding = someEncoding(own)
  const path = `/v1/tenders/${own.chance(0.1) ? id.toUpperCase() : id}`
  const { status, text, edition, headers } = await ask(own, path, { encoding, way: someWay(own) })
  const expected = world.states.get(edition)!.find((record) => record.id === id)
  expect([status, text]).toEqual([200, expected?.wire])
  const etag = String(headers.etag)
  const again = await ask(own, path, { encoding, way: someWay(own), ifNoneMatch: etag })
  const isUnchanged =
    world.states.get(again.edition)!.find((record) => record.id === id)!.lastModified === expected!.lastModified
  expect([again.status, again.headers.etag === etag]).toEqual(isUnchanged ? [304, true] : [200, false])
  totals.records++
}

describe(`${readerCount} readers of one service`, () => {
  const names = 'C6, C31, C36 to C50, C54 to C93, C107 to C110, D6, D43, R1, R2'
  test(`answer as the model does while editions are published, with each page from any reader: ${names}`, {
    timeout: 300_000,
  }, async () => {
    let isOver = false
    let wanted = 0
    let reached = () => {}
    const askers = Array.from({ length: asker.count }, async (_, index) => {
      const own = randomOf(seed, 10 + index)
      while (!isOver) {
        await run(own)
        await compareRecord(own)
        if (totals.runs >= wanted) reached()
      }
    })
    const publishing = async (): Promise<void> => {
      for (let edition = 0; edition < asker.editions; edition++) {
        wanted = totals.runs + asker.runsPerEdition
        const asked = new Promise<void>((resolve) => {
          reached = resolve
        })
        // without a change only the times of the sources move
        const changes = random.chance(0.2) ? 0 : changesPerEdition
        await publishSome(Array.from({ length: changes }, () => random.integer(0, stock.count - 1)))
        await asked
      }
    }
    await Promise.race([publishing(), Promise.all(askers)]).finally(() => {
      isOver = true
    })
    await Promise.all(askers)
    console.log(`model of several readers: ${JSON.stringify(totals)}, no difference (SEED=${seed})`)
    expect(world.states.size).toBe(asker.editions + 1)
    // otherwise the test saw nothing of what it is for
    for (const count of Object.values(totals)) expect(count).toBeGreaterThan(10)
  })

  test('share one limit exactly, for any request and any reader: C122, C123, C127, C131, D12', async () => {
    const limit = 83
    const circumstances = { now: world.now(), random: systemRandom }
    const made = await createOrganization(world.store.db, { name: 'Limited', requestsPerMinute: limit }, circumstances)
    if (made.kind !== 'created') throw new Error('no organisation')
    const { organizationId } = made.organization
    const tokens = await Promise.all(
      ['one', 'two'].map((name) => createToken(world.store, { organizationId, name }, circumstances)),
    )
    const authorizations = tokens.map((token) => {
      if (token.kind !== 'created') throw new Error('no token')
      return `Bearer ${token.plaintext}`
    })
    const { id } = world.newest()[0]!
    const etag = String((await ask(random, `/v1/tenders/${id}`)).headers.etag)
    const forms: readonly [string, Asked, number][] = [
      ['/v1/tenders?limit=2', {}, 200],
      ['/v1/tenders?limit=2', { method: 'HEAD', encoding: 'gzip' }, 200],
      [`/v1/tenders/${id}`, { encoding: 'gzip' }, 200],
      [`/v1/tenders/${id}`, { ifNoneMatch: etag }, 304],
      ['/v1/tenders/00000000-0000-8000-8000-000000000000', {}, 404],
      ['/v1/tenders?limit=0', {}, 400],
    ]
    const isRefused = (index: number) => index % 10 === 9
    const answers = await Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        const [path, asked, status] = random.pick(forms)
        if (isRefused(index)) {
          const { status: refused } = await ask(random, path, { authorization: 'Bearer none' })
          expect(refused).toBe(401)
          return undefined
        }
        const answer = await ask(random, path, {
          ...asked,
          way: someWay(random),
          authorization: random.pick(authorizations),
        })
        expect([status, 429]).toContain(answer.status)
        return answer
      }),
    )
    const counted = answers.filter((answer) => answer !== undefined)
    const admitted = counted.filter(({ status }) => status !== 429)
    expect(admitted).toHaveLength(limit)
    const remaining = admitted.map(({ headers }) => Number(headers['x-ratelimit-remaining']))
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: limit }, (_, index) => index))
    for (const { headers, status } of counted) {
      expect(headers['x-ratelimit-limit']).toBe(`${limit}`)
      if (status === 429) expect(headers['retry-after']).toBe(headers['x-ratelimit-reset'])
    }
    expect((await ask(random, '/v1/tenders?limit=1')).status).toBe(200)
  })

  // The reader of a connection is known when it ends: its connections end with it, those of the others continue.
  test('each answered a considerable part, and used cursors of others: C54', async () => {
    expect(connections.map(({ breaks }) => breaks)).toEqual(connections.map(() => 0))
    expect(world.readers).toHaveLength(readerCount)
    for (const reader of world.readers) {
      await reader.terminate()
      await Promise.all(
        connections
          .filter(({ owner }) => owner === undefined)
          .map(async (connection) => {
            await askOn(connection.client, '/v1/tenders?limit=1', {}).catch(() => undefined)
            if (connection.breaks > 0) connection.owner = reader
          }),
      )
    }
    const answers = world.readers.map((reader) =>
      connections.filter(({ owner }) => owner === reader).reduce((sum, connection) => sum + connection.answers, 0),
    )
    const handedOver = passed.filter(({ from, to }) => from.owner !== to.owner).length
    console.log(`model of several readers: answers of each ${answers.join(', ')}; ${handedOver} cursors of another`)
    for (const count of answers) expect(count).toBeGreaterThan(100)
    expect(handedOver).toBeGreaterThan(100)
  })
})
