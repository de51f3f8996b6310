// The API on an open stock: a node with its edition log, tokens and cursor keys, in this process.
import { createCursorSealer } from '../src/api/cursors/cursor.ts'
import { openCursorKeyRing } from '../src/api/cursors/cursor-key-ring.ts'
import { cursorKeysOf } from '../src/api/cursors/cursor-key-source.ts'
import { createLocalLimiter } from '../src/api/limits/limiter-memory.ts'
import { buildApi } from '../src/api/server.ts'
import { tokenSourceOf } from '../src/api/tokens/token-source.ts'
import { openTokenTable } from '../src/api/tokens/token-table.ts'
import { openEditionLog } from '../src/edition/write/edition-log.ts'
import { systemRandom } from '../src/platform/random.ts'
import type { Store } from '../src/store/database/database.ts'

/** One API process: what a restart restarts. */
export async function startNode(store: Store, folder: string, clock: () => number) {
  const log = await openEditionLog(folder, { clock })
  const table = await openTokenTable({ source: tokenSourceOf(store), clock, pollMs: 3_600_000, refreshEveryMs: 0 })
  const ring = await openCursorKeyRing({ load: cursorKeysOf(store, { clock, randomBytes: systemRandom.bytes }), clock })
  const app = buildApi({
    reader: log,
    tokens: table,
    limiter: createLocalLimiter(clock),
    cursors: createCursorSealer({ ring, clock, randomBytes: systemRandom.bytes }),
    clock,
    random: systemRandom,
    docsUrl: 'https://docs.test.example',
    isOverloaded: () => false,
  })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    log,
    origin,
    get: (path: string, token: string) =>
      fetch(origin + path, { headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' } }),
    [Symbol.asyncDispose]: async () => {
      await app.close()
      await table.close()
      await log.close()
    },
  }
}
