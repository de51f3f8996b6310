// Files that are complete after a crash: written beside, made durable, then renamed into place.
import { type FileHandle, mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SinkError } from './sink-error.ts'

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

export const isMissingFile = (error: unknown): boolean => codeOf(error) === 'ENOENT'

/** Makes the names in a folder durable. Windows cannot, and does not need it. */
async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined
  try {
    handle = await open(folder, 'r')
    await handle.sync()
  } catch (error) {
    if (!['EPERM', 'EISDIR', 'EACCES', 'EINVAL', 'ENOTSUP'].includes(codeOf(error) ?? '')) throw error
  } finally {
    await handle?.close()
  }
}

/**
 * Makes a file durable that already existed, content and name: the process that wrote or renamed it may have been
 * killed, or have failed, before it was. Call it before anything is built on what the file says.
 */
export async function makeDurable(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
  await syncFolder(dirname(path))
}

/** Replaces a file with a finished one; readers see either the one or the other. */
export async function putInPlace(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (cause) {
    if (!['EPERM', 'EACCES', 'EBUSY', 'EISDIR'].includes(codeOf(cause) ?? '')) throw cause
    throw new SinkError(`${to} cannot be replaced: close the program that has it open, or check its permissions.`, {
      cause,
    })
  }
  await syncFolder(dirname(to))
}

/** Replaces a small file completely and durably. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`
  const file = await open(temporary, 'w')
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await putInPlace(temporary, path)
}

/** Text of a file; undefined if there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isMissingFile(error)) return undefined
    throw error
  }
}

/** Bytes of a file; undefined if there is none. */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (isMissingFile(error)) return undefined
    throw error
  }
}

/** Creates the folder. Throws a SinkError that names it if that is not possible. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
  } catch (cause) {
    throw new SinkError(`The folder ${folder} cannot be created (${codeOf(cause)}): check its permissions.`, { cause })
  }
}
