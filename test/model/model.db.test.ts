// The API against the model: random queries on generated stocks and on the corpus must give exactly what a plain filter
// over an array gives, page by page, in both encodings, also while editions are published underneath (R1, R2).
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import type { TenderContent } from '../../src/domain/tender.ts'
import { ingest } from '../../src/ingest/ingest.ts'
import { readPath } from '../../src/sources/files.ts'
import { proofCount } from '../proof/proof-count.ts'
import { type Random, randomOf } from '../testing/generate/random.ts'
import { seed } from '../testing/seed.ts'
import { naiveAnswer, type Parameters } from './naive-answer.ts'
import { askedOtherwise, randomQuery } from './random-query.ts'
import { settledTender } from './settled-tender.ts'
import {
  askAll,
  compareWithModel,
  type ModelWorld,
  openModelWorld,
  type PublishedRecord,
  queryString,
} from './world.ts'

console.log(`model: SEED=${seed}`)
const corpus = join(import.meta.dirname, '../../../shared/corpus')
const hasCorpus = existsSync(corpus)

const startMs = Date.UTC(2026, 10, 1, 12)
const hourMs = 3_600_000
const totals = { queries: 0, pages: 0, records: 0 }
afterAll(() =>
  console.log(`model: ${totals.queries} random queries, ${totals.pages} pages, no difference (SEED=${seed})`),
)

const publishers = ['ted', 'doe', 'doffin', 'ocds-generated']

/** A world of generated tenders with several editions: additions, changes and checks that move alone. */
async function generatedWorld(stockSeed: number, count: number, editions: number): Promise<ModelWorld> {
  const random = randomOf(stockSeed, 1)
  const world = await openModelWorld(startMs)
  for (const publisher of publishers) await world.check(publisher)
  const versions = new Map<number, number>()
  const content = (index: number): TenderContent =>
    settledTender({ seed: stockSeed, count, now: startMs, size: 'small' }, index, versions.get(index) ?? 0)
  for (let edition = 1; edition <= editions; edition++) {
    const known = Math.floor((count * (edition - 1)) / editions)
    const upTo = Math.floor((count * edition) / editions)
    const changed = Array.from({ length: Math.floor(known / 8) }, () => random.integer(0, known - 1))
    for (const index of changed) versions.set(index, (versions.get(index) ?? 0) + 1)
    await world.put(
      [...new Set([...changed, ...Array.from({ length: upTo - known }, (_, index) => known + index)])].map(content),
    )
    await world.check(random.pick(publishers))
    await world.publishNext()
    world.advance(random.pick([hourMs, 2 * hourMs]))
  }
  return world
}

async function askMany(
  world: ModelWorld,
  random: Random,
  queries: number,
  state: readonly PublishedRecord[],
): Promise<void> {
  for (let round = 0; round < queries; round++) {
    // Large answers are read to the end only sometimes; their beginning is always compared.
    const maxPages = random.chance(0.03) ? 1000 : 2
    totals.pages += await compareWithModel(world, random, state, randomQuery(random, state), { maxPages })
    totals.queries++
  }
}

describe.each([
  {
    name: 'a generated stock of one edition',
    stockSeed: seed + 1,
    count: 400,
    editions: 1,
    queries: proofCount({ share: 250, full: 18_000 }),
  },
  {
    name: 'a generated stock of eight editions',
    stockSeed: seed + 2,
    count: 1200,
    editions: 8,
    queries: proofCount({ share: 300, full: 22_000 }),
  },
  {
    name: 'a tiny stock',
    stockSeed: seed + 3,
    count: 7,
    editions: 3,
    queries: proofCount({ share: 150, full: 10_000 }),
  },
])('$name', ({ stockSeed, count, editions, queries }) => {
  let world: ModelWorld
  beforeAll(async () => {
    world = await generatedWorld(stockSeed, count, editions)
  })
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
  })

  test('is published exactly as it is in the stock: P1, P2, P3, C24, C25', async () => {
    const rows = await world.store.db.selectFrom('tender').select(['tender_id', 'content']).execute()
    const newest = new Map(world.newest().map((record) => [record.id, record]))
    expect(newest.size).toBe(rows.length)
    for (const { tender_id, content } of rows) {
      const { lastModified: _, checkedAt: __, wire: ___, ...published } = newest.get(tender_id)!
      expect(published).toEqual(JSON.parse(content))
    }
    let before: ReadonlyMap<string, PublishedRecord> = new Map()
    let largest = ''
    for (const edition of [...world.states.keys()].sort((a, b) => a - b)) {
      const state = new Map(world.states.get(edition)!.map((record) => [record.id, record]))
      for (const [id, record] of before) {
        const now = state.get(id)!
        const isSame = now.lastModified === record.lastModified
        expect(isSame || now.lastModified > largest).toBe(true)
        const bare = ({ lastModified: _, checkedAt: __, wire: ___, ...rest }: PublishedRecord): string =>
          JSON.stringify(rest)
        expect(isSame).toBe(bare(now) === bare(record))
      }
      expect(new Set([...state.values()].map(({ lastModified }) => lastModified)).size).toBe(state.size)
      largest = [...state.values()]
        .map(({ lastModified }) => lastModified)
        .sort()
        .at(-1)!
      before = state
    }
  })

  test(`answers ${queries} random queries as the model does: C31, C36 to C50, C55 to C93`, {
    timeout: 600_000,
  }, async () => {
    await askMany(world, randomOf(stockSeed, 2), queries, world.newest())
  })

  test('returns every record by id, archived and merged ones too: C107, C108, C109', async () => {
    for (const { id, wire } of world.newest()) expect((await world.get(`/v1/tenders/${id}`, 'gzip')).text).toBe(wire)
  })
})

describe('while editions are published', () => {
  test('a run stays with the edition that it began on, to its last page: C6, R1, R2', {
    timeout: 300_000,
  }, async () => {
    const stockSeed = seed + 4
    await using world = await generatedWorld(stockSeed, 300, 2)
    const random = randomOf(stockSeed, 3)
    let version = 1
    const publishSome = async (): Promise<void> => {
      world.advance(hourMs / 2)
      const first = random.integer(0, 280)
      version++
      const options = { seed: stockSeed, count: 300, now: startMs, size: 'small' } as const
      await world.put(Array.from({ length: 12 }, (_, index) => settledTender(options, first + index, version)))
      await world.publishNext()
    }
    for (let round = 0; round < 60; round++) {
      const state = world.newest()
      const parameters = random.chance(0.4) ? ([['archived', 'true']] as const) : randomQuery(random, state)
      let published = 0
      const betweenPages = async (): Promise<void> => {
        if (published < 2 && random.chance(0.5)) {
          published++
          await publishSome()
        }
      }
      totals.pages += await compareWithModel(world, random, state, parameters, { betweenPages })
      totals.queries++
    }
    expect(world.states.size).toBeGreaterThan(20)
  })

  test('a cursor of exactly 24 hours works, one millisecond later it is expired: C51, C52', async () => {
    await using world = await generatedWorld(seed + 5, 60, 1)
    const { nextCursor } = JSON.parse((await world.get('/v1/tenders?archived=true&limit=5')).text) as {
      nextCursor: string
    }
    world.advance(24 * hourMs)
    expect((await world.get(`/v1/tenders?archived=true&limit=5&cursor=${nextCursor}`)).status).toBe(200)
    world.advance(1)
    const expired = await world.get(`/v1/tenders?archived=true&limit=5&cursor=${nextCursor}`)
    expect(expired.status).toBe(400)
    expect(JSON.parse(expired.text)).toMatchObject({
      type: 'http://docs.example/access#error-cursor-expired',
      instance: '/v1/tenders',
    })
    expect((JSON.parse(expired.text) as { detail: string }).detail).toContain('older than 24 hours')
  })
})

describe('metamorphic properties, tested through the API alone', () => {
  let world: ModelWorld
  beforeAll(async () => {
    world = await generatedWorld(seed + 6, 500, 3)
  })
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
  })
  const rounds = 80
  const random = randomOf(seed, 9)
  const ids = async (parameters: Parameters): Promise<string[]> =>
    (await askAll(world, random, queryString(parameters, random))).records.map(({ id }) => id)
  const archivedToo = (parameters: Parameters): Parameters =>
    parameters.some(([name]) => name === 'archived' || name === 'updated_since')
      ? parameters
      : [...parameters, ['archived', 'true']]
  /** Groups of the parameters that are one filter each: those of one name belong together. */
  const groups = (parameters: Parameters): Parameters[] => [
    ...Map.groupBy(
      parameters.filter(([name]) => name !== 'archived'),
      ([name]) => name,
    ).values(),
  ]

  test('C94: the result of several filters is the intersection of the results of each', async () => {
    const all = await ids([['archived', 'true']])
    for (let round = 0; round < rounds; round++) {
      const filters = groups(randomQuery(random, world.newest()))
      const whole = await ids([...filters.flat(), ['archived', 'true']])
      const each = await Promise.all(
        filters.map(async (filter) => new Set(await ids([...filter, ['archived', 'true']]))),
      )
      expect(whole).toEqual(all.filter((id) => each.every((set) => set.has(id))))
    }
  })
  test('C95: a further filter never enlarges the result', async () => {
    for (let round = 0; round < rounds; round++) {
      const filters = groups(randomQuery(random, world.newest()))
      const fewer = new Set(await ids(archivedToo(filters.slice(1).flat())))
      for (const id of await ids(archivedToo([...filters.flat(), ['archived', 'true']])))
        expect(fewer.has(id)).toBe(true)
    }
  })
  test('C96: a further value in a list never shrinks it', async () => {
    for (let round = 0; round < rounds; round++) {
      const parameters = randomQuery(random, world.newest())
      const lists = parameters.filter(([name]) => ['cpv', 'nuts', 'procedure'].includes(name))
      if (lists.length === 0) continue
      const [name] = random.pick(lists)
      const value = { cpv: '45000000', nuts: 'FR', procedure: 'restricted' }[name]!
      const more = new Set(await ids([...parameters, [name, value]]))
      expect((await ids(parameters)).filter((id) => !more.has(id))).toEqual([])
    }
  })
  test('C97: a filter on a field excludes records without the field', async () => {
    const lacks: [Parameters[number], (record: PublishedRecord) => boolean][] = [
      [['deadline_after', '1970-01-01T00:00:00Z'], ({ submissionDate }) => submissionDate === undefined],
      [['published_since', '1970-01-01T00:00:00Z'], ({ publicationDate }) => publicationDate === undefined],
      [['value_min', '0'], ({ contractAmount }) => contractAmount?.currency !== 'EUR'],
      [['value_max', '999999999999999'], ({ contractAmount }) => contractAmount?.currency !== 'EUR'],
      [
        [
          'procedure',
          'open,restricted,neg-w-call,neg-wo-call,comp-dial,comp-tend,innovation,oth-single,oth-mult,exp-int-rail',
        ],
        ({ procedureType }) => procedureType === undefined,
      ],
    ]
    for (const [filter, isLacking] of lacks) {
      const missing = world.newest().filter(isLacking)
      expect(missing.length).toBeGreaterThan(0)
      const expected = world.newest().length - missing.length
      expect((await ids([filter, ['archived', 'true']])).length).toBe(expected)
    }
  })
  test('C98: the order of parameters and of list items does not matter, even for a cursor', async () => {
    for (let round = 0; round < rounds; round++) {
      const parameters = randomQuery(random, world.newest())
      const otherwise = askedOtherwise(random, parameters)
      expect(await ids(otherwise)).toEqual(await ids(parameters))
      const one = queryString(parameters, random)
      const page = JSON.parse((await world.get(`/v1/tenders?${one}${one && '&'}limit=2`)).text) as {
        nextCursor: string | null
      }
      if (page.nextCursor === null) continue
      const next = await world.get(`/v1/tenders?${queryString(otherwise, random)}&limit=7&cursor=${page.nextCursor}`)
      expect(next.status, next.text).toBe(200)
    }
  })
  test('C99: every limit from 1 to 100 gives the same sequence', async () => {
    const query = 'archived=true&cpv=45000000,71000000'
    const expected = naiveAnswer(world.newest(), [
      ['archived', 'true'],
      ['cpv', '45000000,71000000'],
    ]).map(({ id }) => id)
    expect(expected.length).toBeGreaterThan(100)
    for (let limit = 1; limit <= 100; limit++) {
      const found: string[] = []
      let cursor: string | null = null
      do {
        const page = JSON.parse(
          (await world.get(`/v1/tenders?${query}&limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`, 'gzip'))
            .text,
        ) as { data: { id: string }[]; nextCursor: string | null }
        found.push(...page.data.map(({ id }) => id))
        cursor = page.nextCursor
      } while (cursor !== null)
      expect(found, `limit ${limit}`).toEqual(expected)
    }
  })
})

describe.skipIf(!hasCorpus)('the corpus, read, consolidated and published', () => {
  let world: ModelWorld
  beforeAll(async () => {
    world = await openModelWorld(Date.UTC(2024, 5, 1))
    const clock = world.now
    const folders = ['doffin-eforms', 'eforms-de', 'ted-eforms', 'ocds', 'cross-portal']
    for (const folder of folders.slice(0, 3))
      await ingest(world.store, { sourceId: folder, documents: readPath(join(corpus, folder)), clock })
    await consolidate(world.store, { now: world.now() })
    await world.publishNext()
    // Later more is known, and the clock has closed what was open.
    world.advance(300 * 24 * hourMs)
    for (const folder of [...folders.slice(3), 'ted-legacy/notices'])
      await ingest(world.store, { sourceId: folder, documents: readPath(join(corpus, folder)), clock })
    await consolidate(world.store, { now: world.now() })
    await world.publishNext()
  }, 600_000)
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
  })

  const queries = proofCount({ share: 250, full: 20_000 })
  test(`answers ${queries} random queries as the model does`, { timeout: 300_000 + queries * 50 }, async () => {
    expect(world.newest().length).toBeGreaterThan(1000)
    await askMany(world, randomOf(seed, 11), queries, world.newest())
  })
})
