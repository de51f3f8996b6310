import { beforeEach, describe, expect, test } from 'vitest'
import { anna, logged, newOrganization, now, openActingWorld, run, store } from '../../test/acting-world.ts'
import { systemRandom } from '../platform/random.ts'
import type { Executor } from '../store/database/database.ts'
import {
  disableEndpoint,
  type EndpointChange,
  enableEndpoint,
  findEndpoint,
  signingSecrets,
  type WebhookEndpoint,
} from '../store/hits/webhook-endpoints.ts'
import { listAuditEntries } from '../store/people/audit.ts'
import {
  addEndpoint,
  deleteEndpoint,
  editEndpoint,
  enterChannelAddress,
  releaseEndpoint,
  replayEndpoint,
  rotateEndpoint,
  settingsVersion,
  turnOff,
  turnOn,
} from './webhooks.ts'

const newSecret = () => ({ secretId: systemRandom.uuid(), sealed: systemRandom.bytes(16) })

let organizationId = ''
let endpoint: WebhookEndpoint

openActingWorld()
beforeEach(async () => {
  organizationId = (await newOrganization()).organizationId
  const wanted = { organizationId, address: 'https://crm.example/hook', description: '', kinds: ['search.hit'] }
  const creation = await run((trx) =>
    addEndpoint(trx, anna, { ...wanted, searches: undefined, requestsPerSecond: 10, secret: newSecret() }),
  )
  if (creation.kind !== 'created') throw new Error(creation.kind)
  endpoint = creation.endpoint
})

describe('the settings of an endpoint', () => {
  const edit = async (seen: string, change: EndpointChange) =>
    (await run((trx) => editEndpoint(trx, anna, { endpointId: endpoint.endpointId, seen, change }))).kind

  test('are changed by whoever has seen the newest ones, and have an entry for a change only', async () => {
    const seen = settingsVersion(endpoint)
    expect([
      await edit(seen, { requestsPerSecond: 10 }),
      await edit(seen, { requestsPerSecond: 5 }),
      await edit(seen, { description: 'CRM' }),
    ]).toEqual(['unchanged', 'edited', 'stale'])
    expect(await logged(organizationId, 2)).toEqual(['webhook.update'])
    expect((await listAuditEntries(store.db, { organizationId, limit: 1 }))[0]).toMatchObject({
      subject: 'crm.example',
      detail: { rate: 5, rateBefore: 10 },
    })
  })

  test('have another version after a change of any member', () => {
    const versions = [
      endpoint,
      { ...endpoint, address: 'https://other.example/' },
      { ...endpoint, description: 'CRM' },
      { ...endpoint, kinds: [] },
      { ...endpoint, searches: [] },
      { ...endpoint, requestsPerSecond: 1 },
    ].map(settingsVersion)
    expect(new Set(versions).size).toBe(versions.length)
    expect(settingsVersion({ ...endpoint, failingSince: now })).toBe(versions[0])
  })
})

describe('a channel', () => {
  const at = { address: 'https://hooks.chat.example/', description: '', kinds: ['search.hit'], searches: undefined }
  const chat = { kind: 'slack', language: 'en' }
  const add = (requestsPerSecond: number) =>
    run((trx) => addEndpoint(trx, anna, { ...at, organizationId, chat, requestsPerSecond, secret: newSecret() }))

  test('takes one message a second at most, when it is created and later', async () => {
    expect(await add(2)).toEqual({ kind: 'tooFast', most: 1 })
    const made = await add(1)
    if (made.kind !== 'created') throw new Error(made.kind)
    const { endpointId } = made.endpoint
    const seen = settingsVersion(made.endpoint)
    const edit = (change: EndpointChange) => run((trx) => editEndpoint(trx, anna, { endpointId, seen, change }))
    expect(await edit({ requestsPerSecond: 50 })).toEqual({ kind: 'tooFast', most: 1 })
    expect(await edit({ description: 'Sales' })).toMatchObject({ kind: 'edited', endpoint: { requestsPerSecond: 1 } })
    expect(await logged(organizationId, 2)).toEqual(['webhook.create', 'webhook.update'])
  })

  test('has one address, which is entered again at its host only', async () => {
    const made = await add(1)
    if (made.kind !== 'created') throw new Error(made.kind)
    const { endpointId, endpointNo } = made.endpoint
    const enter = (id: string, host: string, stored = newSecret()) =>
      run((trx) => enterChannelAddress(trx, anna, id, { host, stored }))
    const stored = newSecret()
    expect([
      await enter(endpointId, 'https://hooks.other.example/'),
      await enter(endpoint.endpointId, 'https://crm.example/'),
      await enter(systemRandom.uuid(), at.address),
      await enter(endpointId, at.address, stored),
    ]).toEqual([{ kind: 'otherPlace' }, { kind: 'otherPlace' }, { kind: 'gone' }, { kind: 'entered' }])
    const kept = await signingSecrets(store.db, endpointNo, now)
    expect(kept.map(({ secretId }) => secretId)).toEqual([stored.secretId])
    expect(await logged(organizationId, 2)).toEqual(['webhook.create', 'webhook.readdress'])
  })
})

test('an endpoint that lacked its secret waits for a test once it has another; one that somebody disabled stays so', async () => {
  const { endpointId, endpointNo } = endpoint
  const whyAfter = async (why: string) => {
    await disableEndpoint(store, endpointNo, why)
    await run((trx) => rotateEndpoint(trx, anna, endpointId, newSecret()))
    const found = (await findEndpoint(store.db, endpointId))!
    await enableEndpoint(store.db, endpointNo)
    return [found.state, found.disabledWhy]
  }
  expect([await whyAfter('secret'), await whyAfter('owner')]).toEqual([
    ['disabled', 'untested'],
    ['disabled', 'owner'],
  ])
})

test('an endpoint is switched once; disabled, it releases nothing; nothing that waits leaves no entry', async () => {
  const { endpointId } = endpoint
  const kindOf = async (work: (trx: Executor) => Promise<{ readonly kind: string }>) => (await run(work)).kind
  const on = () => kindOf((trx) => turnOn(trx, anna, endpointId))
  const off = () => kindOf((trx) => turnOff(trx, anna, endpointId, 'owner'))
  const release = () => run((trx) => releaseEndpoint(trx, anna, endpointId))
  expect([await on(), await off(), await off()]).toEqual(['unchanged', 'changed', 'unchanged'])
  expect(await release()).toEqual({ kind: 'disabled' })
  expect([await on(), await on()]).toEqual(['changed', 'unchanged'])
  expect(await release()).toEqual({ kind: 'released', deliveries: 0 })
  const choice = { since: 0, only: 'all' } as const
  expect(await run((trx) => replayEndpoint(trx, anna, endpointId, choice))).toEqual({
    kind: 'replayed',
    deliveries: 0,
  })
  expect(await logged(organizationId, 2)).toEqual(['webhook.disable', 'webhook.enable'])
})

test('a removed endpoint is gone for every change', async () => {
  const { endpointId } = endpoint
  const changes: readonly ((trx: Executor) => Promise<{ readonly kind: string }>)[] = [
    (trx) => deleteEndpoint(trx, anna, endpointId),
    (trx) => deleteEndpoint(trx, anna, endpointId),
    (trx) => rotateEndpoint(trx, anna, endpointId, newSecret()),
    (trx) => turnOn(trx, anna, endpointId),
    (trx) => turnOff(trx, anna, endpointId, 'operator'),
    (trx) => releaseEndpoint(trx, anna, endpointId),
    (trx) => editEndpoint(trx, anna, { endpointId, seen: settingsVersion(endpoint), change: {} }),
  ]
  const kinds = []
  for (const change of changes) kinds.push((await run(change)).kind)
  expect(kinds).toEqual(['removed', 'gone', 'gone', 'gone', 'gone', 'gone', 'gone'])
  expect(await logged(organizationId, 2)).toEqual(['webhook.remove'])
})
