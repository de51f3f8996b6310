// A customer's receiver of hits in the chaos run: it survives, verifies every message, and keeps each one that it
// answers with 2xx.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { verifyWebhook } from '../../client/src/webhooks/verify-webhook.ts'
import type { Random } from '../testing/generate/random.ts'
import type { OfferedHit } from './expected-hits.ts'

export type HitReceiver = {
  readonly name: string
  readonly url: string
  /** The stored hits, by webhook-id. */
  readonly kept: ReadonlyMap<string, OfferedHit>
  /** Number of genuine messages, including repeated ones. */
  readonly received: () => number
  readonly repeats: () => number
  /** Messages that must not arrive, one line each. */
  readonly faults: readonly string[]
  readonly close: () => Promise<void>
}

/** Maximum number of times that it fails the same message, so that it arrives before the last attempt. */
const maxFailures = 3

/** How a receiver with problems answers a message. */
const troubles = [
  [12, 'error'],
  [6, 'busy'],
  [8, 'lost'],
  [8, 'cut'],
  [4, 'kept error'],
  [5, 'slow'],
  [57, 'well'],
] as const

/** Listens on loopback. `secret`: `whsec_…`. */
export async function openHitReceiver(options: {
  readonly name: string
  readonly secret: string
  readonly random: Random
  readonly hasTroubles: boolean
}): Promise<HitReceiver> {
  const { name, secret, random, hasTroubles } = options
  const kept = new Map<string, OfferedHit>()
  const bodies = new Map<string, string>()
  const failures = new Map<string, number>()
  const faults: string[] = []
  let received = 0

  const take = async (body: string, headers: NodeJS.Dict<string | string[]>, response: ServerResponse) => {
    let message: ReturnType<typeof verifyWebhook>
    try {
      message = verifyWebhook(body, headers, secret)
    } catch (error) {
      faults.push(`not genuine: ${String(error)}: ${body.slice(0, 200)}`)
      response.writeHead(400).end()
      return
    }
    received++
    const { id } = message
    if ((bodies.get(id) ?? body) !== body) faults.push(`${id} came with two bodies`)
    bodies.set(id, body)
    if (message.type !== 'search.hit' && message.type !== 'search.hit.changed') {
      faults.push(`${id} is ${message.type}, which the endpoint did not ask for`)
      response.writeHead(204).end()
      return
    }
    const { hitId, search, edition, fitScore, changes = [], tender } = message.data
    const { checkedAt: _, ...record } = tender
    const hit: OfferedHit = {
      kind: message.type,
      changes,
      hitId,
      searchId: search.id,
      version: search.version,
      tenderId: tender.id,
      edition,
      fitScore,
      record: JSON.stringify(record),
    }
    const failed = failures.get(id) ?? 0
    const trouble = hasTroubles && failed < maxFailures ? random.weighted(troubles) : 'well'
    if (trouble !== 'well') failures.set(id, failed + 1)
    if (trouble === 'slow') await delay(random.integer(200, 2000))
    if (trouble === 'slow' || trouble === 'well' || trouble === 'cut' || trouble === 'kept error') kept.set(id, hit)
    if (trouble === 'lost' || trouble === 'cut') response.destroy()
    else if (trouble === 'busy') response.writeHead(503, { 'retry-after': '60' }).end()
    else response.writeHead(trouble === 'error' || trouble === 'kept error' ? 500 : 204).end()
  }
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('error', () => {})
    response.on('error', () => {})
    request.on('end', () => {
      take(Buffer.concat(pieces).toString(), request.headers, response).catch((error: unknown) => {
        faults.push(String(error))
      })
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    name,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hits`,
    kept,
    received: () => received,
    repeats: () => received - bodies.size,
    faults,
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
