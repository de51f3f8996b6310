// Estimates in a real stock: they stay until their inputs change, give way to a published value, and do not depend on
// the order.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { receiveNotices } from '../../../test/receive-notices.ts'
import { at, lot, notice, noticeWorld } from '../../../test/testing/generate/notices.ts'
import { randomOf } from '../../../test/testing/generate/random.ts'
import { drawnEngines, openTestStore } from '../../../test/world.ts'
import type { Notice } from '../../domain/notice.ts'
import type { TenderContent } from '../../domain/tender.ts'
import type { Store } from '../../store/database/database.ts'
import { newestModel } from '../../store/stock/estimates.ts'
import { consolidate, rebuildStock } from '../consolidate.ts'
import { fitStock, minPricedTenders } from './fit-stock.ts'

const now = Date.parse('2026-02-20T12:00:00.000Z')

const trades = [
  { cpv: '45212222', nature: 'works', title: 'Neubau Turnhalle', value: 1_500_000 },
  { cpv: '90911200', nature: 'services', title: 'Gebäudereinigung', value: 250_000 },
  { cpv: '30213100', nature: 'supplies', title: 'Tragbare Rechner', value: 60_000 },
] as const

/** Calls of authorities that have nothing in common, with scattered values. */
function call(seed: number, number: number, given: Partial<Notice> = {}): Notice {
  const random = randomOf(seed, number)
  const trade = trades[number % trades.length]!
  const word = String.fromCharCode(97 + (number % 26), 97 + ((number / 26) % 26), 97 + ((number * 7) % 26))
  return notice({
    noticeKey: `p${seed}:${number}`,
    title: { de: `${trade.title} ${word}heim` },
    contractingAuthorities: [{ name: `Gemeinde ${word}dorf${number}`, country: 'DE' }],
    contractNature: trade.nature,
    cpvCodes: [trade.cpv],
    ...(trade.nature === 'works' ? { publicationNumber: `${seed}${number}-2026` } : {}),
    submissionDate: at('2026-03-20T10:00'),
    estimatedValue: { value: Math.round(trade.value * (0.4 + random.integer(0, 1000) / 500)), currency: 'EUR' },
    ...given,
  })
}

const { estimatedValue: _, ...silent } = call(2, 5001)
const valueless: Notice = { ...silent, noticeKey: 'q:1' }

async function fill(store: Store): Promise<string> {
  await receiveNotices(
    store,
    Array.from({ length: minPricedTenders + 30 }, (__, number) => call(1, number)),
  )
  await receiveNotices(store, [valueless])
  await consolidate(store, { now })
  const fitted = await fitStock(store, { now })
  expect(fitted).toMatchObject({ isSame: false, reconsidered: 1 })
  await consolidate(store, { now })
  return fitted.version!
}

/** Receives the document of a notice again with other content. */
async function reread(store: Store, changed: Notice): Promise<void> {
  await store.db
    .updateTable('notice')
    .set({ content: JSON.stringify(changed), is_consolidated: false })
    .where('notice_key', '=', changed.noticeKey)
    .execute()
}

async function contentsOf(store: Store): Promise<Map<string, string>> {
  const rows = await store.db.selectFrom('tender').select(['tender_id', 'content']).orderBy('tender_id').execute()
  return new Map(rows.map((row) => [row.tender_id, row.content]))
}

async function amountOf(store: Store, key: string): Promise<TenderContent['contractAmount']> {
  const row = await store.db
    .selectFrom('tender')
    .innerJoin('tender_notice', 'tender_notice.tender_id', 'tender.tender_id')
    .innerJoin('notice', 'notice.notice_id', 'tender_notice.notice_id')
    .select('tender.content')
    .where('notice_key', '=', key)
    .executeTakeFirstOrThrow()
  return (JSON.parse(row.content) as TenderContent).contractAmount
}

describe.each(drawnEngines)('estimates in a stock (%s)', (engine) => {
  test('without a model, or with too few priced tenders for one, an unpublished value is null', async () => {
    await using store = await openTestStore(engine)
    await receiveNotices(store, [valueless, call(1, 1)])
    await consolidate(store, { now })
    expect(await fitStock(store, { now })).toMatchObject({ priced: 1, version: undefined, reconsidered: 0 })
    await consolidate(store, { now })
    expect(await amountOf(store, valueless.noticeKey)).toBeNull()
    expect(await newestModel(store.db)).toBeUndefined()
  })

  test('an estimate stays through newer models, rereading, the clock and a rebuild; a change of inputs makes another', async () => {
    await using store = await openTestStore(engine)
    const version = await fill(store)
    const amount = await amountOf(store, valueless.noticeKey)
    expect(amount).toMatchObject({ estimated: true, currency: 'EUR', modelVersion: version })
    expect(await amountOf(store, 'p1:4')).toEqual({ ...call(1, 4).estimatedValue, estimated: false })
    const before = await contentsOf(store)

    await receiveNotices(
      store,
      Array.from({ length: 60 }, (__, number) =>
        call(3, 3000 + 3 * number, { estimatedValue: { value: 1_900_000, currency: 'EUR' } }),
      ),
    )
    await consolidate(store, { now })
    const second = await fitStock(store, { now: now + 86_400_000 })
    expect(second.version).not.toBe(version)
    expect(second.reconsidered).toBe(0)
    await store.db.updateTable('notice').set({ is_consolidated: false }).execute()
    expect(await consolidate(store, { now })).toMatchObject({ created: 0, changed: 0 })
    const again = await contentsOf(store)
    for (const [id, content] of before) expect(again.get(id)).toBe(content)
    const all = await contentsOf(store)
    await rebuildStock(store, { now, batchSize: 37 })
    expect(await contentsOf(store)).toEqual(all)

    await consolidate(store, { now: Date.parse('2026-04-01T00:00:00.000Z') })
    expect(await amountOf(store, valueless.noticeKey)).toEqual(amount)

    await reread(store, { ...valueless, lots: [lot('LOT-0001'), lot('LOT-0002')] })
    await consolidate(store, { now })
    expect(await amountOf(store, valueless.noticeKey)).toMatchObject({ estimated: true, modelVersion: second.version })
    await reread(store, valueless)
    await consolidate(store, { now })
    expect(await amountOf(store, valueless.noticeKey)).toEqual(amount)
  })

  test('a refusal is judged again by a model of twice the evidence: once, for open records only; the estimate then stays', async () => {
    await using store = await openTestStore(engine)
    await receiveNotices(
      store,
      Array.from({ length: minPricedTenders + 30 }, (__, number) => call(1, number)),
    )
    const seeds = (number: number, given: Partial<Notice>) =>
      call(4, number, {
        title: { de: `Saatgut Winterweizen ${number}` },
        cpvCodes: ['03111000'],
        contractNature: 'supplies',
        contractingAuthorities: [{ name: `Landgut ${number}`, country: 'DK' }],
        estimatedValue: { value: 40_000 + (number % 50) * 1000, currency: 'EUR' },
        ...given,
      })
    const {
      estimatedValue: _value,
      contractNature: _nature,
      ...open
    } = seeds(7001, {
      contractingAuthorities: [{ name: 'Landgut Ährenfeld', country: 'DK' }],
    })
    const over: Notice = {
      ...open,
      noticeKey: 'p4:over',
      title: { de: 'Saatgut Roggen' },
      submissionDate: at('2026-01-10'),
    }
    const plan: Notice = {
      ...open,
      noticeKey: 'p4:plan',
      title: { de: 'Saatgut Hafer' },
      formType: 'planning',
      noticeType: 'pin-only',
    }
    await receiveNotices(store, [valueless, open, over, plan])
    await consolidate(store, { now })
    const first = await fitStock(store, { now })
    expect(first).toMatchObject({ reconsidered: 4, retried: 0 })
    await consolidate(store, { now })
    const keys = [open, over, plan].map(({ noticeKey }) => noticeKey)
    const amounts = async () => Promise.all(keys.map((key) => amountOf(store, key)))
    expect(await amounts()).toEqual([null, null, null])
    const estimated = await amountOf(store, valueless.noticeKey)
    expect(estimated).toMatchObject({ estimated: true })
    /** Adds priced tenders, fits the model and consolidates; returns how many of the existing contents changed. */
    const grow = async (from: number, count: number, day: number) => {
      const more = Array.from({ length: count }, (__, index) => seeds(from + index, {}))
      await receiveNotices(store, more)
      await consolidate(store, { now })
      const before = await contentsOf(store)
      const fitted = await fitStock(store, { now: now + day * 86_400_000 })
      await consolidate(store, { now })
      const after = await contentsOf(store)
      return { fitted, changed: [...before].filter(([id, content]) => after.get(id) !== content).length }
    }
    // slightly more evidence does not justify another judgment
    expect(await grow(8000, 100, 1)).toMatchObject({ fitted: { retried: 0 }, changed: 0 })
    expect(await grow(8100, 260, 2)).toMatchObject({ fitted: { retried: 1 }, changed: 1 })
    const [amount] = await amounts()
    expect(amount).toMatchObject({ estimated: true, modelVersion: (await newestModel(store.db))!.version })
    expect(await amounts()).toEqual([amount, null, null])
    // a given estimate is never replaced, whatever the next model knows
    expect(await grow(8400, 700, 3)).toMatchObject({ fitted: { retried: 0 }, changed: 0 })
    expect(await amountOf(store, valueless.noticeKey)).toEqual(estimated)
    const all = await contentsOf(store)
    await rebuildStock(store, { now, batchSize: 41 })
    expect(await contentsOf(store)).toEqual(all)
  })

  test('a record that is refused again keeps its content, and waits for the next doubling', async () => {
    await using store = await openTestStore(engine)
    await receiveNotices(
      store,
      Array.from({ length: minPricedTenders + 30 }, (__, number) => call(1, number)),
    )
    const strange = call(5, 1, {
      title: { de: 'Qwertz Uiopas Dfghjk' },
      cpvCodes: ['03111000'],
      contractingAuthorities: [{ name: 'Xyz', country: 'DK' }],
    })
    const { estimatedValue: _value, contractNature: _nature, ...refused } = strange
    await receiveNotices(store, [refused])
    await consolidate(store, { now })
    await fitStock(store, { now })
    await consolidate(store, { now })
    const rows = () => store.db.selectFrom('tender_estimate').select(['model_version', 'estimate']).execute()
    const [thin] = await rows()
    expect(JSON.parse(thin!.estimate)).toEqual({
      kind: 'refusal',
      reason: 'noPrices',
      priced: minPricedTenders + 30,
    })
    await receiveNotices(
      store,
      Array.from({ length: minPricedTenders + 40 }, (__, number) => call(6, 20_000 + number)),
    )
    await consolidate(store, { now })
    const before = await contentsOf(store)
    const second = await fitStock(store, { now: now + 86_400_000 })
    expect(second).toMatchObject({ retried: 1, reconsidered: 1 })
    // interrupted here, a rebuild gives the same result as the next consolidation would
    await rebuildStock(store, { now, batchSize: 53 })
    expect(await contentsOf(store)).toEqual(before)
    const again = await rows()
    expect(again).toHaveLength(1)
    expect(again[0]!.model_version).toBe(second.version)
    expect(JSON.parse(again[0]!.estimate)).toMatchObject({ kind: 'refusal', priced: second.priced })
    expect(await fitStock(store, { now: now + 2 * 86_400_000 })).toMatchObject({
      isSame: true,
      retried: 0,
      reconsidered: 0,
    })
  })

  test('a record that receives a published value loses its estimate', async () => {
    await using store = await openTestStore(engine)
    await fill(store)
    expect(await amountOf(store, valueless.noticeKey)).toMatchObject({ estimated: true })
    await reread(store, { ...valueless, estimatedValue: { value: 12_345.67, currency: 'EUR' } })
    await consolidate(store, { now })
    expect(await amountOf(store, valueless.noticeKey)).toEqual({ value: 12_345.67, currency: 'EUR', estimated: false })
  })

  test('the stock is the same for any order, portions and batch size, estimates included', async () => {
    await using store = await openTestStore(engine)
    await fill(store)
    const clear = async () => {
      for (const table of [
        'tender_estimate',
        'tender_notice',
        'tender',
        'tender_match',
        'match_key',
        'match_member',
        'match_record',
        'notice_link',
        'notice',
        'source_document',
      ] as const)
        await store.db.deleteFrom(table).execute()
    }
    let estimates = 0
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 40 }), async (seed, batchSize) => {
        const notices = noticeWorld(seed, 8).map(({ estimatedValue: __, ...each }, index) => ({
          ...each,
          ...(index % 3 === 0 && { lots: each.lots.map(({ estimatedValue: ___, ...one }) => one) }),
        }))
        await clear()
        await receiveNotices(store, notices)
        await consolidate(store, { now })
        const expected = await contentsOf(store)
        estimates += [...expected.values()].filter((content) => content.includes('"estimated":true')).length
        await clear()
        const random = randomOf(seed, 1)
        const shuffled = notices.map((each) => ({ each, at: random.integer(0, 1e9) })).sort((a, b) => a.at - b.at)
        for (let from = 0; from < shuffled.length; from += 9) {
          await receiveNotices(
            store,
            shuffled.slice(from, from + 9).map(({ each }) => each),
          )
          await consolidate(store, { now, batchSize })
        }
        expect(await contentsOf(store)).toEqual(expected)
        await rebuildStock(store, { now, batchSize })
        expect(await contentsOf(store)).toEqual(expected)
      }),
      { numRuns: 5 },
    )
    expect(estimates).toBeGreaterThan(0)
  })
})
