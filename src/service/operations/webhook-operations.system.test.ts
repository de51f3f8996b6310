// The operator's commands about webhooks, with a receiver on this machine.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, test } from 'vitest'
import { runOperation, serviceContext } from '../../../test/operations-world.ts'
import { startReceiver } from '../../../test/webhooks/delivery-world.ts'
import { drawnEngines, openTestStore, type TestStore } from '../../../test/world.ts'
import type { CommandName } from '../../cli/command-table.ts'
import { painter } from '../../cli/paint.ts'
import { eventText } from '../../cli/texts/event-text.ts'
import { OperatorError } from '../../platform/errors.ts'
import { systemRandom } from '../../platform/random.ts'
import { listAuditEntries } from '../../store/people/audit.ts'
import { createOrganization } from '../../store/people/organizations.ts'
import type { CommandEvent, EventOf } from '../events/command-event.ts'
import { allowLoopbackWebhooks } from '../hits/loopback-webhooks.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

describe.each(drawnEngines)('webhook commands (%s)', (engine) => {
  async function world({ allowsLoopback = true } = {}) {
    const store = await openTestStore(engine)
    closers.push(() => store[Symbol.asyncDispose]())
    const dataFolder = await mkdtemp(join(tmpdir(), 'tenderstock-test-'))
    closers.push(() => rm(dataFolder, { recursive: true, force: true }))
    await createOrganization(store.db, { name: 'Acme' }, { now: Date.now(), random: systemRandom })
    await allowLoopbackWebhooks(store, allowsLoopback)
    const receiver = await startReceiver()
    closers.push(() => receiver[Symbol.dispose]())
    const run = async (
      command: CommandName,
      operands: readonly string[] = [],
      options: { readonly [name: string]: unknown } = {},
      secretKey?: Uint8Array,
    ) => {
      const events: CommandEvent[] = []
      const code = await runOperation(
        serviceContext({ store, dataFolder, config: secretKey ? { secretKey } : {} }),
        { command, operands, options },
        (event) => events.push(event),
      )
      return { code, events }
    }
    const create = async (options: { readonly [name: string]: unknown } = {}) => {
      const { events } = await run('webhook create', [], { organization: 'Acme', url: receiver.url, ...options })
      return events[0] as EventOf<'webhook'>
    }
    return { store, dataFolder, receiver, run, create }
  }
  const count = async (store: TestStore) =>
    (await sql<{ count: number }>`select count(*)::integer as count from webhook_endpoint`.execute(store.db)).rows[0]!
      .count

  test('an endpoint is created with a secret that signs, and that no other command shows', async () => {
    const { receiver, run, create } = await world()
    const { id, secret } = await create({ kind: ['search.hit', 'search.hit.changed'], rate: 3 })
    const listed = (await run('webhook list')).events
    expect(listed).toMatchObject([
      { event: 'webhook', id, organization: 'Acme', kinds: ['search.hit', 'search.hit.changed'], requestsPerSecond: 3 },
    ])
    expect(JSON.stringify(listed)).not.toContain(secret!.slice(6))
    expect(await run('webhook test', [id])).toMatchObject({ code: 0, events: [{ isSuccess: true, status: 204 }] })
    const [{ body, headers }] = receiver.received as [(typeof receiver.received)[number]]
    expect(new Webhook(secret!).verify(body, headers as Record<string, string>)).toMatchObject({ type: 'webhook.test' })
  })

  test('a wrong signature shows a receiver that does not verify', async () => {
    const { run, create } = await world()
    const { id } = await create()
    const { code, events } = await run('webhook test', [id], { 'wrong-signature': true })
    expect(code).toBe(1)
    expect(events).toMatchObject([{ isSignatureWrong: true }, { event: 'warning' }])
  })

  test('a receiver that is not reached has not refused a wrong signature', async () => {
    const { receiver, run, create } = await world()
    const { id } = await create()
    receiver[Symbol.dispose]()
    const { code, events } = await run('webhook test', [id], { 'wrong-signature': true })
    expect(events).toMatchObject([{ isSignatureWrong: true, status: null, error: 'refused' }])
    expect(code).toBe(1)
  })

  test('a disabled endpoint is enabled by a test that succeeds', async () => {
    const { run, create } = await world()
    const { id } = await create()
    await run('webhook disable', [id])
    await expect(run('webhook release', [id])).rejects.toThrow(/webhook test/)
    await run('webhook test', [id])
    expect((await run('webhook list')).events).toMatchObject([{ state: 'active' }])
    expect((await run('webhook release', [id])).events).toEqual([{ event: 'webhookReleased', id, deliveries: 0 }])
    await run('webhook remove', [id])
    expect((await run('webhook list')).events).toMatchObject([{ event: 'none' }])
  })

  test('after a rotation both secrets sign', async () => {
    const { receiver, run, create } = await world()
    const { id, secret } = await create()
    const [rotated] = (await run('webhook rotate', [id])).events as [EventOf<'webhookRotated'>]
    await run('webhook test', [id])
    const { body, headers } = receiver.received[0]!
    for (const each of [secret!, rotated.secret]) new Webhook(each).verify(body, headers as Record<string, string>)
    expect(eventText(rotated, painter(false), Date.now)).toContain(
      'Requests on their way still carry the old signature only',
    )
  })

  test('another sealing key is refused, until somebody says that the old one is lost', async () => {
    const { run, create } = await world()
    const { id } = await create()
    const other = systemRandom.bytes(32)
    await expect(run('webhook test', [id], {}, other)).rejects.toThrow(/encrypted with a different key/)
    await expect(run('webhook rotate', [id], {}, other)).rejects.toThrow(/--accept-new-key/)
    await run('webhook rotate', [id], { 'accept-new-key': true }, other)
    expect(await run('webhook test', [id], {}, other)).toMatchObject({ code: 0 })
  })

  test('a channel takes its address again after the key was lost, at its own host only', async () => {
    const { receiver, run, create, store } = await world()
    const { id } = await create({ chat: 'slack' })
    const other = systemRandom.bytes(32)
    await expect(run('webhook rotate', [id], {})).rejects.toThrow(/--url URL/)
    await expect(run('webhook update', [id], { url: receiver.url })).rejects.toThrow(/webhook rotate .* --url URL/)
    // whoever runs the service may not have the address: then Owners enter it
    expect(await run('webhook rotate', [id], { 'accept-new-key': true }, other)).toMatchObject({
      code: 0,
      events: [{ event: 'note', message: expect.stringContaining('--url URL') }],
    })
    await expect(run('webhook test', [id], {}, other)).rejects.toMatchObject({
      code: 'other-key',
      message: expect.stringContaining('enter it again'),
    })
    expect(receiver.received).toEqual([])
    const rotate = (url: string) => run('webhook rotate', [id], { url }, other)
    await expect(rotate('http://127.0.0.1:1/services')).rejects.toThrow(/Another host is another endpoint/)
    await expect(rotate(new URL(receiver.url).origin)).rejects.toThrow(/copy it as a whole/)
    expect((await rotate(receiver.url)).events).toEqual([{ event: 'webhookReaddressed', id }])
    expect(await run('webhook test', [id], {}, other)).toMatchObject({ code: 0 })
    expect(receiver.received).toHaveLength(1)
    await sql`update webhook_endpoint set chat = 'newer'`.execute(store.db)
    await expect(run('webhook test', [id], {}, other)).rejects.toMatchObject({ code: 'newer-version' })
    expect(receiver.received).toHaveLength(1)
  })

  test('an endpoint whose secret nobody can read any more is not tested without a signature', async () => {
    const { receiver, run, create } = await world()
    const [{ id }, second] = [await create(), await create()]
    const other = systemRandom.bytes(32)
    await run('webhook rotate', [second.id], { 'accept-new-key': true }, other)
    await expect(run('webhook test', [id], {}, other)).rejects.toMatchObject({ code: 'other-key' })
    expect(receiver.received).toEqual([])
  })

  test('a channel takes one message a second at most', async () => {
    const { run, create, store } = await world()
    await expect(create({ chat: 'slack', rate: 2 })).rejects.toThrow(/at most 1 message a second/)
    expect(await count(store)).toBe(0)
    const { id } = await create({ chat: 'slack' })
    await expect(run('webhook update', [id], { rate: 50 })).rejects.toThrow(/at most 1 message a second/)
    expect((await run('webhook list')).events).toMatchObject([{ requestsPerSecond: 1 }])
  })

  test('an existing secret comes from a file', async () => {
    const { run, create, dataFolder, receiver } = await world()
    const [file, secret] = [join(dataFolder, 'own'), `whsec_${systemRandom.bytes(32).toString('base64')}`]
    await writeFile(file, `${secret}\n`)
    const { id } = await create({ 'secret-file': file })
    await run('webhook test', [id])
    const { body, headers } = receiver.received[0]!
    new Webhook(secret).verify(body, headers as Record<string, string>)
  })

  test.each<[what: string, options: { readonly [name: string]: unknown }, error: RegExp]>([
    ['no such organization', { organization: 'Nobody' }, /no organization "Nobody"/],
    ['http to elsewhere', { url: 'http://hooks.example.org/' }, /is not https/],
    ['a private network', { url: 'https://10.0.0.1/' }, /private network/],
    ['no address', { url: 'hooks' }, /not a usable URL/],
    ['a name that can never be reached', { url: 'https://hooks.acme.internal/' }, /can never be reached/],
    ['an unknown kind', { kind: ['search.miss'] }, /no type "search.miss"/],
    ['an unknown search', { search: ['Roads'] }, /no search "Roads"/],
    ['a file that is not there', { 'secret-file': '/nonexistent/secret' }, /cannot be read \(ENOENT\)/],
  ])('nothing is stored for %s', async (_, options, error) => {
    const { store, create } = await world()
    const failed = await create(options).catch((thrown: unknown) => thrown)
    expect(failed).toBeInstanceOf(OperatorError)
    expect((failed as OperatorError).message).toMatch(error)
    expect(await count(store)).toBe(0)
  })

  test('a secret that is too short is refused, and never repeated', async () => {
    const { store, create, dataFolder } = await world()
    const file = join(dataFolder, 'short')
    await writeFile(file, 'whsec_c2hvcnQ=')
    await expect(create({ 'secret-file': file })).rejects.toThrow(/24 to 64 bytes/)
    await expect(create({ 'secret-file': file })).rejects.not.toThrow(/c2hvcnQ/)
    expect(await count(store)).toBe(0)
  })

  test('a receiver on this machine is for trials', async () => {
    const { store, create } = await world({ allowsLoopback: false })
    await expect(create()).rejects.toThrow(/--allow-loopback-webhooks/)
    expect(await count(store)).toBe(0)
  })

  test('an organization has at most twenty endpoints, also when they are created at once', async () => {
    const { store, create } = await world()
    const made = await Promise.allSettled(Array.from({ length: 23 }, () => create()))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
    expect(await count(store)).toBe(20)
  })

  test('an endpoint is changed, with an entry of the audit log; a mistake changes nothing', async () => {
    const { store, run, create, receiver } = await world()
    const { id } = await create({ description: 'CRM' })
    await expect(run('webhook update', [id])).rejects.toThrow(/Nothing to change/)
    await expect(run('webhook update', [id], { rate: 10, kind: ['search.hit'] })).rejects.toThrow(/Nothing to change/)
    for (const [options, error] of [
      [{ url: 'https://10.0.0.1/' }, /private network/],
      [{ kind: ['search.miss'] }, /no type/],
      [{ search: ['Roads'] }, /no search "Roads"/],
      [{ search: ['Roads'], 'all-searches': true }, /either --search or --all-searches/],
    ] as const)
      await expect(run('webhook update', [id], { rate: 3, ...options })).rejects.toThrow(error)
    await expect(run('webhook update', ['nothing'], { rate: 3 })).rejects.toThrow(/webhook list/)
    expect((await run('webhook list')).events).toMatchObject([{ requestsPerSecond: 10, url: receiver.url }])
    const search = { name: 'Roads', word: ['asphalt'], organization: 'Acme' }
    const [made] = (await run('search create', [], search)).events as [EventOf<'search'>]
    const changed = { url: `${receiver.url}/2`, kind: ['search.hit.changed'], search: ['Roads'], rate: 3 }
    expect((await run('webhook update', [id], changed)).events).toMatchObject([
      { event: 'webhook', id, url: `${receiver.url}/2`, kinds: ['search.hit.changed'], searches: [made.searchId] },
    ])
    expect((await run('webhook update', [id], { 'all-searches': true })).events).toMatchObject([{ searches: null }])
    const entries = (await listAuditEntries(store.db, { limit: 10 })).filter((each) => each.action === 'webhook.update')
    expect(entries).toMatchObject([
      { actor: 'operator', subject: 'CRM', detail: { searches: 'all', searchesBefore: 'Roads' } },
      { detail: { kindsBefore: 'search.hit', rate: 3, rateBefore: 10, searches: 'Roads', searchesBefore: 'all' } },
    ])
    expect(entries[0]!.organizationId).toBe(made.organizationId)
  })

  test('an endpoint that does not exist is named, and a replay names missing arguments', async () => {
    const { run, create } = await world()
    const { id } = await create()
    await expect(run('webhook test', ['nothing'])).rejects.toThrow(/webhook list/)
    await expect(run('webhook replay', [id])).rejects.toThrow(/--message ID, --failed-since DATE/)
    await expect(run('webhook replay', [id], { message: 'msg_1' })).rejects.toThrow(/webhook deliveries/)
    expect((await run('webhook replay', [id], { 'failed-since': '2026-01-01' })).events).toMatchObject([
      { deliveries: 0 },
    ])
    expect((await run('webhook deliveries', [id])).events).toMatchObject([{ event: 'none' }])
    expect((await run('webhook deliveries', [id], { state: 'given-up' })).events).toMatchObject([
      { message: 'This endpoint has no delivery that is "given-up" of the last 30 days.' },
    ])
  })
})
