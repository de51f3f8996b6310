// Deliverers are killed at any moment: every message arrives, under one id and with one body, whatever was under way.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { openStore } from '../../src/store/database.ts'
import { proofCount } from '../proof/proof-count.ts'
import { randomOf } from '../testing/generate/random.ts'
import { engines, openTestStore } from '../world.ts'
import { openDeliveryWorld, startReceiver } from './delivery-world.ts'

const kills = proofCount({ share: 4, full: 200 })
const seed = Number(process.env['SEED'] ?? process.pid)
const program = fileURLToPath(new URL('deliverer.ts', import.meta.url))
const messagesPerLife = 20

describe.each(engines)('a deliverer that is killed (%s)', (engine) => {
  test(
    'loses no message, and sends none under two ids',
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
          [program, made.options.dataFolder, made.options.databaseUrl ?? '', world.sealingKey.toString('base64')],
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
    30 * 60_000,
  )
})

function verifies(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false
  }
}
