// What portals do wrong, and that nothing is lost silently by it: every fault ends in an error, in `short`, or in the
// whole.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { afterAll, describe, expect, test } from 'vitest'
import {
  daySlot,
  nothingKept,
  type ReadingOptions,
  readSlot,
  type Script,
  textsOf,
} from '../../../test/testing/scripted-portal.ts'
import { Refused, Retryable } from '../../platform/http.ts'
import { writeTarGz, writeZip } from '../../simulator/archive-writers.ts'
import type { Delivery } from '../delivery.ts'
import { fetchOf } from './fetch-of.ts'

const scratchFolder = mkdtempSync(join(tmpdir(), 'tenderstock-deliver-'))
afterAll(() => rmSync(scratchFolder, { recursive: true, force: true }))

const base = 'https://portal.example/api'
const at = { format: 'json', at: '/items' } as const
const json = (value: unknown) => ({ body: JSON.stringify(value) })
const number = (url: URL, name: string): number => Number(url.searchParams.get(name))
const numbers = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => ({ id: from + index }))
const textsOfNumbers = (from: number, to: number) =>
  numbers(from, to)
    .map((entry) => JSON.stringify(entry))
    .sort()
const read = (delivery: Delivery, script: Script, options: ReadingOptions = {}) =>
  readSlot(fetchOf(delivery), script, { scratchFolder, ...options })
const readError = async (delivery: Delivery, script: Script, options: ReadingOptions = {}): Promise<unknown> =>
  read(delivery, script, options).then(
    ({ end }) => end,
    (error: unknown) => error,
  )

type Pages = Delivery & { readonly kind: 'page' }
const pages: Pages = {
  kind: 'page',
  request: { url: `${base}/list?page={page}` },
  entries: at,
  total: '/total',
  firstPage: 0,
  pageSize: 10,
  end: { when: 'short-page' },
}
const { total: _, ...pagesWithoutTotal } = pages

describe('totals', () => {
  test('a short page in the middle is not the end while the total says that there is more', async () => {
    // Page 1 drops four of its ten entries.
    const reading = await read(pages, (_, url) => {
      const page = number(url, 'page')
      return json({ total: 35, items: numbers(page * 10, Math.min(page * 10 + (page === 1 ? 6 : 10), 35)) })
    })
    expect(reading.requests).toHaveLength(5)
    expect(reading.end).toEqual({ kind: 'short', missing: 'the portal announced 35 and delivered 31' })
    expect(reading.kept.documents.size).toBe(31)
  })

  test('a total that promises more than there is makes the reading short, and the card may allow a share', async () => {
    const script: Script = (_, url) =>
      json({ total: 40, items: numbers(number(url, 'page') * 10, Math.min(number(url, 'page') * 10 + 10, 39)) })
    expect((await read(pages, script)).end).toEqual({
      kind: 'short',
      missing: 'the portal announced 40 and delivered 39',
    })
    expect((await read(pages, script, { totalTolerance: 0.05 })).end).toEqual({ kind: 'complete' })
    expect((await read(pages, script, { totalTolerance: null })).end).toEqual({ kind: 'complete' })
  })

  test.each([1, 4, 7, 10, 13, 25])(
    'a list that grows by %i at its front while it is read is received completely: its beginning is read again',
    async (grown) => {
      let asked = 0
      // Newest first; before the third request the new entries appear at the front.
      const reading = await read(pages, (_, url) => {
        const newest = ++asked >= 3 ? 30 + grown : 30
        const page = number(url, 'page')
        return json({
          total: newest,
          items: numbers(0, newest)
            .reverse()
            .slice(page * 10, page * 10 + 10),
        })
      })
      expect(reading.end).toEqual({ kind: 'complete' })
      expect(textsOf(reading)).toEqual(textsOfNumbers(0, 30 + grown))
      expect([reading.kept.delivered, reading.kept.announced]).toEqual([30 + grown, 30 + grown])
    },
  )

  test('a list that shrinks while it is read is read again, so that entries that moved to another page are received', async () => {
    let asked = 0
    const reading = await read(pages, (_, url) => {
      // Entry 5 is withdrawn after the first page was read: entry 10 slides onto it.
      const all = numbers(0, 30).filter(({ id }) => asked === 0 || id !== 5)
      asked++
      const page = number(url, 'page')
      return json({ total: all.length, items: all.slice(page * 10, page * 10 + 10) })
    })
    expect(reading.end).toEqual({ kind: 'complete' })
    expect(textsOf(reading)).toEqual(textsOfNumbers(0, 30))
  })

  test('the announced and the delivered numbers match for each value in a combination', async () => {
    const reading = await read(
      {
        ...pages,
        request: { url: `${base}/list?type={type}&page={page}` },
        each: { name: 'type', values: ['a', 'b'] },
      },
      (_, url) => {
        const first = url.searchParams.get('type') === 'a' ? 0 : 100
        return json({
          total: 12,
          items: numbers(
            first + number(url, 'page') * 10,
            first + Math.min(number(url, 'page') * 10 + 10, first ? 11 : 12),
          ),
        })
      },
    )
    expect(reading.end).toEqual({ kind: 'short', missing: 'b: the portal announced 12 and delivered 11' })
    expect([reading.kept.announced, reading.kept.delivered]).toEqual([24, 23])
  })
})

describe('answers that are not data', () => {
  const firewall = '<!DOCTYPE html><html><body>Request Rejected</body></html>'
  test.each([
    ['a page for people instead of JSON', at, firewall, Refused],
    ['markup instead of JSON', at, '<error>no</error>', Refused],
    ['a page for people instead of XML', { format: 'xml', element: 'entry' }, ` \n${firewall}`, Refused],
    ['a page for people instead of CSV', { format: 'csv' }, firewall, Refused],
    ['a page for people instead of an archive', { format: 'archive' }, firewall, Refused],
    ['a page for people instead of a document', { format: 'document' }, firewall, Refused],
    ['nothing', at, '', Refused],
    [
      'a page in XHTML instead of XML',
      { format: 'xml', element: 'entry' },
      `<?xml version="1.0"?>\n${firewall}`,
      Refused,
    ],
    ['an error body without the list', at, '{"status":500,"detail":"x"}', Retryable],
    [
      'an error body instead of a list of lists',
      { format: 'json', at: '/records/*/releases' },
      '{"message":"x"}',
      Retryable,
    ],
    ['null instead of the list', at, '{"items":null}', Retryable],
    ['JSON that breaks off', at, '{"items":[{"id":1},{"id', Retryable],
    ['XML that breaks off', { format: 'xml', element: 'entry' }, '<feed><entry>1</entry><entry>', Retryable],
    [
      'XML with another root',
      { format: 'xml', element: 'entry', root: 'feed' },
      '<error><text>x</text></error>',
      Retryable,
    ],
    ['a CSV that breaks off', { format: 'csv' }, 'a,b\n1,"x', Retryable],
    ['an archive that is none', { format: 'archive' }, '{"error":1}', Retryable],
  ] as const)('%s is not an empty slot', async (_, entries, body, kind) => {
    const error = await readError({ kind: 'single', request: { url: `${base}/x` }, entries }, () => ({ body }))
    expect(error).toBeInstanceOf(kind)
    if (kind === Retryable)
      expect((error as Error).message).toMatch(/^unexpected answer of https:\/\/portal\.example\/api\/x: /)
  })

  test('an error with status 200 that the card describes counts as an error, also beside a list', async () => {
    const delivery: Delivery = { ...pages, entries: { ...at, isOptional: true }, fault: { at: '/name', is: 'Error' } }
    expect(await readError(delivery, () => json({ name: 'Error' }))).toBeInstanceOf(Retryable)
    expect(await readError(delivery, () => json({ name: 'list' }))).toEqual({ kind: 'complete' })
  })

  test('a list that may be left out is empty, and so is a 204', async () => {
    const delivery: Delivery = { ...pages, entries: { ...at, isOptional: true } }
    expect(await readError(delivery, () => json({ uri: 'x' }))).toEqual({ kind: 'complete' })
    expect(await readError(pages, () => ({ status: 204 }))).toEqual({ kind: 'complete' })
  })

  test('a 404 means what the card says, and an unchanged answer is requested with its version', async () => {
    const file = (notFound: 'empty' | 'notYet'): Delivery => ({
      kind: 'single',
      request: { url: `${base}/day.json` },
      entries: at,
      notFound,
    })
    expect(await readError(file('notYet'), () => ({ status: 404 }))).toEqual({ kind: 'notYet' })
    expect(await readError(file('empty'), () => ({ status: 404 }))).toEqual({ kind: 'empty' })
    const script: Script = (request) =>
      request.ifChangedFrom === 'v1' ? { status: 304 } : { ...json({ items: numbers(0, 3) }), version: 'v1' }
    const first = await read(file('empty'), script)
    expect(first.end).toEqual({ kind: 'complete' })
    expect((await read(file('empty'), script, { kept: { ...first.kept, checkpoint: undefined } })).end).toEqual({
      kind: 'unchanged',
    })
  })

  test('an entry outside the requested dates shows that the portal ignored or clamped the window', async () => {
    const delivery: Delivery = {
      kind: 'single',
      request: { url: `${base}/x?from={from}` },
      entries: at,
      dateOf: '/date',
    }
    const script =
      (date: string): Script =>
      () =>
        json({ items: [{ date: '2026-11-20' }, { date }] })
    const options = { slot: daySlot('2026-11-20') }
    expect(await readError(delivery, script('2026-05-01'), options)).toBeInstanceOf(Retryable)
    expect(await readError(delivery, script('2026-11-21T01:00:00+02:00'), options)).toEqual({ kind: 'complete' })
  })
})

describe('portals that deliver shorter pages than requested', () => {
  const all = 230
  const capped = (delivery: Partial<Pages>): Delivery => ({ ...pagesWithoutTotal, pageSize: 100, ...delivery })
  const slice = (from: number, to: number) => json({ items: numbers(from, Math.min(to, all)) })
  const offsets: Delivery = {
    kind: 'offset',
    request: { url: `${base}/list?skip={offset}&take={limit}` },
    entries: at,
    pageSize: 100,
    end: { when: 'short-page' },
  }
  const keyset: Delivery = {
    kind: 'keyset',
    request: { url: `${base}/list?after={cursor}` },
    entries: at,
    keyOf: '/id',
    pageSize: 100,
  }
  const cursor: Delivery = {
    kind: 'cursor',
    request: { url: `${base}/list?t={cursor}` },
    entries: at,
    cursor: '/next',
  }
  const lists: readonly [name: string, delivery: Delivery, script: (cap: number) => Script][] = [
    [
      'pages by number',
      capped({}),
      (cap) => (_, url) => slice(number(url, 'page') * cap, number(url, 'page') * cap + cap),
    ],
    [
      'pages by rows, in a list that counts both',
      capped({ request: { url: `${base}/list?page={page}&start={offset}&end={offset+100}` } }),
      (cap) => (_, url) => slice(number(url, 'start'), Math.min(number(url, 'end'), number(url, 'start') + cap)),
    ],
    [
      'pages that end with a total which is not announced',
      capped({ end: { when: 'total' } }),
      (cap) => (_, url) => slice(number(url, 'page') * cap, number(url, 'page') * cap + cap),
    ],
    ['offsets', offsets, (cap) => (_, url) => slice(number(url, 'skip'), number(url, 'skip') + cap)],
    [
      'a key',
      keyset,
      (cap) => (_, url) => {
        const after = url.searchParams.get('after')
        const start = after === null ? 0 : Number(after) + 1
        return slice(start, start + cap)
      },
    ],
    [
      'a token',
      cursor,
      (cap) => (_, url) => {
        const start = number(url, 't')
        return json({ items: numbers(start, Math.min(start + cap, all)), next: `${Math.min(start + cap, all)}` })
      },
    ],
  ]
  // 7 leaves a short last page, 10 and 23 a full one, 115 one full page after the first; 500 is more than requested.
  const caps = [1, 7, 10, 23, 99, 100, 115, 230, 500]
  test.each(lists.flatMap((list) => caps.map((cap) => [list[0], cap, ...list.slice(1)] as const)))(
    '%s: all entries come when a page holds %i',
    async (_, cap, delivery, script) => {
      const reading = await read(delivery as Delivery, (script as (cap: number) => Script)(cap as number))
      expect(reading.end).toEqual({ kind: 'complete' })
      expect(reading.kept.documents.size).toBe(all)
    },
  )

  const again = (pageOf: (url: URL) => number, cap: number, last: number): Script => {
    return (_, url) => {
      const page = Math.min(pageOf(url), last)
      return slice(page * cap, page * cap + cap)
    }
  }
  test.each([
    ['a short one, by number', capped({}), again((url) => number(url, 'page'), 60, 3)],
    ['a full one, by number', capped({}), again((url) => number(url, 'page'), 10, 22)],
    ['a full one as long as asked for', capped({ pageSize: 10 }), again((url) => number(url, 'page'), 10, 22)],
    ['the only one', capped({ pageSize: 250 }), again(() => 0, 230, 0)],
    ['until an empty page comes', capped({ end: { when: 'empty-page' } }), again((url) => number(url, 'page'), 60, 3)],
    ['a full one, by offset', offsets, again((url) => number(url, 'skip') / 10, 10, 22)],
  ] as const)('the portal repeats its last page: %s', async (_, delivery, script) => {
    const reading = await read(delivery, script)
    expect(reading.end).toEqual({ kind: 'complete' })
    expect(reading.kept.documents.size).toBe(all)
    expect(reading.requests.length).toBeLessThan(26)
  })

  test('a total of -1, which some tables write for an unrequested one, is ignored', async () => {
    const reading = await read({ ...capped({}), total: '/total' } as Delivery, (_, url) =>
      json({ total: -1, items: numbers(number(url, 'page') * 10, Math.min(number(url, 'page') * 10 + 10, all)) }),
    )
    expect(reading.end).toEqual({ kind: 'complete' })
    expect(reading.kept.documents.size).toBe(all)
  })

  test('after a kill at any request, the page size is learned again from the position of the walk', async () => {
    for (let killedAtRequest = 2; killedAtRequest <= 24; killedAtRequest++) {
      const script = again((url) => number(url, 'page'), 10, 22)
      const first = await read(capped({}), script, { killedAtRequest })
      expect(first.end).toBe('killed')
      const second = await read(capped({}), script, { kept: first.kept })
      expect(second.end).toEqual({ kind: 'complete' })
      expect(second.kept.documents.size).toBe(all)
    }
  })

  test('many entries that share a key do not end a keyset whose pages are capped: the result says so', async () => {
    const same = numbers(0, 30).map(({ id }) => ({ id, day: id < 5 ? 1 : 2 }))
    const reading = await read({ ...keyset, keyOf: '/day' } as Delivery, (_, url) =>
      json({ items: same.filter(({ day }) => day >= number(url, 'after')).slice(0, 10) }),
    )
    expect(reading.end).toEqual({
      kind: 'short',
      missing: '10 entries share the value 2, and the portal gives no more of it',
    })
  })
})

describe('walks that would never end', () => {
  test('the same page again is an error where the portal ignores a parameter', async () => {
    expect(await readError(pagesWithoutTotal, () => json({ items: numbers(0, 10) }))).toBeInstanceOf(Retryable)
  })

  test('the last page again, beyond the end, is the end', async () => {
    const reading = await read({ ...pages, end: { when: 'empty-page' } }, (_, url) => {
      const page = Math.min(number(url, 'page'), 2)
      return json({ total: 30, items: numbers(page * 10, page * 10 + 10) })
    })
    expect(reading.end).toEqual({ kind: 'complete' })
    expect(reading.kept.documents.size).toBe(30)
  })

  test.each([
    ['itself', (page: number) => page],
    ['its beginning', (page: number) => (page + 1) % 3],
  ])('a list whose links lead back to %s ends or is an error, and is never walked forever', async (_, leadsTo) => {
    const reading = readError(
      { kind: 'link-next', request: { url: `${base}/list?page=0` }, entries: at, next: '/next' },
      (_, url) => {
        const page = number(url, 'page')
        return json({ items: numbers(page * 10, page * 10 + 10), next: `?page=${leadsTo(page)}` })
      },
    )
    const end = await reading
    if (leadsTo(0) === 0) expect(end).toEqual({ kind: 'complete' })
    else expect(end).toBeInstanceOf(Retryable)
  })

  test('an endless chain of links without entries is an error', async () => {
    const delivery: Delivery = {
      kind: 'link-next',
      request: { url: `${base}/list?page=0` },
      entries: at,
      next: '/next',
    }
    let asked = 0
    const error = await readError(delivery, (_, url) => {
      asked++
      return json({ items: [], next: `?page=${number(url, 'page') + 1}` })
    })
    expect(error).toBeInstanceOf(Retryable)
    expect(asked).toBe(50)
  })

  test('a walk whose token never changes ends with the total and a short page, or with an empty one', async () => {
    const delivery: Delivery = {
      kind: 'cursor',
      request: { url: `${base}/s?t={cursor}` },
      entries: at,
      cursor: '/next',
      total: '/total',
    }
    const script =
      (all: number, total: number): Script =>
      (_, url) => {
        const start = number(url, 't')
        return json({ total, items: numbers(start, Math.min(start + 10, all)), next: `${Math.min(start + 10, all)}` })
      }
    expect((await read(delivery, script(25, 25))).requests).toHaveLength(3)
    expect((await read(delivery, script(20, 20))).end).toEqual({ kind: 'complete' })
    // The total is wrong: the list continues after it, and is received completely.
    expect((await read(delivery, script(40, 20))).kept.documents.size).toBe(40)
    expect((await read(delivery, script(20, 25))).end).toEqual({
      kind: 'short',
      missing: 'the portal announced 25 and delivered 20',
    })
  })

  test('a key that as many entries share as a page holds cannot be passed, and the end says so', async () => {
    const delivery: Delivery = {
      kind: 'keyset',
      request: { url: `${base}/s?from={cursor}` },
      entries: at,
      keyOf: '/date',
      firstKey: '1',
      pageSize: 3,
    }
    const all = [1, 2, 2, 2, 2, 3].map((date, id) => ({ id, date }))
    const reading = await read(delivery, (_, url) =>
      json({ items: all.filter(({ date }) => date >= number(url, 'from')).slice(0, 3) }),
    )
    expect(reading.end).toEqual({
      kind: 'short',
      missing: '3 entries share the value 2, and the portal gives no more of it',
    })
    expect(reading.kept.documents.size).toBe(4)
  })
})

describe('portals with a maximum per query', () => {
  test('an instant that cannot be halved is reported as short, and everything around it is received', async () => {
    const delivery: Delivery = {
      kind: 'single',
      request: { url: `${base}/w?from={from:yyyy-MM-ddTHH:mm:ss}&to={to:yyyy-MM-ddTHH:mm:ss}` },
      entries: at,
      most: 5,
    }
    const when = (id: number) => (id < 8 ? '2026-11-20T13:37:42' : `2026-11-20T${String(id).padStart(2, '0')}:00:00`)
    const all = numbers(0, 20).map(({ id }) => ({ id, when: when(id) }))
    const reading = await read(
      delivery,
      (_, url) => {
        const [from, to] = [url.searchParams.get('from')!, url.searchParams.get('to')!]
        return json({ items: all.filter((entry) => entry.when >= from && entry.when < to).slice(0, 5) })
      },
      { slot: daySlot('2026-11-20') },
    )
    expect(reading.end).toEqual({
      kind: 'short',
      missing:
        '2026-11-20T13:37:42.000Z to 2026-11-20T13:37:43.000Z: the portal gives no more than 5 of its entries, and the span cannot be halved further',
    })
    expect(reading.kept.documents.size).toBe(17)
  })

  test('days are not cut into smaller spans where the request names days', async () => {
    const asked: string[] = []
    const reading = await read(
      { kind: 'single', request: { url: `${base}/w?from={from}&to={last}` }, entries: at, total: '/total', most: 5 },
      (_, url) => {
        asked.push(url.search)
        const days = url.searchParams.get('from') === url.searchParams.get('to') ? 1 : 2
        return json({ total: 4 * days, items: numbers(asked.length * 10, asked.length * 10 + 4) })
      },
      { slot: daySlot('2026-11-20', 3), zone: 'UTC' },
    )
    expect(asked).toEqual([
      '?from=2026-11-20&to=2026-11-22',
      '?from=2026-11-20&to=2026-11-20',
      '?from=2026-11-21&to=2026-11-21',
      '?from=2026-11-22&to=2026-11-22',
    ])
    expect(reading.end).toEqual({ kind: 'complete' })
    expect([reading.kept.announced, reading.kept.delivered]).toEqual([12, 12])
  })
})

describe('lists in chronological order', () => {
  const dated = Array.from({ length: 60 }, (_, id) => ({
    id,
    date: new Date(Date.parse('2026-11-18T00:00:00Z') + id * 3_600_000).toISOString(),
  }))
  test.each(['ascending', 'descending'] as const)(
    '%s: the entries of the slot are received, and the walk ends after it',
    async (direction) => {
      const all = direction === 'ascending' ? dated : dated.toReversed()
      const reading = await read(
        { ...pages, ordered: { at: '/date', direction } },
        (_, url) => json({ total: 60, items: all.slice(number(url, 'page') * 10, number(url, 'page') * 10 + 10) }),
        { slot: daySlot('2026-11-19') },
      )
      expect(reading.end).toEqual({ kind: 'complete' })
      expect(textsOf(reading)).toEqual(
        dated
          .slice(24, 48)
          .map((entry) => JSON.stringify(entry))
          .sort(),
      )
      expect(reading.requests.length).toBeLessThan(7)
      expect(reading.kept.announced).toBeUndefined()
    },
  )

  test.each([
    ['descending', '2026-11-16', 'the list ended at 2026-11-18T00:00:00.000Z, before it reached the span'],
    ['ascending', '2026-11-20', 'the list ended at 2026-11-19T09:00:00.000Z, before it reached the span'],
  ] as const)('%s: a list that ends before its span is short', async (direction, day, missing) => {
    const given = direction === 'ascending' ? dated.slice(0, 34) : dated.toReversed()
    const { total: __, ...delivery } = pages
    const script: Script = (_, url) =>
      json({ items: given.slice(number(url, 'page') * 10, number(url, 'page') * 10 + 10) })
    const where = `${day}T00:00:00.000Z to ${day.slice(0, 8)}${Number(day.slice(8)) + 1}T00:00:00.000Z: `
    expect(
      (await read({ ...delivery, ordered: { at: '/date', direction } }, script, { slot: daySlot(day) })).end,
    ).toEqual({
      kind: 'short',
      missing: where + missing,
    })
    // The portal says how many there are, and all of them came: nothing was published in that span.
    const whole: Script = (_, url) =>
      json({ total: given.length, items: given.slice(number(url, 'page') * 10, number(url, 'page') * 10 + 10) })
    expect((await read({ ...pages, ordered: { at: '/date', direction } }, whole, { slot: daySlot(day) })).end).toEqual({
      kind: 'complete',
    })
  })

  test('a day that is not over and has no entry yet is complete', async () => {
    const { total: __, ...delivery } = pages
    const reading = await read(
      { ...delivery, ordered: { at: '/date', direction: 'ascending' } },
      (_, url) => json({ items: dated.slice(number(url, 'page') * 10, number(url, 'page') * 10 + 10) }),
      { slot: daySlot('2026-11-21') },
    )
    expect(reading.end).toEqual({ kind: 'complete' })
  })

  test('without a span, a walk covers this many days back from now', async () => {
    const reading = await read({ ...pages, ordered: { at: '/date', direction: 'descending', days: 1.5 } }, (_, url) =>
      json({ items: dated.toReversed().slice(number(url, 'page') * 10, number(url, 'page') * 10 + 10) }),
    )
    expect(reading.kept.documents.size).toBe(dated.filter(({ date }) => date >= '2026-11-20T00:00:00').length)
  })
})

describe('feeds', () => {
  test('are not read for several values: they have one checkpoint', async () => {
    const delivery: Delivery = {
      kind: 'link-next',
      request: { url: `${base}/feed?type={type}` },
      entries: at,
      next: '/next',
      each: { name: 'type', values: [1, 2] },
    }
    await expect(read(delivery, () => json({ items: [] }), { slot: { key: 'feed' } })).rejects.toThrow(
      'a feed is read for one',
    )
  })

  test('an empty answer ends the reading, and the next reading uses the same address', async () => {
    const asked: string[] = []
    let all = 25
    const delivery: Delivery = {
      kind: 'link-next',
      request: { url: `${base}/feed` },
      entries: at,
      next: '/next_page/uri',
    }
    const script: Script = (_, url) => {
      asked.push(url.search)
      const start = number(url, 'offset')
      return json({
        items: numbers(start, Math.min(start + 10, all)),
        next_page: { uri: `${base}/feed?offset=${Math.min(start + 10, all)}` },
      })
    }
    const kept = nothingKept()
    const turn = () => read(delivery, script, { slot: { key: 'feed' }, kept })
    expect((await turn()).end).toEqual({ kind: 'complete' })
    expect(kept.documents.size).toBe(25)
    await turn()
    all = 31
    await turn()
    expect(kept.documents.size).toBe(31)
    expect(asked).toEqual(['', '?offset=10', '?offset=20', '?offset=25', '?offset=25', '?offset=25', '?offset=31'])
  })

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'after a kill at request %i, the next readings deliver what arrived in between',
    async (killedAtRequest) => {
      let all = 25
      const delivery: Delivery = {
        kind: 'link-next',
        request: { url: `${base}/feed` },
        entries: at,
        next: '/next_page/uri',
        detail: { request: { url: `${base}/n/{id}` }, id: '/id' },
      }
      const script: Script = (_, url) => {
        const id = /n\/(\d+)/.exec(url.pathname)?.[1]
        if (id !== undefined) return json({ id: Number(id) })
        const start = number(url, 'offset')
        const uri = `${base}/feed?offset=${Math.min(start + 2, all)}`
        return json({ items: numbers(start, Math.min(start + 2, all)), next_page: { uri } })
      }
      const kept = nothingKept()
      for (let turn = 0; turn < 30; turn++) {
        await read(delivery, script, { slot: { key: 'feed' }, kept, killedAtRequest: killedAtRequest + 3 })
        if (turn === 20) all = 31
      }
      await read(delivery, script, { slot: { key: 'feed' }, kept })
      expect(textsOf({ kept })).toEqual(textsOfNumbers(0, 31))
    },
  )

  test('a feed that is read newest first continues with its news', async () => {
    const asked: string[] = []
    const delivery: Delivery = {
      kind: 'link-next',
      request: { url: `${base}/feed?descending=1` },
      entries: at,
      next: '/next/uri',
      firstNext: '/prev/uri',
    }
    await read(
      delivery,
      (_, url) => {
        asked.push(url.search)
        return url.searchParams.has('descending')
          ? json({
              items: numbers(5, 10),
              next: { uri: `${base}/feed?descending=1&offset=4` },
              prev: { uri: `${base}/feed?offset=9` },
            })
          : json({ items: [], next: { uri: `${base}/feed?offset=9` } })
      },
      { slot: { key: 'feed' } },
    )
    expect(asked).toEqual(['?descending=1', '?offset=9'])
  })
})

describe('details', () => {
  const list: Delivery = {
    kind: 'single',
    request: { url: `${base}/list` },
    entries: at,
    detail: { request: { url: `${base}/notice/{id}` }, id: '/id', version: '/v' },
  }
  const answer =
    (broken: { readonly [id: number]: () => ReturnType<Script> } = {}, version = 1): Script =>
    (_, url) => {
      const id = /notice\/(\d+)/.exec(url.pathname)?.[1]
      if (id === undefined)
        return json({ items: numbers(0, 8).map((entry) => ({ ...entry, v: entry.id === 3 ? version : 1 })) })
      return broken[Number(id)]?.() ?? json({ notice: Number(id), version })
    }

  test('only entries whose version changed are fetched again', async () => {
    const first = await read(list, answer())
    expect(first.requests).toHaveLength(9)
    const second = await read(list, answer({}, 2), { kept: { ...first.kept, checkpoint: undefined } })
    expect(second.requests.map(({ url }) => url)).toEqual([`${base}/list`, `${base}/notice/3`])
    expect(second.kept.documents.size).toBe(9)
  })

  test.each([404, 410])(
    'a %i of one detail is a rejection, counts as delivered, and is requested again',
    async (status) => {
      const reading = await read(list, answer({ 4: () => ({ status }) }))
      expect(reading.end).toEqual({ kind: 'complete' })
      expect(reading.kept.delivered).toBe(8)
      const rejected = [...reading.kept.documents.values()].filter(({ unreadable }) => unreadable)
      expect(rejected.map(({ address, unreadable }) => [address, unreadable?.detail])).toEqual([
        [`${base}/notice/4`, `the portal lists it and answers ${status} for it`],
      ])
      const again = await read(list, answer(), { kept: { ...reading.kept, checkpoint: undefined } })
      expect(again.requests.map(({ url }) => url)).toEqual([`${base}/list`, `${base}/notice/4`])
    },
  )

  test('one that fails does not stop the others and is named at the end; three in succession end the reading', async () => {
    const fails = () => {
      throw new Retryable('500')
    }
    const reading = await read(list, answer({ 2: fails, 6: fails }))
    expect(reading.end).toEqual({
      kind: 'short',
      missing: `${base}/notice/2 could not be read: 500; ${base}/notice/6 could not be read: 500`,
    })
    expect(reading.kept.documents.size).toBe(6)
    expect(await readError(list, answer({ 2: fails, 3: fails, 4: fails }))).toBeInstanceOf(Retryable)
  })

  test('a refusal of a detail ends the reading; the next one continues after the detail if it is refused again', async () => {
    const kept = nothingKept()
    const script = answer({ 5: () => ({ body: '<!doctype html><title>challenge</title>' }) })
    await expect(read(list, script, { kept })).rejects.toBeInstanceOf(Refused)
    expect(kept.documents.size).toBe(5)
    const second = await read(list, script, { kept })
    expect(second.requests.map(({ url }) => /\d*$/.exec(url)![0])).toEqual(['', '5', '6', '7'])
    expect(second.end).toMatchObject({ kind: 'short' })
    expect(kept.documents.size).toBe(7)
  })

  const isCut = (bytes: Uint8Array) => (bytes.at(-1) === 0x7d ? undefined : 'it is cut')
  const cut = () => ({ body: '{"notice":4,' })

  test('a truncated one is requested again; after three times it counts as truncated on the portal', async () => {
    const options = { kept: nothingKept(), unreadableBecause: isCut }
    const first = await read(list, answer({ 2: cut, 4: cut }), options)
    expect(first.end).toMatchObject({ kind: 'short', missing: expect.stringContaining('/notice/4 came unreadable') })
    const asked: string[][] = []
    for (let turn = 0; turn < 3; turn++) {
      options.kept.checkpoint = undefined
      const next = await read(list, answer({ 4: cut }), options)
      asked.push(next.requests.map(({ url }) => url.slice(base.length)))
      if (turn > 0) expect(next.end).toEqual({ kind: 'complete' })
    }
    expect(asked).toEqual([['/list', '/notice/2', '/notice/4'], ['/list', '/notice/4'], ['/list']])
  })

  test('details that could not be read are requested at the next readings, as a feed never repeats its entries', async () => {
    const feed: Delivery = {
      kind: 'link-next',
      request: { url: `${base}/feed?o=0` },
      entries: at,
      next: '/next',
      detail: list.detail!,
    }
    const page = (broken: Parameters<typeof answer>[0]): Script => {
      const detail = answer(broken)
      return (request, url) => {
        if (!url.pathname.endsWith('/feed')) return detail(request, url)
        const from = Number(url.searchParams.get('o'))
        return json({ items: numbers(from, Math.min(from + 4, 8)), next: `${base}/feed?o=${Math.min(8, from + 4)}` })
      }
    }
    const options = { kept: nothingKept(), slot: { key: 'feed' }, unreadableBecause: isCut }
    const fails = () => {
      throw new Retryable('500')
    }
    const gone = () => ({ status: 404 })
    const first = await readSlot(fetchOf(feed), page({ 1: fails, 4: cut, 6: gone }), options)
    expect(first.end).toMatchObject({ kind: 'short' })
    const second = await readSlot(fetchOf(feed), page({ 1: fails }), options)
    expect(second.requests.map(({ url }) => url.slice(base.length))).toEqual([
      '/notice/1',
      '/notice/4',
      '/notice/6',
      '/feed?o=8',
    ])
    const third = await readSlot(fetchOf(feed), page({}), options)
    expect(third.requests.map(({ url }) => url.slice(base.length))).toEqual(['/notice/1', '/feed?o=8'])
    const fourth = await readSlot(fetchOf(feed), page({}), options)
    expect(fourth.requests.map(({ url }) => url.slice(base.length))).toEqual(['/feed?o=8'])
    const read = [...options.kept.documents.keys()].filter((text) => text.includes('version'))
    expect(read).toHaveLength(8)
  })

  test('a damaged detail is a rejection and requested again; an error in its place does not count as the detail', async () => {
    const delivery: Delivery = { ...list, detail: { ...list.detail!, entries: { format: 'json', at: '/releases' } } }
    const reading = await read(delivery, (request, url) => {
      if (url.pathname.endsWith('/list')) return answer()(request, url)
      const id = Number(/\d+$/.exec(url.pathname)![0])
      if (id === 1) return { body: '{"releases":[{"ocid":1},{"ocid' }
      return json(id === 2 ? { status: 500 } : { releases: [{ ocid: id }, { ocid: id + 100 }] })
    })
    expect(reading.end).toMatchObject({ kind: 'short' })
    expect(
      [...reading.kept.documents.values()]
        .filter(({ unreadable }) => unreadable)
        .map(({ unreadable }) => unreadable!.reason),
    ).toEqual(['malformed'])
    expect(reading.kept.documents.size).toBe(2 * 6 + 2)
    expect(reading.kept.items.size).toBe(6)
  })

  test('entry and detail become one document, even if their IDs are written differently', async () => {
    const joined = await read(
      {
        ...list,
        detail: { request: { url: '/n/{id}' }, id: '/ocid', replace: { what: '/', by: '_' }, withEntry: true },
      },
      (_, url) =>
        url.pathname === '/n/ocds-1_2' ? { body: '\ufeff{"d": 1}' } : { body: '{"items":[ {"ocid" : "ocds-1/2"} ]}' },
    )
    expect(textsOf(joined)).toEqual(['{"entry":{"ocid" : "ocds-1/2"},"detail":{"d": 1}}'])
  })
})

describe('files', () => {
  const dump = (entries: Delivery & { kind: 'single' } extends { entries: infer E } ? E : never): Delivery => ({
    kind: 'single',
    request: { url: `${base}/dump` },
    entries,
  })

  test('a truncated archive is short and its earlier members are valid; a broken network is distinguished', async () => {
    const archive = pack()
    for (let index = 0; index < 400; index++)
      archive.entry({ name: `${index}.json` }, JSON.stringify({ index, pad: String(index * 7919).repeat(200) }))
    archive.finalize()
    const chunks: Uint8Array[] = []
    for await (const chunk of archive as AsyncIterable<Uint8Array>) chunks.push(chunk)
    const whole = gzipSync(Buffer.concat(chunks))
    const reading = await read(dump({ format: 'archive' }), () => ({ body: whole.subarray(0, whole.length / 2) }))
    expect(reading.end).toMatchObject({ kind: 'short' })
    const read1 = [...reading.kept.documents.values()]
    expect(read1.filter(({ unreadable }) => !unreadable).length).toBeGreaterThan(50)
    expect(read1.filter(({ unreadable }) => unreadable).map(({ unreadable }) => unreadable!.reason)).toContain(
      'malformed',
    )
    // Half of it is stored without a version, so that it is requested again completely.
    expect(reading.kept.items.size).toBe(0)
    const broken = await readError(dump({ format: 'archive' }), () => ({ body: whole, breaksAfter: whole.length / 2 }))
    expect(broken).toBeInstanceOf(Retryable)
    expect((broken as Error).message).toBe('the connection broke')
  })

  test('members of a zip come from its directory, nested ones too; the extra files of a Mac are ignored', async () => {
    const tar = await writeTarGz([{ name: 'b.json', bytes: Buffer.from('{"items":[{"b":1},{"b":2}]}') }])
    const zip = writeZip([
      { name: '__MACOSX/._a.json', bytes: Buffer.from('x') },
      { name: 'a.json', bytes: Buffer.from('{"items":[{"a":1}]}') },
      { name: 'readme.txt', bytes: Buffer.from('no') },
      { name: 'nested.tar.gz', bytes: tar },
      { name: 'broken.json', bytes: Buffer.from('{"items":[{"c":1},{"c"') },
    ])
    const reading = await read(dump({ format: 'archive', members: /\.json$/, inside: at }), () => ({ body: zip }))
    expect(textsOf(reading).filter((text) => !text.includes('items'))).toEqual([
      '{"a":1}',
      '{"b":1}',
      '{"b":2}',
      '{"c":1}',
    ])
    expect(reading.end).toEqual({
      kind: 'short',
      missing: expect.stringContaining('dump!broken.json is damaged') as string,
    })
    expect(readdirSync(scratchFolder)).toEqual([])
  })

  test('an answer that nobody continues to read is closed', async () => {
    const body = `[${numbers(0, 5000)
      .map((entry) => JSON.stringify(entry))
      .join(',')}]`
    for (const delivery of [
      dump({ format: 'json', at: '' }),
      dump({ format: 'archive', inside: { format: 'json', at: '' } }),
    ]) {
      let closed = 0
      const script: Script = () => ({
        body: delivery.kind === 'single' && delivery.entries.format === 'archive' ? gzipSync(body) : body,
        onClosed: () => closed++,
      })
      const reading = await read(delivery, script, { killedAtStep: 3 })
      expect([reading.end, closed]).toEqual(['killed', 1])
    }
  })

  test('every row of a CSV is delivered with its header, quoted line breaks included', async () => {
    const body = Buffer.from('id;title\r\n1;"a ""b""\r\nc; d"\r\n\r\n2;5" pipe\n3;Straße')
    const reading = await read(dump({ format: 'csv', delimiter: ';' }), () => ({ body }))
    expect(textsOf(reading)).toEqual(['id;title\n1;"a ""b""\r\nc; d"', 'id;title\n2;5" pipe', 'id;title\n3;Straße'])
  })

  test.each([';', ','])('of several delimiters a CSV has the one in its header line: %s', async (sign) => {
    const body = `id${sign}title\n1${sign}"a${sign}\nb"\n2${sign}c`
    const reading = await read(dump({ format: 'csv', delimiter: [';', ','] }), () => ({ body }))
    expect(textsOf(reading)).toEqual([`id${sign}title\n1${sign}"a${sign}\nb"`, `id${sign}title\n2${sign}c`])
  })

  test('an Atom feed is walked by rel=next, and every entry keeps its namespaces', async () => {
    const feed = (page: number) =>
      `<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xmlns:cbc="urn:cbc"><link href="/x?page=0" rel="self"/>${
        page < 2 ? `<link href="${base}/atom?page=${page + 1}&amp;a=1" rel="next"/>` : ''
      }<entry><id>${page}a</id><cbc:ID><![CDATA[<entry>]]></cbc:ID><!-- </entry> --></entry><entry xmlns:p="u"><p:x y=">"/></entry></feed>`
    const delivery: Delivery = {
      kind: 'link-next',
      request: { url: `${base}/atom?page=0` },
      entries: { format: 'xml', element: 'entry', root: 'feed' },
      next: 'link[next]',
    }
    const reading = await read(delivery, (_, url) => ({ body: feed(number(url, 'page')) }))
    expect(reading.requests).toHaveLength(3)
    expect(textsOf(reading)).toHaveLength(4)
    expect(textsOf(reading)).toContain(
      '<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom" xmlns:cbc="urn:cbc">' +
        '<entry><id>0a</id><cbc:ID><![CDATA[<entry>]]></cbc:ID><!-- </entry> --></entry></feed>',
    )
  })

  test('the total and the entries of XML are found by their names', async () => {
    const delivery: Delivery = {
      kind: 'page',
      request: { url: `${base}/x?pageNo={page}` },
      entries: { format: 'xml', element: 'item' },
      total: 'totalCount',
      firstPage: 1,
      pageSize: 2,
      end: { when: 'total' },
    }
    const reading = await read(delivery, (_, url) => {
      const items = numbers(0, 5).slice(number(url, 'pageNo') * 2 - 2, number(url, 'pageNo') * 2)
      return {
        body:
          '<response><header/><body>' +
          `<items>${items.map(({ id }) => `<item><n>${id}</n></item>`).join('')}</items>` +
          '<totalCount>5</totalCount></body></response>',
      }
    })
    expect(reading.end).toEqual({ kind: 'complete' })
    expect(reading.kept.announced).toBe(5)
    expect(textsOf(reading)[0]).toBe('<response><item><n>0</n></item></response>')
  })

  test('files of an index without versions are requested with their ETag, and again if they have none', async () => {
    const delivery: Delivery = {
      kind: 'index',
      index: { url: `${base}/index` },
      entries: { format: 'json', at: '/files' },
      files: { format: 'json-lines' },
    }
    let second = false
    const script: Script = (request, url) => {
      if (url.pathname.endsWith('/index')) return json({ files: ['/tagged', '/plain'] })
      if (url.pathname === '/plain') return { body: second ? '{"a":1}\n{"a":2}\n' : '{"a":1}\n' }
      return request.ifChangedFrom === 'tag' ? { status: 304 } : { body: '{"b":1}\n', version: 'tag' }
    }
    const first = await read(delivery, script)
    expect(first.end).toEqual({ kind: 'complete' })
    second = true
    const again = await read(delivery, script, { kept: { ...first.kept, checkpoint: undefined } })
    expect(textsOf(again)).toEqual(['{"a":1}', '{"a":2}', '{"b":1}'])
    expect(again.requests.map(({ ifChangedFrom }) => ifChangedFrom)).toEqual([undefined, 'tag', undefined])
  })
})

describe('contradictory cards', () => {
  const single = (url: string): Delivery => ({ kind: 'single', request: { url }, entries: at })
  test.each([
    ['an unknown placeholder', single(`${base}/x?p={pgae}`), /unknown placeholder \{pgae\}/],
    ['a placeholder of another way of paging', single(`${base}/x?p={page}`), /unknown placeholder \{page\}/],
    ['a pattern where no date is', { ...pages, request: { url: `${base}/x?p={page:yyyy}` } }, /for dates only/],
    ['links that nothing follows', { ...pages, entries: { format: 'html', link: /x/g } }, /nothing follows/],
    ['a cap without dates', { ...pages, most: 10 }, /no dates/],
    ['no host', single('/x'), /no address/],
    [
      'an unknown placeholder of a detail',
      { ...pages, detail: { request: { url: `${base}/{ident}` }, id: '/id' } },
      /unknown placeholder/,
    ],
  ] as const)('%s throws when the fetch is made', (_, delivery, message) => {
    expect(() => fetchOf(delivery as Delivery)).toThrow(message)
  })
})

describe('details that are joined to their entry', () => {
  const joined: Delivery = {
    kind: 'single',
    request: { url: `${base}/list` },
    entries: at,
    detail: { request: { url: `${base}/one/{id}` }, id: '/id', withEntry: true },
  }

  test('an error with status 200 is not a detail: the detail is requested again', async () => {
    const kept = nothingKept()
    let isBroken = true
    const script: Script = (_, url) =>
      url.pathname.endsWith('/list')
        ? json({ items: [{ id: 1 }] })
        : json(isBroken ? { status: 500, detail: 'Internal error' } : { title: 'x', status: 'open' })
    expect((await read(joined, script, { kept })).end).toMatchObject({ kind: 'short' })
    isBroken = false
    kept.checkpoint = undefined
    const reading = await read(joined, script, { kept })
    expect(reading.end).toEqual({ kind: 'complete' })
    expect(textsOf(reading)).toContain('{"entry":{"id":1},"detail":{"title":"x","status":"open"}}')
  })
})

test('an XML detail is followed by the ID that only the list has, and what is no plain ID is left out', async () => {
  const listed: Delivery = {
    kind: 'single',
    request: { url: `${base}/list` },
    entries: at,
    detail: { request: { url: `${base}/one/{id}` }, id: '/id', withId: true },
  }
  const script: Script = (_, url) =>
    url.pathname.endsWith('/list')
      ? json({ items: [{ id: '2024-7' }, { id: 'a?>b' }] })
      : { body: `<a>${url.pathname.length}</a>` }
  const reading = await read(listed, script)
  expect(textsOf(reading)).toEqual(['<a>15</a>\n<?listed-as 2024-7?>', '<a>17</a>'])
})

describe('pages of links', () => {
  const links: Delivery = {
    kind: 'index',
    index: { url: `${base}/files` },
    entries: { format: 'html', link: /href="([^"]+\.json)"/g },
    files: { format: 'document' },
  }
  const whole = { slot: { key: 'whole' } }

  test('a maintenance page in place of a page of links is a refusal, never an empty list', async () => {
    const script: Script = () => ({ body: '<html><body>The portal is down.</body></html>' })
    expect(await readError(links, script, whole)).toBeInstanceOf(Refused)
  })

  test('a page with links is read', async () => {
    const script: Script = (_, url) =>
      url.pathname.endsWith('/files') ? { body: '<html><a href="a.json">a</a></html>' } : json({ id: 1 })
    expect(textsOf(await read(links, script, whole))).toEqual(['{"id":1}'])
  })
})
