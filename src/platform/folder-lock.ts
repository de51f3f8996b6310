// One process per folder: two that write the same files would corrupt both.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from './errors.ts'

/** SQLite's result code for a lock that another connection holds. */
const sqliteBusy = 5

/** Name of the lock file. */
export const lockName = 'lock.db'

/** What messages call the folder, and what they recommend when another process has it, or when it cannot be written. */
export type FolderNames = { readonly what: string; readonly inUse: string; readonly unwritable: string }

/**
 * Locks the folder, created when missing, until the returned function is called or the process ends in any way
 * (SQLite's file lock).
 */
export function lockFolder(folder: string, named: FolderNames): () => void {
  let database: DatabaseSync | undefined
  try {
    mkdirSync(folder, { recursive: true })
    database = new DatabaseSync(join(folder, lockName))
    database.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    database?.close()
    const { message, errcode } = error as Error & { readonly errcode?: number }
    throw errcode === sqliteBusy
      ? new OperatorError(
          'folder-in-use',
          `${named.what} ${folder} is in use by another Tenderstock process; ${named.inUse}.`,
          { cause: error },
        )
      : new OperatorError(
          'folder-unusable',
          `${named.what} ${folder} cannot be written (${message}); ${named.unwritable}.`,
          { cause: error },
        )
  }
  const held = database
  return () => held.close()
}
