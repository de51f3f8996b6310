// Creates folders, makes changes in them durable, and says how much room they have.
import { open, stat, statfs } from 'node:fs/promises'
import { makeWithParents } from '#flat/files/own-files'
import { OperatorError } from './errors.ts'

/** Creates a folder with its parents; an existing one is fine. Throws OperatorError when that is not possible. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeWithParents(path)
    if (!(await stat(path)).isDirectory())
      throw Object.assign(new Error('not a folder'), { code: 'it is not a folder' })
  } catch (error) {
    throw new OperatorError(
      'folder-unusable',
      `The folder ${path} cannot be created (${(error as NodeJS.ErrnoException).code}); choose another with --data.`,
      { cause: error },
    )
  }
}

/** Does work in a folder; Node's errors become an OperatorError. `use`: what the folder is for, such as `a backup`. */
export async function inFolder<Result>(folder: string, use: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (error instanceof OperatorError || code === undefined) throw error
    throw new OperatorError(
      'folder-unusable',
      `The folder ${folder} cannot be used for ${use} (${code}); check that it is a folder, can be written and is not full.`,
      { cause: Object.assign(error as Error, { folder }) },
    )
  }
}

/** Makes the names in a folder durable: what was created, renamed or removed there survives a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Makes the bytes of a file durable. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Returns the number of bytes that this process may still write to the disk of the folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** For `catch`: what is not there is undefined. Throws every other error. */
export function undefinedWhenMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
