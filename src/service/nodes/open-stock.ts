// Opens the stock of a node; `serve` can start while the database does not answer, from the copies that it keeps.
import { setTimeout as delay } from 'node:timers/promises'
import { toInstant } from '../../domain/time.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config.ts'
import type { Log } from '../../platform/log.ts'
import type { Random } from '../../platform/random.ts'
import { createSealer, openSecretKey } from '../../platform/sealing.ts'
import { isConnectionLoss } from '../../store/connections/connection-loss.ts'
import { openStore, openStoreLater, type Store, type StoreOptions } from '../../store/database/database.ts'
import { shownAddress } from '../../store/server/server-addresses.ts'
import type { Emit } from '../events/command-event.ts'
import type { NodeState } from '../watch/node-state.ts'
import { type KeptAccess, openKeptAccess } from './kept-access.ts'

/** A database that does not answer yet. */
type Awaited = {
  /** How long ago it last answered this node. */
  readonly silentMs: number
  readonly keptAt: number
  /** Rejects until it answers and can be used. */
  readonly check: () => Promise<void>
}

const checkEveryMs = 1000

type StockOptions = {
  readonly config: Config
  readonly emit: Emit
  /** Aborted when the node answers no more; the connections to a server end some seconds later. */
  readonly stop: AbortSignal
  /** Maximum time since the database last answered for a node that starts without it. */
  readonly maxStalenessMs: number
}

type OpenStock = { readonly store: Store; readonly kept?: KeptAccess; readonly awaited?: Awaited }

/** `awaited` only with `startsAlone`. Throws OperatorError. */
export async function openStock(
  { config, emit, stop, maxStalenessMs }: StockOptions,
  {
    dataFolder,
    log,
    startsAlone,
    random,
  }: { readonly dataFolder: string; readonly log: Log; readonly startsAlone: boolean; readonly random: Random },
): Promise<OpenStock> {
  const { databaseUrl, secretKey } = config
  const options: StoreOptions = {
    dataFolder,
    onHousekeepingError: (error) => log.warn({ error: String(error) }, 'housekeeping failed; retrying'),
    signal: stop,
    onMigration: (news) => emit({ event: 'migrating', ...news }),
  }
  if (databaseUrl === undefined) return { store: await openStore(options) }
  if (!startsAlone) return { store: await openStore({ ...options, databaseUrl }) }
  const key = await openSecretKey({
    dataFolder,
    randomBytes: random.bytes,
    ...(secretKey && { given: secretKey }),
  })
  const kept = await openKeptAccess({
    dataFolder,
    address: shownAddress(databaseUrl),
    sealer: createSealer(key, random.bytes),
    log,
  })
  try {
    return { kept, store: await openStore({ ...options, databaseUrl }) }
  } catch (error) {
    if (!isConnectionLoss(error)) throw error
    const now = systemClock()
    const keptAt = kept.assertUsable({ now, maxStalenessMs })
    const { store, check } = openStoreLater({ ...options, databaseUrl })
    return { kept, store, awaited: { silentMs: now - keptAt, keptAt, check } }
  }
}

/**
 * Reports that the node started without its database, until the database can be used. Returns a function that ends it.
 */
export function awaitDatabase(
  { keptAt, check }: Awaited,
  { state, log, emit }: { readonly state: NodeState; readonly log: Log; readonly emit: Emit },
): () => void {
  const ended = new AbortController()
  const message =
    'This node started without the database, which does not answer: it serves its last edition to the tokens ' +
    `known at ${toInstant(keptAt)}; later changes are unknown here.`
  state.report('start', message)
  emit({ event: 'warning', message })
  log.error(message)
  void (async () => {
    let reported = ''
    while (!ended.signal.aborted) {
      await delay(checkEveryMs, undefined, { ref: false })
      try {
        await check()
        state.report('start', undefined)
        log.warn('the database answers for the first time since the start; tokens and editions are up to date')
        return
      } catch (error) {
        if (!isConnectionLoss(error) && reported !== String(error))
          log.error({ error: String(error) }, 'the database answers, but cannot be used')
        reported = String(error)
      }
    }
  })()
  return () => ended.abort()
}
