// The stage on a real stock: order, portions and repetition change nothing; published ids stay forever.
import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { proofCount } from '../../test/proof/proof-count.ts'
import { receiveNotices } from '../../test/receive-notices.ts'
import { at, lot, notice, noticeWorld, uuid } from '../../test/testing/generate/notices.ts'
import { randomOf } from '../../test/testing/generate/random.ts'
import { engines, openTestStore } from '../../test/world.ts'
import type { Notice } from '../domain/notice.ts'
import type { TenderContent } from '../domain/tender.ts'
import type { Store } from '../store/database/database.ts'
import { insertNotices } from '../store/received/documents.ts'
import { consolidate, maxHolders, rebuildStock } from './consolidate.ts'
import { tenderId } from './tender-id.ts'

const now = Date.parse('2026-02-20T12:00:00.000Z')

/** The whole stock, and the tender of each notice. */
async function stockOf(store: Store) {
  const tenders = await store.db
    .selectFrom('tender')
    .select(['tender_id', 'founding_key', 'content', 'content_hash', 'next_transition_ms', 'merged_into', 'sources'])
    .orderBy('tender_id')
    .execute()
  const places = await store.db.selectFrom('tender_notice').selectAll().orderBy('notice_id').execute()
  return { tenders, places }
}

async function recordsOf(store: Store): Promise<TenderContent[]> {
  const { tenders } = await stockOf(store)
  return tenders.map((row) => JSON.parse(row.content) as TenderContent)
}

/** Simulates an edition: it claims every tender. */
async function publishAll(store: Store, edition: number): Promise<void> {
  await sql`
    insert into published_tender
    select tender_id, ${edition}::integer, content_hash, 0, sources, archive_reason from tender
    on conflict (tender_id) do update set content_hash = excluded.content_hash`.execute(store.db)
}

async function clear(store: Store): Promise<void> {
  for (const table of [
    'published_tender',
    'tender_change',
    'tender_notice',
    'tender',
    'notice_link',
    'notice',
    'source_document',
  ] as const)
    await store.db.deleteFrom(table).execute()
}

function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const random = randomOf(seed)
  const result = [...items]
  for (let index = result.length - 1; index > 0; index--) {
    const other = random.integer(0, index)
    ;[result[index], result[other]] = [result[other]!, result[index]!]
  }
  return result
}

/** Splits into portions whose sizes come from the seed. */
function portions<Item>(items: readonly Item[], seed: number): Item[][] {
  const random = randomOf(seed, 1)
  const result: Item[][] = []
  for (let from = 0; from < items.length; ) {
    const size = random.integer(1, Math.max(1, Math.floor(items.length / 2)))
    result.push(items.slice(from, from + size))
    from += size
  }
  return result
}

describe.each(engines)('the consolidation (%s)', (engine) => {
  test('gives the same IDs and contents for any order, any portions and any batch size', async () => {
    await using store = await openTestStore(engine)
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.integer(), fc.integer({ min: 1, max: 40 }), async (world, order, batchSize) => {
        const notices = noticeWorld(world, 8)
        await clear(store)
        await receiveNotices(store, notices)
        await consolidate(store, { now })
        const expected = await stockOf(store)

        await clear(store)
        for (const portion of portions(shuffled(notices, order), order)) {
          await receiveNotices(store, portion)
          await consolidate(store, { now, batchSize })
        }
        expect(await stockOf(store)).toEqual(expected)
      }),
      { numRuns: proofCount({ share: 7, full: 60 }) },
    )
  })

  test('reaches the same state whether the clock moves at once or in steps', async () => {
    await using store = await openTestStore(engine)
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.array(fc.integer({ min: -60, max: 300 }), { maxLength: 4 }),
        async (world, days) => {
          const notices = noticeWorld(world, 8)
          const end = now + 400 * 86_400_000
          await clear(store)
          await receiveNotices(store, notices)
          await consolidate(store, { now: end })
          const expected = await stockOf(store)

          await clear(store)
          await receiveNotices(store, notices)
          for (const day of days.sort((a, b) => a - b)) await consolidate(store, { now: now + day * 86_400_000 })
          await consolidate(store, { now: end })
          expect(await stockOf(store)).toEqual(expected)
        },
      ),
      { numRuns: proofCount({ share: 6, full: 45 }) },
    )
  })

  test('changes nothing when the same notices are read again (C25)', async () => {
    await using store = await openTestStore(engine)
    const notices = noticeWorld(4, 30)
    await receiveNotices(store, notices)
    expect((await consolidate(store, { now })).notices).toBe(new Set(notices.map((each) => JSON.stringify(each))).size)
    const before = await stockOf(store)
    await receiveNotices(store, notices)
    expect((await consolidate(store, { now })).notices).toBe(0)
    await store.db.updateTable('notice').set({ is_consolidated: false }).execute()
    expect(await consolidate(store, { now })).toMatchObject({ created: 0, changed: 0, removed: 0, transitions: 0 })
    expect(await stockOf(store)).toEqual(before)
  })

  /** Worlds and orders in which published records merge. Random ones alone may hold no merge. */
  const mergingWorlds: [number, number][] = [
    [944529618, 394484592],
    [986160429, 10],
  ]

  test('keeps every published ID, points merged records at a final survivor, and restores an ID after a split (P3, D37)', async () => {
    await using store = await openTestStore(engine)
    let merges = 0
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.integer(), async (world, order) => {
        await clear(store)
        const notices = noticeWorld(world, 8)
        const published = new Map<string, string>()
        let edition = 0
        for (const portion of portions(shuffled(notices, order), order)) {
          await receiveNotices(store, portion)
          await consolidate(store, { now, batchSize: 7 })
          const { tenders, places } = await stockOf(store)
          const byId = new Map(tenders.map((row) => [row.tender_id, row]))
          for (const [id, foundingKey] of published) expect(byId.get(id)?.founding_key).toBe(foundingKey)
          for (const row of tenders) {
            const content = JSON.parse(row.content) as TenderContent
            expect(content.id).toBe(row.tender_id)
            expect(content.mergedInto ?? null).toBe(row.merged_into)
            expect(row.merged_into !== null).toBe(content.archiveReason === 'merged')
            if (row.merged_into === null) continue
            merges++
            const survivor = byId.get(row.merged_into)
            expect(survivor?.merged_into).toBeNull()
            expect(published.has(row.tender_id)).toBe(true)
            expect(published.has(row.merged_into)).toBe(true)
            expect(places.some((place) => place.tender_id === row.tender_id)).toBe(false)
          }
          await publishAll(store, ++edition)
          for (const row of tenders) published.set(row.tender_id, row.founding_key)
        }
        const before = await stockOf(store)
        await rebuildStock(store, { now, batchSize: 5 })
        expect(await stockOf(store)).toEqual(before)
      }),
      { numRuns: proofCount({ share: 16, full: 40 }), examples: mergingWorlds },
    )
    expect(merges).toBeGreaterThan(0)
  })

  test('rebuilds the same IDs and contents, repairs damage, and keeps claims', async () => {
    await using store = await openTestStore(engine)
    await receiveNotices(store, noticeWorld(11, 40))
    await consolidate(store, { now })
    const before = await stockOf(store)
    await store.db.updateTable('tender').set({ content: '{}' }).execute()
    await store.db.deleteFrom('notice_link').execute()
    await store.db
      .insertInto('tender')
      .values({ tender_id: uuid(9), founding_key: 'ted:0-2020', content: '{}', content_hash: '', sources: '[]' })
      .execute()
    const summary = await rebuildStock(store, { now, batchSize: 16 })
    expect(summary.removed).toBe(1)
    expect(await stockOf(store)).toEqual(before)
  })

  test('a rebuild writes only the rows that differ, and lists again what is to be published', async () => {
    await using store = await openTestStore(engine)
    await receiveNotices(store, noticeWorld(12, 40))
    await consolidate(store, { now })
    const rowsOf = async () => {
      const { rows } = await sql<{ row: string; at: string }>`
        select tender_id as row, ctid::text as at from tender
        union all select link_key || ' ' || notice_id, ctid::text from notice_link`.execute(store.db)
      return new Map(rows.map(({ row, at }) => [row, at]))
    }
    const tendersOf = () => store.db.selectFrom('tender').selectAll().orderBy('tender_id').execute()
    const changes = () => store.db.selectFrom('tender_change').selectAll().orderBy('tender_id').execute()
    const [before, waiting] = [await rowsOf(), await changes()]
    expect(waiting.length).toBeGreaterThan(0)
    const tenders = await tendersOf()
    const [damaged, unsourced] = [waiting[0]!.tender_id, waiting[1]!.tender_id]
    await store.db.deleteFrom('tender_change').execute()
    await store.db.updateTable('tender').set({ next_transition_ms: 5 }).where('tender_id', '=', damaged).execute()
    await store.db.updateTable('tender').set({ sources: '[]' }).where('tender_id', '=', unsourced).execute()
    const { rows: wrong } = await sql<{ row: string }>`
      update notice_link set link_key = 'wrong' where ctid = (select min(ctid) from notice_link)
      returning link_key || ' ' || notice_id as row`.execute(store.db)
    const noticeId = wrong[0]!.row.split(' ')[1]!
    const { rows: more } = await sql<{ id: string }>`
      insert into notice_link (link_key, notice_id)
      select 'more', max(notice_id) from notice_link where notice_id <> ${noticeId}
      returning notice_id as id`.execute(store.db)
    await rebuildStock(store, { now, batchSize: 16 })
    const after = await rowsOf()
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort())
    expect(await tendersOf()).toEqual(tenders)
    const moved = [...after].filter(([row, at]) => before.get(row) !== at).map(([row]) => row)
    expect(moved).toEqual(expect.arrayContaining([damaged, unsourced]))
    const own = [damaged, unsourced, noticeId, more[0]!.id]
    expect(moved.filter((row) => !own.some((id) => row.endsWith(id)))).toEqual([])
    expect(await changes()).toEqual(waiting)
  })

  test('ends a published record whose notices are gone, and removes an unpublished one (P3)', async () => {
    await using store = await openTestStore(engine)
    const open = { publicationDate: at('2026-02-01'), submissionDate: at('2026-03-01') }
    await receiveNotices(store, [notice({ noticeKey: 'doe:1-01', publisher: 'doe', ...open })])
    await consolidate(store, { now })
    await publishAll(store, 1)
    await receiveNotices(store, [notice({ noticeKey: 'doe:2-01', publisher: 'doe', ...open })])
    await consolidate(store, { now })
    expect((await recordsOf(store)).map(({ status }) => status)).toEqual(['open', 'open'])
    for (const table of ['tender_notice', 'notice_link', 'notice'] as const) await store.db.deleteFrom(table).execute()
    await rebuildStock(store, { now })
    expect(await recordsOf(store)).toMatchObject([{ status: 'cancelled', archiveReason: 'cancelled' }])
  })

  test('merges two published records when a later notice connects them, the newer into the older (C33)', async () => {
    await using store = await openTestStore(engine)
    const first = notice({ noticeKey: 'ted:1-2026', publicationNumber: '1-2026', publicationDate: at('2026-01-05') })
    const second = notice({
      noticeKey: 'doe:7-1',
      publisher: 'doe',
      title: { de: 'Sanierung der Kläranlage' },
      publicationDate: at('2026-01-08'),
      procedureId: uuid(7),
    })
    await receiveNotices(store, [first, second])
    await consolidate(store, { now })
    await publishAll(store, 1)
    const change = notice({
      noticeKey: 'ted:9-2026',
      publicationNumber: '9-2026',
      publicationDate: at('2026-01-20'),
      procedureId: uuid(7),
      references: [{ kind: 'changes', publicationNumber: '1-2026' }],
    })
    await receiveNotices(store, [change])
    await consolidate(store, { now })
    const records = await recordsOf(store)
    const survivor = tenderId('ted:1-2026')
    expect(records).toHaveLength(2)
    expect(records.find(({ id }) => id === survivor)).toMatchObject({ status: 'open' })
    expect(records.find(({ id }) => id === survivor)?.originalSources ?? [], survivor).toHaveLength(3)
    expect(records.find(({ id }) => id === tenderId('doe:7-1'))).toMatchObject({
      status: 'merged',
      archiveReason: 'merged',
      mergedInto: survivor,
    })
  })

  test('gives each published ID its own tender back when the join ends', async () => {
    await using store = await openTestStore(engine)
    const call = (key: string, buyer: string) =>
      notice({
        noticeKey: key,
        procedureId: uuid(3),
        // each with its own title, so that nothing else joins them
        title: { de: `Vorhaben ${key}` },
        contractingAuthorities: [{ name: buyer, country: 'DE' }],
      })
    await receiveNotices(store, [call('ted:1-2026', 'Musterstadt Hochbauamt')])
    await consolidate(store, { now })
    await publishAll(store, 1)
    await receiveNotices(store, [call('doe:1-01', 'Hochbauamt Musterstadt')])
    await consolidate(store, { now })
    expect(await recordsOf(store)).toHaveLength(1)
    // Two strangers with the same procedure id: it was copied and no longer joins anything.
    await receiveNotices(store, [call('ted:2-2026', 'Wasserverband Beispiel'), call('ted:3-2026', 'Klinikum Exempel')])
    await consolidate(store, { now })
    const records = await recordsOf(store)
    expect(records.map(({ id }) => id).sort()).toEqual(
      ['ted:1-2026', 'doe:1-01', 'ted:2-2026', 'ted:3-2026'].map(tenderId).sort(),
    )
  })

  test('a merged record becomes a tender again, under its own ID, when the joining notice contradicts', async () => {
    await using store = await openTestStore(engine)
    const first = notice({ noticeKey: 'ted:1-2026', publicationNumber: '1-2026', publicationDate: at('2026-01-05') })
    // a different title, so that only the reference joins the two
    const title = { de: 'Sanierung der Kläranlage' }
    const second = notice({ noticeKey: 'ted:2-2026', publicationDate: at('2026-01-08'), procedureId: uuid(7), title })
    await receiveNotices(store, [first, second])
    await consolidate(store, { now })
    await publishAll(store, 1)
    const joining = notice({
      noticeKey: 'ted:3-2026',
      title,
      procedureId: uuid(7),
      references: [{ kind: 'changes', publicationNumber: '1-2026' }],
    })
    await receiveNotices(store, [joining])
    await consolidate(store, { now })
    expect((await recordsOf(store)).map(({ status }) => status).sort()).toEqual(['merged', 'open'])
    const row = await store.db
      .selectFrom('notice')
      .select('document_id')
      .where('notice_key', '=', 'ted:3-2026')
      .executeTakeFirstOrThrow()
    await insertNotices(store.db, [
      { documentId: row.document_id, pointer: '', sourceId: 'made-up', notice: { ...joining, references: [] } },
    ])
    await consolidate(store, { now })
    const records = await recordsOf(store)
    expect(records.map(({ id }) => id).sort()).toEqual(['ted:1-2026', 'ted:2-2026'].map(tenderId).sort())
    expect(records.map(({ status }) => status)).toEqual(['open', 'open'])
    expect(records.map(({ mergedInto }) => mergedInto)).toEqual([undefined, undefined])
  })

  test('a merged record without its founding notice still follows to the final survivor (D37)', async () => {
    await using store = await openTestStore(engine)
    const joining = (number: number, joined: number) =>
      notice({
        noticeKey: `ted:${number}-2026`,
        procedureId: uuid(7),
        publicationDate: at('2026-01-20'),
        references: [{ kind: 'changes', publicationNumber: `${joined}-2026` }],
      })
    const alone = (number: number) =>
      notice({
        noticeKey: `ted:${number}-2026`,
        publicationNumber: `${number}-2026`,
        publicationDate: at(`2026-01-0${number}`),
      })
    await receiveNotices(store, [alone(1), { ...alone(2), procedureId: uuid(7) }, alone(3)])
    await consolidate(store, { now })
    await publishAll(store, 1)
    await receiveNotices(store, [joining(4, 3)])
    await consolidate(store, { now })
    await store.db.deleteFrom('notice').where('notice_key', '=', 'ted:3-2026').execute()
    await receiveNotices(store, [joining(5, 1)])
    await consolidate(store, { now })
    const survivor = tenderId('ted:1-2026')
    const merged = (await stockOf(store)).tenders.filter((row) => row.merged_into !== null)
    expect(merged.map((row) => row.founding_key).sort()).toEqual(['ted:2-2026', 'ted:3-2026'])
    for (const row of merged) {
      expect(row.merged_into).toBe(survivor)
      expect(JSON.parse(row.content).mergedInto).toBe(survivor)
    }
  })

  test('a key that too many notices hold joins nothing, and separates what it joined before', async () => {
    await using store = await openTestStore(engine)
    const many = Array.from({ length: maxHolders + 30 }, (_, number) =>
      notice({ noticeKey: `ted:${number}-2026`, procedureId: uuid(1) }),
    )
    const few = many.slice(0, 200)
    await receiveNotices(store, few)
    await consolidate(store, { now })
    expect((await recordsOf(store)).map(({ originalSources }) => originalSources.length)).toEqual([200])
    await publishAll(store, 1)
    await receiveNotices(store, many.slice(200))
    await consolidate(store, { now, batchSize: 300 })
    const records = await recordsOf(store)
    expect(records).toHaveLength(many.length)
    expect(records.every(({ originalSources }) => originalSources.length === 1)).toBe(true)
  })

  test('a batch that dies leaves the previous state, and the next run does everything', async () => {
    await using store = await openTestStore(engine)
    await receiveNotices(store, noticeWorld(21, 20))
    await consolidate(store, { now })
    const expected = await stockOf(store)
    await clear(store)
    await receiveNotices(store, noticeWorld(21, 20))
    let batches = 0
    const dying = consolidate(store, {
      now,
      batchSize: 9,
      onProgress: () => {
        if (++batches === 2) throw new Error('died')
      },
    })
    await expect(dying).rejects.toThrow('died')
    await consolidate(store, { now, batchSize: 9 })
    expect(await stockOf(store)).toEqual(expected)
  })

  test('stops after a batch on request, and an interrupted rebuild says so', async () => {
    await using store = await openTestStore(engine)
    await receiveNotices(store, noticeWorld(23, 20))
    const stop = new AbortController()
    const { notices } = await consolidate(store, {
      now,
      batchSize: 9,
      signal: stop.signal,
      onProgress: () => stop.abort(),
    })
    expect(notices).toBe(9)
    await expect(rebuildStock(store, { now, signal: stop.signal })).rejects.toThrow(/abort/i)
    const { created } = await consolidate(store, { now })
    expect(created).toBeGreaterThan(0)
    expect((await consolidate(store, { now })).notices).toBe(0)
  })

  test('a notice that is reread with another content moves its tender, and those that it leaves', async () => {
    await using store = await openTestStore(engine)
    const call = notice({ noticeKey: 'ted:1-2026', procedureId: uuid(1) })
    const award = notice({
      noticeKey: 'ted:2-2026',
      procedureId: uuid(1),
      formType: 'result',
      lots: [lot('LOT-0001', { result: { outcome: 'awarded' } })],
    })
    await receiveNotices(store, [call, award])
    await consolidate(store, { now })
    expect((await recordsOf(store)).map(({ status }) => status)).toEqual(['awarded'])
    const { procedureId: _, ...without } = award
    const { notice_id: awardId } = await store.db
      .selectFrom('notice')
      .select('notice_id')
      .where('notice_key', '=', 'ted:2-2026')
      .executeTakeFirstOrThrow()
    await insertNotices(store.db, [
      {
        documentId: awardId.split('#')[0]!,
        pointer: '',
        sourceId: 'made-up',
        notice: { ...without, title: { de: 'Sanierung der Kläranlage' } } as Notice,
      },
    ])
    await consolidate(store, { now })
    expect((await recordsOf(store)).map(({ status }) => status).sort()).toEqual(['awarded', 'open'])
  })

  test('names the sources of a record in order, each once', async () => {
    await using store = await openTestStore(engine)
    await receiveNotices(store, [notice({ noticeKey: 'ted:1-2026', procedureId: uuid(1) })], 'ted')
    await receiveNotices(store, [notice({ noticeKey: 'doe:1-01', procedureId: uuid(1) })], 'doe')
    await receiveNotices(store, [notice({ noticeKey: 'doe:1-02', procedureId: uuid(1) })], 'doe')
    await consolidate(store, { now })
    expect((await stockOf(store)).tenders.map(({ sources }) => sources)).toEqual(['["doe","ted"]'])
  })
})
