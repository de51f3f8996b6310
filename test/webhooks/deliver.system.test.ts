// Delivery as receivers see it: what arrives, how often, under which ID, and what happens to endpoints that fail.
import { randomBytes, randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type AccountMail, renderAccountMail } from '../../src/console/mails/account-mails.ts'
import { dayMs, hourMs, minuteMs } from '../../src/domain/time.ts'
import { inTransaction, type Store } from '../../src/store/database/database.ts'
import {
  claimEndpoint,
  countDeliveries,
  listDeliveries,
  pruneDeliveries,
  recordDelivered,
  recordFailed,
  releaseHeld,
  replayDeliveries,
} from '../../src/store/hits/deliveries.ts'
import { OutcomeWriter } from '../../src/store/hits/outcome-writer.ts'
import {
  changeEndpoint,
  disableEndpoint,
  enableEndpoint,
  findEndpoint,
  removeEndpoint,
  rotateSecret,
} from '../../src/store/hits/webhook-endpoints.ts'
import { addMember, createPerson } from '../../src/store/people/people.ts'
import { makeWebhookSecret, webhookSecretBytes } from '../../src/webhooks/signature.ts'
import { proofCount } from '../proof/proof-count.ts'
import { engines, openTestStore } from '../world.ts'
import { openDeliveryWorld, type Received, startReceiver } from './delivery-world.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

describe.each(engines)('D54: deliveries (%s)', (engine) => {
  async function addMembers(store: Store, organizationId: string, at: number): Promise<void> {
    for (const [mail, role] of [['own@example.org', 'owner'] as const, ['mem@example.org', 'member'] as const])
      await inTransaction(store, async (trx) => {
        const person = { personId: randomUUID(), mail, name: '', isOperator: false }
        const { personId } = await createPerson(trx, person, at)
        await addMember(trx, { organizationId, personId, role }, at)
      })
  }

  const mailsOf = async (store: Store) =>
    (await store.db.selectFrom('mail').selectAll().orderBy('created_at').execute()).map(({ person, content }) => {
      const mail = JSON.parse(content) as AccountMail
      return [person, renderAccountMail(mail, { origin: 'https://console.example', key: '' })] as const
    })

  async function world(answer?: Parameters<typeof startReceiver>[0], timeoutMs?: number) {
    const store = await openTestStore(engine)
    closers.push(() => store[Symbol.asyncDispose]())
    const made = await openDeliveryWorld(store, undefined, timeoutMs)
    closers.push(made.close)
    const receiver = await startReceiver(answer)
    closers.push(() => receiver[Symbol.dispose]())
    const stateOf = async (endpointNo: number) => await countDeliveries(store.db, endpointNo)
    return { ...made, store, receiver, stateOf }
  }
  const idsOf = (received: readonly Received[]) => received.map(({ headers }) => String(headers['webhook-id']))

  test('a hit arrives, signed, with its record from that edition', async () => {
    const { addHit, addEndpoint, addDelivery, deliver, receiver, store, now } = await world()
    const hit = await addHit('Asphalt “Straße”')
    const endpoint = await addEndpoint(receiver.url)
    const messageId = await addDelivery(endpoint.endpointNo, hit)
    await deliver()
    const [received] = receiver.received
    const event = new Webhook(endpoint.secret).verify(received!.body, received!.headers as Record<string, string>)
    expect(event).toMatchObject({
      type: 'search.hit',
      data: {
        hitId: hit.hitId,
        edition: 1,
        search: { name: 'Asphalt', version: 1 },
        fitScore: 78,
        fit: { raw: 81.9 },
        matched: ['cpv: 45233141'],
        tender: { id: hit.tenderId, title: 'Asphalt “Straße”', checkedAt: new Date(now() - 60_000).toISOString() },
      },
    })
    expect(idsOf(receiver.received)).toEqual([messageId])
    const [delivery] = await listDeliveries(store.db, { endpointNo: endpoint.endpointNo, limit: 10 })
    expect(delivery).toMatchObject({ messageId, state: 'delivered', attempts: 1, lastStatus: 204, lastError: null })
    await deliver()
    expect(receiver.received).toHaveLength(1)
  })

  test('checkedAt is the last check of any source of the record; without one, the time of its change', async () => {
    const { addHit, addEndpoint, addDelivery, deliver, receiver, store, now } = await world()
    const { endpointNo } = await addEndpoint(receiver.url)
    const checks = { ted: now() - 60_000, doe: now() - 30_000, 'fr-boamp': now() - 10_000 }
    await sql`update edition set checks = ${JSON.stringify(checks)}`.execute(store.db)
    const hit = await addHit()
    await sql`update edition_entry set sources = '["doe","ted"]'`.execute(store.db)
    await addDelivery(endpointNo, hit)
    await deliver()
    await addDelivery(endpointNo, await addHit())
    await sql`update edition_entry set sources = '["no-doffin"]'`.execute(store.db)
    await deliver()
    const [checked, unchecked] = receiver.received.map(({ body }) => JSON.parse(body).data.tender)
    expect(checked.checkedAt).toBe(new Date(now() - 30_000).toISOString())
    expect(unchecked.checkedAt).toBe(unchecked.lastModified)
  })

  test('messages of an edition wait until all of it is matched', async () => {
    const { addHit, addEndpoint, addDelivery, deliver, receiver, store } = await world()
    const endpoint = await addEndpoint(receiver.url)
    await addDelivery(endpoint.endpointNo, await addHit())
    await sql`update hit_mark set edition = 0`.execute(store.db)
    await deliver()
    expect(receiver.received).toEqual([])
    await sql`update hit_mark set edition = 1`.execute(store.db)
    await deliver()
    expect(receiver.received).toHaveLength(1)
  })

  test('a failed message is sent again on schedule, under its ID, with the same body and a new signature', async () => {
    const { addHit, addEndpoint, addDelivery, deliver, receiver, advance, store, stateOf } = await world(
      (response, _received, count) => void response.writeHead(count < 3 ? 500 : 200).end(`answer ${count}`),
    )
    const hit = await addHit()
    const endpoint = await addEndpoint(receiver.url)
    const messageId = await addDelivery(endpoint.endpointNo, hit)
    await deliver()
    await deliver()
    expect(receiver.received).toHaveLength(1)
    advance(5_000)
    // later changes of the record do not affect a message that was sent
    await sql`update edition_entry set body = replace(body, 'Asphalt', 'Beton')`.execute(store.db)
    await deliver()
    advance(5 * minuteMs - 1)
    await deliver()
    expect(receiver.received).toHaveLength(2)
    advance(1)
    await deliver()
    expect(idsOf(receiver.received)).toEqual([messageId, messageId, messageId])
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
    for (const { body, headers } of receiver.received)
      new Webhook(endpoint.secret).verify(body, headers as Record<string, string>)
    expect(await stateOf(endpoint.endpointNo)).toMatchObject({ delivered: 1, due: 0 })
    const log = await sql`select attempt, status, answer from delivery_attempt order by attempt`.execute(store.db)
    expect(log.rows).toEqual(
      [1, 2, 3].map((attempt) => ({ attempt, status: attempt < 3 ? 500 : 200, answer: `answer ${attempt}` })),
    )
  })

  test('a message is abandoned after ten attempts, and can be replayed under its ID', async () => {
    let status = 500
    const { addHit, addEndpoint, addDelivery, deliver, receiver, advance, store, now, stateOf } = await world(
      (response) => void response.writeHead(status).end(),
    )
    const { endpointNo } = await addEndpoint(receiver.url)
    const messageId = await addDelivery(endpointNo, await addHit())
    for (let hours = 0; hours < 80; hours++) {
      await deliver()
      advance(hourMs)
    }
    expect(receiver.received).toHaveLength(10)
    expect(await stateOf(endpointNo)).toMatchObject({ 'given-up': 1 })
    expect(await replayDeliveries(store, endpointNo, { since: now() - dayMs, only: 'failed' }, now())).toBe(0)
    expect(await replayDeliveries(store, endpointNo, { since: 0, only: 'failed' }, now())).toBe(1)
    // the schedule begins again
    await deliver()
    expect(await stateOf(endpointNo)).toMatchObject({ due: 1 })
    status = 200
    advance(5_000)
    await deliver()
    expect(idsOf(receiver.received)).toEqual(Array.from({ length: 12 }, () => messageId))
    expect(await replayDeliveries(store, endpointNo, { since: 0, only: 'failed' }, now())).toBe(0)
    expect(await replayDeliveries(store, endpointNo, { messageId }, now())).toBe(1)
    await deliver()
    expect(receiver.received).toHaveLength(13)
  })

  test('what waits for a retry can be sent now: one, or all that failed', async () => {
    let status = 500
    const { addHit, addEndpoint, addDelivery, deliver, receiver, advance, store, now, stateOf } = await world(
      (response) => void response.writeHead(status).end(),
    )
    const { endpointNo } = await addEndpoint(receiver.url)
    const ids: string[] = []
    for (let each = 0; each < 3; each++) ids.push(await addDelivery(endpointNo, await addHit()))
    for (const ms of [0, 10_000, 10 * minuteMs, hourMs]) {
      advance(ms)
      await deliver()
    }
    const attempts = receiver.received.length
    expect(attempts).toBe(12)
    // the receiver is repaired, and the next attempt is due in hours
    status = 204
    await deliver()
    expect(receiver.received).toHaveLength(attempts)
    expect(await replayDeliveries(store, endpointNo, { messageId: ids[0]! }, now())).toBe(1)
    // what is due already is not counted again
    expect(await replayDeliveries(store, endpointNo, { messageId: ids[0]! }, now())).toBe(0)
    await deliver()
    expect(idsOf(receiver.received.slice(attempts))).toEqual([ids[0]])
    expect(await stateOf(endpointNo)).toMatchObject({ delivered: 1, due: 2 })
    expect(await replayDeliveries(store, endpointNo, { since: 0, only: 'failed' }, now())).toBe(2)
    await deliver()
    expect(await stateOf(endpointNo)).toMatchObject({ delivered: 3, due: 0 })
    // the attempts go on where they were
    const counted = await listDeliveries(store.db, { endpointNo, limit: 9 })
    expect(counted.map((each) => each.attempts)).toEqual([5, 5, 5])
  })

  test('a request on its way while the secret is replaced carries the old signature only', async () => {
    const rotated = Promise.withResolvers<void>()
    const { addHit, addEndpoint, addDelivery, deliver, receiver, store, now, options } = await world(
      async (response, _received, count) => {
        if (count === 1) await rotated.promise
        response.writeHead(204).end()
      },
    )
    const endpoint = await addEndpoint(receiver.url)
    await addDelivery(endpoint.endpointNo, await addHit())
    const delivering = deliver()
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1))
    const secret = makeWebhookSecret(randomBytes)
    const secretId = randomUUID()
    const sealed = options.sealer.seal(webhookSecretBytes(secret)!, secretId)
    await rotateSecret(store, endpoint.endpointNo, { secretId, sealed }, now())
    rotated.resolve()
    await delivering
    const { body, headers } = receiver.received[0]!
    new Webhook(endpoint.secret).verify(body, headers as Record<string, string>)
    expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).toThrow()
  })

  test('what is done with one endpoint concerns no other', async () => {
    const { addHit, addEndpoint, addDelivery, receiver, store, now, stateOf } = await world()
    const [one, other] = [(await addEndpoint(receiver.url)).endpointNo, (await addEndpoint(receiver.url)).endpointNo]
    for (const state of ['given-up', 'delivered', 'held']) {
      const hit = await addHit()
      for (const endpointNo of [one, other]) {
        const messageId = await addDelivery(endpointNo, hit)
        await sql`
          update delivery set state = ${state}, held_why = ${state === 'held' ? 'endpoint' : null}
          where message_id = ${messageId}`.execute(store.db)
      }
    }
    const before = await stateOf(other)
    const [ofOther] = await listDeliveries(store.db, { endpointNo: other, state: 'delivered', limit: 1 })
    expect(await replayDeliveries(store, one, { messageId: ofOther!.messageId }, now())).toBe(0)
    expect(await replayDeliveries(store, one, { since: 0, only: 'all' }, now())).toBe(2)
    expect(await releaseHeld(store, one, now())).toBe(1)
    expect(await stateOf(one)).toMatchObject({ due: 3 })
    expect(await stateOf(other)).toEqual(before)
    await replayDeliveries(store, other, { since: 0, only: 'all' }, now())
    const waiting = await stateOf(other)
    expect(waiting).toMatchObject({ due: 2, held: 1 })
    await disableEndpoint(store, one, 'operator')
    expect([await stateOf(one), await stateOf(other)]).toMatchObject([{ held: 3 }, waiting])
    await removeEndpoint(store, one, now())
    expect([await stateOf(one), await stateOf(other)]).toMatchObject([{ 'given-up': 3 }, waiting])
  })

  test('a 410 disables the endpoint at once and holds the rest, which arrives once after a release', async () => {
    let status = 410
    const { addHit, addEndpoint, addDelivery, deliver, receiver, store, disabled, stateOf, now } = await world(
      (response) => void response.writeHead(status).end(),
    )
    const { endpointNo, endpointId } = await addEndpoint(receiver.url)
    const ids: string[] = []
    for (let count = 0; count < 20; count++) ids.push(await addDelivery(endpointNo, await addHit()))
    await deliver()
    expect(receiver.received.length).toBeLessThanOrEqual(4)
    expect(disabled).toEqual([[endpointId, 'gone']])
    expect(await findEndpoint(store.db, endpointId)).toMatchObject({ state: 'disabled', disabledWhy: 'gone' })
    expect(await stateOf(endpointNo)).toMatchObject({ held: 20 })
    status = 200
    await enableEndpoint(store.db, endpointNo)
    await deliver()
    expect(await stateOf(endpointNo)).toMatchObject({ held: 20 })
    const before = receiver.received.length
    expect(await releaseHeld(store, endpointNo, now())).toBe(20)
    await deliver()
    expect(idsOf(receiver.received.slice(before)).sort()).toEqual([...ids].sort())
  })

  test('five days of failures disable an endpoint, unless there is a success in between', async () => {
    let status = 500
    const { addHit, addEndpoint, addDelivery, deliver, receiver, store, advance, disabled } = await world(
      (response) => void response.writeHead(status).end(),
    )
    const { endpointNo, endpointId } = await addEndpoint(receiver.url)
    const fail = async (days: number) => {
      for (let day = 0; day < days; day++) {
        await addDelivery(endpointNo, await addHit())
        await deliver()
        advance(dayMs)
      }
    }
    await fail(4)
    expect((await findEndpoint(store.db, endpointId))!.failingSince).toBeDefined()
    status = 200
    await fail(1)
    expect((await findEndpoint(store.db, endpointId))!.failingSince).toBeUndefined()
    status = 500
    await fail(5)
    expect(disabled).toEqual([])
    await fail(1)
    expect(disabled).toEqual([[endpointId, 'failing']])
  })

  test('Owners get one mail after a day of failures, and one when the service disables an endpoint', async () => {
    let status = 500
    const { addHit, addEndpoint, addDelivery, deliver, receiver, store, advance, now } = await world(
      (response) => void response.writeHead(status).end(),
    )
    const { endpointNo, endpointId } = await addEndpoint(receiver.url)
    const { organizationId } = (await findEndpoint(store.db, endpointId))!
    await addMembers(store, organizationId, now())
    const mails = () => mailsOf(store)
    const attempt = async (laterMs: number) => {
      advance(laterMs)
      await addDelivery(endpointNo, await addHit())
      await deliver()
      return (await mails()).map(([person, { subject }]) => [person, subject])
    }
    const { host } = new URL(receiver.url)
    const isFailing = ['own@example.org', `Webhook “${host}” of Bauwerk is failing`]
    await attempt(0)
    expect(await attempt(dayMs - 1)).toEqual([])
    expect(await attempt(1)).toEqual([isFailing])
    expect(await attempt(hourMs)).toEqual([isFailing])
    const { text } = (await mails())[0]![1]
    expect(text).toContain(`https://console.example/o/${organizationId}/webhooks/${endpointId}`)
    expect(text).toContain('Failing since 22 Nov 2026, 06:00 UTC.')
    expect(text).not.toContain('/hook')
    // another series of failures is another occasion
    status = 204
    await attempt(0)
    status = 500
    await attempt(0)
    expect(await attempt(dayMs)).toEqual([isFailing, isFailing])
    status = 410
    expect(await attempt(0)).toEqual([
      isFailing,
      isFailing,
      ['own@example.org', `Webhook “${host}” of Bauwerk was disabled`],
    ])
    expect((await mails()).at(-1)![1].text).toContain('Its server answered 410 Gone.')
  })

  test('after twenty failures in a row an endpoint gets one delivery at a time', async () => {
    let [open, most, isWell] = [0, 0, false]
    const waiting: (() => void)[] = []
    const answerAll = () => {
      for (const answer of waiting.splice(0)) answer()
    }
    const { addHit, addEndpoint, addDelivery, deliver, receiver, advance } = await world((response) => {
      most = Math.max(most, ++open)
      waiting.push(() => {
        open--
        response.writeHead(isWell ? 200 : 500).end()
      })
      // four at once are answered together; fewer when no other comes
      if (open >= 4) answerAll()
      else setTimeout(answerAll, 300)
    })
    const { endpointNo } = await addEndpoint(receiver.url)
    for (let count = 0; count < 24; count++) await addDelivery(endpointNo, await addHit())
    await deliver()
    expect(most).toBe(4)
    most = 0
    advance(10_000)
    await deliver()
    expect(most).toBe(1)
    isWell = true
    advance(10 * minuteMs)
    await deliver()
    expect(most).toBe(4)
  })

  test('dead and slow endpoints delay no others', { timeout: 300_000 }, async () => {
    const { addHit, addEndpoint, addEndpoints, addDelivery, deliver, receiver, stateOf } = await world(
      undefined,
      300_000,
    )
    const answerSlowly = Promise.withResolvers<void>()
    const dead = await startReceiver(() => {})
    const slow = await startReceiver((response) => void answerSlowly.promise.then(() => response.writeHead(200).end()))
    closers.push(
      () => dead[Symbol.dispose](),
      () => slow[Symbol.dispose](),
    )
    const hit = await addHit()
    const bad = [await addEndpoint(dead.url), await addEndpoint(slow.url)]
    const good = await addEndpoints(proofCount({ share: 90, full: 500 }), receiver.url)
    for (const { endpointNo } of [...bad, ...good]) await addDelivery(endpointNo, hit)
    const delivering = deliver()
    // every good one has its message while the two others have not answered
    await expect
      .poll(() => [receiver.received.length, dead.received.length, slow.received.length], { timeout: 240_000 })
      .toEqual([good.length, 1, 1])
    answerSlowly.resolve()
    dead[Symbol.dispose]()
    await delivering
    for (const { endpointNo } of good) expect((await stateOf(endpointNo)).delivered).toBe(1)
    expect(await stateOf(bad[0]!.endpointNo)).toMatchObject({ due: 1 })
    expect(await stateOf(bad[1]!.endpointNo)).toMatchObject({ delivered: 1 })
  })

  test('an endpoint with a long queue gives its place to those that wait', { timeout: 120_000 }, async () => {
    const { addHit, addEndpoint, addEndpoints, addDelivery, deliver, receiver, stateOf, advance } = await world(
      undefined,
      60_000,
    )
    const ending = new AbortController()
    const busy = await startReceiver((response) => void setTimeout(() => response.writeHead(200).end(), 900))
    closers.push(() => busy[Symbol.dispose]())
    const hit = await addHit()
    // as many as one process serves at the same time, each with more than it can take before the visit ends
    const long = await addEndpoints(64, busy.url)
    for (const { endpointNo } of long) for (let each = 0; each < 40; each++) await addDelivery(endpointNo, hit)
    const last = await addEndpoint(receiver.url)
    const delivering = deliver({}, ending.signal)
    await expect.poll(() => busy.received.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(4 * long.length)
    // due after everything in the long queues
    advance(1)
    await addDelivery(last.endpointNo, hit)
    await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(1)
    ending.abort()
    await delivering
    const left = await Promise.all(long.map(async ({ endpointNo }) => (await stateOf(endpointNo)).due))
    expect(left.every((count) => count > 0)).toBe(true)
  })

  test('requests to one endpoint start at most as often as it allows', async () => {
    const { addHit, addEndpoint, addDelivery, deliver, receiver } = await world()
    const { endpointNo } = await addEndpoint(receiver.url, 2)
    for (let count = 0; count < 4; count++) await addDelivery(endpointNo, await addHit())
    const startedAt = performance.now()
    await deliver()
    expect(receiver.received).toHaveLength(4)
    // four starts have three pauses of half a second between them, far longer than the requests take on a busy machine;
    // timers may be a little early
    expect(performance.now() - startedAt).toBeGreaterThan(3 * 500 - 20)
  })

  test('two deliverers share the work: each message arrives once', async () => {
    const { addHit, addEndpoint, addDelivery, deliver, receiver } = await world()
    const hits = [await addHit(), await addHit(), await addHit()]
    const ids: string[] = []
    for (let count = 0; count < 12; count++) {
      const { endpointNo } = await addEndpoint(receiver.url)
      for (const hit of hits) ids.push(await addDelivery(endpointNo, hit))
    }
    await Promise.all([deliver({ worker: 'a' }), deliver({ worker: 'b' }), deliver({ worker: 'c' })])
    expect(idsOf(receiver.received).sort()).toEqual(ids.sort())
  })

  test.skipIf(engine === 'embedded')(
    'two deliverers that store attempts of one message at the same moment both can',
    async () => {
      const { addHit, addEndpoint, addDelivery, store } = await world()
      const { endpointNo } = await addEndpoint('http://127.0.0.1:9/')
      const messageId = await addDelivery(endpointNo, await addHit())
      const attempt = { messageId, attempts: 1, at: 1, status: 204, error: undefined, milliseconds: 1, answer: '' }
      const lease = {
        endpointNo,
        endpointId: '',
        address: '',
        requestsPerSecond: 1,
        failures: 0,
        fence: 0,
        chat: null,
        language: null,
      }
      const other = new pg.Client({ connectionString: store.options.databaseUrl })
      await other.connect()
      try {
        await other.query('begin')
        await other.query('select from webhook_endpoint where endpoint_no = $1 for update', [endpointNo])
        const stored = recordDelivered(store.db, [{ lease, attempt: { ...attempt, step: { event: 'success' } } }])
        // it waits for the lock, and does not see what is written meanwhile
        // not asked by the transaction, which would see all sessions as they were at its first look
        const waiting = sql`select pid from pg_stat_activity where wait_event_type = 'Lock'
          and query like '%logged as%' and datname = current_database() and pid <> pg_backend_pid()`
        await expect.poll(async () => (await waiting.execute(store.db)).rows.length, { timeout: 60_000 }).toBe(1)
        await other.query(
          `insert into delivery_attempt (message_id, endpoint_no, attempt, attempted_at, duration_ms, answer)
           values ($1, $2, 1, 0, 1, '')`,
          [messageId, endpointNo],
        )
        await other.query('commit')
        expect(await stored).toEqual([false])
      } finally {
        await other.end()
      }
      const { rows } = await sql<{ attempt: number }>`
        select attempt from delivery_attempt where message_id = ${messageId} order by attempt`.execute(store.db)
      expect(rows).toEqual([{ attempt: 1 }, { attempt: 2 }])
    },
  )

  test('a message whose outcome could not be stored is sent again unchanged', async () => {
    const { addHit, addEndpoint, addDelivery, deliver, receiver, store, options, advance } = await world()
    const { endpointNo } = await addEndpoint(receiver.url)
    const messageId = await addDelivery(endpointNo, await addHit())
    const broken = {
      ...store,
      db: store.db.withPlugin({
        transformQuery: ({ node }) => {
          if (JSON.stringify(node).includes('insert into delivery_attempt')) throw new Error('killed')
          return node
        },
        transformResult: async ({ result }) => result,
      }),
    }
    await expect(deliver({ ...options, store: broken })).rejects.toThrow('killed')
    advance(2 * minuteMs)
    await deliver()
    expect(idsOf(receiver.received)).toEqual([messageId, messageId])
    expect(receiver.received[1]!.body).toBe(receiver.received[0]!.body)
  })

  test('a body that another worker stored meanwhile is the one that is sent', async () => {
    const { addHit, addEndpoint, addDelivery, deliver, receiver, store } = await world()
    const { endpointNo } = await addEndpoint(receiver.url)
    await addDelivery(endpointNo, await addHit())
    const stored = '{"type":"search.hit","timestamp":"stored by another worker"}'
    // stands in for a worker that lost its lease after it had stored the body
    await sql`
      create function store_first() returns trigger language plpgsql as $$ begin
        insert into delivery_body (message_id, packed, created_at)
          values (new.message_id, decode('${sql.raw(gzipSync(stored).toString('base64'))}', 'base64'), new.created_at);
        return new;
      end $$`.execute(store.db)
    await sql`
      create trigger store_first before insert on delivery_body for each row
        when (pg_trigger_depth() = 0) execute function store_first()`.execute(store.db)
    await deliver()
    expect(receiver.received.map(({ body }) => body)).toEqual([stored])
  })

  test('outcomes of several endpoints are stored together; one that is late or cannot be stored affects no other', async () => {
    const { addHit, addEndpoint, addDelivery, receiver, store, now, stateOf } = await world()
    const statements: string[] = []
    const db = store.db.withPlugin({
      transformQuery: ({ node }) => {
        statements.push(JSON.stringify(node))
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const writer = new OutcomeWriter(db)
    const endpointNos = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (name) => (await addEndpoint(`${receiver.url}?${name}`)).endpointNo),
    )
    const messageIds: string[] = []
    for (const endpointNo of endpointNos) messageIds.push(await addDelivery(endpointNo, await addHit()))
    const leases = await Promise.all(
      endpointNos.map(async () => (await claimEndpoint(store, { worker: 'test', now: now(), leaseMs: 60_000 }))!),
    )
    const messageOf = ({ endpointNo }: { readonly endpointNo: number }) => messageIds[endpointNos.indexOf(endpointNo)]!
    // the second lease is lost, the third outcome is no text for the database
    await sql`update webhook_endpoint set fence = fence + 1 where endpoint_no = ${leases[1]!.endpointNo}`.execute(
      store.db,
    )
    const attempt = { attempts: 1, at: now(), status: 204, error: undefined, milliseconds: 1 }
    const step = { event: 'success' } as const
    const stored = await Promise.allSettled(
      leases.map((lease, index) =>
        writer.keep({
          lease,
          attempt: { ...attempt, messageId: messageOf(lease), answer: index === 2 ? '\0' : 'thanks', step },
        }),
      ),
    )
    expect(stored.map((each) => (each.status === 'fulfilled' ? each.value.isLeaseLost : 'failed'))).toEqual([
      false,
      true,
      'failed',
      false,
    ])
    // the first alone, the others together, then each of them alone
    expect(statements).toHaveLength(5)
    const states = await Promise.all(leases.map(({ endpointNo }) => stateOf(endpointNo)))
    expect(states.map(({ due, delivered }) => ({ due, delivered }))).toEqual([
      { due: 0, delivered: 1 },
      { due: 1, delivered: 0 },
      { due: 1, delivered: 0 },
      { due: 0, delivered: 1 },
    ])
    const { rows } = await sql`
      select message_id as id, attempt, status, answer from delivery_attempt order by 1`.execute(store.db)
    expect(rows).toEqual(
      [0, 1, 3]
        .map((index) => ({ id: messageOf(leases[index]!), attempt: 1, status: 204, answer: 'thanks' }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    )
  })

  test('a process that sleeps past its lease changes nothing that another one has stored', async () => {
    const { addHit, addEndpoint, addDelivery, deliver, receiver, store, advance, now, stateOf } = await world()
    const { endpointNo } = await addEndpoint(receiver.url)
    const messageId = await addDelivery(endpointNo, await addHit())
    const asleep = await claimEndpoint(store, { worker: 'asleep', now: now(), leaseMs: 60_000 })
    await deliver()
    expect(receiver.received).toEqual([])
    advance(60_000)
    await deliver()
    expect(receiver.received).toHaveLength(1)
    const late = { messageId, attempts: 1, at: now(), status: 410, error: undefined, milliseconds: 1, answer: '' }
    const step = { event: 'gone', disables: 'gone' } as const
    const policy = { warnedAfterMs: 0, disabledAfterMs: 0, mailDomain: 'example.org' }
    expect(await recordFailed(store, asleep!, { ...late, step }, policy)).toEqual({
      isLeaseLost: true,
      disabled: undefined,
    })
    expect(await stateOf(endpointNo)).toMatchObject({ delivered: 1, held: 0 })
  })

  test('during a rotation both secrets sign, a day later only the new one', async () => {
    const { addHit, addEndpoint, addDelivery, deliver, receiver, store, advance, now, options } = await world()
    const endpoint = await addEndpoint(receiver.url)
    const rotate = async () => {
      const secret = makeWebhookSecret(randomBytes)
      const secretId = randomUUID()
      const sealed = options.sealer.seal(webhookSecretBytes(secret)!, secretId)
      await rotateSecret(store, endpoint.endpointNo, { secretId, sealed }, now())
      return secret
    }
    const newer = await rotate()
    const send = async () => {
      await addDelivery(endpoint.endpointNo, await addHit())
      await deliver()
      const { body, headers } = receiver.received.at(-1)!
      return (secret: string) => new Webhook(secret).verify(body, headers as Record<string, string>)
    }
    const during = await send()
    during(endpoint.secret)
    during(newer)
    advance(dayMs)
    const after = await send()
    after(newer)
    expect(() => after(endpoint.secret)).toThrow()
    // of two rotations in a row, only the last two secrets sign
    const [newest, last] = [await rotate(), await rotate()]
    const soon = await send()
    soon(newest)
    soon(last)
    expect(() => soon(newer)).toThrow()
  })

  test('secrets appear in no row of the database', async () => {
    const { addEndpoint, receiver, store } = await world()
    const { secret } = await addEndpoint(receiver.url)
    const bytes = webhookSecretBytes(secret)!
    const { rows } = await sql<{ sealed: Buffer }>`select sealed from webhook_secret`.execute(store.db)
    expect(rows).toHaveLength(1)
    for (const { sealed } of rows) expect(Buffer.from(sealed).includes(bytes)).toBe(false)
    const all = await sql<{ text: string }>`select webhook_endpoint::text as text from webhook_endpoint`.execute(
      store.db,
    )
    expect(all.rows[0]!.text).not.toContain(secret.slice('whsec_'.length))
  })

  test('an endpoint whose secret was sealed with a lost key is disabled, and sends nothing unsigned', async () => {
    const { addHit, addEndpoint, addDelivery, deliver, receiver, disabled, store, now, stateOf, options } =
      await world()
    const { endpointNo, endpointId } = await addEndpoint(receiver.url)
    await addMembers(store, (await findEndpoint(store.db, endpointId))!.organizationId, now())
    await addDelivery(endpointNo, await addHit())
    await deliver({ sealer: { ...options.sealer, open: () => undefined } })
    expect(receiver.received).toEqual([])
    expect(disabled).toEqual([[endpointId, 'secret']])
    const [[person, { text }]] = (await mailsOf(store)) as [Awaited<ReturnType<typeof mailsOf>>[number]]
    expect([person, text]).toEqual(['own@example.org', expect.stringContaining('Replace the secret.')])
    expect(await stateOf(endpointNo)).toMatchObject({ held: 1 })
  })

  test('an address that is no longer allowed is a failure, and reaches nobody', async () => {
    const { addHit, addEndpoint, addDelivery, deliver, receiver, store } = await world()
    const { endpointNo } = await addEndpoint(receiver.url)
    await addDelivery(endpointNo, await addHit())
    await deliver({ addresses: { allowsLoopback: false } })
    expect(receiver.received).toEqual([])
    const [delivery] = await listDeliveries(store.db, { endpointNo, limit: 1 })
    expect(delivery).toMatchObject({ state: 'due', attempts: 1, lastError: 'forbidden-address' })
  })

  test('a change of address sends nothing more to the old one, and retries at the new one at once', async () => {
    let move: () => unknown = () => {}
    let status = 500
    const { addHit, addEndpoint, addDelivery, deliver, receiver, store, now, stateOf } = await world(
      async (response) => {
        await move()
        response.writeHead(status).end()
      },
    )
    const next = await startReceiver()
    const last = await startReceiver()
    closers.push(
      () => next[Symbol.dispose](),
      () => last[Symbol.dispose](),
    )
    const { endpointNo, endpointId } = await addEndpoint(receiver.url)
    const to = (address: string) => inTransaction(store, (trx) => changeEndpoint(trx, endpointNo, { address }, now()))
    const ids: string[] = []
    for (let count = 0; count < 3; count++) ids.push(await addDelivery(endpointNo, await addHit()))
    await deliver()
    expect(receiver.received).toHaveLength(3)
    expect(await to(next.url)).toBe(true)
    expect(await findEndpoint(store.db, endpointId)).toMatchObject({ failingSince: undefined, address: next.url })
    await deliver()
    expect(idsOf(next.received).sort()).toEqual([...ids].sort())
    expect(receiver.received).toHaveLength(3)

    // moved while a worker sends: only what was under way still arrives at the former address
    await to(receiver.url)
    status = 204
    let moved: Promise<unknown> | undefined
    move = () => {
      moved ??= to(last.url)
      return moved
    }
    const more: string[] = []
    for (let count = 0; count < 30; count++) more.push(await addDelivery(endpointNo, await addHit()))
    await deliver()
    expect(receiver.received.length).toBeLessThanOrEqual(3 + 4)
    expect(idsOf(last.received).sort()).toEqual([...more].sort())
    expect(await stateOf(endpointNo)).toMatchObject({ delivered: 33, due: 0 })
    await removeEndpoint(store, endpointNo, now())
    expect(await to(next.url)).toBe(false)
  })

  test('a removed endpoint receives nothing more', async () => {
    const { addHit, addEndpoint, addDelivery, deliver, receiver, store, now, stateOf } = await world()
    const { endpointNo, endpointId } = await addEndpoint(receiver.url)
    await addDelivery(endpointNo, await addHit())
    await removeEndpoint(store, endpointNo, now())
    await deliver()
    expect(receiver.received).toEqual([])
    expect(await findEndpoint(store.db, endpointId)).toBeUndefined()
    expect(await stateOf(endpointNo)).toMatchObject({ 'given-up': 1 })
  })

  test('history is removed after thirty days, held messages are not', async () => {
    const { addHit, addEndpoint, addDelivery, deliver, receiver, store, advance, now, stateOf } = await world()
    const [first, second] = [await addEndpoint(receiver.url), await addEndpoint(receiver.url)]
    await addDelivery(first.endpointNo, await addHit())
    await addDelivery(second.endpointNo, await addHit())
    await sql`update delivery set state = 'held', held_why = 'endpoint' where endpoint_no = ${second.endpointNo}`.execute(
      store.db,
    )
    await deliver()
    advance(31 * dayMs)
    expect(await pruneDeliveries(store.db, now(), 100)).toBe(false)
    expect(await stateOf(first.endpointNo)).toEqual({ due: 0, delivered: 0, 'given-up': 0, held: 0 })
    expect(await stateOf(second.endpointNo)).toMatchObject({ held: 1 })
    const left = await sql`select from delivery_body union all select from delivery_attempt`.execute(store.db)
    expect(left.rows).toEqual([])
  })
})
