// The CRM sink with the shipped mappings against imitations of both APIs: the conformance of all sinks, then faults,
// refusals, no-op writes, merges and what must never be touched.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { appendFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type HubspotImitation, startHubspot } from '../../../test/imitations/hubspot.ts'
import type { LoopbackCrm } from '../../../test/imitations/loopback-crm.ts'
import { type SalesforceImitation, salesforceClient, startSalesforce } from '../../../test/imitations/salesforce.ts'
import { DigestSum } from '../sync/copy-digest.ts'
import { lostVersion } from '../sync/lost-record.ts'
import type { Run } from '../sync/sink.ts'
import {
  archivedOf,
  idOf,
  mergedOf,
  recordOf,
  type SeenRecord,
  type SinkWorld,
  sinkConformance,
} from '../testing/sink-conformance.ts'
import { type HttpMapping, parseMapping } from './crm/http-mapping.ts'
import { SinkError } from './faults/sink-error.ts'
import { type CrmEvent, type HttpUpsertSinkOptions, openHttpUpsertSink } from './http-upsert-sink.ts'
import { recordHash } from './record/record-hash.ts'

const first: Run = { kind: 'first', filterHash: 'f1', resumed: false, keepArchived: false }
const delta: Run = { ...first, kind: 'delta' }
const state = { schema: 1, filterHash: 'f1', updatedSince: '2026-03-02T09:00:00.000Z' } as const

function shippedMapping(name: 'hubspot-deals' | 'salesforce', crm: LoopbackCrm): HttpMapping {
  const file = JSON.parse(readFileSync(new URL(`../../mappings/${name}.json`, import.meta.url), 'utf8'))
  const { rate: _rate, ...mapping } = file
  const environment = {
    HUBSPOT_TOKEN: crm.token,
    SALESFORCE_URL: crm.origin,
    SALESFORCE_CLIENT_ID: salesforceClient.id,
    SALESFORCE_CLIENT_SECRET: salesforceClient.secret,
  }
  return { ...parseMapping(mapping, environment), baseUrl: crm.origin }
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'crm-sink-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

type Setting = {
  readonly folder: string
  readonly events: CrmEvent[]
  readonly waits: number[]
  readonly open: (change?: Partial<HttpUpsertSinkOptions>) => ReturnType<typeof openHttpUpsertSink>
  readonly lines: (name: string) => { [name: string]: unknown }[]
}

function setting(mapping: HttpMapping): Setting {
  const folder = newFolder()
  const events: CrmEvent[] = []
  const waits: number[] = []
  return {
    folder,
    events,
    waits,
    open: (change = {}) =>
      openHttpUpsertSink({
        mapping,
        ledger: join(folder, 'ledger.ndjson'),
        log: join(folder, 'log.ndjson'),
        on: (event) => events.push(event),
        sleep: async (ms) => void waits.push(ms),
        ...change,
      }),
    lines: (name) =>
      readFileSync(join(folder, name), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
  }
}

const stateOf = (value: unknown): SeenRecord['state'] => (value === 'closed' || value === 'merged' ? value : 'open')

const targets = [
  {
    name: 'HubSpot',
    start: async () => {
      const crm = await startHubspot()
      return {
        crm: crm as LoopbackCrm & { readonly writes: number },
        mapping: shippedMapping('hubspot-deals', crm),
        seen: () =>
          new Map(
            [...crm.deals.values()].map(({ properties }): [string, SeenRecord] => [
              properties.tenderstock_id!,
              {
                state: stateOf(properties.tenderstock_state),
                lastModified: properties.tenderstock_last_modified!,
                title: properties.dealname!,
                ...(properties.tenderstock_merged_into && { mergedInto: properties.tenderstock_merged_into }),
              },
            ]),
          ),
      }
    },
  },
  {
    name: 'Salesforce',
    start: async () => {
      const crm = await startSalesforce()
      return {
        crm: crm as LoopbackCrm & { readonly writes: number },
        mapping: shippedMapping('salesforce', crm),
        seen: () =>
          new Map(
            crm.opportunities.map((own): [string, SeenRecord] => [
              String(own.Tender_Id__c),
              {
                state: stateOf(own.Tender_State__c),
                lastModified: String(own.Tender_Last_Modified__c),
                title: String(own.Name),
                ...(own.Tender_Merged_Into__c !== null && { mergedInto: String(own.Tender_Merged_Into__c) }),
              },
            ]),
          ),
      }
    },
  },
] as const

describe.each(targets)('CRM sink with $name', ({ start }) => {
  async function makeWorld(): Promise<SinkWorld> {
    const { crm, mapping, seen } = await start()
    const { open } = setting(mapping)
    return {
      open: async () => open(),
      seen: async () => seen(),
      crash: async () => {},
      writes: async () => crm.writes,
      keepsOldRecords: true,
      close: async () => {
        await crm[Symbol.asyncDispose]()
        expect(crm.violations).toEqual([])
      },
    }
  }
  for (const { name, run } of sinkConformance(makeWorld)) test(name, run)

  test('C152 429 and 503 wait for Retry-After; after a lost answer the request is repeated; no record is created twice', async () => {
    const { crm, mapping, seen } = await start()
    await using _ = crm
    const { open, waits } = setting(mapping)
    const sink = open()
    await sink.begin(first)
    await sink.upsert([recordOf(1), recordOf(2)])
    crm.faults.push(
      {
        status: 429,
        headers: { 'retry-after': '7' },
        body: { status: 'error', message: 'ten secondly', policyName: 'X' },
      },
      {
        status: 503,
        headers: { 'retry-after': 'Mon, 02 Mar 2026 09:00:30 GMT', date: 'Mon, 02 Mar 2026 09:00:00 GMT' },
      },
      { status: 502, body: 'bad gateway' },
      { reset: true, isDone: true },
    )
    await sink.commit(state, 'run')
    expect(waits).toEqual([7000, 30_000, 4000, 8000])
    expect([...seen().keys()]).toEqual([idOf(1), idOf(2)])
    expect(crm.violations).toEqual([])
    await sink.end()
  })

  test('wrong credentials and endless failure abort with what to do; the run after goes through', async () => {
    const { crm, mapping, seen } = await start()
    await using _ = crm
    const stranger = setting({ ...mapping, headers: { Authorization: 'Bearer wrong' } }).open()
    await stranger.begin(first)
    await stranger.upsert([recordOf(1)])
    await expect(stranger.commit(state, 'run')).rejects.toThrow(/rejects the credentials/)
    const { open, waits } = setting(mapping)
    const sink = open()
    await sink.begin(first)
    await sink.upsert([recordOf(1)])
    crm.faults.push(...Array.from({ length: 7 }, () => ({ status: 500, body: { message: 'oops' } })))
    await expect(sink.commit(state, 'run')).rejects.toThrow('failed 7 times in a row (500 oops); the next run retries')
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000])
    crm.faults.push({ status: 429, headers: { 'retry-after': '86400' } })
    await expect(sink.commit(state, 'run')).rejects.toThrow('asks to wait 1440 minutes')
    await sink.commit(state, 'run')
    expect(seen().size).toBe(1)
    await sink.end()
  })

  test('a redirect or another origin never receives the credentials', async () => {
    const { crm, mapping } = await start()
    await using _ = crm
    const { open } = setting(mapping)
    const sink = open()
    await sink.begin(first)
    await sink.upsert([recordOf(1)])
    crm.faults.push({ status: 302, headers: { location: 'http://127.0.0.1:1/' } })
    await expect(sink.commit(state, 'run')).rejects.toThrow('check the mapping')
  })

  test('properties outside the mapping and those set at creation stay what your users made of them', async () => {
    const { crm, mapping } = await start()
    await using _ = crm
    const { open, folder } = setting(mapping)
    const sink = open()
    await sink.begin(first)
    await sink.upsert([recordOf(1)])
    await sink.commit(state, 'run')
    const own = ownedBy(crm)
    own.change(idOf(1))
    await sink.begin(delta)
    await sink.upsert([recordOf(1, 1)])
    await sink.commit(state, 'run')
    expect(own.is(idOf(1))).toBe(true)
    await sink.end()
    // The ledger is lost: the CRM is asked which records it has, and fields of users are still not changed.
    await rm(join(folder, 'ledger.ndjson'))
    const again = open()
    await again.begin(first)
    await again.upsert([recordOf(1, 2)])
    await again.commit(state, 'run')
    expect(own.is(idOf(1))).toBe(true)
    expect(again.report).toMatchObject({ created: 0, updated: 1 })
    // And an older version does not replace what the CRM has, although the ledger knows nothing.
    await again.end()
    await rm(join(folder, 'ledger.ndjson'))
    const late = open()
    await late.begin(delta)
    await late.upsert([recordOf(1, 1)])
    await late.close([archivedOf(1, 3)])
    await late.commit(state, 'run')
    expect(late.report).toMatchObject({ closed: 1, unknown: 0 })
    await late.end()
    expect(crm.violations).toEqual([])
  })

  test('a change of unmapped members writes nothing; the log says why each record was written', async () => {
    const { crm, mapping } = await start()
    await using _ = crm
    const { open, lines } = setting(mapping)
    const sink = open()
    await sink.begin(first)
    await sink.upsert([recordOf(1), recordOf(2)])
    await sink.commit(state, 'run')
    const writes = crm.writes
    await sink.begin(delta)
    const same = { title: recordOf(1).title, description: recordOf(1).description! }
    await sink.upsert([recordOf(1, 1, { ...same, buyerProfileUrl: 'https://buyer.example' })])
    await sink.upsert([recordOf(2, 1, { description: recordOf(2).description! })])
    await sink.commit(state, 'run')
    expect(crm.writes).toBe(writes + 1)
    expect(sink.report).toMatchObject({ updated: 1, unchanged: 1 })
    expect(await sink.held([idOf(1)])).toEqual(new Map([[idOf(1), recordOf(1, 1).lastModified]]))
    await sink.begin(delta)
    await sink.close([archivedOf(2, 2, 'expired')])
    await sink.commit(state, 'run')
    await sink.end()
    const log = lines('log.ndjson')
    expect(log.map(({ id, action }) => [id, action])).toEqual([
      [idOf(1), 'create'],
      [idOf(2), 'create'],
      [idOf(2), 'update'],
      [idOf(2), 'close'],
    ])
    expect(log[2]!.why).toEqual([mapping.fields[0]!.to])
    expect(log[3]!.why).toContain(mapping.fields.find(({ from }) => from === '$state')!.to)
  })

  test('records of a first run are marked, so that workflows can leave them out', async () => {
    const { crm, mapping } = await start()
    await using _ = crm
    const { open } = setting(mapping)
    const sink = open()
    await sink.begin(first)
    await sink.upsert([recordOf(1)])
    await sink.commit(state, 'run')
    await sink.begin(delta)
    await sink.upsert([recordOf(2), recordOf(1, 1)])
    await sink.commit(state, 'run')
    await sink.end()
    const own = ownedBy(crm)
    expect([own.backfill(idOf(1)), own.backfill(idOf(2))].map(String)).toEqual(['false', 'false'])
    const once = setting(mapping).open()
    await once.begin(first)
    await once.upsert([recordOf(3)])
    await once.commit(state, 'run')
    await once.end()
    expect(String(own.backfill(idOf(3)))).toBe('true')
  })

  test('after a kill before the answer to a write, the next process knows what the CRM may hold (C160)', async () => {
    const { crm, mapping, seen } = await start()
    await using _ = crm
    const { lookup: _lookup, ...blind } = mapping
    const { open } = setting(blind)
    const deaf = open(unanswered)
    await deaf.begin(first)
    await deaf.upsert([recordOf(1), recordOf(2)])
    await expect(deaf.commit(state, 'run')).rejects.toThrow('killed')
    const again = open()
    await again.begin(first)
    const held: string[] = []
    for await (const { id } of again.all()) held.push(id)
    expect(held.sort()).toEqual([idOf(1), idOf(2)])
    await again.close([archivedOf(1, 1)])
    await again.commit(state, 'run')
    await again.end()
    expect([...seen()].map(([id, { state: is }]) => [id, is]).sort()).toEqual([
      [idOf(1), 'closed'],
      [idOf(2), 'open'],
    ])
  })

  test.each([false, true])('… also when it refuses what is sent again, twice: %s', async (isRefusedTwice) => {
    const { crm, mapping, seen } = await start()
    await using _ = crm
    const { lookup: _lookup, ...blind } = mapping
    const { open } = setting(blind)
    const deaf = open(unanswered)
    await deaf.begin(first)
    await deaf.upsert([recordOf(1)])
    await expect(deaf.commit(state, 'run')).rejects.toThrow('killed')
    const refusing = open()
    crm.faults.push({ status: 400, body: { message: 'not today' } })
    await refusing.begin(first)
    await refusing.commit(state, 'run')
    expect(refusing.report).toMatchObject({ deadLetters: 1, pending: 1 })
    // The record is archived meanwhile. Nobody can ask the CRM whether it has it.
    const again = open()
    if (isRefusedTwice) crm.faults.push({ status: 400, body: { message: 'not today either' } })
    await again.begin(delta)
    await again.close([archivedOf(1, 1)])
    await again.commit(state, 'run')
    expect([...seen().values()].map(({ state: is }) => is)).toEqual(['closed'])
    await again.end()
  })

  test('a record that the stock lost is closed, with the properties that it has, and opened when it comes back', async () => {
    const { crm, mapping, seen } = await start()
    await using _ = crm
    const { open } = setting(mapping)
    const sink = open()
    await sink.begin(first)
    await sink.upsert([recordOf(1)])
    await sink.commit(state, 'run')
    const before = seen().get(idOf(1))!
    for (let times = 0; times < 2; times++) {
      await sink.begin(delta)
      await sink.close([lostVersion(recordOf(1), undefined)])
      expect((await sink.digest!())?.all).toBe('0'.repeat(64))
      await sink.commit(state, 'run')
      expect(sink.report).toMatchObject({ closed: 1 - times })
      expect(seen().get(idOf(1))).toEqual({ ...before, state: 'closed' })
    }
    await sink.begin(delta)
    await sink.upsert([recordOf(1, 1)])
    await sink.commit(state, 'run')
    expect(seen().get(idOf(1))).toMatchObject({ state: 'open', title: recordOf(1, 1).title })
    await sink.end()
    expect(crm.violations).toEqual([])
  })

  test('when the ledger is lost, an older version does not replace what the CRM has', async () => {
    const { crm, mapping, seen } = await start()
    await using _ = crm
    const { open, folder } = setting(mapping)
    const sink = open()
    await sink.begin(first)
    await sink.upsert([recordOf(1, 2)])
    await sink.commit(state, 'run')
    await rm(join(folder, 'ledger.ndjson'))
    const late = open()
    await late.begin(delta)
    await late.upsert([recordOf(1, 1)])
    await late.commit(state, 'run')
    expect(late.report).toMatchObject({ updated: 0, unchanged: 1 })
    expect(seen().get(idOf(1))?.lastModified).toBe(recordOf(1, 2).lastModified)
    await late.end()
  })

  test('NUL bytes that a power cut left in the ledger, and everything after them, were never acknowledged', async () => {
    const { crm, mapping } = await start()
    await using _ = crm
    const { open, folder } = setting(mapping)
    const sink = open()
    await sink.begin(first)
    await sink.upsert([recordOf(1)])
    await sink.commit(state, 'run')
    await appendFile(join(folder, 'ledger.ndjson'), `{"id":"ha${'\0'.repeat(40)}f"}\n{"id":"whole"}\n`)
    const again = open()
    await again.begin(delta)
    const all: string[] = []
    for await (const { id } of again.all()) all.push(id)
    expect(all).toEqual([idOf(1)])
    await again.end()
  })

  test('a damaged or torn ledger: a half line is dropped, anything else is refused with what to do', async () => {
    const { crm, mapping } = await start()
    await using _ = crm
    const { open, folder } = setting(mapping)
    const sink = open()
    await sink.begin(first)
    await sink.upsert([recordOf(1)])
    await sink.commit(state, 'run')
    await appendFile(join(folder, 'ledger.ndjson'), '{"id":"half')
    const again = open()
    await again.begin(delta)
    await again.upsert([recordOf(2)])
    await again.commit(state, 'run')
    await again.end()
    const third = open()
    const all: string[] = []
    for await (const { id } of third.all()) all.push(id)
    expect(all.sort()).toEqual([idOf(1), idOf(2)])
    await appendFile(join(folder, 'ledger.ndjson'), 'nonsense\n')
    await expect(open().begin(delta)).rejects.toThrow('delete it')
  })

  test('a mapping that fits nothing stops the run instead of refusing record by record', async () => {
    const { crm, mapping } = await start()
    await using _ = crm
    const { open } = setting({ ...mapping, fields: [...mapping.fields, { to: 'no_such_field', from: 'title' }] })
    const sink = open()
    await sink.begin(first)
    await sink.upsert(Array.from({ length: 30 }, (_, index) => recordOf(index)))
    await expect(sink.commit(state, 'run')).rejects.toThrow(/refused the first \d+ records .*no_such_field/)
  })
})

/** What users change by hand, and the mark of a first run, in either CRM. */
/** Every write arrives, and no answer to it. */
const unanswered: Partial<HttpUpsertSinkOptions> = {
  fetch: async (...request) => {
    await fetch(...request)
    throw new Error('killed')
  },
}

function ownedBy(crm: LoopbackCrm) {
  if ('deals' in crm) {
    const { dealOf } = crm as HubspotImitation
    return {
      change: (id: string) => void Object.assign(dealOf(id)!.properties, { dealstage: 'closedwon', amount: '77' }),
      is: (id: string) => dealOf(id)!.properties.dealstage === 'closedwon' && dealOf(id)!.properties.amount === '77',
      backfill: (id: string): unknown => dealOf(id)!.properties.tenderstock_backfill,
    }
  }
  const { opportunityOf } = crm as SalesforceImitation
  return {
    change: (id: string) => void Object.assign(opportunityOf(id)!, { StageName: 'Closed Won', Amount: 77 }),
    is: (id: string) => opportunityOf(id)!.StageName === 'Closed Won' && opportunityOf(id)!.Amount === 77,
    backfill: (id: string): unknown => opportunityOf(id)!.Tender_Backfill__c,
  }
}

describe('refused records', () => {
  test.each([false, true])(
    'HubSpot, whole batches refused %s: stored with the reason, retried, written when repaired',
    async (isAllOrNothing) => {
      await using crm = await startHubspot()
      crm.isAllOrNothing = isAllOrNothing
      const { open, lines, folder } = setting(shippedMapping('hubspot-deals', crm))
      crm.badValues.set('tenderstock_number', 'BAD')
      const records = Array.from({ length: 120 }, (_, index) =>
        recordOf(index, 0, index % 40 === 7 ? { tenderNumber: 'BAD' } : {}),
      )
      const sink = open()
      await sink.begin(first)
      await sink.upsert(records)
      await sink.commit(state, 'run')
      expect(sink.report).toMatchObject({ created: 117, deadLetters: 3, pending: 3 })
      expect(sink.warnings).toEqual([expect.stringContaining('3 records are missing in HubSpot')])
      expect(crm.deals.size).toBe(117)
      const dead = lines('ledger.ndjson.refused.ndjson')
      expect(dead.map(({ id }) => id)).toEqual([idOf(7), idOf(47), idOf(87)])
      expect(dead[0]).toMatchObject({ action: 'create', title: recordOf(7).title })
      expect(String(dead[0]!.reason)).toContain('tenderstock_number')
      expect(await sink.held([idOf(7), idOf(8)])).toEqual(new Map([[idOf(8), recordOf(8).lastModified]]))
      await sink.end()

      // What users change by hand, and the mark of a first run, in either CRM.
      const second = open()
      await second.begin(delta)
      await second.commit(state, 'run')
      expect(second.report).toMatchObject({ created: 0, deadLetters: 3, pending: 3 })
      expect(lines('ledger.ndjson.refused.ndjson')).toHaveLength(3)
      await second.end()

      // One receives a newer version, one is archived before it was ever written, one is accepted since the account
      // was repaired.
      crm.badValues.clear()
      const third = open()
      await third.begin(delta)
      await third.upsert([recordOf(7, 1)])
      await third.close([archivedOf(47, 1)])
      await third.commit(state, 'run')
      expect(third.report).toMatchObject({ created: 2, unknown: 1, deadLetters: 0, pending: 0 })
      expect(third.warnings).toEqual([])
      expect(crm.dealOf(idOf(7))!.properties.tenderstock_last_modified).toBe(recordOf(7, 1).lastModified)
      expect(crm.dealOf(idOf(47))).toBeUndefined()
      expect(crm.dealOf(idOf(87))!.properties.tenderstock_number).toBe('BAD')
      await third.end()
      expect(readFileSync(join(folder, 'ledger.ndjson'), 'utf8')).not.toContain('loopback')
      expect(crm.violations).toEqual([])
    },
  )

  test('Salesforce: locked rows are sent again without the others, ambiguous external ids are refused with their records', async () => {
    await using crm = await startSalesforce()
    const { open, waits, lines } = setting(shippedMapping('salesforce', crm))
    for (const Id of ['006A', '006B'])
      crm.opportunities.push({
        Id,
        Tender_Id__c: idOf(3).toUpperCase(),
        Name: 'twice',
        Tender_Last_Modified__c: '2026-01-01T00:00:00.000Z',
      })
    crm.recordErrors.set(idOf(1), ['UNABLE_TO_LOCK_ROW', 'UNABLE_TO_LOCK_ROW'])
    crm.recordErrors.set(
      idOf(2),
      Array.from({ length: 4 }, () => 'UNABLE_TO_LOCK_ROW'),
    )
    const sink = open()
    await sink.begin(first)
    await sink.upsert([recordOf(1), recordOf(2), recordOf(3), recordOf(4)])
    await sink.commit(state, 'run')
    expect(waits).toEqual([1000, 2000, 4000])
    expect(sink.report).toMatchObject({ created: 2, deadLetters: 2, pending: 2 })
    const dead = lines('ledger.ndjson.refused.ndjson')
    expect(dead.map(({ id, reason }) => [id, String(reason).split(':')[0]])).toEqual([
      [idOf(3), 'DUPLICATE_EXTERNAL_ID'],
      [idOf(2), 'UNABLE_TO_LOCK_ROW'],
    ])
    expect(String(dead[0]!.reason)).toContain('006A, 006B')
    await sink.begin(delta)
    await sink.commit(state, 'run')
    expect(sink.report).toMatchObject({ created: 1, deadLetters: 1, pending: 1 })
    await sink.end()
    expect(crm.violations).toEqual([])
  })

  test('more refusals than allowed end the run', async () => {
    await using crm = await startHubspot()
    crm.badValues.set('tenderstock_number', 'BAD')
    const sink = setting(shippedMapping('hubspot-deals', crm)).open({ maxDeadLetters: 5 })
    await sink.begin(first)
    await sink.upsert(
      Array.from({ length: 20 }, (_, index) => recordOf(index, 0, index < 6 ? { tenderNumber: 'BAD' } : {})),
    )
    await expect(sink.commit(state, 'run')).rejects.toThrow('refused more than 5 records')
  })
})

describe('merges', () => {
  test('HubSpot: notes and tasks are attached to the one that remains, nothing is deleted (C158)', async () => {
    await using crm = await startHubspot()
    const { open, events } = setting(shippedMapping('hubspot-deals', crm))
    const sink = open()
    await sink.begin(first)
    await sink.upsert([recordOf(1), recordOf(2)])
    await sink.commit(state, 'run')
    const [remaining, given] = [crm.dealOf(idOf(1))!, crm.dealOf(idOf(2))!]
    crm.associated.notes!.set(given.id, new Set(['101', '102', '103', '104', '105']))
    crm.associated.tasks!.set(given.id, new Set(['201']))
    crm.associated.tasks!.set(remaining.id, new Set(['202']))
    await sink.begin(delta)
    await sink.merge([{ record: mergedOf(2, 1, 1), into: idOf(1) }])
    await sink.commit(state, 'run')
    expect([...crm.associated.notes!.get(remaining.id)!]).toEqual(['101', '102', '103', '104', '105'])
    expect([...crm.associated.tasks!.get(remaining.id)!]).toEqual(['202', '201'])
    expect(crm.dealOf(idOf(2))!.properties).toMatchObject({
      tenderstock_state: 'merged',
      tenderstock_merged_into: idOf(1),
    })
    expect(events.filter(({ type }) => type === 'moved')).toEqual([
      { type: 'moved', from: given.id, into: remaining.id, kind: 'notes', count: 5 },
      { type: 'moved', from: given.id, into: remaining.id, kind: 'tasks', count: 1 },
    ])
    // Redelivered: nothing moves again.
    const before = crm.requests.length
    await sink.begin(delta)
    await sink.merge([{ record: mergedOf(2, 1, 1), into: idOf(1) }])
    await sink.commit(state, 'run')
    expect(crm.requests.length).toBe(before)
    await sink.end()
    expect(crm.violations).toEqual([])
  })

  test('Salesforce: sessions that end within a run are renewed, once for each request', async () => {
    await using crm = await startSalesforce({ sessionRequests: 2 })
    const { open, waits } = setting(shippedMapping('salesforce', crm))
    const sink = open()
    await sink.begin(first)
    await sink.upsert(Array.from({ length: 450 }, (_, number) => recordOf(number)))
    await sink.commit(state, 'run')
    await sink.begin(delta)
    await sink.merge([{ record: mergedOf(2, 1, 1), into: idOf(1) }])
    await sink.commit(state, 'run')
    await sink.end()
    expect(crm.opportunities).toHaveLength(450)
    expect(crm.opportunityOf(idOf(2))).toMatchObject({ Tender_State__c: 'merged' })
    expect(crm.sessions.length).toBeGreaterThan(3)
    expect(waits).toEqual([])
    expect(crm.violations).toEqual([])
  })

  test('Salesforce: a session that is refused at once ends the run, after one renewal', async () => {
    await using crm = await startSalesforce({ sessionRequests: 0 })
    const { open } = setting(shippedMapping('salesforce', crm))
    const sink = open()
    await sink.begin(first)
    await expect(
      (async () => {
        await sink.upsert([recordOf(1)])
        await sink.commit(state, 'run')
      })(),
    ).rejects.toThrow(/rejects the credentials .*INVALID_SESSION_ID/)
    await sink.end()
    expect(crm.sessions).toHaveLength(2)
  })

  test.each([
    ['wrong secret', { clientSecret: 'wrong' }, [], /no session for this client \(400 invalid_client: .*check/, []],
    [
      'a token service that is busy',
      {},
      [{ status: 503, headers: { 'retry-after': '7' } }, { status: 503 }],
      undefined,
      [7000, 2000],
    ],
    ['an answer without a token', {}, [{ status: 200, body: {} }], /without an access_token/, []],
  ] as const)('Salesforce: %s', async (_, change, faults, words, waited) => {
    await using crm = await startSalesforce()
    const mapping = shippedMapping('salesforce', crm)
    const { open, waits } = setting({ ...mapping, auth: { ...mapping.auth!, ...change } })
    crm.sessionFaults.push(...faults)
    const sink = open()
    await sink.begin(first)
    const run = async (): Promise<void> => {
      await sink.upsert([recordOf(1)])
      await sink.commit(state, 'run')
    }
    if (words) {
      const error: unknown = await run().catch((caught: unknown) => caught)
      expect(error).toBeInstanceOf(SinkError)
      expect(String(error)).toMatch(words)
      expect(String(error)).not.toMatch(/wrong|kept-in-a-file/)
    } else await run()
    await sink.end()
    expect(waits).toEqual(waited)
    expect(crm.opportunities).toHaveLength(words ? 0 : 1)
  })

  test('Salesforce: tasks and events move to the survivor; a refused move keeps the merge for the next run', async () => {
    await using crm = await startSalesforce()
    const { open } = setting(shippedMapping('salesforce', crm))
    const sink = open()
    await sink.begin(first)
    await sink.upsert([recordOf(1), recordOf(2), recordOf(3)])
    await sink.commit(state, 'run')
    const [remaining, given] = [crm.opportunityOf(idOf(1))!, crm.opportunityOf(idOf(2))!]
    for (const id of ['00T1', '00T2', '00T3']) crm.activities.Task.set(id, given.Id)
    crm.activities.Event.set('00U1', given.Id)
    await sink.begin(delta)
    await sink.upsert([recordOf(3, 1)])
    await sink.merge([{ record: mergedOf(2, 1, 1), into: idOf(1) }])
    crm.faults.push({ status: 400, body: [{ errorCode: 'MALFORMED_QUERY', message: 'not today' }] })
    await sink.commit(state, 'run')
    expect(sink.report).toMatchObject({ merged: 0, deadLetters: 1, pending: 1 })
    expect(crm.opportunityOf(idOf(2))!.Tender_State__c).toBe('open')
    await sink.begin(delta)
    await sink.commit(state, 'run')
    expect(sink.report).toMatchObject({ merged: 1, pending: 0 })
    expect([...crm.activities.Task.values(), ...crm.activities.Event.values()]).toEqual(Array(4).fill(remaining.Id))
    expect(crm.opportunityOf(idOf(2))).toMatchObject({ Tender_State__c: 'merged', Tender_Merged_Into__c: idOf(1) })
    await sink.end()
    expect(crm.violations).toEqual([])
  })

  describe('a survivor that was merged meanwhile: the record points to the last one, which the CRM has (C158)', () => {
    // The CRM never had record 8, which the record names; record 1 remains.
    const merge = { record: mergedOf(2, 1, 8), into: idOf(1) }
    const pointerOf = (crm: HubspotImitation): unknown => crm.dealOf(idOf(2))!.properties.tenderstock_merged_into

    async function world() {
      const crm = await startHubspot()
      const { open } = setting(shippedMapping('hubspot-deals', crm))
      const sink = open()
      await sink.begin(first)
      await sink.upsert([recordOf(1), recordOf(2)])
      await sink.commit(state, 'run')
      const [remaining, given] = [crm.dealOf(idOf(1))!, crm.dealOf(idOf(2))!]
      crm.associated.notes!.set(given.id, new Set(['101']))
      return { crm, open, sink, notes: () => [...(crm.associated.notes!.get(remaining.id) ?? [])] }
    }

    test('notes move there, and it stays so when the merge is delivered again', async () => {
      const { crm, sink, notes } = await world()
      await using _ = crm
      for (let times = 0; times < 2; times++) {
        await sink.begin(delta)
        await sink.merge([merge])
        await sink.commit(state, 'run')
        expect({ pointer: pointerOf(crm), notes: notes() }).toEqual({ pointer: idOf(1), notes: ['101'] })
        expect(sink.report.merged).toBe(1 - times)
      }
      // The digest is that of the record as it was delivered.
      const expected = new DigestSum()
      for (const { record, isOpen } of [
        { record: recordOf(1), isOpen: true },
        { record: merge.record, isOpen: false },
      ])
        expected.add(recordHash(record), isOpen, record.lastModified)
      expect(await sink.digest!()).toEqual(expected.digest)
    })

    test('also after a refusal', async () => {
      const { crm, sink, notes } = await world()
      await using _ = crm
      await sink.begin(delta)
      await sink.merge([merge])
      crm.faults.push({ status: 400, body: { message: 'not today' } })
      await sink.commit(state, 'run')
      expect(sink.report).toMatchObject({ merged: 0, pending: 1 })
      await sink.begin(delta)
      await sink.commit(state, 'run')
      expect({ pointer: pointerOf(crm), notes: notes() }).toEqual({ pointer: idOf(1), notes: ['101'] })
    })

    test('also by a process that does not know whether the one before arrived', async () => {
      const { crm, open } = await world()
      await using _ = crm
      const killed = open({
        fetch: async (url, init) => {
          if (String(url).includes('/batch/upsert')) throw new Error('killed')
          return fetch(url, init)
        },
      })
      await killed.begin(delta)
      await killed.merge([merge])
      await expect(killed.commit(state, 'run')).rejects.toThrow('killed')
      const next = open()
      await next.begin(delta)
      await next.commit(state, 'run')
      expect(pointerOf(crm)).toBe(idOf(1))
    })
  })
})

test('a process whose run is over leaves the ledger to the next one, and reads what that wrote', async () => {
  const crm = await startHubspot()
  const { open, lines } = setting(shippedMapping('hubspot-deals', crm))
  const [one, two] = [open(), open()]
  await one.begin(first)
  await one.upsert([recordOf(1)])
  // this writes the record, and the run is interrupted before it commits
  await one.held([idOf(1)])

  await two.begin(first)
  await two.upsert([recordOf(1), recordOf(2)])
  await two.commit(state, 'run')
  expect(two.report).toMatchObject({ created: 1, unchanged: 1 })
  const after = lines('ledger.ndjson')
  await one.end()
  expect(lines('ledger.ndjson')).toEqual(after)

  await one.begin(delta)
  await one.upsert([recordOf(2)])
  await one.commit(state, 'run')
  expect(one.report).toMatchObject({ created: 0, updated: 0, unchanged: 1 })
  await two.end()
})

test('requests obey the rate of the mapping, whatever the CRM permits', async () => {
  await using crm = await startHubspot()
  let now = 1000
  const times: number[] = []
  const mapping = { ...shippedMapping('hubspot-deals', crm), rate: { requests: 3, seconds: 10 } }
  const { open } = setting(mapping)
  const sink = open({
    clock: () => now,
    sleep: async (ms) => {
      now += ms
    },
    fetch: async (...args) => {
      times.push(now)
      now += 100
      return fetch(...args)
    },
  })
  await sink.begin(first)
  await sink.upsert(Array.from({ length: 450 }, (_, index) => recordOf(index)))
  await sink.commit(state, 'run')
  await sink.end()
  expect(times).toHaveLength(10)
  for (const [index, time] of times.entries())
    if (index >= 3) expect(time - times[index - 3]!).toBeGreaterThanOrEqual(10_000)
})
