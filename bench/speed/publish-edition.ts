// Runs as a separate process: publishes the next edition of the stock at DATABASE_URL and prints its cost, without the
// start. Run: node bench/speed/publish-edition.ts CHECKOUT DATA-FOLDER PID-OF-THE-SERVER
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { publish } from '../../src/publish/publish.ts'
import type { openStore } from '../../src/store/database/database.ts'
import { cpuSecondsOf } from '../processes.ts'

export type PublishFigures = {
  readonly changes: number
  readonly wallSeconds: number
  readonly cpuSeconds: number
  readonly serverSeconds: number
}

async function run(checkout: string, dataFolder: string, serverPid: number): Promise<PublishFigures> {
  const stage = (await import(join(checkout, 'src/publish/publish.ts'))) as { publish: typeof publish }
  const database = (await import(join(checkout, 'src/store/database/database.ts'))) as { openStore: typeof openStore }
  mkdirSync(dataFolder, { recursive: true })
  const store = await database.openStore({ dataFolder, databaseUrl: process.env.DATABASE_URL! })
  const serverBefore = cpuSecondsOf(serverPid)
  const before = process.cpuUsage()
  const startedMs = performance.now()
  const outcome = await stage.publish(store, { now: Date.now(), clock: Date.now, minIntervalMs: 0, overrideGate: true })
  const wallSeconds = (performance.now() - startedMs) / 1000
  const { user, system } = process.cpuUsage(before)
  const serverSeconds = cpuSecondsOf(serverPid) - serverBefore
  await store.close()
  if (outcome.kind !== 'published') throw new Error(JSON.stringify(outcome))
  return { changes: outcome.changes, wallSeconds, cpuSeconds: (user + system) / 1e6, serverSeconds }
}

if (import.meta.main)
  console.log(JSON.stringify(await run(process.argv[2]!, process.argv[3]!, Number(process.argv[4]))))
