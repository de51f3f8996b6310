// Files that are complete after a crash: written beside, made durable, then renamed into place.
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs'
import { chmod, chown, type FileHandle, open, readFile, rename, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { SinkError } from '../faults/sink-error.ts'
import { makeWithParents, maskOfUser, othersBits, shareFile } from './own-files.ts'

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

/** The file itself, of one that is named by a symbolic link: a rename would replace the link. */
export function behindLink(file: string): string {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file
  return existsSync(file) ? realpathSync(file) : resolve(dirname(file), readlinkSync(file))
}

/** What a person can do about an error of the file system; any other error unchanged. */
export function fileFaultOf(error: unknown, file: string): unknown {
  const code = codeOf(error) ?? ''
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new SinkError(`The disk of ${file} is full: make space; the next run continues.`, { cause: error })
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new SinkError(`${file} cannot be written (${code}): check the permissions of its folder and ${file}.sync.`, {
      cause: error,
    })
  return error
}

/** Who may use a file: its owner, as for state and logs, or those whom the user's umask admits, as for a copy. */
export type Readers = 'owner' | 'user'

/** Those who may use a file may use the one that replaces it, unless it is for its owner alone. */
async function keepRights(from: string, to: string, readers: Readers): Promise<void> {
  const [kept, made] = [await statIfThere(to), await stat(from)]
  // Only root may give a file away; a group that is not ours cannot be kept either.
  if (kept && (kept.uid !== made.uid || kept.gid !== made.gid)) await chown(from, kept.uid, kept.gid).catch(() => {})
  if (readers === 'owner') await chmod(from, 0o600)
  else if (kept) await chmod(from, kept.mode & 0o777)
  else await shareFile(from)
}

async function statIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    if (isMissingFile(error)) return undefined
    throw error
  }
}

/**
 * Replaces a file with a finished one; readers see either the one or the other. One for `user` keeps the rights of the
 * file that it replaces.
 */
export async function putInPlace(from: string, to: string, readers: Readers): Promise<void> {
  await keepRights(from, to, readers)
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

type Content = string | Uint8Array

/** Writes a file, or to its end, and makes the content durable. */
export async function writeDurably(path: string, text: Content, flags: 'a' | 'w', mode?: number): Promise<void> {
  const file = await open(path, flags, mode)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Replaces a small file completely and durably. */
export async function writeWhole(path: string, text: Content, readers: Readers = 'owner'): Promise<void> {
  const temporary = `${path}.new`
  await writeDurably(temporary, text, 'w')
  await putInPlace(temporary, path, readers)
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
export const sizeOf = async (path: string): Promise<number | undefined> => (await statIfThere(path))?.size

/** SHA-256 of a file, in hexadecimal digits. */
export async function sumOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const block of createReadStream(path)) hash.update(block as Buffer)
  return hash.digest('hex')
}

/** Creates a folder with its parents. Throws a SinkError that names it if that is not possible. */
export async function makeFolder(folder: string, readers: Readers): Promise<void> {
  try {
    await makeWithParents(folder, readers === 'owner' ? othersBits : maskOfUser())
  } catch (cause) {
    throw new SinkError(`The folder ${folder} cannot be created (${codeOf(cause)}): check its permissions.`, { cause })
  }
}
