// Consolidates once and reports each batch, until it is killed. Run by consolidate-kill.system.test.ts.
import { writeSync } from 'node:fs'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import { openStore } from '../../src/store/database/database.ts'

const [databaseUrl, now, batchSize] = process.argv.slice(2) as [string, string, string]
const say = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`)

const store = await openStore({ dataFolder: '', databaseUrl })
say({ event: 'ready' })
process.stdin.once('data', async () => {
  const { notices } = await consolidate(store, {
    now: Number(now),
    batchSize: Number(batchSize),
    onProgress: ({ done }) => say({ event: 'batch', done }),
  })
  say({ event: 'done', notices })
  await store.close()
  process.exit(0)
})
