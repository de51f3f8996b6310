// The matching on a real stock, with simple made-up rules: any order and batches, decisions, blocks that grow too
// large.
import { cpSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { proofCount } from '../../test/proof/proof-count.ts'
import { receiveNotices } from '../../test/receive-notices.ts'
import { at, notice, noticeWorld } from '../../test/testing/generate/notices.ts'
import { randomOf } from '../../test/testing/generate/random.ts'
import { type Engine, engines, openTestStore, type TestStore } from '../../test/world.ts'
import type { Notice } from '../domain/notice.ts'
import type { TenderContent } from '../domain/tender.ts'
import { openStore, type Store } from '../store/database/database.ts'
import { reconsiderNotices, upsertDecision } from '../store/stock/reviews.ts'
import { consolidate, rebuildStock } from './consolidate.ts'
import { blockNumber } from './match/block-number.ts'
import type { MatchRecord } from './match/match-record.ts'
import { type Matcher, maxTwins } from './rematch.ts'
import { tenderId } from './tender-id.ts'

const now = Date.parse('2026-02-20T12:00:00.000Z')
const maxHolders = 5
const maxHoldersOfWeak = 3
const weakKeys = ['Los', 'Nord', 'Halle']

/** A record of these tests: words of the title, names of buyers, days of deadlines. */
type Simple = {
  readonly key: string
  readonly publishers: readonly string[]
  readonly words: readonly string[]
  readonly buyer: string
  readonly days: readonly string[]
}
const simple = (record: MatchRecord) => record as unknown as Simple
const unique = (values: readonly string[]) => [...new Set(values)].sort()

/** Two common words and one buyer make one tender; among twins only with a common day, otherwise people decide. */
const matcher: Matcher = {
  prepare: (key, units) => {
    const notices = units.map((unit) => unit.notice)
    const record: Simple = {
      key,
      publishers: unique(notices.map(({ publisher }) => publisher)),
      words: unique(notices.flatMap(({ title }) => (title?.de ?? '').split(' ').filter(Boolean))),
      buyer: notices[0]!.contractingAuthorities[0]?.name ?? '',
      days: unique(notices.flatMap(({ submissionDate }) => (submissionDate ? [submissionDate.slice(0, 10)] : []))),
    }
    return record as unknown as MatchRecord
  },
  blockingKeys: (record) => [
    ...simple(record).words,
    ...simple(record).days.map((day) => `${simple(record).buyer} ${day}`),
  ],
  isWeakKey: (key) => weakKeys.includes(key),
  maxHolders,
  maxHoldersOfWeak,
  // `decide` joins nothing of two buyers, so the mark of a key may show them.
  mark: (record) => blockNumber(simple(record).buyer, false) % 1000,
  areTooFarApart: (first, second) => first !== second,
  twinKey: (record) => `${simple(record).buyer}|${simple(record).words[0]}`,
  decide: (first, second, { twins }) => {
    const [a, b] = [simple(first), simple(second)]
    const shared = a.words.filter((word) => b.words.includes(word)).length
    const days = a.days.filter((day) => b.days.includes(day)).length
    const kind = a.buyer !== b.buyer || shared < 2 ? 'none' : twins > 2 && days === 0 ? 'review' : 'merge'
    return { kind, rule: 'made-up', score: shared + days, evidence: `${shared} words, ${days} days, ${twins} twins` }
  },
  partition: (records, edges, decisions) => {
    const clusters = new Map(records.map(({ key }) => [key, new Set([key])]))
    const splits = decisions.filter(({ decision }) => decision === 'split')
    const join = (left: string, right: string) => {
      const [a, b] = [clusters.get(left)!, clusters.get(right)!]
      const isSplit = splits.some(
        (each) => (a.has(each.left) && b.has(each.right)) || (b.has(each.left) && a.has(each.right)),
      )
      if (a === b || isSplit) return
      for (const key of b) clusters.set(key, a.add(key))
    }
    const ordered = (pairs: readonly { readonly left: string; readonly right: string; readonly score?: number }[]) =>
      [...pairs].sort(
        (a, b) => (b.score ?? 0) - (a.score ?? 0) || (`${a.left} ${a.right}` < `${b.left} ${b.right}` ? -1 : 1),
      )
    for (const { left, right } of ordered(decisions.filter(({ decision }) => decision === 'merge'))) join(left, right)
    for (const { left, right } of ordered(edges.filter(({ kind }) => kind === 'merge'))) join(left, right)
    return [...new Set(clusters.values())].map((keys) => ({ keys: [...keys].sort(), joinedBy: [], reviews: [] }))
  },
  pack: (record) => JSON.stringify(record),
  unpack: (text) => JSON.parse(text) as MatchRecord,
}
const numberOf = (key: string) => blockNumber(key, weakKeys.includes(key))

async function stockOf(store: Store) {
  const tenders = await store.db
    .selectFrom('tender')
    .select(['tender_id', 'founding_key', 'content', 'next_transition_ms', 'merged_into', 'sources'])
    .orderBy('tender_id')
    .execute()
  const places = await store.db.selectFrom('tender_notice').selectAll().orderBy('notice_id').execute()
  const edges = await store.db.selectFrom('tender_match').selectAll().orderBy('left_key').orderBy('right_key').execute()
  const numbered = await store.db.selectFrom('match_record').selectAll().orderBy('record_key').execute()
  const keyOf = new Map(numbered.map((row) => [row.record_no, row.record_key]))
  // numbers are given in the order of arrival and mean nothing
  const records = numbered.map(({ record_no: _, ...record }) => record)
  const keys = (await store.db.selectFrom('match_key').selectAll().execute())
    .map((row) => `${row.match_key} ${keyOf.get(row.record_no)} ${row.mark}`)
    .sort()
  const dropped = await store.db.selectFrom('dropped_match_key').selectAll().orderBy('match_key').execute()
  return { tenders, places, edges, records, keys, dropped }
}

/** The edges of all pairs of records, computed without any bookkeeping. */
function edgesOf(rows: readonly { readonly content: string }[]) {
  const records = rows.map((row) => JSON.parse(row.content) as MatchRecord)
  const holders = Map.groupBy(
    records.flatMap((record) => [...new Set(matcher.blockingKeys(record))].map((key) => ({ key, record }))),
    ({ key }) => key,
  )
  const limitOf = (key: string) => (weakKeys.includes(key) ? maxHoldersOfWeak : maxHolders)
  const dropped = [...holders].filter(([key, each]) => each.length > limitOf(key)).map(([key]) => key)
  const twins = (record: MatchRecord) =>
    Math.max(
      ...record.publishers.map(
        (publisher) =>
          records.filter(
            (other) => other.publishers.includes(publisher) && matcher.twinKey(other) === matcher.twinKey(record),
          ).length,
      ),
    )
  const edges = records.flatMap((a) =>
    records.flatMap((b) => {
      const keys = new Set(matcher.blockingKeys(b))
      if (a.key >= b.key || !matcher.blockingKeys(a).some((key) => keys.has(key) && !dropped.includes(key))) return []
      const verdict = matcher.decide(a, b, { twins: Math.min(maxTwins, Math.max(twins(a), twins(b))) })
      return verdict.kind === 'none' ? [] : [`${a.key} ${b.key} ${verdict.kind} ${verdict.evidence}`]
    }),
  )
  return { edges: edges.sort(), dropped: dropped.map(numberOf).sort((a, b) => a - b) }
}

/** The stock after a kill. If the server cannot be killed, everything that it would lose is removed. */
async function crashedCopyOf(store: TestStore, engine: Engine): Promise<Store & AsyncDisposable> {
  if (engine === 'server') {
    await sql`truncate match_key, match_key_whole`.execute(store.db)
    return { ...store, [Symbol.asyncDispose]: async () => {} }
  }
  const dataFolder = await mkdtemp(join(tmpdir(), 'tenderstock-test-'))
  // Copied while it is open, so it was never shut down.
  cpSync(join(store.options.dataFolder, 'database'), join(dataFolder, 'database'), { recursive: true })
  const copy = await openStore({ dataFolder })
  const dispose = async () => {
    await copy.close()
    await rm(dataFolder, { recursive: true, force: true })
  }
  return { ...copy, [Symbol.asyncDispose]: dispose }
}

async function clear(store: Store): Promise<void> {
  for (const table of [
    'tender_notice',
    'tender',
    'notice_link',
    'notice',
    'source_document',
    'review_decision',
  ] as const)
    await store.db.deleteFrom(table).execute()
  for (const table of ['match_record', 'match_key', 'dropped_match_key', 'tender_match'] as const)
    await store.db.deleteFrom(table).execute()
}

function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const random = randomOf(seed)
  return items
    .map((item) => ({ item, rank: random.next() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}

async function decide(store: Store, left: string, right: string, decision: 'merge' | 'split'): Promise<void> {
  const [low, high] = left < right ? [left, right] : [right, left]
  await upsertDecision(store.db, { left: low, right: high, decision, decidedAt: now, note: '' })
  await reconsiderNotices(store.db, [low, high])
  await consolidate(store, { now, matcher })
}

async function publishAll(store: Store, edition: number): Promise<void> {
  await sql`
    insert into published_tender
    select tender_id, ${edition}::integer, content_hash, 0, sources, archive_reason from tender
    on conflict do nothing`.execute(store.db)
}

const recordsOf = async (store: Store) =>
  (await stockOf(store)).tenders.map((row) => JSON.parse(row.content) as TenderContent)

/** Calls of one buyer, with nothing by which exact keys could join them. */
const call = (key: string, title: string, given: Partial<Notice> = {}) =>
  notice({ noticeKey: key, title: { de: title }, ...given })

/** Calls of two buyers on two portals with titles of few words: many are similar, few the same. */
function similarCalls(seed: number): Notice[] {
  const random = randomOf(seed, 7)
  const words = ['Neubau', 'Halle', 'Schule', 'Dach', 'Heizung', 'Fenster', 'Los', 'Nord', 'Bad', 'Wege']
  return Array.from({ length: 16 }, (_, number) =>
    call(
      `${random.pick(['ted', 'doe'])}:${7000 + number}-2026`,
      [random.pick(words), random.pick(words), random.pick(words)].join(' '),
      {
        contractingAuthorities: [{ name: random.pick(['Stadt Eins', 'Stadt Zwei']), country: 'DE' }],
        publicationDate: at(`2026-01-${random.integer(10, 28)}`),
        submissionDate: at(`2026-02-${random.integer(25, 28)}`),
      },
    ),
  )
}

describe.each(engines)('matching on the stock (%s)', (engine) => {
  test('has the edges of all pairs, and one stock for any order, any portions and any batch size', async () => {
    await using store = await openTestStore(engine)
    const runs = proofCount({ share: engine === 'embedded' ? 4 : 12, full: 40 })
    const seen = { merges: 0, reviews: 0, dropped: 0 }
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.integer(), fc.integer({ min: 1, max: 30 }), async (world, order, batchSize) => {
        const notices = [...noticeWorld(world, 3), ...similarCalls(world)]
        const random = randomOf(order)
        const decisions = [0, 1].map((number) => {
          const [left, right] = [random.pick(notices).noticeKey, random.pick(notices).noticeKey].sort()
          return { left: left!, right: right!, decision: (number === 0 ? 'merge' : 'split') as 'merge' | 'split' }
        })
        const arrive = async (portions: readonly (readonly Notice[])[], size: number) => {
          await clear(store)
          for (const each of decisions)
            if (each.left !== each.right) await upsertDecision(store.db, { ...each, decidedAt: now, note: '' })
          for (const portion of portions) {
            await receiveNotices(store, portion)
            await consolidate(store, { now, matcher, batchSize: size })
          }
          return stockOf(store)
        }
        const expected = await arrive([notices], 1000)
        const oracle = edgesOf(expected.records)
        expect(
          expected.edges.map((edge) => `${edge.left_key} ${edge.right_key} ${edge.outcome} ${edge.evidence}`).sort(),
        ).toEqual(oracle.edges)
        expect(expected.dropped.map((row) => row.match_key)).toEqual(oracle.dropped)
        seen.dropped += oracle.dropped.length
        seen.merges += expected.edges.filter(({ outcome }) => outcome === 'merge').length
        seen.reviews += expected.edges.filter(({ outcome }) => outcome === 'review').length

        const mixed = shuffled(notices, order)
        const cuts = [0, random.integer(0, mixed.length), random.integer(0, mixed.length), mixed.length].sort(
          (a, b) => a - b,
        )
        const portions = cuts.slice(1).map((end, index) => mixed.slice(cuts[index], end))
        expect(await arrive(portions, batchSize)).toEqual(expected)
        await rebuildStock(store, { now, matcher, batchSize })
        expect(await stockOf(store)).toEqual(expected)
      }),
      { numRuns: runs },
    )
    console.log('edges and dropped keys seen', seen)
    // enough worlds hold what this test is about
    if (runs >= 12) for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0)
  })

  test('makes one tender of two that match, and stores the edge with rule, score and evidence', async () => {
    await using store = await openTestStore(engine)
    await receiveNotices(store, [call('ted:1-2026', 'Neubau Turnhalle'), call('doe:2', 'Neubau Turnhalle Nord')])
    await consolidate(store, { now, matcher })
    const stock = await stockOf(store)
    expect(stock.tenders.map((row) => row.tender_id)).toEqual([tenderId('doe:2')])
    expect(stock.edges).toEqual([
      {
        left_key: 'doe:2',
        right_key: 'ted:1-2026',
        outcome: 'merge',
        rule: 'made-up',
        score: 2,
        evidence: '2 words, 0 days, 1 twins',
      },
    ])
  })

  test('archives the newer of two published records as merged, and brings its id back when the edge is gone', async () => {
    await using store = await openTestStore(engine)
    const first = call('ted:1-2026', 'Neubau Turnhalle', { publicationDate: at('2026-01-05') })
    const second = call('doe:2', 'Neubau Halle', { publicationDate: at('2026-01-08') })
    await receiveNotices(store, [first, second])
    await consolidate(store, { now, matcher })
    await publishAll(store, 1)
    expect((await recordsOf(store)).map(({ status }) => status)).toEqual(['open', 'open'])

    // exactly linked with the second, and similar to the first
    const change = call('doe:3', 'Neubau Turnhalle', {
      publisher: 'doe',
      publicationDate: at('2026-01-10'),
      references: [{ kind: 'changes', noticeId: 'two' }],
    })
    const named = { ...second, noticeId: 'two' }
    await store.db.deleteFrom('notice').where('notice_key', '=', 'doe:2').execute()
    await receiveNotices(store, [named, change])
    await consolidate(store, { now, matcher })
    await publishAll(store, 2)
    const merged = (await recordsOf(store)).find(({ id }) => id === tenderId('doe:2'))
    expect(merged).toMatchObject({ status: 'merged', archiveReason: 'merged', mergedInto: tenderId('ted:1-2026') })

    // the buyer corrects itself: a different title is not the same tender
    await store.db.deleteFrom('notice').where('notice_key', '=', 'doe:3').execute()
    await receiveNotices(store, [{ ...change, title: { de: 'Abbruch Halle' } }])
    await consolidate(store, { now, matcher })
    const records = await recordsOf(store)
    expect(records.map(({ id, status }) => [id, status]).sort()).toEqual(
      [
        [tenderId('doe:2'), 'open'],
        [tenderId('ted:1-2026'), 'open'],
      ].sort(),
    )
  })

  test('records that only a block had joined are separated when the block has grown too large', async () => {
    await using store = await openTestStore(engine)
    const many = Array.from({ length: maxHolders + 1 }, (_, number) =>
      call(`ted:${number}-2026`, `Neubau Turnhalle ${'abcdefgh'[number]}`),
    )
    await receiveNotices(store, many.slice(0, 2))
    await consolidate(store, { now, matcher })
    await publishAll(store, 1)
    expect(await recordsOf(store)).toHaveLength(1)
    await receiveNotices(store, many.slice(2))
    await consolidate(store, { now, matcher, batchSize: 1 })
    const stock = await stockOf(store)
    expect(stock.dropped.map((row) => row.match_key)).toEqual(
      [numberOf('Neubau'), numberOf('Turnhalle')].sort((a, b) => a - b),
    )
    expect(stock.edges).toEqual([])
    expect(stock.tenders).toHaveLength(many.length)
    expect(stock.tenders.every((row) => row.merged_into === null)).toBe(true)
  })

  test('decisions of operators merge and split immediately, and survive a rebuild', async () => {
    await using store = await openTestStore(engine)
    await receiveNotices(store, [
      call('ted:1-2026', 'Neubau Turnhalle'),
      call('doe:2', 'Neubau Turnhalle'),
      call('fr:3', 'Construction'),
    ])
    await consolidate(store, { now, matcher })
    await publishAll(store, 1)
    expect(await recordsOf(store)).toHaveLength(2)
    await decide(store, 'ted:1-2026', 'doe:2', 'split')
    expect(await recordsOf(store)).toHaveLength(3)
    await decide(store, 'ted:1-2026', 'fr:3', 'merge')
    const before = await stockOf(store)
    expect(before.tenders.filter((row) => row.merged_into === null)).toHaveLength(2)
    await rebuildStock(store, { now, matcher, batchSize: 1 })
    expect(await stockOf(store)).toEqual(before)
    // a different decision on the same two replaces the first
    await decide(store, 'doe:2', 'ted:1-2026', 'merge')
    expect((await recordsOf(store)).filter(({ status }) => status !== 'merged')).toHaveLength(1)
  })

  test('a crash empties the keys, which are not logged, and the next run fills them again', async () => {
    const notices = [...noticeWorld(3, 3), ...similarCalls(3)]
    const half = Math.floor(notices.length / 2)
    const later = async (store: Store) => {
      await receiveNotices(store, notices.slice(half))
      await consolidate(store, { now, matcher })
      return stockOf(store)
    }
    await using store = await openTestStore(engine)
    await receiveNotices(store, notices.slice(0, half))
    await consolidate(store, { now, matcher })
    const keysBefore = (await stockOf(store)).keys
    await using crashed = await crashedCopyOf(store, engine)
    expect((await stockOf(crashed)).keys).toEqual([])
    // Nothing new: the present keys are filed again.
    await receiveNotices(crashed, notices.slice(0, 1))
    await reconsiderNotices(crashed.db, [notices[0]!.noticeKey])
    await consolidate(crashed, { now, matcher })
    expect((await stockOf(crashed)).keys).toEqual(keysBefore)
    expect(keysBefore.length).toBeGreaterThan(20)
    expect(await later(crashed)).toEqual(await later(store))
  })

  test('reads the notices of a day in pieces that do not grow with the stock', async () => {
    await using store = await openTestStore(engine)
    const stock = Array.from({ length: 300 }, (_, number) =>
      call(`ted:${number}-2026`, `Wort${number} Wort${number + 1000}`),
    )
    await receiveNotices(store, stock)
    await consolidate(store, { now, matcher })
    let read = 0
    const counting: Matcher = {
      ...matcher,
      decide: (a, b, context) => {
        read++
        return matcher.decide(a, b, context)
      },
    }
    await receiveNotices(store, [call('doe:1', 'Wort7 Wort1007'), call('doe:2', 'Ganz anders')])
    await consolidate(store, { now, matcher: counting })
    expect(read).toBe(1)
    expect(await recordsOf(store)).toHaveLength(301)
  })
})
