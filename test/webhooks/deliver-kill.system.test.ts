// Deliverers are killed at any moment: every message arrives, under one ID and with one body, whatever was interrupted.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { openStore } from '../../src/store/database/database.ts'
import { listDeliveries, replayDeliveries } from '../../src/store/hits/deliveries.ts'
import { findEndpoint, removeEndpoint } from '../../src/store/hits/webhook-endpoints.ts'
import { asleep } from '../asleep.ts'
import { proofCount } from '../proof/proof-count.ts'
import { randomOf } from '../testing/generate/random.ts'
import { seed } from '../testing/seed.ts'
import { engines, openTestStore, testDatabaseUrl } from '../world.ts'
import { openDeliveryWorld, startReceiver } from './delivery-world.ts'

const kills = proofCount({ share: 4, full: 200 })
const program = fileURLToPath(new URL('deliverer.ts', import.meta.url))
const messagesPerLife = 20
const sleeps = proofCount({ share: 5, full: 50 })

describe.each(engines)('a deliverer that is killed (%s)', (engine) => {
  test(
    'loses no message, and sends none under two IDs',
    async () => {
      console.log(`seed ${seed}`)
      const random = randomOf(seed)
      await using made = await openTestStore(engine)
      const world = await openDeliveryWorld(made, Date.now() - 60_000)
      using receiver = await startReceiver((response, _received, count) => {
        // some answers come late, and some never
        if (count % 31 === 0) return
        setTimeout(() => response.writeHead(204).end(), (count % 7) * 3)
      })
      const endpoints = [await world.addEndpoint(receiver.url), await world.addEndpoint(`${receiver.url}?second`)]
      const expected: string[] = []
      if (engine === 'embedded') await made.close()
      for (let life = 1; life <= kills + 1; life++) {
        const isLast = life > kills
        // the folder of an embedded stock belongs to one process at a time
        const store = engine === 'embedded' ? await openStore(made.options) : made
        for (let count = 0; count < messagesPerLife && !isLast; count++) {
          const hit = await world.addHit(`Asphalt ${count}`, store)
          for (const { endpointNo } of endpoints) expected.push(await world.addDelivery(endpointNo, hit, store))
        }
        // time passes until the next attempt and until leases end
        await sql`update delivery set due_at = 0 where state = 'due'`.execute(store.db)
        await sql`update webhook_endpoint set taken_until = 0`.execute(store.db)
        if (engine === 'embedded') await store.close()
        const child = spawn(
          process.execPath,
          [
            program,
            made.options.dataFolder,
            made.options.databaseUrl ?? '',
            world.sealingKey.toString('base64'),
            '300',
          ],
          { stdio: ['ignore', 'pipe', 'inherit'] },
        )
        let isIdle = false
        child.stdout.on('data', (text: Buffer) => {
          isIdle ||= text.includes('idle')
        })
        await once(child.stdout, 'data')
        if (isLast) while (!isIdle) await delay(20)
        else await delay(random.integer(0, 400))
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
      const bodies = new Map<string, Set<string>>()
      const hits = new Map<string, Set<string>>()
      for (const { headers, body } of receiver.received) {
        const id = String(headers['webhook-id'])
        bodies.set(id, (bodies.get(id) ?? new Set()).add(body))
        const endpoint = endpoints.find(({ secret }) => verifies(secret, body, headers as Record<string, string>))!
        const key = `${endpoint.endpointId} ${(JSON.parse(body) as { data: { hitId: string } }).data.hitId}`
        hits.set(key, (hits.get(key) ?? new Set()).add(id))
      }
      const repeats = receiver.received.length - bodies.size
      console.log(`${engine}: ${kills} kills, ${expected.length} messages, ${repeats} sent again`)
      // those that were never answered wait for their next attempt
      expect([...bodies.keys()].sort()).toEqual([...expected].sort())
      expect([...bodies.values()].filter(({ size }) => size !== 1)).toEqual([])
      expect([...hits.values()].filter(({ size }) => size !== 1)).toEqual([])
      expect(hits.size).toBe(expected.length)
      await world.close()
    },
    // 23 minutes were measured on two busy cores
    60 * 60_000,
  )
})

/** What a deliverer finds when it continues, what its successor received meanwhile, and what must come of it. */
const fates = [
  { late: 410, meanwhile: 204, isReplayed: false, left: { state: 'delivered', attempts: 1 }, sent: 2 },
  { late: 204, meanwhile: 500, isReplayed: false, left: { state: 'due', attempts: 1 }, sent: 2 },
  { late: 500, meanwhile: 204, isReplayed: false, left: { state: 'delivered', attempts: 1 }, sent: 2 },
  { late: 204, meanwhile: 204, isReplayed: true, left: { state: 'delivered', attempts: 1 }, sent: 3 },
  { late: 410, meanwhile: 204, isReplayed: true, left: { state: 'delivered', attempts: 1 }, sent: 3 },
] as const

describe.skipIf(testDatabaseUrl === undefined)('a deliverer that was suspended past its lease', () => {
  test(
    'overwrites nothing that its successor stored',
    async () => {
      await using store = await openTestStore('server')
      const world = await openDeliveryWorld(store, Date.now())
      const { dataFolder, databaseUrl } = store.options
      const words = [program, dataFolder, databaseUrl!, world.sealingKey.toString('base64'), '60000']
      const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
      let rounds = 0
      child.stdout.on('data', (text: Buffer) => {
        rounds += text.toString().split('idle').length - 1
      })
      for (let sleep = 0; sleep < sleeps; sleep++) {
        const { late, meanwhile, isReplayed, left, sent } = fates[sleep % fates.length]!
        using receiver = await startReceiver((response, _received, count) => {
          // the answer has arrived, and waits for the stopped one
          if (count === 1) child.kill('SIGSTOP')
          response.writeHead(count === 1 ? late : meanwhile).end()
        })
        const { endpointNo, endpointId } = await world.addEndpoint(receiver.url)
        world.advance(Date.now() - world.now())
        const messageId = await world.addDelivery(endpointNo, await world.addHit())
        while (receiver.received.length === 0) await delay(10)
        expect(await asleep(child.pid!)).toBe(true)
        await sql`update webhook_endpoint set taken_until = 0`.execute(store.db)
        // it may have been stopped in a transaction that holds the endpoint, which the server ends after a while
        const deliveredAgain = async () => {
          await world.deliver()
          return receiver.received.length
        }
        await expect.poll(deliveredAgain, { timeout: 100_000 }).toBe(2)
        if (isReplayed) await replayDeliveries(store, endpointNo, { messageId }, world.now())
        const before = rounds
        child.kill('SIGCONT')
        while (rounds < before + 2) await delay(10)
        const [delivery] = await listDeliveries(store.db, { endpointNo, limit: 1 })
        expect({ late, delivery, sent: receiver.received.length }).toMatchObject({ late, delivery: left, sent })
        expect(await findEndpoint(store.db, endpointId)).toMatchObject({ state: 'active' })
        // an organization may have only so many
        await removeEndpoint(store, endpointNo, world.now())
      }
      child.kill('SIGKILL')
      await once(child, 'exit')
      await world.close()
    },
    10 * 60_000,
  )
})

/** Whatever the time is: the full proof takes longer than a signature is valid. */
function verifies(secret: string, body: string, headers: Record<string, string>): boolean {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000)
  return headers['webhook-signature'] === new Webhook(secret).sign(headers['webhook-id']!, at, body)
}
