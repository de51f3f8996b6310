// A process that delivers what is due until it is killed: `deliverer.ts FOLDER DATABASE_URL KEY TIMEOUT_MS`.
import { createSecretKey, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createSealer } from '../../src/platform/sealing.ts'
import { openStore } from '../../src/store/database/database.ts'
import { deliverDue } from '../../src/webhooks/deliver.ts'
import { openSender } from '../../src/webhooks/send-attempt.ts'

const [dataFolder, databaseUrl, key, timeoutMs] = process.argv.slice(2) as [string, string, string, string]
const store = await openStore({ dataFolder, ...(databaseUrl !== '' && { databaseUrl }) })
console.log('open')
const sender = openSender({ version: 'test', now: Date.now, timeoutMs: Number(timeoutMs) })
const sealer = createSealer(createSecretKey(key, 'base64'), randomBytes)
for (;;) {
  await deliverDue(
    {
      store,
      clock: Date.now,
      wallClock: Date.now,
      random: Math.random,
      send: sender.send,
      sealer,
      addresses: { allowsLoopback: true },
      worker: `test ${process.pid}`,
      mailDomain: 'example.org',
    },
    new AbortController().signal,
  )
  console.log('idle')
  await delay(50)
}
