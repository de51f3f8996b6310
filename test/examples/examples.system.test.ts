// Every example is run as its README says, against a real API over several editions, and its copy is compared with the
// edition.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Sink } from '../../client/src/sync/sink.ts'
import { type SeenRecord, sinkConformance } from '../../client/src/testing/sink-conformance.ts'
import type { TenderRecord } from '../../client/src/types.ts'
import { type ApiWorld, startApi } from '../api-world.ts'
import { startHubspot } from '../imitations/hubspot.ts'
import { contentById, editionContent, publishNext, type Row } from '../integrations/stock-world.ts'
import { randomOf } from '../testing/generate/random.ts'
import { parseCsv } from './parse-csv.ts'
import { newFolder, runExample, runSync } from './run-example.ts'

const databaseUrl = process.env.TEST_DATABASE_URL
if (!databaseUrl) console.log('skipped: the PostgreSQL example (no TEST_DATABASE_URL)')

const example = (path: string): string => readFileSync(new URL(`../../examples/${path}`, import.meta.url), 'utf8')

/** A copy whose first run delivered open records: all open records, and of the archived ones those that it once had. */
async function expectEqual(world: ApiWorld, rows: readonly Row[]): Promise<void> {
  const edition = await editionContent(world)
  const copy = contentById(rows)
  const expected = [...edition].filter(([id, record]) => !('archiveReason' in (record as Row)) || copy.has(id))
  expect(copy).toEqual(new Map(expected))
}

describe('node-script', () => {
  const program = 'examples/node-script/sync.mjs'

  test.each([1, 2])('keeps its file equal to the edition (seed %i)', async (seed) => {
    await using world = await startApi()
    const random = randomOf(seed)
    const file = join(newFolder(), 'tenders.json')
    for (let edition = 1; edition <= 5; edition++) {
      publishNext(world, random, 150)
      const { code, output, errors } = await runExample(world, program, [file])
      expect(code, errors).toBe(0)
      expect(output).toContain(edition === 1 ? 'first run' : 'delta run')
      await expectEqual(world, JSON.parse(readFileSync(file, 'utf8')).records)
    }
  })

  test('ends with 4 and leaves the file as it was when the token is wrong', async () => {
    await using world = await startApi()
    publishNext(world, randomOf(3))
    const file = join(newFolder(), 'tenders.json')
    await runExample(world, program, [file])
    const before = readFileSync(file, 'utf8')
    const refused = await runExample({ ...world, token: 'wrong' }, program, [file])
    expect(refused.code).toBe(4)
    expect(refused.errors).toContain('401')
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  describe('its target meets the requirements of every sink', async () => {
    const { jsonFileSink } = (await import('../../examples/node-script/json-file-sink.mjs' as string)) as {
      jsonFileSink: (file: string) => Sink
    }
    const cases = sinkConformance(async () => {
      const file = join(newFolder(), 'tenders.json')
      const read = (): readonly TenderRecord[] => {
        try {
          return JSON.parse(readFileSync(file, 'utf8')).records
        } catch {
          return []
        }
      }
      const seenOf = (record: TenderRecord): SeenRecord => ({
        state: record.archiveReason === undefined ? 'open' : record.archiveReason === 'merged' ? 'merged' : 'closed',
        lastModified: record.lastModified,
        title: record.title,
        record,
        ...(record.mergedInto !== undefined && { mergedInto: record.mergedInto }),
      })
      return {
        open: async () => jsonFileSink(file),
        seen: async () => new Map(read().map((record) => [record.id, seenOf(record)])),
        close: async () => {},
      }
    })
    // It has no pages to continue from (commitsPages: false), so no run of it is ever resumed.
    for (const { name, run } of cases) if (!name.startsWith('to resume')) test(name, run)
  })
})

/** Publishes five editions and syncs after each. */
async function syncThroughEditions(
  world: ApiWorld,
  seed: number,
  sync: () => ReturnType<typeof runSync>,
  afterEach: () => Promise<void>,
): Promise<void> {
  const random = randomOf(seed)
  for (let edition = 1; edition <= 4; edition++) {
    publishNext(world, random, 120)
    const { code, errors } = await sync()
    expect(code, errors).toBe(0)
    await afterEach()
  }
}

describe('powerbi-excel', () => {
  test('the Parquet file loads, with typed columns and the whole record, and equals the edition', async () => {
    await using world = await startApi()
    const file = join(newFolder(), 'tenders.parquet')
    await syncThroughEditions(
      world,
      5,
      () => runSync(world, [`parquet:${file}`]),
      async () => {
        const rows = await parquetReadObjects({ file: await asyncBufferFromFile(file) })
        await expectEqual(
          world,
          rows.map(({ record }) => JSON.parse(String(record))),
        )
        for (const row of rows) {
          const { contractAmount, submissionDate } = JSON.parse(String(row.record)) as TenderRecord
          expect(row.contract_value ?? null).toBe(contractAmount?.value ?? null)
          expect(row.submission_date instanceof Date ? row.submission_date.toISOString() : undefined).toBe(
            submissionDate,
          )
        }
        for (const column of ['archive_reason', 'record', 'main_cpv']) expect(Object.keys(rows[0]!)).toContain(column)
      },
    )
  })

  test('the CSV file loads, quotes and line breaks included, and its rows are those of the edition', async () => {
    await using world = await startApi()
    const folder = newFolder()
    const file = join(folder, 'tenders.csv')
    const lots = join(folder, 'lots.csv')
    await syncThroughEditions(
      world,
      6,
      () => runSync(world, [`csv:${file}`, '--option', `lots=${lots}`]),
      async () => {
        const rows = parseCsv(readFileSync(file, 'utf8'))
        const edition = (await editionContent(world)) as Map<string, TenderRecord>
        const open = [...edition.values()].filter(({ archiveReason }) => archiveReason === undefined)
        expect(rows.filter(({ archive_reason: reason }) => reason === '')).toHaveLength(open.length)
        for (const row of rows) {
          const record = edition.get(row.id!)!
          expect(row.title).toBe(record.title)
          expect(row.last_modified).toBe(record.lastModified)
          expect(row.archive_reason).toBe(record.archiveReason ?? '')
          expect(row.main_cpv).toBe(record.cpvCodes[0] ?? '')
          expect(row.contract_value).toBe(record.contractAmount ? String(record.contractAmount.value) : '')
        }
        expect(parseCsv(readFileSync(lots, 'utf8'))).toEqual([])
      },
    )
  })

  test('the queries name only columns that exist in the files', async () => {
    await using world = await startApi()
    publishNext(world, randomOf(7))
    const folder = newFolder()
    await runSync(world, [`csv:${join(folder, 'tenders.csv')}`])
    await runSync(world, [`parquet:${join(folder, 'tenders.parquet')}`])
    const [csv] = parseCsv(readFileSync(join(folder, 'tenders.csv'), 'utf8'))
    const [parquet] = await parquetReadObjects({ file: await asyncBufferFromFile(join(folder, 'tenders.parquet')) })
    const named = (text: string) => [...text.matchAll(/[["{]"?([a-z]+(?:_[a-z]+)+)["\]]/g)].map(([, name]) => name!)
    expect(named(example('powerbi-excel/excel.pq')).length).toBeGreaterThan(8)
    for (const name of named(example('powerbi-excel/excel.pq'))) expect(csv).toHaveProperty(name)
    for (const name of named(example('powerbi-excel/power-bi.pq'))) expect(parquet).toHaveProperty(name)
  })
})

describe('hubspot', () => {
  type Mapping = {
    readonly upsert: { readonly item: { readonly idProperty: string } }
    readonly fields: { to: string }[]
  }

  test('the listed properties are those that the mapping writes', () => {
    const { inputs } = JSON.parse(example('hubspot/properties.json')) as {
      inputs: { name: string; hasUniqueValue?: boolean }[]
    }
    const { upsert, fields } = JSON.parse(example('hubspot/mapping.json')) as Mapping
    const own = fields.map(({ to }) => to).filter((name) => name.startsWith('tenderstock_'))
    expect(new Set(inputs.map(({ name }) => name))).toEqual(new Set([upsert.item.idProperty, ...own]))
    expect(inputs.filter(({ hasUniqueValue }) => hasUniqueValue).map(({ name }) => name)).toEqual(['tenderstock_id'])
  })

  test('deals follow works tenders through four editions, and values set by people are kept', async () => {
    await using world = await startApi()
    await using crm = await startHubspot()
    const folder = newFolder()
    const environment = { HUBSPOT_URL: crm.origin, HUBSPOT_TOKEN: crm.token }
    const mapping = join(import.meta.dirname, '../../examples/hubspot/mapping.json')
    const options = ['--option', `log=${join(folder, 'deals.ndjson')}`, '--state', join(folder, 'state')]
    await syncThroughEditions(
      world,
      8,
      () => runSync(world, [`http:${mapping}`, '--filter', 'cpv=45000000', ...options], environment),
      async () => {
        const works = (await editionContent(world, '&cpv=45000000')) as Map<string, TenderRecord>
        const deals = new Map([...crm.deals.values()].map(({ properties }) => [properties.tenderstock_id!, properties]))
        for (const record of works.values()) {
          const deal = deals.get(record.id)
          if (record.archiveReason === undefined) expect(deal).toBeDefined()
          if (!deal) continue
          expect(deal.dealname).toBe(record.title)
          expect(deal.tenderstock_last_modified).toBe(record.lastModified)
          const state = record.archiveReason === 'merged' ? 'merged' : record.archiveReason ? 'closed' : 'open'
          expect(deal.tenderstock_state).toBe(state)
          expect(['appointmentscheduled', 'qualifiedtobuy']).toContain(deal.dealstage)
          deal.dealstage = 'qualifiedtobuy'
        }
        expect(deals.size).toBeGreaterThan(0)
      },
    )
    expect(
      [...crm.deals.values()].filter(({ properties }) => properties.dealstage === 'qualifiedtobuy').length,
    ).toBeGreaterThan(0)
    expect(crm.violations).toEqual([])
    expect(readFileSync(join(folder, 'deals.ndjson'), 'utf8')).toContain('update')
  })
})

describe.skipIf(!databaseUrl)('postgres', () => {
  test('the copy equals the edition, and every question of queries.sql has its answer', async () => {
    await using world = await startApi()
    const schema = 'example_tenders'
    const database = new pg.Client({ connectionString: databaseUrl! })
    await database.connect()
    onTestFinished(async () => {
      await database.query(`drop schema if exists ${schema} cascade`)
      await database.end()
    })
    await database.query(`drop schema if exists ${schema} cascade`)
    const url = new URL(databaseUrl!)
    const password = decodeURIComponent(url.password)
    url.password = ''
    const variables = password === '' ? {} : { PGPASSWORD: password }
    const state = ['--state', newFolder()]
    await syncThroughEditions(
      world,
      9,
      () => runSync(world, [`postgres:${url}`, '--option', `schema=${schema}`, ...state], variables),
      async () => {
        const { rows } = await database.query<{ record: Row }>(`select record from ${schema}.tender`)
        await expectEqual(
          world,
          rows.map(({ record }) => record),
        )
      },
    )
    await database.query(`set search_path to ${schema}`)
    const statements = example('postgres/queries.sql')
      .replaceAll(/^--.*$/gm, '')
      .split(';')
      .map((statement) => statement.trim())
      .filter((statement) => statement !== '')
    expect(statements.length).toBeGreaterThanOrEqual(9)
    const answers = new Map<string, { readonly [column: string]: unknown }[]>()
    for (const statement of statements) answers.set(statement, (await database.query(statement)).rows)
    const answerTo = (part: string) => [...answers].find(([statement]) => statement.includes(part))![1]
    const ids = async (filters: string) =>
      [...((await editionContent(world, filters)) as Map<string, TenderRecord>).values()]
        .filter(({ archiveReason }) => archiveReason === undefined)
        .map(({ id }) => id)
        .sort()
    expect(answerTo("like '4521%'").map(({ id }) => id)).toEqual(await ids('&cpv=45210000'))
    expect(answerTo("like 'DE2%'").map(({ id }) => id)).toEqual(await ids('&nuts=DE2'))
    expect(answerTo('tender_survivor').length).toBeGreaterThan(0)
    expect(Number(answerTo('all_records')[0]!.open)).toBe((await ids('')).length)
    for (const part of ['as division', 'open_tenders', "interval '1 day'"])
      expect(answerTo(part).length, part).toBeGreaterThan(0)
  })
})
