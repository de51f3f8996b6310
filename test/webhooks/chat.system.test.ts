// Hits in channels: imitations of Slack and Teams that refuse what the services refuse, on both engines.
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { enterChannelAddress } from '../../src/actions/webhooks.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { createSealer } from '../../src/platform/sealing.ts'
import { inTransaction } from '../../src/store/database/database.ts'
import { countDeliveries, releaseHeld } from '../../src/store/hits/deliveries.ts'
import { enableEndpoint, listEndpoints } from '../../src/store/hits/webhook-endpoints.ts'
import { sealChatAddress } from '../../src/webhooks/chat-address.ts'
import { chatKinds } from '../../src/webhooks/chat-body.ts'
import { hostileTexts } from '../console/hostile-texts.ts'
import { engines, openTestStore } from '../world.ts'
import { acceptsCard, acceptsSlack } from './accepted-by-chats.ts'
import { openDeliveryWorld } from './delivery-world.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})
const accepts = { slack: acceptsSlack, teams: acceptsCard }
const paths = { slack: '/services/T0/B0/secret', teams: '/workflows/a/triggers/manual/paths/invoke?sig=secret%2Fx' }

/** Answers 400 with what is wrong, 429 to the first message if `isBusy`. */
async function imitation(kind: (typeof chatKinds)[number], isBusy = false) {
  const posted: { readonly request: IncomingMessage; readonly body: string; readonly status: number }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += String(piece)
    const faults = request.url === paths[kind] ? accepts[kind](body) : ['invalid_token']
    const status = isBusy && posted.length === 0 ? 429 : faults.length > 0 ? 400 : kind === 'slack' ? 200 : 202
    posted.push({ request, body, status })
    response.writeHead(status, status === 429 ? { 'retry-after': '30' } : {}).end(faults.join(', ') || 'ok')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  closers.push(() => server.close())
  return { posted, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${paths[kind]}` }
}

describe.each(engines)('channels (%s)', (engine) => {
  async function world() {
    const store = await openTestStore(engine)
    closers.push(() => store[Symbol.asyncDispose]())
    const made = await openDeliveryWorld(store)
    closers.push(made.close)
    return { store, ...made }
  }

  test.each(chatKinds)('%s accepts every hit, whatever its title says, and gets a button', async (kind) => {
    const { addHit, addChannel, addDelivery, deliver, store } = await world()
    const { url, posted } = await imitation(kind)
    const { endpointNo } = await addChannel(url, { kind, language: 'de' })
    const titles = ['Asphalt', hostileTexts[0]!, '<!channel> [x](https://evil.example)', 'W'.repeat(5000)]
    const hits = []
    for (const title of titles) hits.push(await addHit(title))
    for (const hit of hits) await addDelivery(endpointNo, hit)
    await deliver({ pages: 'https://t.example' })
    expect(posted.map(({ status }) => status)).toEqual(titles.map(() => (kind === 'slack' ? 200 : 202)))
    for (const { tenderId } of hits)
      expect(posted.some(({ body }) => body.includes(`https://t.example/tenders/${tenderId}`))).toBe(true)
    expect(posted.some(({ request }) => 'webhook-signature' in request.headers)).toBe(false)
    // the address is nowhere in plain text
    const { rows } = await sql<{ text: string }>`select e::text || coalesce(s::text, '') as text
      from webhook_endpoint e left join webhook_secret s using (endpoint_no)`.execute(store.db)
    expect(rows.map(({ text }) => text).join()).not.toContain('secret%2Fx')
    expect(rows.map(({ text }) => text).join()).not.toContain('/services/T0')
    expect((await listEndpoints(store.db))[0]!.chat).toEqual({ kind, language: 'de' })
  })

  test('after the loss of the key a channel holds what it has, and delivers it once its address was entered', async () => {
    const { addHit, addChannel, addDelivery, deliver, disabled, store, now } = await world()
    const { url, posted } = await imitation('slack')
    const { endpointNo, endpointId } = await addChannel(url, { kind: 'slack', language: 'en' })
    await addDelivery(endpointNo, await addHit())
    const sealer = createSealer(createSecretKey(randomBytes(32)), randomBytes)
    await deliver({ sealer })
    expect([posted, disabled]).toEqual([[], [[endpointId, 'address']]])
    const acting = { actor: 'own@example.org', addressPrefix: '', now: now(), random: systemRandom }
    const enter = (address: string) => {
      const channel = sealChatAddress(address, sealer, randomUUID())!
      return inTransaction(store, (trx) => enterChannelAddress(trx, acting, endpointId, channel))
    }
    expect(await enter('http://127.0.0.1:1/services/T0')).toEqual({ kind: 'otherPlace' })
    expect(await enter(url)).toEqual({ kind: 'entered' })
    await enableEndpoint(store.db, endpointNo)
    await releaseHeld(store, endpointNo, now())
    await deliver({ sealer })
    expect(posted.map(({ status }) => status)).toEqual([200])
  })

  test('a kind of channel that only a newer version knows gets nothing, and loses nothing', async () => {
    const { addHit, addChannel, addDelivery, deliver, disabled, store } = await world()
    const { url, posted } = await imitation('slack')
    const { endpointNo, endpointId } = await addChannel(url, { kind: 'slack', language: 'en' })
    await sql`update webhook_endpoint set chat = 'newer'`.execute(store.db)
    await addDelivery(endpointNo, await addHit())
    await deliver()
    expect([posted, disabled]).toEqual([[], [[endpointId, 'unknownChat']]])
    expect(await countDeliveries(store.db, endpointNo)).toMatchObject({ held: 1, delivered: 0 })
  })

  test('a busy channel gets the same message later, as it asks', async () => {
    const { addHit, addChannel, addDelivery, deliver, advance } = await world()
    const { url, posted } = await imitation('slack', true)
    const { endpointNo } = await addChannel(url, { kind: 'slack', language: 'en' })
    await addDelivery(endpointNo, await addHit())
    await deliver()
    expect(posted.map(({ status }) => status)).toEqual([429])
    advance(60_000)
    await deliver()
    expect(posted.map(({ status }) => status)).toEqual([429, 200])
    expect(posted[1]!.body).toBe(posted[0]!.body)
  })
})
