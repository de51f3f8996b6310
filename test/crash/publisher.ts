// Publishes once and reports each batch, until it is killed. Run by publish-kill.system.test.ts.
import { writeSync } from 'node:fs'
import { publish } from '../../src/publish/publish.ts'
import { openStore } from '../../src/store/database/database.ts'

const [dataFolder, databaseUrl, now] = process.argv.slice(2) as [string, string, string]
const say = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`)

const store = await openStore({ dataFolder, ...(databaseUrl !== '' && { databaseUrl }) })
try {
  const outcome = await publish(store, {
    now: Number(now),
    minIntervalMs: 0,
    overrideGate: true,
    onProgress: ({ done, total }) => say({ done, total }),
  })
  say({ outcome: outcome.kind })
} catch (error) {
  say({ outcome: error instanceof Error ? error.name : String(error) })
} finally {
  await store.close()
}
