// Runs as a separate process: receives the files of a folder into an empty stock, empties it, receives them again, and
// prints the cost of both, without the start. Run: node bench/speed/store-files.ts CHECKOUT FOLDER DATA-FOLDER
// [PID-OF-THE-SERVER], with DATABASE_URL for a server
import { join } from 'node:path'
import { sql } from 'kysely'
import type { ingest } from '../../src/ingest/ingest.ts'
import type { readPath } from '../../src/sources/files.ts'
import type { openStore } from '../../src/store/database/database.ts'
import { cpuSecondsOf } from '../processes.ts'

type StoreFigures = {
  readonly documents: number
  readonly notices: number
  readonly wallSeconds: number
  readonly cpuSeconds: number
  readonly serverSeconds: number
}
/** Costs of a process that has read nothing before, and of the same one afterwards. */
export type StoreReport = { readonly fresh: StoreFigures; readonly warm: StoreFigures }

async function run(checkout: string, folder: string, dataFolder: string, serverPid?: number): Promise<StoreReport> {
  const stage = (await import(join(checkout, 'src/ingest/ingest.ts'))) as { ingest: typeof ingest }
  const database = (await import(join(checkout, 'src/store/database/database.ts'))) as { openStore: typeof openStore }
  const files = (await import(join(checkout, 'src/sources/files.ts'))) as { readPath: typeof readPath }
  const databaseUrl = process.env.DATABASE_URL
  const store = await database.openStore({ dataFolder, ...(serverPid !== undefined && { databaseUrl: databaseUrl! }) })
  const serverCpu = (): number => (serverPid === undefined ? 0 : cpuSecondsOf(serverPid))
  const receive = async (): Promise<StoreFigures> => {
    const serverBefore = serverCpu()
    const before = process.cpuUsage()
    const startedMs = performance.now()
    const { documents, notices } = await stage.ingest(store, {
      sourceId: 'files',
      documents: files.readPath(folder),
      clock: Date.now,
    })
    const wallSeconds = (performance.now() - startedMs) / 1000
    const { user, system } = process.cpuUsage(before)
    return {
      documents,
      notices,
      wallSeconds,
      cpuSeconds: (user + system) / 1e6,
      serverSeconds: serverCpu() - serverBefore,
    }
  }
  const fresh = await receive()
  await sql`truncate source_document, source_drift cascade`.execute(store.db)
  const warm = await receive()
  await store.close()
  return { fresh, warm }
}

if (import.meta.main) {
  const [checkout, folder, dataFolder, serverPid] = process.argv.slice(2)
  console.log(
    JSON.stringify(await run(checkout!, folder!, dataFolder!, serverPid === undefined ? undefined : Number(serverPid))),
  )
}
