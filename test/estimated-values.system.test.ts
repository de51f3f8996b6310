// Estimated values over HTTP: a stock whose values are partly estimated, published and queried with the filters on
// value.
import { describe, expect, test } from 'vitest'
import { consolidate } from '../src/consolidate/consolidate.ts'
import { fitStock, minPricedTenders } from '../src/consolidate/estimate/fit-stock.ts'
import type { TenderRecord } from '../src/domain/tender.ts'
import { startApi, startOfTests } from './api-world.ts'
import type { PlainRecord } from './memory-editions.ts'
import { receiveNotices } from './receive-notices.ts'
import { at, notice } from './testing/generate/notices.ts'
import { openTestStore } from './world.ts'

const now = startOfTests

/** Cleaning for about 250,000 euros; every authority has another name. */
const cleaning = (number: number, value?: number) =>
  notice({
    noticeKey: `p:${number}`,
    title: { de: `Gebäudereinigung ${String.fromCharCode(97 + (number % 26), 97 + ((number / 26) % 26))}heim` },
    contractingAuthorities: [{ name: `Gemeinde ${(number * 7919).toString(36)}dorf`, country: 'DE' }],
    contractNature: 'services',
    cpvCodes: ['90911200'],
    submissionDate: at('2026-12-20T10:00'),
    publicationDate: at('2026-10-20'),
    ...(value !== undefined && { estimatedValue: { value, currency: 'EUR' } }),
  })

describe('estimated values', () => {
  test('are marked, have an interval, and count in the filters on value (C20, C21, C22, C83)', async () => {
    await using store = await openTestStore('embedded')
    await receiveNotices(
      store,
      Array.from({ length: minPricedTenders + 10 }, (_, number) => cleaning(number, 200_000 + (number % 11) * 10_000)),
    )
    await receiveNotices(store, [
      cleaning(5001),
      notice({
        noticeKey: 'p:plan',
        formType: 'planning',
        noticeType: 'pin-only',
        title: { de: 'Vorankündigung Brückenbau' },
        publicationDate: at('2026-10-20'),
      }),
    ])
    await consolidate(store, { now })
    await fitStock(store, { now })
    await consolidate(store, { now })
    const rows = await store.db.selectFrom('tender').select('content').execute()
    const records = rows.map((row) => JSON.parse(row.content) as PlainRecord)

    await using api = await startApi()
    api.editions.publish(now, records)
    const list = async (query: string): Promise<TenderRecord[]> => {
      const found: TenderRecord[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const response = await api.get(`/v1/tenders?${query}&limit=100${cursor && `&cursor=${cursor}`}`)
        expect(response.status).toBe(200)
        const page = (await response.json()) as { data: TenderRecord[]; nextCursor: string | null }
        found.push(...page.data)
        cursor = page.nextCursor
      }
      return found
    }
    const all = await list('archived=true')
    const estimated = all.filter(({ contractAmount }) => contractAmount?.estimated)
    expect(estimated.map(({ title }) => title)).toEqual([cleaning(5001).title!.de])
    const { value, low = 0, high = 0 } = estimated[0]!.contractAmount!
    expect([low <= value, value <= high, value > 150_000, value < 400_000]).toEqual([true, true, true, true])
    expect(all.find(({ title }) => title === 'Vorankündigung Brückenbau')?.contractAmount).toBeNull()
    for (const record of all)
      if (record.contractAmount && !record.contractAmount.estimated)
        expect(Object.keys(record.contractAmount).sort()).toEqual(['currency', 'estimated', 'value'])

    const ids = async (query: string) => new Set((await list(query)).map(({ id }) => id))
    const id = estimated[0]!.id
    expect((await ids(`archived=true&value_min=${Math.floor(value)}&value_max=${Math.ceil(value)}`)).has(id)).toBe(true)
    expect((await ids(`archived=true&value_min=${Math.ceil(value) + 1}`)).has(id)).toBe(false)
    expect((await ids(`archived=true&value_max=${Math.floor(value) - 1}`)).has(id)).toBe(false)
  })
})
