// tender-sync into a CRM and into PostgreSQL, as a person runs it: by a mapping file or by the name of the CRM.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { hourMs } from '../../src/domain/time.ts'
import { startOfTests } from '../api-world.ts'
import { startHubspot } from '../imitations/hubspot.ts'
import { salesforceClient, startSalesforce } from '../imitations/salesforce.ts'
import { plainId } from '../memory-editions.ts'
import { openCommandWorld } from '../tender-sync/command-world.ts'

const connectionString = process.env.TEST_DATABASE_URL
if (!connectionString) console.log('skipped: tender-sync into PostgreSQL (no TEST_DATABASE_URL)')

test('http with a custom mapping reports a refused record, even with --quiet, until it is accepted', async () => {
  await using world = await openCommandWorld()
  await using crm = await startHubspot()
  const shipped = JSON.parse(readFileSync(new URL('../../client/mappings/hubspot-deals.json', import.meta.url), 'utf8'))
  writeFileSync(join(world.folder, 'own.json'), JSON.stringify({ ...shipped, name: 'Our CRM', baseUrl: crm.origin }))
  const change = { variables: { TENDER_TOKEN: world.api.token, HOME: world.folder, HUBSPOT_TOKEN: crm.token } }
  const line = `run ${world.url} --sink http:$own.json --option log=$written.ndjson`
  world.api.editions.publish(startOfTests, [{ id: plainId(1) }, { id: plainId(2), tenderNumber: 'BAD' }])
  crm.badValues.set('tenderstock_number', 'BAD')
  const first = await world.sync(`${line} --quiet`, change)
  expect(first).toMatchObject({ code: 0, out: '' })
  expect(first.err.replace(/\s+/g, ' ')).toContain('Warning: 1 record is missing in Our CRM, which refuses it')
  expect(crm.deals.size).toBe(1)
  const output = await world.sync(`${line} --json`, change)
  expect(JSON.parse(output.out.trim().split('\n').at(-1)!).warnings).toHaveLength(1)
  crm.badValues.clear()
  const last = await world.sync(`${line} --quiet`, change)
  expect(last).toMatchObject({ code: 0, err: '' })
  expect(crm.deals.size).toBe(2)
  expect(readFileSync(join(world.folder, 'written.ndjson'), 'utf8').trim().split('\n')).toHaveLength(2)
  expect(crm.violations).toEqual([])
})

test('salesforce runs unattended, whenever its sessions end; without its variables the run says which are missing', async () => {
  await using world = await openCommandWorld()
  await using crm = await startSalesforce({ sessionRequests: 1 })
  world.api.editions.publish(startOfTests, [{ id: plainId(1) }])
  const line = `run ${world.url} --sink salesforce`
  const missing = await world.sync(line)
  expect(missing.code).not.toBe(0)
  const words = missing.err.replace(/\s+/g, ' ')
  expect(words).toContain('SALESFORCE_URL')
  expect(words).toContain('SALESFORCE_CLIENT_ID')
  expect(words).toContain('SALESFORCE_CLIENT_SECRET_FILE')
  const secret = join(world.folder, 'salesforce-secret')
  writeFileSync(secret, `${salesforceClient.secret}\n`)
  const variables = {
    TENDER_TOKEN: world.api.token,
    HOME: world.folder,
    SALESFORCE_URL: crm.origin,
    SALESFORCE_CLIENT_ID: salesforceClient.id,
    SALESFORCE_CLIENT_SECRET_FILE: secret,
  }
  expect(await world.sync(line, { variables })).toMatchObject({ code: 0 })
  world.api.editions.publish(startOfTests + hourMs, [{ id: plainId(1), status: 'awarded', archiveReason: 'awarded' }])
  expect(await world.sync(line, { variables })).toMatchObject({ code: 0 })
  expect(crm.opportunityOf(plainId(1))!.Tender_State__c).toBe('closed')
  expect(crm.sessions.length).toBeGreaterThan(2)
  expect(crm.violations).toEqual([])
})

test.skipIf(!connectionString)('run, verify and status work with postgres', async () => {
  await using world = await openCommandWorld()
  const schema = `command_${process.pid}`
  const variables = { TENDER_TOKEN: world.api.token, HOME: world.folder, DATABASE_URL: connectionString! }
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    world.api.editions.publish(startOfTests, [{ id: plainId(1) }, { id: plainId(2) }])
    const sink = `--sink postgres --option schema=${schema}`
    expect(await world.sync(`run ${world.url} ${sink}`, { variables })).toMatchObject({ code: 0 })
    expect((await client.query(`select id from ${schema}.tender`)).rows).toHaveLength(2)
    expect(await world.sync(`verify ${world.url} ${sink}`, { variables })).toMatchObject({ code: 0 })
    await client.query(`delete from ${schema}.tender where id = $1`, [plainId(2)])
    expect((await world.sync(`verify ${world.url} ${sink}`, { variables })).code).not.toBe(0)
    expect((await world.sync(`status ${sink}`, { variables })).out).toContain('1 record: 1 open')
  } finally {
    await client.query(`drop schema if exists ${schema} cascade`)
    await client.end()
  }
})
