// Hits, endpoints and receivers for the tests of delivery: rows as the runner writes them, and a real server that
// receives them.
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { systemRandom } from '../../src/platform/random.ts'
import { createSealer } from '../../src/platform/sealing.ts'
import type { Store } from '../../src/store/database/database.ts'
import { createEndpoint, maxEndpoints } from '../../src/store/hits/webhook-endpoints.ts'
import { createOrganization } from '../../src/store/people/organizations.ts'
import { sealChatAddress } from '../../src/webhooks/chat-address.ts'
import { type Chat, chatRate } from '../../src/webhooks/chat-body.ts'
import { type DelivererOptions, deliverDue } from '../../src/webhooks/deliver.ts'
import { openSender } from '../../src/webhooks/send-attempt.ts'
import { makeWebhookSecret, webhookSecretBytes } from '../../src/webhooks/signature.ts'

export type Received = { readonly headers: IncomingHttpHeaders; readonly body: string; readonly at: number }
export type Answer = (response: ServerResponse, received: Received, count: number) => void

/** A receiver on this machine that stores what it received and answers as told. */
export async function startReceiver(answer: Answer = (response) => void response.writeHead(204).end()) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const each = { headers: request.headers, body: Buffer.concat(pieces).toString(), at: performance.now() }
      received.push(each)
      answer(response, each, received.length)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    [Symbol.dispose]: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const startAt = Date.UTC(2026, 10, 22, 6)

/** An organization with a search and a published edition, and a deliverer whose clock the test moves. */
export async function openDeliveryWorld(store: Store, begin = startAt, timeoutMs = 1000) {
  let now = begin
  const clock = () => now
  const sealingKey = randomBytes(32)
  const sealer = createSealer(createSecretKey(sealingKey), randomBytes)
  const addOrganization = async (name: string) =>
    (await createOrganization(store.db, { name }, { now, random: systemRandom })).organization.organizationId
  const organizationId = await addOrganization('Bauwerk')
  const searchId = randomUUID()
  const search = await sql<{ searchNo: number }>`
    insert into saved_search (search_id, organization_id, name, created_at, created_by)
    values (${searchId}, ${organizationId}, 'Asphalt', ${now}, 'test') returning search_no as "searchNo"`.execute(
    store.db,
  )
  const { searchNo } = search.rows[0]!
  await sql`
    insert into edition (edition, last_modified, published_at, records, changes, checks, counts, checksum)
    values (1, ${now}, ${now}, 0, 0, ${JSON.stringify({ ted: now - 60_000 })}, '{}', ${'0'.repeat(64)})`.execute(
    store.db,
  )
  await sql`update hit_mark set edition = 1, last_modified = ${now}`.execute(store.db)
  let entries = 0

  /** A hit of a record in the edition; returns the record's id. */
  const addHit = async (title = 'Asphalt', { db } = store) => {
    const [tenderId, lastModified] = [randomUUID(), now + ++entries]
    const record = { id: tenderId, lastModified: new Date(lastModified).toISOString(), status: 'open', title, lots: [] }
    await sql`
      insert into edition_entry (last_modified, edition, tender_id, body, sources)
      values (${lastModified}, 1, ${tenderId}, ${JSON.stringify(record)}, '["ted"]')`.execute(db)
    const hitId = randomUUID()
    await sql`
      insert into hit (search_no, tender_id, hit_id, edition, last_modified, search_version, fit_score, fit, matched, made_at,
        score_now, last_edition, state_modified, digest_edition)
      values (${searchNo}, ${tenderId}, ${hitId}, 1, ${lastModified}, 1, 78, '{"raw":81.9,"parts":[]}', '["cpv: 45233141"]', ${now}, 78, 1,
        ${lastModified}, 1)`.execute(db)
    return { hitId, lastModified, tenderId }
  }
  const addEndpoint = async (address: string, requestsPerSecond = 1000, owner = organizationId) => {
    const secret = makeWebhookSecret(randomBytes)
    const secretId = randomUUID()
    const endpoint = await createEndpoint(
      store,
      {
        endpointId: randomUUID(),
        organizationId: owner,
        address,
        description: '',
        kinds: ['search.hit'],
        searches: undefined,
        requestsPerSecond,
        secret: { secretId, sealed: sealer.seal(webhookSecretBytes(secret)!, secretId) },
      },
      now,
    )
    return { ...endpoint!, secret }
  }
  /** A channel of a chat at this address. */
  const addChannel = async (address: string, chat: Chat) => {
    const { host, stored } = sealChatAddress(address, sealer, randomUUID())!
    const shown = { description: '', kinds: ['search.hit'], searches: undefined, requestsPerSecond: chatRate }
    const endpoint = { endpointId: randomUUID(), organizationId, address: host, chat, secret: stored }
    return (await createEndpoint(store, { ...endpoint, ...shown }, now))!
  }
  /** Endpoints of as many organizations as they need, because each has at most twenty. */
  const addEndpoints = async (count: number, address: string) => {
    const endpoints: Awaited<ReturnType<typeof addEndpoint>>[] = []
    let owner = ''
    for (let index = 0; index < count; index++) {
      if (index % maxEndpoints === 0) owner = await addOrganization(`Bauwerk ${randomUUID()}`)
      endpoints.push(await addEndpoint(address, undefined, owner))
    }
    return endpoints
  }
  const addDelivery = async (
    endpointNo: number,
    hit: { readonly hitId: string; readonly lastModified: number },
    { db } = store,
  ) => {
    const messageId = `msg_${randomBytes(16).toString('hex')}`
    await sql`
      insert into delivery (message_id, endpoint_no, kind, hit_id, edition, last_modified, state, due_at, created_at)
      values (${messageId}, ${endpointNo}, 'search.hit', ${hit.hitId}, 1, ${hit.lastModified}, 'due', ${now}, ${now})`.execute(
      db,
    )
    return messageId
  }
  const sender = openSender({ version: 'test', now: clock, timeoutMs })
  const disabled: [endpointId: string, why: string][] = []
  const options: DelivererOptions = {
    store,
    clock,
    wallClock: Date.now,
    random: () => 0.5,
    send: sender.send,
    sealer,
    addresses: { allowsLoopback: true },
    worker: 'test',
    mailDomain: 'example.org',
    onDisabled: (endpointId, why) => disabled.push([endpointId, why]),
  }
  return {
    options,
    sealingKey,
    disabled,
    organizationId,
    addHit,
    addEndpoint,
    addChannel,
    addEndpoints,
    addDelivery,
    advance: (ms: number) => {
      now += ms
    },
    now: clock,
    /** Sends what is due now. */
    deliver: (changed: Partial<DelivererOptions> = {}, signal = new AbortController().signal) =>
      deliverDue({ ...options, ...changed }, signal),
    close: sender.close,
  }
}
