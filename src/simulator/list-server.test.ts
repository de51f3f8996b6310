// Pages of a list at their edges: no entries, pages that are exactly full, and what lies behind the last one.
import { describe, expect, test } from 'vitest'
import type { PageEnd } from '../sources/delivery.ts'
import type { Channel } from '../sources/source.ts'
import type { FaultName } from './faults.ts'
import { type ListDelivery, ListServer } from './list-server.ts'
import type { Quirks } from './quirks.ts'
import type { ShelfEntry } from './shelf.ts'
import type { SimulatedSource } from './simulated-source.ts'

const source = { zone: 'UTC', country: 'DE', expects: { shape: [] }, channels: [] } as unknown as SimulatedSource
const entries = (count: number): ShelfEntry[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `n${index + 1}-1`,
    noticeId: `n${index + 1}`,
    version: 1,
    procedureId: `p${index + 1}`,
    number: index + 1,
    publishedAt: index * 1000,
    text: () => JSON.stringify({ number: index + 1 }),
  }))

type Given = { readonly count: number; readonly end: PageEnd; readonly quirks?: Quirks; readonly fault?: FaultName }

/** Asks a list of pages of two entries for this page. */
async function pageOf({ count, end, quirks = {}, fault }: Given, page: number) {
  const delivery: ListDelivery = {
    kind: 'page',
    request: { url: 'https://portal.example/list?page={page}' },
    entries: { format: 'json', at: '/items' },
    pageSize: 2,
    end,
  }
  const channel = { name: 'list', slots: { kind: 'whole' }, delivery } as unknown as Channel
  const list = new ListServer(source, channel, delivery, () => entries(count), quirks)
  const url = new URL(`https://portal.example/list?page=${page}`)
  const { status, body } = await list.page(
    { request: { method: 'GET', url, headers: {}, body: '' }, now: 1_000_000, happens: (name) => name === fault },
    { texts: new Map([['page', String(page)]]), dates: new Map(), weight: 0 },
  )
  const text = body.toString()
  type Page = { readonly items?: readonly { readonly number: number }[]; readonly last?: boolean; readonly of?: number }
  const answer: Page = status === 200 ? (JSON.parse(text) as Page) : {}
  return { status, numbers: (answer.items ?? []).map((item) => item.number), answer }
}

describe('a list that ends with 404', () => {
  const end = { when: 'not-found' } as const

  test('without entries has an empty first page', async () => {
    expect(await pageOf({ count: 0, end }, 1)).toMatchObject({ status: 200, numbers: [] })
    expect((await pageOf({ count: 0, end }, 2)).status).toBe(404)
  })

  test('has every entry on its pages, and 404 right behind a full one', async () => {
    expect((await pageOf({ count: 4, end }, 2)).numbers).toEqual([3, 4])
    expect((await pageOf({ count: 4, end }, 3)).status).toBe(404)
  })
})

test('a list with a flag says on a full last page that it is the last', async () => {
  const end = { when: 'flag', at: '/last', isLast: true } as const
  const flags = []
  for (const page of [1, 2]) flags.push((await pageOf({ count: 4, end }, page)).answer)
  expect(flags).toMatchObject([{ last: false }, { last: true }])
  expect((await pageOf({ count: 0, end }, 1)).answer).toMatchObject({ last: true })
})

test('a list with a number of pages counts the last one, full or not', async () => {
  const end = { when: 'pages', at: '/of' } as const
  for (const [count, pages] of [
    [0, 0],
    [1, 1],
    [4, 2],
    [5, 3],
  ] as const)
    expect((await pageOf({ count, end }, 1)).answer).toMatchObject({ of: pages })
})

test('a portal that repeats its last page repeats the one that has entries', async () => {
  const given = { end: { when: 'empty-page' }, fault: 'last-page-again' } as const
  expect((await pageOf({ count: 4, ...given }, 3)).numbers).toEqual([3, 4])
  expect((await pageOf({ count: 5, ...given }, 9)).numbers).toEqual([5])
  expect((await pageOf({ count: 0, ...given }, 2)).numbers).toEqual([])
})

test('a page beyond the reach of a portal is refused, the last within it is not', async () => {
  const given = { count: 9, end: { when: 'empty-page' }, quirks: { reach: 4 } } as const
  expect((await pageOf(given, 2)).numbers).toEqual([3, 4])
  expect((await pageOf(given, 3)).status).toBe(400)
})
