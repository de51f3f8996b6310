// From a real API over HTTP into PostgreSQL and into both imitated CRMs: what happens to tenders in a stock's life
// arrives, whatever is redelivered, interrupted or killed, and the copy equals the edition.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parseMapping } from '../../client/src/sinks/crm/http-mapping.ts'
import { openHttpUpsertSink } from '../../client/src/sinks/http-upsert-sink.ts'
import { openPostgresSink } from '../../client/src/sinks/postgres-sink.ts'
import { memoryState } from '../../client/src/state/memory-state.ts'
import type { Sink, StateStore } from '../../client/src/sync/sink.ts'
import { sync } from '../../client/src/sync/sync.ts'
import { TenderClient } from '../../client/src/tender-client.ts'
import type { TenderRecord } from '../../client/src/types.ts'
import { hourMs } from '../../src/domain/time.ts'
import { type ApiWorld, startApi, startOfTests } from '../api-world.ts'
import { startHubspot } from '../imitations/hubspot.ts'
import type { LoopbackCrm } from '../imitations/loopback-crm.ts'
import { salesforceClient, startSalesforce } from '../imitations/salesforce.ts'
import { type PlainRecord, plainId } from '../memory-editions.ts'
import { randomOf } from '../testing/generate/random.ts'
import { generateTender } from '../testing/generate/stock.ts'

const connectionString = process.env.TEST_DATABASE_URL
if (!connectionString) console.log('skipped: PostgreSQL as a target (no TEST_DATABASE_URL)')

const stock = { seed: 21, count: 0, now: startOfTests, size: 'small' } as const

/** A generated tender with a readable ID; open, whatever the generator made of it. */
function tender(number: number, version = 0, change: Partial<PlainRecord> = {}): PlainRecord {
  const { archiveReason: _reason, mergedInto: _into, ...content } = generateTender(stock, number, version)
  return { ...content, id: plainId(number), status: 'open', ...change }
}
const awarded = { status: 'awarded', archiveReason: 'awarded' } as const
const cancelled = { status: 'cancelled', archiveReason: 'cancelled' } as const
const mergedInto = (number: number) =>
  ({ status: 'merged', archiveReason: 'merged', mergedInto: plainId(number) }) as const

async function crawl(api: ApiWorld): Promise<TenderRecord[]> {
  const client = new TenderClient({ baseUrl: api.origin, token: api.token })
  const found: TenderRecord[] = []
  for await (const page of client.pages({ archived: true, limit: 100 })) found.push(...page.data)
  return found
}

/** What a target shows for a record. */
type Shown = { readonly state: string; readonly lastModified: string; readonly mergedInto: string | undefined }

type Target = AsyncDisposable & {
  readonly sink: Sink
  readonly state?: StateStore
  readonly shown: () => Promise<Map<string, Shown>>
  readonly writes: () => Promise<number>
}

const stateOf = (reason: unknown): string => (!reason ? 'open' : reason === 'merged' ? 'merged' : 'closed')

function openCrm(name: string, crm: LoopbackCrm): { sink: Sink; state: StateStore } {
  const file = JSON.parse(readFileSync(new URL(`../../client/mappings/${name}.json`, import.meta.url), 'utf8'))
  const environment = {
    HUBSPOT_TOKEN: crm.token,
    SALESFORCE_URL: crm.origin,
    SALESFORCE_CLIENT_ID: salesforceClient.id,
    SALESFORCE_CLIENT_SECRET: salesforceClient.secret,
  }
  const { rate: _rate, ...mapping } = parseMapping(file, environment)
  const folder = mkdtempSync(join(tmpdir(), 'targets-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return {
    sink: openHttpUpsertSink({ mapping: { ...mapping, baseUrl: crm.origin }, ledger: join(folder, 'ledger') }),
    state: memoryState(),
  }
}

const targets: { [name: string]: () => Promise<Target> } = {
  HubSpot: async () => {
    const crm = await startHubspot()
    return {
      ...openCrm('hubspot-deals', crm),
      shown: async () =>
        new Map(
          [...crm.deals.values()].map(({ properties }) => [
            properties.tenderstock_id!,
            {
              state: properties.tenderstock_state!,
              lastModified: properties.tenderstock_last_modified!,
              mergedInto: properties.tenderstock_merged_into || undefined,
            },
          ]),
        ),
      writes: async () => crm.writes,
      [Symbol.asyncDispose]: async () => {
        expect(crm.violations).toEqual([])
        await crm[Symbol.asyncDispose]()
      },
    }
  },
  Salesforce: async () => {
    const crm = await startSalesforce()
    return {
      ...openCrm('salesforce', crm),
      shown: async () =>
        new Map(
          crm.opportunities.map((own) => [
            String(own.Tender_Id__c),
            {
              state: String(own.Tender_State__c),
              lastModified: String(own.Tender_Last_Modified__c),
              mergedInto: own.Tender_Merged_Into__c === null ? undefined : String(own.Tender_Merged_Into__c),
            },
          ]),
        ),
      writes: async () => crm.writes,
      [Symbol.asyncDispose]: async () => {
        expect(crm.violations).toEqual([])
        await crm[Symbol.asyncDispose]()
      },
    }
  },
}

let admin: pg.Client | undefined
const schemas: string[] = []
const nextSchema = (): string => {
  const name = `targets_${process.pid}_${schemas.length}`
  schemas.push(name)
  return name
}
const rowsOf = async <Row>(sql: string): Promise<Row[]> => (await admin!.query(sql)).rows as Row[]

beforeAll(async () => {
  if (!connectionString) return
  admin = new pg.Client({ connectionString })
  await admin.connect()
})
afterAll(async () => {
  for (const schema of schemas) await admin?.query(`drop schema if exists ${schema} cascade`)
  await admin?.end()
})

if (connectionString)
  targets.PostgreSQL = async () => {
    const schema = nextSchema()
    const sink = openPostgresSink({ connectionString, schema })
    return {
      sink,
      shown: async () =>
        new Map(
          (
            await rowsOf<{
              id: string
              archive_reason: string | null
              last_modified: Date
              merged_into: string | null
            }>(`select id, archive_reason, last_modified, merged_into from ${schema}.tender`)
          ).map((row) => [
            row.id,
            {
              state: stateOf(row.archive_reason),
              lastModified: row.last_modified.toISOString(),
              mergedInto: row.merged_into ?? undefined,
            },
          ]),
        ),
      writes: async () =>
        Number((await rowsOf<{ n: string }>(`select sum(xmin::text::bigint) as n from ${schema}.tender`))[0]!.n),
      [Symbol.asyncDispose]: () => sink.end(),
    }
  }

describe.each(Object.keys(targets))('from the API into %s', (name) => {
  test('C144 C150 C157 C158 C159 D42 new, changed, awarded, cancelled, merged, reopened and redelivered records arrive', async () => {
    await using api = await startApi()
    await using target = await targets[name]!()
    const client = new TenderClient({ baseUrl: api.origin, token: api.token })
    let edition = 0
    const publish = (records: readonly PlainRecord[]) => {
      api.now += hourMs
      edition++
      api.editions.publish(api.now - hourMs, records)
    }
    const run = async () => {
      const { sink, state } = target
      const outcome = await sync({ client, sink, ...(state && { state }), limit: 40 })
      expect(outcome).toMatchObject({ result: 'completed' })
      return outcome
    }
    const known = new Set<string>()
    /** Everything that was ever delivered is shown as in the newest edition. */
    const expectEqual = async () => {
      const shown = await target.shown()
      const expected = (await crawl(api)).filter(
        ({ id, archiveReason }) => known.has(id) || archiveReason === undefined,
      )
      for (const { id } of expected) known.add(id)
      expect(shown).toEqual(
        new Map(
          expected.map(({ id, archiveReason, lastModified, mergedInto: into }) => [
            id,
            { state: stateOf(archiveReason), lastModified, mergedInto: into },
          ]),
        ),
      )
    }

    publish(Array.from({ length: 130 }, (_, index) => tender(index, 0, index % 10 === 9 ? awarded : {})))
    expect(await run()).toMatchObject({ kind: 'first' })
    await expectEqual()

    publish([tender(1, 1), tender(2, 1, awarded), tender(3, 1, cancelled), tender(200), tender(9, 1, cancelled)])
    expect(await run()).toMatchObject({ kind: 'delta' })
    await expectEqual()

    // The survivor is new in the same edition, and comes after the merged one in the feed.
    publish([tender(4, 1, mergedInto(201)), tender(201), tender(5, 1, mergedInto(6))])
    await run()
    await expectEqual()
    expect((await target.shown()).get(plainId(4))?.mergedInto).toBe(plainId(201))

    publish([tender(2, 2), tender(6, 1, mergedInto(7)), tender(5, 2, mergedInto(7))])
    await run()
    await expectEqual()
    expect((await target.shown()).get(plainId(2))?.state).toBe('open')

    const writes = await target.writes()
    for (let quiet = 0; quiet < 3; quiet++) {
      api.now += hourMs
      await run()
    }
    expect(await target.writes()).toBe(writes)
    await expectEqual()

    const random = randomOf(99)
    for (let round = 0; round < 8; round++) {
      publish(
        Array.from({ length: 25 }, () => random.integer(10, 260))
          .filter((number, index, all) => all.indexOf(number) === index)
          .map((number) => {
            // An archived tender that the target never received stays unknown to it; so only those that it has are
            // archived.
            const end = known.has(plainId(number)) ? random.pick([{}, {}, awarded, cancelled, mergedInto(7)]) : {}
            return tender(number, edition % 50, end)
          }),
      )
      if (random.chance(0.6)) {
        await run()
        await expectEqual()
      }
    }
    await run()
    await expectEqual()
  })
})

describe.skipIf(!connectionString)('kill -9 while a run writes into PostgreSQL', () => {
  const script = fileURLToPath(new URL('postgres-run.ts', import.meta.url))

  /** Runs the script; kills it after this many lines. Resolves to the last line if it was not killed. */
  function runUntil(args: readonly string[], lines: number): Promise<string | undefined> {
    const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    let seen = 0
    let last = ''
    createInterface(child.stdout).on('line', (line) => {
      last = line
      if (++seen === lines) child.kill('SIGKILL')
    })
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (_code, signal) => resolve(signal === 'SIGKILL' ? undefined : last))
    })
  }

  test.each(['open', 'history'])(
    'C160 G1 the copy (%s) equals the edition after a completed run, however often earlier ones were killed',
    async (initial) => {
      await using api = await startApi()
      const schema = nextSchema()
      const args = [api.origin, api.token, connectionString!, schema, initial]
      const random = randomOf(5)
      const end = () => random.pick([{}, {}, {}, awarded, cancelled])
      let kills = 0
      for (let edition = 1; edition <= 4; edition++) {
        const numbers = Array.from({ length: edition === 1 ? 300 : 120 }, (_, index) =>
          edition === 1 ? index : random.integer(0, 330),
        )
        api.editions.publish(
          startOfTests + edition * hourMs,
          [...new Set(numbers)].map((number) =>
            tender(number, edition, initial === 'history' || edition === 1 ? end() : {}),
          ),
        )
        for (let attempt = 1; ; attempt++) {
          const last = await runUntil(args, attempt > 6 ? 100_000 : random.integer(1, 12))
          if (last === undefined) {
            kills++
            continue
          }
          expect(last).toBe('completed ')
          break
        }
        const rows = await rowsOf<{ record: TenderRecord }>(
          `select record from ${schema}.tender order by last_modified, id`,
        )
        const expected = (await crawl(api)).filter(
          ({ archiveReason }) => initial === 'history' || archiveReason === undefined,
        )
        expect(rows.map(({ record }) => record)).toEqual(expected)
        const [children] = await rowsOf<{ lots: string; staged: string }>(
          `select (select count(*) from ${schema}.tender_lot) as lots, (select count(*) from ${schema}.sync_staged) as staged`,
        )
        expect(Number(children!.lots)).toBe(expected.reduce((sum, { lots }) => sum + lots.length, 0))
        expect(Number(children!.staged)).toBe(0)
      }
      expect(kills).toBeGreaterThan(3)
    },
  )
})
