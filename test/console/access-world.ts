// A console with the API beside it on the same stock: tokens created on a page are tested where clients use them.

import { createLocalLimiter } from '../../src/api/limits/limiter-memory.ts'
import { tokenSourceOf } from '../../src/api/tokens/token-source.ts'
import { openTokenTable } from '../../src/api/tokens/token-table.ts'
import { UseCounter } from '../../src/api/tokens/use-counter.ts'
import { openLog } from '../../src/platform/log.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { databaseUse, openUseLedger, type UseLedger } from '../../src/service/nodes/use-ledger.ts'
import { type ApiWorld, startApi } from '../api-world.ts'
import { plainId } from '../memory-editions.ts'
import type { Engine } from '../world.ts'
import { type ConsoleWorld, type ConsoleWorldOptions, openConsoleWorld } from './console-world.ts'

export type AccessWorld = ConsoleWorld & {
  /** Where the API answers. */
  readonly api: string
  /** Returns the status of a request with this token. */
  readonly ask: (token: string) => Promise<number>
  readonly ledger: UseLedger
  /** Passes the counts to the ledger, as a reader does every second. */
  readonly report: () => void
  /** The value of the hidden key of the first form of a page. */
  readonly formKeyOf: (path: string, who: string) => Promise<string>
}

export async function openAccessWorld(engine: Engine, options: ConsoleWorldOptions = {}): Promise<AccessWorld> {
  await using opening = new AsyncDisposableStack()
  const world = opening.use(await openConsoleWorld(engine, options))
  const { store, now: clock } = world
  const table = await openTokenTable({ source: tokenSourceOf(store), clock, pollMs: 20, refreshEveryMs: 0 })
  opening.defer(() => table.close())
  const counter = new UseCounter(clock)
  const api: ApiWorld = opening.use(
    await startApi({ tokens: table, clock, use: counter, limiter: createLocalLimiter(clock) }),
  )
  api.editions.publish(clock(), [{ id: plainId(1) }])
  const ledger = openUseLedger({ sink: databaseUse(store, clock), clock, random: systemRandom, log: openLog('error') })
  opening.defer(() => ledger.close())
  const open = opening.move()
  return {
    ...world,
    api: api.origin,
    ask: async (token) =>
      (await fetch(`${api.origin}/v1/tenders?limit=1`, { headers: { authorization: `Bearer ${token}` } })).status,
    ledger,
    report: () => ledger.add(counter.take()),
    formKeyOf: async (path, who) =>
      /name="form-key" value="([^"]+)"/.exec(await (await world.get(path, who)).text())![1]!,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}
