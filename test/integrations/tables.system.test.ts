// Tables and boards of integrations/tables: the SQL of dbt and Grafana on a copy in PostgreSQL, and the script of
// Google Sheets with imitations of Google's services, whose answers come from a real API.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgresSink } from '../../client/src/sinks/postgres-sink.ts'
import type { TenderRecord } from '../../client/src/types.ts'
import { tenderRecordSchema } from '../../src/domain/tender.ts'
import { type ApiWorld, startApi, startOfTests } from '../api-world.ts'
import { plainId } from '../memory-editions.ts'
import { generateTender } from '../testing/generate/stock.ts'
import { openEmptyDatabase } from '../world.ts'

const folder = join(import.meta.dirname, '../../integrations/tables')
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
const count = 600
const won = { name: 'Bau GmbH', nationalId: 'HRB 1', country: 'DE' }

let api: ApiWorld
let records: TenderRecord[]
beforeAll(async () => {
  api = await startApi()
  const stock = { seed: 5, count, now: startOfTests, size: 'small' } as const
  const tenders = Array.from({ length: count }, (_, index) => {
    const { lots, ...tender } = generateTender(stock, index)
    const awarded = { lotId: 'LOT-0001', status: 'awarded', cpvCodes: [], nutsCodes: [], winners: [won] }
    // some have a lot with one bid, some with three
    return index % 5 > 1
      ? { ...tender, lots }
      : { ...tender, lots: [{ ...awarded, receivedTenders: 1 + (index % 5) * 2 }] }
  })
  api.editions.publish(startOfTests, [...tenders, { id: plainId(1), title: '=1+1', status: 'open' }])
  records = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await api.get(`/v1/tenders?limit=100&archived=true${cursor === '' ? '' : `&cursor=${cursor}`}`)
    const { data, nextCursor } = (await page.json()) as { data: TenderRecord[]; nextCursor: string | null }
    records.push(...data)
    cursor = nextCursor
  }
})
afterAll(() => api[Symbol.asyncDispose]())

describe.skipIf(!process.env['TEST_DATABASE_URL'])('on a copy in PostgreSQL', () => {
  let database: Awaited<ReturnType<typeof openEmptyDatabase>>
  let client: pg.Client
  beforeAll(async () => {
    database = await openEmptyDatabase()
    const sink = openPostgresSink({ connectionString: database.url, schema: 'copy' })
    await sink.begin({ kind: 'first', filterHash: '', resumed: false, keepArchived: true })
    await sink.upsert(records.filter(({ mergedInto }) => mergedInto === undefined))
    await sink.commit({ schema: 1, filterHash: '' }, 'run')
    await sink.end()
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await database[Symbol.asyncDispose]()
  })
  const rowsOf = async (sql: string) => (await client.query(sql)).rows as { readonly [column: string]: unknown }[]

  test('the models of dbt have the rows of the records', async () => {
    for (const name of ['tenders', 'lots', 'winners', 'single_bids']) {
      const sql = read(`dbt/models/${name}.sql`)
        .replace(/\{\{ source\('copy', '(\w+)'\) \}\}/g, 'copy.$1')
        .replace(/\{\{ ref\('(\w+)'\) \}\}/g, 'public.$1')
      expect(sql).not.toContain('{{')
      await client.query(`create view public.${name} as ${sql}`)
    }
    const kept = records.filter(({ mergedInto }) => mergedInto === undefined)
    const lots = kept.flatMap((record) => record.lots)
    const numberOf = async (name: string) => Number((await rowsOf(`select count(*) as n from ${name}`))[0]!['n'])
    expect(await numberOf('tenders')).toBe(kept.length)
    expect(await numberOf('lots')).toBe(lots.length)
    expect(await numberOf('winners')).toBe(lots.flatMap(({ winners = [] }) => winners).length)
    const known = lots.filter(({ status, receivedTenders = 0 }) => status === 'awarded' && receivedTenders > 0)
    const bids = await rowsOf('select sum(lots)::integer as lots, sum(single_bids)::integer as single from single_bids')
    const single = known.filter(({ receivedTenders }) => receivedTenders === 1).length
    expect(single).toBeGreaterThan(10)
    expect(bids).toEqual([{ lots: known.length, single }])
  })

  test('every query of the board answers', async () => {
    const { panels } = JSON.parse(read('grafana.json')) as {
      panels: { readonly title: string; readonly targets: { readonly rawSql: string }[] }[]
    }
    expect(panels.length).toBeGreaterThan(4)
    for (const { title, targets } of panels)
      for (const { rawSql } of targets) {
        const sql = rawSql
          .replaceAll('$schema', 'copy')
          .replace(/\$__timeFilter\((\w+)\)/g, "$1 between '2000-01-01' and '2100-01-01'")
          .replaceAll('now()', `timestamptz '${new Date(startOfTests).toISOString()}'`)
        expect(sql, title).not.toContain('$')
        expect((await rowsOf(sql)).length, title).toBeGreaterThan(0)
      }
  })
})

test('the script of Sheets follows the list to its end, waits at the limit, and writes no formula', async () => {
  const source = read('sheets.gs').replace("cpv: '45000000'", '')
  const answers = new Map<string, { readonly status: number; readonly text: string }>()
  let query = 'limit=100'
  for (let isLast = false; !isLast; ) {
    const url = `https://api.example.org/v1/tenders?${query}`
    const text = await (await api.get(`/v1/tenders?${query}`)).text()
    answers.set(url, { status: 200, text })
    const { nextCursor } = JSON.parse(text) as { nextCursor: string | null }
    query = `limit=100&cursor=${encodeURIComponent(nextCursor ?? '')}`
    isLast = nextCursor === null
  }
  const slept: number[] = []
  const written: string[][] = []
  let asked = 0
  const range = { setNumberFormat: () => range, setValues: (rows: string[][]) => void written.push(...rows) }
  const sheet = { clearContents: () => undefined, getRange: () => range }
  const services = {
    PropertiesService: { getScriptProperties: () => ({ getProperty: () => api.token }) },
    SpreadsheetApp: { getActive: () => ({ getSheetByName: () => null, insertSheet: () => sheet }) },
    Utilities: { sleep: (ms: number) => void slept.push(ms) },
    UrlFetchApp: {
      fetch: (url: string, { headers }: { headers: { Authorization: string } }) => {
        expect(headers.Authorization).toBe(`Bearer ${api.token}`)
        const { status, text } = asked++ === 0 ? { status: 429, text: '' } : answers.get(url)!
        return { getResponseCode: () => status, getContentText: () => text, getHeaders: () => ({ 'Retry-After': '7' }) }
      },
    },
  }
  runInNewContext(`${source}\nloadTenders()`, services)
  const open = records.filter(({ archiveReason }) => archiveReason === undefined)
  expect(written).toHaveLength(open.length + 1)
  expect(written.map(([id]) => id).slice(1)).toEqual(open.map(({ id }) => id))
  expect(slept).toEqual([7000])
  expect(written.flat().filter((cell) => cell.startsWith('='))).toEqual([])
  expect(written.flat()).toContain("'=1+1")
})

test('Power Query names parameters and members that the API has', () => {
  const text = read('power-query.pq')
  const expanded = /\{("id"[^}]*)\}/
    .exec(text)![1]!
    .split(',')
    .map((name) => name.trim().slice(1, -1))
  expect(expanded.filter((name) => !(name in tenderRecordSchema.properties))).toEqual([])
  for (const word of ['limit = "100"', '[cursor = cursor]', '[nextCursor]', '"Retry-After"'])
    expect(text).toContain(word)
})
