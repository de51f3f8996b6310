// One consolidator of bench/consolidators.ts, a process of its own: consolidates the stock that it is told, whenever it
// is told so.
import { consolidate } from '../src/consolidate/consolidate.ts'
import { openStore, type Store } from '../src/store/database/database.ts'

let store: Store | undefined

process.on('message', async ({ databaseUrl, now }: { readonly databaseUrl?: string; readonly now?: number }) => {
  if (databaseUrl !== undefined) {
    await store?.close()
    store = await openStore({ databaseUrl, dataFolder: '' })
  } else await consolidate(store!, { now: now! })
  process.send!('done')
})
