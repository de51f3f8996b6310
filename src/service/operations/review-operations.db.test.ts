// The operator's commands about duplicates, on a stock of made-up notices.
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { addSearch, openDigestWorld } from '../../../test/digests/digest-world.ts'
import { receiveNotices } from '../../../test/receive-notices.ts'
import { at, lot, notice } from '../../../test/testing/generate/notices.ts'
import { drawnEngines, openTestStore } from '../../../test/world.ts'
import { eventText } from '../../cli/texts/event-text.ts'
import { consolidate, rebuildStock } from '../../consolidate/consolidate.ts'
import { tenderId } from '../../consolidate/tender-id.ts'
import type { Notice } from '../../domain/notice.ts'
import type { Executor, Store } from '../../store/database/database.ts'
import { countDoubts } from '../../store/stock/doubts.ts'
import { upsertEdges } from '../../store/stock/matches.ts'
import type { CommandEvent } from '../events/command-event.ts'
import { decideReview, explainStock, listReviews, showReview, undoReview } from './review-operations.ts'

const now = Date.parse('2026-02-01T12:00:00.000Z')
const plain = (text: string) => text
const paint = { bold: plain, dim: plain, green: plain, yellow: plain, cyan: plain }

const school = (given: Partial<Notice> & { readonly noticeKey: string }) =>
  notice({
    title: { de: 'Sanierung der Grundschule Beispielhausen, Fenster' },
    submissionDate: at('2026-02-20T10:00'),
    ...given,
  })

function workplace(store: Store) {
  const events: CommandEvent[] = []
  const context = { store, clock: () => now }
  const emit = (event: CommandEvent) => void events.push(event)
  const request = (command: string, operands: readonly string[], options = {}) => ({ command, operands, options })
  return {
    events,
    list: () => listReviews(context, request('review list', []), emit),
    show: (...operands: string[]) => showReview(context, request('review show', operands), emit),
    merge: (...operands: string[]) => decideReview(context, request('review merge', operands), 'merge', emit),
    split: (...operands: string[]) => decideReview(context, request('review split', operands), 'split', emit),
    undo: (...operands: string[]) => undoReview(context, request('review undo', operands), emit),
    explain: (id: string) => explainStock(context, request('explain', [id]), emit),
  }
}

const stockOf = async (store: Store) => ({
  tenders: await store.db
    .selectFrom('tender')
    .select(['tender_id', 'content', 'merged_into'])
    .orderBy('tender_id')
    .execute(),
  notices: await store.db.selectFrom('tender_notice').selectAll().orderBy('notice_id').execute(),
  decisions: await store.db.selectFrom('review_decision').selectAll().execute(),
})

/** A hit as matching writes it. */
const addHit = (db: Executor, searchNo: number, tender: string, archiveReason: string | null) =>
  sql`
    insert into hit (search_no, tender_id, hit_id, edition, last_modified, search_version, fit_score, fit, matched, made_at,
      score_now, last_edition, archive_reason, state_modified, digest_edition)
    values (${searchNo}, ${tender}, ${`${searchNo} ${tender}`}, 1, 1, 1, 50, '{}', '[]', 0, 50, 1, ${archiveReason}, 1, 1)`.execute(
    db,
  )

const liveIds = async (store: Store) =>
  (await store.db.selectFrom('tender').select('tender_id').where('merged_into', 'is', null).execute())
    .map((row) => row.tender_id)
    .sort()

describe.each(drawnEngines)('review and explain (%s)', (engine) => {
  test('a pair is listed until it is decided; the decision survives a rebuild, and a later one replaces it', async () => {
    await using store = await openTestStore(engine)
    await receiveNotices(store, [
      school({ noticeKey: 'ted:1-2026', publicationDate: at('2026-01-05') }),
      notice({ noticeKey: 'doe:2', title: { de: 'Winterdienst auf Wegen' }, publicationDate: at('2026-01-09') }),
    ])
    await consolidate(store, { now })
    const { events, list, show, merge, split } = workplace(store)
    await upsertEdges(store.db, [
      { left: 'doe:2', right: 'ted:1-2026', kind: 'review', rule: 'made-up', score: 5.5, evidence: 'for the test' },
    ])
    await list()
    expect(events).toMatchObject([
      {
        event: 'review',
        left: { key: 'doe:2', title: 'Winterdienst auf Wegen', buyer: 'Musterstadt Hochbauamt' },
        right: { key: 'ted:1-2026', submissionDate: '2026-02-20T10:00:00.000Z' },
        score: 5.5,
        evidence: 'for the test',
      },
    ])
    expect(eventText(events[0]!, paint, Date.now)).toContain("tenderstock review merge 'doe:2' 'ted:1-2026'")

    await merge('doe:2', tenderId('ted:1-2026'))
    expect(events.at(-1)).toEqual({
      event: 'reviewDecided',
      decision: 'merge',
      left: 'doe:2',
      right: 'ted:1-2026',
      records: [tenderId('ted:1-2026')],
    })
    expect(await liveIds(store)).toEqual([tenderId('ted:1-2026')])
    await rebuildStock(store, { now })
    expect(await liveIds(store)).toEqual([tenderId('ted:1-2026')])

    await split('ted:1-2026', 'doe:2')
    expect(await liveIds(store)).toHaveLength(2)
    await show('ted:1-2026', 'doe:2')
    expect(events.at(-1)).toMatchObject({ event: 'reviewPair', isOneRecord: false, decision: 'split' })
    expect(eventText(events.at(-1)!, paint, Date.now)).toMatch(/≠ Title.*\n.*Winterdienst/)
    events.length = 0
    await list()
    expect(events).toMatchObject([{ event: 'none' }])
  })

  test('pairs are listed by the chance that decisions give their rule, times those who read them', async () => {
    await using store = await openTestStore(engine)
    const things = ['Winterdienst', 'Turnhalle', 'Kläranlage', 'Schulbusse', 'Netzwerk', 'Archiv', 'Brücke', 'Kantine']
    await receiveNotices(
      store,
      things.map((title, number) => notice({ noticeKey: `doe:${number}`, title: { de: title } })),
    )
    await consolidate(store, { now })
    const review = (left: number, right: number, rule: string, score: number) =>
      ({ left: `doe:${left}`, right: `doe:${right}`, kind: 'review', rule, score, evidence: '' }) as const
    await upsertEdges(store.db, [
      review(0, 1, 'plain', 9),
      review(2, 3, 'often', 7),
      review(4, 5, 'plain', 8),
      review(6, 7, 'often', 6),
    ])
    const { events, list, merge, split } = workplace(store)
    const listed = async () => {
      events.length = 0
      await list()
      return events.map((event) => (event.event === 'review' ? event.left.key : event.event))
    }
    expect(await listed()).toEqual(['doe:0', 'doe:4', 'doe:2', 'doe:6'])
    expect(events).toMatchObject([{ chance: 0.55, readers: 0 }, {}, {}, {}])

    // one decision of each rule: the other pair of the merged rule comes first
    await merge('doe:6', 'doe:7')
    await split('doe:0', 'doe:1')
    expect(await listed()).toEqual(['doe:2', 'doe:4'])
    expect(events).toMatchObject([{ chance: 0.64 }, { chance: 0.44 }])

    // someone has one of the two among the open hits; a closed one does not count
    const world = await openDigestWorld(store)
    const [search, other] = [await addSearch(store, world.organizationId, 'A'), world.searchNo]
    await addHit(store.db, search, tenderId('doe:5'), null)
    expect(await listed()).toEqual(['doe:4', 'doe:2'])
    expect(events).toMatchObject([{ readers: 1 }, { readers: 0 }])
    expect(eventText(events[0]!, paint, Date.now)).toContain('plain, 44 % of its pairs are one, open hits: 1')
    await addHit(store.db, search, tenderId('doe:2'), 'expired')
    await addHit(store.db, other, tenderId('doe:3'), 'expired')
    expect(await listed()).toEqual(['doe:4', 'doe:2'])
  })

  test('separates two that the rules had joined', async () => {
    await using store = await openTestStore(engine)
    await receiveNotices(store, [school({ noticeKey: 'ted:1-2026' }), school({ noticeKey: 'doe:2' })])
    await consolidate(store, { now })
    expect(await liveIds(store)).toHaveLength(1)
    const { split } = workplace(store)
    await split('ted:1-2026', 'doe:2')
    expect((await liveIds(store)).sort()).toEqual([tenderId('ted:1-2026'), tenderId('doe:2')].sort())
  })

  test('a decision that is undone leaves the stock as if it had never been made', async () => {
    await using store = await openTestStore(engine)
    await receiveNotices(store, [
      school({ noticeKey: 'ted:1-2026', publicationDate: at('2026-01-05') }),
      notice({ noticeKey: 'doe:2', title: { de: 'Winterdienst auf Wegen' }, publicationDate: at('2026-01-09') }),
      school({ noticeKey: 'ted:3-2026', title: { de: 'Neubau der Kläranlage' } }),
      school({ noticeKey: 'doe:4', title: { de: 'Neubau der Kläranlage' } }),
    ])
    await consolidate(store, { now })
    const { events, merge, split, undo, list } = workplace(store)
    const before = await stockOf(store)
    await merge('doe:2', 'ted:1-2026')
    await split('ted:3-2026', 'doe:4')
    expect(await stockOf(store)).not.toEqual(before)
    await undo('ted:1-2026', 'doe:2')
    expect(events.at(-1)).toEqual({
      event: 'reviewUndone',
      left: 'doe:2',
      right: 'ted:1-2026',
      decisions: 1,
      records: [tenderId('doe:2'), tenderId('ted:1-2026')].sort(),
    })
    await undo(tenderId('ted:3-2026'), 'doe:4')
    expect(await stockOf(store)).toEqual(before)
    await rebuildStock(store, { now })
    expect(await stockOf(store)).toEqual(before)
    await expect(undo('ted:1-2026', 'doe:2')).rejects.toThrow('Nobody has decided on doe:2 and ted:1-2026')
    events.length = 0
    await list()
    expect(events).toMatchObject([{ event: 'none' }])
  })

  test('one record whose notices state different award numbers is counted, listed, shown, and decided', async () => {
    await using store = await openTestStore(engine)
    const procedureId = '6f1c0c9e-2f0a-4c55-9d55-0a61f2a3b0c1'
    await receiveNotices(store, [
      school({ noticeKey: 'ted:1-2026', procedureId, internalReference: 'WBG 26_01' }),
      school({ noticeKey: 'doe:2', procedureId, internalReference: 'WBG 26_02' }),
      school({ noticeKey: 'ted:7-2026', internalReference: 'V-1', title: { de: 'Winterdienst auf Wegen' } }),
    ])
    await consolidate(store, { now })
    expect(await liveIds(store)).toHaveLength(2)
    expect(await countDoubts(store.db)).toEqual({ 'award-number': 1, 'named-call': 0, unlike: 0 })
    const { events, list, show, merge } = workplace(store)
    await list()
    expect(events).toMatchObject([
      {
        event: 'review',
        rule: 'award-number',
        isOneRecord: true,
        left: { key: 'doe:2' },
        right: { key: 'ted:1-2026' },
        evidence: 'WBG2602 and WBG2601',
      },
    ])
    // a split would be refused
    const listed = eventText(events[0]!, paint, Date.now)
    expect(listed).toContain("tenderstock review merge 'doe:2' 'ted:1-2026'")
    expect(listed).not.toContain('review split')
    await show('doe:2', 'ted:1-2026')
    // the record itself beside itself would not show what the doubt is about
    expect(events.at(-1)).toMatchObject({
      isOneRecord: true,
      isExactlyLinked: true,
      left: { tenderNumber: 'WBG 26_02', notices: 1, publishers: ['doe'] },
      right: { tenderNumber: 'WBG 26_01', notices: 1, publishers: ['ted'] },
      references: [{ rule: 'procedure', evidence: `f:bt-04/${procedureId}` }],
    })
    expect(eventText(events.at(-1)!, paint, Date.now)).toContain(`procedure f:bt-04/${procedureId}`)
    await rebuildStock(store, { now })
    expect(await countDoubts(store.db)).toEqual({ 'award-number': 1, 'named-call': 0, unlike: 0 })
    await merge('doe:2', 'ted:1-2026')
    expect(await countDoubts(store.db)).toEqual({ 'award-number': 0, 'named-call': 0, unlike: 0 })
    events.length = 0
    await list()
    expect(events).toMatchObject([{ event: 'none' }])
  })

  test('explains why each notice belongs to the tender, and where each member comes from', async () => {
    await using store = await openTestStore(engine)
    await receiveNotices(store, [
      school({ noticeKey: 'ted:1-2026', publicationNumber: '1-2026', publicationDate: at('2026-01-05') }),
      school({ noticeKey: 'doe:2', publicationDate: at('2026-01-06'), documentsUrl: 'https://example.org/d' }),
      school({
        noticeKey: 'ted:9-2026',
        publicationNumber: '9-2026',
        publicationDate: at('2026-01-30'),
        formType: 'result',
        references: [{ kind: 'previous', publicationNumber: '1-2026' }],
        lots: [lot('LOT-0001', { result: { outcome: 'awarded' } })],
      }),
    ])
    await consolidate(store, { now })
    const { events, explain } = workplace(store)
    await explain(tenderId('ted:1-2026'))
    const [event] = events
    expect(event).toMatchObject({
      event: 'explained',
      notices: [
        { key: 'ted:1-2026', joinedBy: null },
        { key: 'doe:2', joinedBy: { with: 'ted:1-2026', score: expect.any(Number), rule: expect.any(String) } },
        {
          key: 'ted:9-2026',
          joinedBy: { rule: 'publication', score: null, evidence: 'p:1-2026', with: 'ted:1-2026' },
        },
      ],
    })
    if (event?.event !== 'explained') throw new Error('nothing was explained')
    expect(event.members.find(({ member }) => member === 'documentsUrl')).toMatchObject({
      value: 'https://example.org/d',
      noticeKeys: ['doe:2'],
    })
    expect(eventText(event, paint, Date.now)).toContain('publication, with ted:1-2026: p:1-2026')
  })

  test('errors name the fix', async () => {
    await using store = await openTestStore(engine)
    await receiveNotices(store, [school({ noticeKey: 'ted:1-2026' }), school({ noticeKey: 'doe:2' })])
    await consolidate(store, { now })
    const { show, explain, merge } = workplace(store)
    await expect(show('ted:1-2026', 'nothing')).rejects.toThrow('`tenderstock review list` shows pairs')
    await expect(show('doe:2', 'doe:2')).rejects.toThrow('two different records')
    await expect(explain('nothing')).rejects.toThrow('There is no record "nothing"')
    await receiveNotices(store, [
      school({ noticeKey: 'ted:3-2026', references: [{ kind: 'changes', publicationNumber: '1-2026' }] }),
      school({ noticeKey: 'ted:4-2026', references: [{ kind: 'changes', publicationNumber: '1-2026' }] }),
    ])
    await consolidate(store, { now })
    await expect(merge('ted:3-2026', 'ted:4-2026')).rejects.toThrow('already one record because of exact references')
  })
})
