// Who may use the files that a program makes: its user alone, or whoever the user's umask admits. The programs close
// everything that they make, and open again what the user named and other programs read: copies, exports, metrics.
import { constants, type Dirent, type Stats } from 'node:fs'
import { chmod, lstat, mkdir, open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Bits of a mode that let others read, change or enter; as a umask it closes what is made. */
export const othersBits = 0o077

/** The umask with which the program was started; undefined in a library, whose program has its own umask. */
let userMask: number | undefined

/** From now on, what this process makes is its user's alone. Called once, at the start of a program. */
export function closeOwnFiles(): void {
  userMask ??= process.umask(othersBits)
}

/** The umask with which the program was started; undefined in a library. */
export const maskOfUser = (): number | undefined => userMask

/** Starts a program of the user, with the umask that it would have without ours. `start` must not wait. */
export function withMaskOfUser<Result>(start: () => Result): Result {
  if (userMask === undefined) return start()
  const own = process.umask(userMask)
  try {
    return start()
  } finally {
    process.umask(own)
  }
}

/** Opens a new file to those whom the user's umask admits. */
export async function shareFile(path: string, mask: number | undefined = userMask): Promise<void> {
  if (mask !== undefined) await chmod(path, 0o666 & ~mask)
}

/**
 * Creates a file that may be shared, before something else opens it; an existing one keeps its rights. What cannot be
 * created is reported by what opens it.
 */
export async function makeSharedFile(path: string): Promise<void> {
  if (userMask === undefined) return
  const file = await open(path, 'wx').catch(() => undefined)
  await file?.chmod(0o666 & ~userMask)
  await file?.close()
}

/**
 * Creates a folder with its parents; an existing one is fine, and so is anything else of this name. With a mask those
 * that it creates get its rights, whatever the umask. Throws Node's errors. (Node's own recursive mkdir never returns
 * when the parent exists and refuses with ENOENT, as /proc does.)
 */
export async function makeWithParents(path: string, mask?: number): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    const parent = dirname(path)
    if (code !== 'ENOENT' || parent === path) throw error
    await makeWithParents(parent, mask)
    // another process may have created it in between
    if (!(await mkdir(path).then(() => true, falseWhenThere))) return
  }
  if (mask !== undefined) await chmod(path, 0o777 & ~mask)
}

function falseWhenThere(error: NodeJS.ErrnoException): false {
  if (error.code !== 'EEXIST') throw error
  return false
}

type Walk = {
  /** Also looks into folders that are closed to others. */
  readonly entersClosed: boolean
  /** Aborted: ends before the next folder. */
  readonly signal?: AbortSignal
}

/**
 * Finds the files and folders that others can read, change or enter: the content of a folder, then the folder itself.
 * Links are not followed; what cannot be read or disappears is left out.
 */
export async function* openEntries(path: string, walk: Walk): AsyncGenerator<string> {
  const stats = await lstat(path).catch(leftOut)
  if (!stats || !(stats.isFile() || stats.isDirectory())) return
  if (stats.isDirectory() && (isOpen(stats) || walk.entersClosed)) yield* openEntriesIn(path, walk)
  if (isOpen(stats)) yield path
}

const isOpen = ({ mode }: Stats): boolean => (mode & othersBits) !== 0

async function* openEntriesIn(folder: string, walk: Walk): AsyncGenerator<string> {
  if (walk.signal?.aborted) return
  const entries: readonly Dirent[] = (await readdir(folder, { withFileTypes: true }).catch(leftOut)) ?? []
  const paths = (wanted: boolean) =>
    entries.filter((entry) => entry.isDirectory() === wanted).map(({ name }) => join(folder, name))
  const files = paths(false)
  for (const [number, stats] of (await Promise.all(files.map((path) => lstat(path).catch(leftOut)))).entries())
    if (stats?.isFile() && isOpen(stats)) yield files[number]!
  for (const path of paths(true)) yield* openEntries(path, walk)
}

function leftOut(error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'].includes(error.code ?? '')) throw error
}

/** Closes what is ours and open to others, in a folder and the folder itself. Returns how many entries it closed. */
export async function closeTree(path: string, { entersClosed = true } = {}): Promise<number> {
  // without users it needs no closing
  if (process.getuid === undefined) return 0
  let closed = 0
  for await (const found of openEntries(path, { entersClosed })) if (await closeEntry(found)) closed++
  return closed
}

/**
 * False if it is not ours. Through a handle: what stands at the path now may be a link that somebody else put there.
 */
async function closeEntry(path: string): Promise<boolean> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(leftOut)
  try {
    const stats = await file?.stat()
    if (!file || stats?.uid !== process.getuid!()) return false
    await file.chmod(stats.mode & 0o7777 & ~othersBits)
    return true
  } finally {
    await file?.close()
  }
}
