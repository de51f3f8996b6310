// The data folder of the embedded engine: created, locked against a second process, and holding a complete database or
// none.
import { existsSync } from 'node:fs'
import { access, constants, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { closeTree, makeWithParents } from '#flat/files/own-files'
import { OperatorError } from '../../platform/errors.ts'
import { lockFolder } from '../../platform/folder-lock.ts'
import { copyEmptyDatabase, keepEmptyDatabase } from './empty-database.ts'
import { cannotOpen, initialise } from './engine.ts'
import { syncFolder, syncTree } from './sync-node-fs.ts'

/** A data folder that this process owns until `release`, or until it dies. */
export type OwnedFolder = {
  /** Where the engine keeps its files. */
  readonly databaseFolder: string
  readonly release: () => void
}

/**
 * Locks the data folder and makes sure that it holds a database. A new one is created under another name and renamed
 * when it is complete and durable, so that a kill during the first start leaves nothing incomplete. Throws
 * OperatorError.
 */
export async function ownDataFolder(dataFolder: string, checkpointBytes: number): Promise<OwnedFolder> {
  const release = await lock(dataFolder)
  try {
    const databaseFolder = join(dataFolder, 'database')
    if (!existsSync(databaseFolder)) await makeDatabase(dataFolder, databaseFolder, checkpointBytes)
    else if (!existsSync(join(databaseFolder, 'PG_VERSION'))) {
      throw new OperatorError('stock-damaged', cannotOpen(databaseFolder, 'its file PG_VERSION is missing'))
    }
    return { databaseFolder, release }
  } catch (error) {
    release()
    throw error
  }
}

const unwritable = 'change its permissions, or start with another one (--data FOLDER)'

/** The engine itself would admit a second process, and rows would vanish. */
async function lock(dataFolder: string): Promise<() => void> {
  try {
    await makeWithParents(dataFolder)
    if (!(await stat(dataFolder)).isDirectory()) throw new Error(`${dataFolder} is no folder`)
    await access(dataFolder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { message } = error as Error
    throw new OperatorError(
      'folder-unusable',
      `The data folder ${dataFolder} cannot be written (${message}); ${unwritable}.`,
      {
        cause: error,
      },
    )
  }
  return lockFolder(dataFolder, {
    what: 'The data folder',
    inUse:
      'stop that one, or start this one with another folder (--data FOLDER). If a service is just starting there, run this again in a moment',
    unwritable,
  })
}

async function makeDatabase(dataFolder: string, databaseFolder: string, checkpointBytes: number): Promise<void> {
  const aside = join(dataFolder, 'database.new')
  await rm(aside, { recursive: true, force: true })
  const isCopied = await copyEmptyDatabase(aside)
  if (!isCopied) await initialise(aside, checkpointBytes)
  await closeTree(aside)
  await syncTree(aside)
  if (!isCopied) await keepEmptyDatabase(aside)
  await rename(aside, databaseFolder)
  syncFolder(dataFolder)
}
