// Runs one command in its own process, when no service holds the stock.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock, systemSleep } from '../../platform/clock.ts'
import { readConfig, sourceKey } from '../../platform/config.ts'
import { OperatorError } from '../../platform/errors.ts'
import { systemRandom } from '../../platform/random.ts'
import { openStore } from '../../store/database/database.ts'
import { openDatabaseClock } from '../../store/database/database-clock.ts'
import { openDocumentStore } from '../../store/files/open-document-store.ts'
import { measureClock } from '../../store/nodes/look.ts'
import type { ControlRequest } from '../control/control-socket.ts'
import { workQueue } from '../control/work-queue.ts'
import type { Emit } from '../events/command-event.ts'
import { closeFiles } from '../nodes/close-files.ts'
import { type OperationName, runOperation } from './operations.ts'

/** Commands that create an embedded stock if there is none; for all others the folder must have been mistyped. */
const beginsStock: ReadonlySet<string> = new Set([
  'ingest',
  'organization create',
  'source list',
  'source show',
  'source run',
] satisfies OperationName[])

/**
 * Opens the stock, runs the command and closes it. Returns the exit code. Throws OperatorError when there is no stock.
 */
export async function runAlone(
  context: { readonly dataFolder: string; readonly version: string; readonly signal: AbortSignal },
  request: ControlRequest,
  emit: Emit,
): Promise<number> {
  const { dataFolder, version, signal } = context
  const config = readConfig()
  const { databaseUrl, documents } = config
  const [clock, random] = [systemClock, systemRandom]
  if (databaseUrl === undefined && !beginsStock.has(request.command) && !existsSync(join(dataFolder, 'database')))
    throw new OperatorError(
      'no-stock',
      `There is no stock in ${dataFolder} yet; name its folder with --data, or create one with \`tenderstock start\`.`,
    )
  await closeFiles({ dataFolder, ...config }, emit)
  const documentStore = await openDocumentStore(documents, { clock, sleep: systemSleep, random, version })
  const store = await openStore({ dataFolder, ...(databaseUrl !== undefined && { databaseUrl }) })
  try {
    const databaseClock = openDatabaseClock(clock)
    await measureClock(store, databaseClock)
    return await runOperation(
      {
        store,
        databaseClock,
        dataFolder,
        clock: databaseClock.now,
        wallClock: databaseClock.now,
        random,
        queue: workQueue(),
        keyOf: sourceKey,
        config,
        version,
        signal,
        ...(documentStore && { documentStore }),
      },
      request,
      emit,
    )
  } finally {
    await store.close()
    await documentStore?.close()
  }
}
