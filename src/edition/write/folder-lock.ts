// One process per edition log: two that append to the same files would spoil both.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../platform/errors.ts'

/** Owns the folder, made when missing, until the returned function is called or the process ends, however it ends (SQLite's file lock). */
export function lockFolder(folder: string): () => void {
  let database: DatabaseSync | undefined
  try {
    mkdirSync(folder, { recursive: true })
    database = new DatabaseSync(join(folder, 'lock.db'))
    database.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    database?.close()
    const { message } = error as Error
    throw new OperatorError(
      /locked|busy/i.test(message)
        ? `The edition log ${folder} is in use by another process; give each process its own folder (--data FOLDER).`
        : `The edition log ${folder} cannot be written (${message}); change its permissions, or give another folder (--data FOLDER).`,
      { cause: error },
    )
  }
  const held = database
  return () => held.close()
}
