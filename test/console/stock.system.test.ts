// The stock in charts: each figure equals what the list of the edition, its filters and the tables give in another way.
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import type { TenderFilter } from '../../src/domain/filter.ts'
import type { Notice } from '../../src/domain/notice.ts'
import type { TenderContent } from '../../src/domain/tender.ts'
import { dayMs, hourMs, minuteMs, toInstant } from '../../src/domain/time.ts'
import { inTransaction } from '../../src/store/database/database.ts'
import { getOrCreateSetting } from '../../src/store/database/settings.ts'
import { insertDocuments, insertNotices, packDocument } from '../../src/store/received/documents.ts'
import { drawnEngines, type TestStore } from '../world.ts'
import { type ConsoleWorld, openConsoleWorld, startOfConsole } from './console-world.ts'
import { putTenders } from './put-tenders.ts'

const opened: ConsoleWorld[] = []
afterEach(async () => {
  for (const world of opened.splice(0)) {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  }
})

const publishers = ['ted', 'doe', 'fr-boamp', 'doffin']
const codes = ['45233141', '45000000', '72000000', '90620000', '33100000', '99999999']
const idOf = (number: number) => `${String(number).padStart(8, '0')}-7d3e-8b64-9a10-5c2e7f4b9d31`

const amountOf = (number: number): TenderContent['contractAmount'] => {
  if (number % 5 === 0) return { value: 1000 * number, currency: 'EUR', estimated: false }
  if (number % 8 !== 0) return null
  return { value: 4000, currency: 'EUR', estimated: true, low: 2000, high: 2000 * (number % 16 === 0 ? 6 : 8) }
}

/** Tender `number`: its week, portals and codes follow from the number in different ways. */
function contentOf(number: number, mergedInto?: string): TenderContent {
  const age = ((number * 37) % 220) * dayMs + number * minuteMs
  const cpvOf = (step: number) =>
    number % step === 0 ? [] : [codes[number % codes.length]!, codes[(number * step) % codes.length]!]
  return {
    id: idOf(number),
    title: 'Made up',
    status: 'open',
    contractAmount: amountOf(number),
    ...(number % 9 !== 0 && { contractingAuthority: { name: 'Made up', country: number % 2 === 0 ? 'DE' : 'GR' } }),
    nutsCodes: [],
    cpvCodes: cpvOf(7),
    lots: number % 3 === 0 ? [{ lotId: 'LOT-1', status: 'open', cpvCodes: cpvOf(4), nutsCodes: [] }] : [],
    ...(number % 11 !== 0 && { publicationDate: toInstant(startOfConsole - age) }),
    originalSources: [number % 4, number % 3].map((index) => ({
      publisher: publishers[index]!,
      format: 'eforms' as const,
      formType: 'competition',
      noticeType: 'cn-standard',
    })),
    ...(mergedInto !== undefined && { archiveReason: 'merged' as const, mergedInto }),
  } as TenderContent
}

const plain = (markup: string) =>
  markup
    .replace(/<[^>]*>/g, '')
    .replaceAll('&amp;', '&')
    .trim()
/** The table with this caption: its rows without the head. */
const tableOf = (page: string, caption: string): string[][] => {
  const table = page.split('<table').find((each) => each.includes(`>${caption}</caption>`))!
  const body = /<tbody>(.*?)<\/tbody>/s.exec(table)![1]!
  return [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
    [...row!.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => plain(cell!)),
  )
}
const numbersOf = (page: string, caption: string) =>
  new Map(tableOf(page, caption).map(([name, count]) => [name!, Number(count!.replaceAll(',', ''))]))
const day = (at: number) =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(at)

describe.each(drawnEngines)('the stock in charts (%s)', (engine) => {
  async function open() {
    const world = await openConsoleWorld(engine)
    opened.push(world)
    const read = async (language = 'en') => {
      const answer = await world.get('/stock', undefined, { 'accept-language': language })
      expect(answer.status).toBe(200)
      return answer.text()
    }
    const counted = async (edition: number) => {
      await expect.poll(() => read(), { timeout: 20_000 }).toContain(`Edition ${edition} of`)
      return read()
    }
    return { ...world, read, counted }
  }

  test('says so while no edition exists', async () => {
    const { read } = await open()
    expect(await read()).toContain('There is no edition yet.')
    expect(await read('de')).toContain('Es gibt noch keine Ausgabe.')
  })

  test('shows tenders by week, portal and division as the list has them', async () => {
    const { store, editions, publish, wait, counted, waits, read } = await open()
    const numbers = Array.from({ length: 240 }, (_, index) => index + 1)
    await putTenders(
      store,
      numbers.map((number) => contentOf(number)),
    )
    await publish()
    await counted(1)
    wait(hourMs)
    await putTenders(
      store,
      [1, 2, 3, 4, 5, 6].map((number) => contentOf(number, idOf(number + 100))),
    )
    await publish()
    const page = await counted(2)
    expect(page).toContain('234 tenders; 6 merged records do not count')

    const tenders = (filter: TenderFilter) =>
      editions
        .list({ filter, edition: 2, limit: 1000 })
        .positions.filter((position) => editions.meta(position).mergedInto === undefined).length
    const weeks = numbersOf(page, 'Tenders by week')
    const monday = Date.UTC(2026, 10, 23)
    const since = (from: number) => tenders({ archived: true, publishedSince: from })
    let shown = 0
    for (let back = 0; back < 26; back++) {
      const from = monday - back * 7 * dayMs
      const name = back === 0 ? `${day(from)} (so far)` : day(from)
      expect([name, weeks.get(name)]).toEqual([name, since(from) - since(from + 7 * dayMs)])
      shown += weeks.get(name)!
    }
    expect(weeks.size).toBe(27)
    expect(weeks.get('Other weeks, or no date')).toBe(234 - shown)
    expect(shown).toBeGreaterThan(100)
    // the bars say what the table says
    const bars = [...page.matchAll(/<rect x=[^>]*><title>([^<]*): ([\d,]+)<\/title>/g)].map(([, name, count]) => [
      name!,
      Number(count),
    ])
    expect(bars.toReversed()).toEqual([...weeks].slice(0, 26))

    const { rows } = await sql<{ publisher: string; tenders: number }>`
      select s.publisher, count(distinct e.tender_id)::integer as tenders
      from edition_entry e
      join published_tender p on p.tender_id = e.tender_id and p.last_modified = e.last_modified,
        json_to_recordset(e.body::json -> 'originalSources') as s(publisher text)
      where p.archive_reason is null group by s.publisher`.execute(store.db)
    const names: { readonly [publisher: string]: string } = {
      ted: 'TED (Tenders Electronic Daily)',
      doe: 'Datenservice Öffentlicher Einkauf (Bekanntmachungsservice)',
      'fr-boamp': 'BOAMP',
      doffin: 'Doffin',
    }
    expect(numbersOf(page, 'Tenders by portal')).toEqual(
      new Map(rows.map(({ publisher, tenders }) => [names[publisher]!, tenders])),
    )

    const divisions = [...numbersOf(page, 'Tenders by CPV division')]
    const withoutCode = divisions.pop()
    expect(divisions.map(([name]) => name.slice(0, 2)).sort()).toEqual(['33', '45', '72', '90', '99'])
    expect(divisions.map(([, count]) => count)).toEqual(
      divisions.map(([name]) => tenders({ archived: true, cpv: [`${name.slice(0, 2)}000000`] })),
    )
    const all = divisions.map(([name]) => `${name.slice(0, 2)}000000`)
    expect(withoutCode).toEqual(['Without a code', 234 - tenders({ archived: true, cpv: all })])
    expect(divisions.map(([name]) => name)).toContain('45 Construction work')
    expect(divisions.map(([name]) => name)).toContain('99 not a CPV division')

    const values = tableOf(page, 'Tenders without a published value, by country')
    expect(values.map(([name]) => name).toSorted()).toEqual(['Country unknown', 'Germany', 'Greece'])
    expect(values.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(234)
    const german = numbers.filter((number) => number > 6 && number % 2 === 0 && number % 9 !== 0)
    const without = german.filter((number) => number % 5 !== 0)
    const estimated = without.filter((number) => number % 8 === 0)
    expect(values.find(([name]) => name === 'Germany')).toEqual([
      'Germany',
      ...[german, without, estimated].map(({ length }) => String(length)),
      '× 6',
    ])
    expect(page).toContain(`${estimated.length} of ${without.length}`)

    // the database is queried once for each edition
    waits()
    await read('de')
    expect(waits()).toEqual({ waits: 0, statements: 0 })
  })

  test('names a portal by its source where records have only its prefix', async () => {
    const { store, publish, counted } = await open()
    const from = (number: number, publisher: string) => {
      const [source] = contentOf(number).originalSources
      return { ...contentOf(number), originalSources: [{ ...source!, publisher }] }
    }
    await putTenders(store, [from(1, 'ocds-smp0uk'), from(2, 'ocds-smp0uk'), from(3, 'ocds-unread'), from(4, 'ted')])
    const at = { publishedAt: startOfConsole, receivedAt: startOfConsole }
    await putNotice(store, { sourceId: 'gb-find-a-tender', publisher: 'ocds-smp0uk', ...at })
    await putNotice(store, { sourceId: 'gb-contracts-finder', publisher: 'ocds-smp0rc', ...at })
    await publish()
    expect([...numbersOf(await counted(1), 'Tenders by portal').keys()]).toEqual([
      'Find a Tender',
      'ocds-unread',
      'TED (Tenders Electronic Daily)',
    ])
  })

  test('shows how soon portals are read, without what was published before their first reading', async () => {
    const { store, publish, counted, wait, read } = await open()
    const start = startOfConsole - 20 * dayMs
    const delays = new Map<string, number[]>()
    for (const [index, sourceId] of ['ted', 'doe', 'fr-boamp'].entries()) {
      await getOrCreateSetting(store.db, `source-start:${sourceId}`, String(start))
      const count = [40, 7, 3][index]!
      for (let number = 0; number < count + 5; number++) {
        // the last five are of the time before
        const publishedAt = number < count ? start + number * hourMs : start - number * dayMs
        const delay = ((number * 7) % 30) * hourMs - hourMs
        if (number < count) delays.set(sourceId, [...(delays.get(sourceId) ?? []), Math.max(0, delay)])
        await putNotice(store, { sourceId, publishedAt, receivedAt: publishedAt + delay })
      }
    }
    await putTenders(store, [contentOf(1)])
    await publish()
    const page = await counted(1)
    const time = (ms: number) =>
      ms >= 2 * hourMs ? `${Math.round(ms / hourMs)} hours` : ms === 0 ? '0 minutes' : `${ms / minuteMs} minutes`
    const expected = [...delays].map(([sourceId, each]) => {
      const sorted = each.toSorted((left, right) => left - right)
      const name = {
        ted: 'TED (Tenders Electronic Daily)',
        doe: 'Datenservice Öffentlicher Einkauf (Bekanntmachungsservice)',
      }
      const at = (share: number) => time(sorted[Math.ceil(share * sorted.length) - 1]!)
      return [name[sourceId as 'ted'] ?? 'BOAMP', String(sorted.length), at(0.5), at(0.9)]
    })
    expect(tableOf(page, 'From publication to us, by portal')).toEqual(expected)
    // three notices are not meaningful: they are only in the table
    const titles = [...page.matchAll(/<title>([^<]*): half within/g)].map(([, name]) => name)
    expect(titles).toEqual(expected.slice(0, 2).map(([name]) => name))

    await putNotice(store, { sourceId: 'doe', publishedAt: startOfConsole, receivedAt: startOfConsole })
    await putTenders(store, [contentOf(2)])
    wait(hourMs)
    await publish()
    expect(tableOf(await counted(2), 'From publication to us, by portal')[1]?.[1]).toBe('8')

    // a database that others use does not delay the other pictures
    await putTenders(store, [contentOf(3)])
    wait(hourMs)
    await publish()
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = inTransaction(store, async (trx) => {
      await sql`lock table notice in access exclusive mode`.execute(trx)
      begun.resolve()
      await ended.promise
    })
    await begun.promise
    expect(await counted(3)).toContain('Unknown at the moment: the database is busy.')
    ended.resolve()
    await holding
    await expect.poll(() => read()).toContain('Nine of ten within')
  })
})

async function putNotice(
  store: TestStore,
  {
    sourceId,
    publisher = sourceId,
    publishedAt,
    receivedAt,
  }: {
    readonly sourceId: string
    readonly publisher?: string
    readonly publishedAt: number
    readonly receivedAt: number
  },
): Promise<void> {
  const noticeKey = `${publisher}:${publishedAt}`
  const bytes = Buffer.from(noticeKey)
  const documentId = createHash('sha256').update(bytes).digest('hex')
  const document = { documentId, sourceId, address: noticeKey, receivedAt, byteSize: bytes.length, parserVersion: 1 }
  await insertDocuments(store.db, [{ ...document, packed: packDocument(bytes) }])
  const notice = {
    noticeKey,
    publisher,
    format: 'eforms',
    formType: 'competition',
    noticeType: 'cn-standard',
    language: 'en',
    publicationDate: toInstant(publishedAt),
    references: [],
    lots: [],
    cpvCodes: [],
    nutsCodes: [],
  } as unknown as Notice
  await insertNotices(store.db, [{ documentId, pointer: '', sourceId, notice }])
}
