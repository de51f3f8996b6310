// A lease lock in files, so that runs never overlap (C154), even between processes that know nothing of each other.
//
// Each holder creates the next of a series of numbered files, `lock.7` after `lock.6`; the highest number holds the
// lock, and an empty file was released. Creating a file that must not exist is the one step that is atomic everywhere,
// and as the highest is never removed, a late process with an old number sees that it is late. (Removing the file of a
// dead holder and creating it again is not safe: of two that find it dead, the second removes the lock of the first.)
//
// The file names its holder: host, process and the start of that process. A dead holder on this machine is known at
// once and its lock is taken over. A holder on another machine, or one that cannot be checked, counts as gone if it
// has not touched the file for the length of the lease. Ages are differences between times of the disk that holds the
// file, so clocks that differ do no harm.
import { randomUUID } from 'node:crypto'
import { type FileHandle, link, open, readdir, readFile, readlink, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname } from 'node:path'
import { makeWithParents, othersBits } from '../sinks/files/own-files.ts'
import type { HeldLock, RunLock } from '../sync/run-lock.ts'

/** The holder of a lock. `machine` distinguishes containers that share a host name. */
export type LockHolder = {
  readonly host: string
  readonly machine: string
  readonly pid: number
  /** When the process started, as its system reports it; empty if unknown. */
  readonly started: string
  readonly token: string
  /** For people: the time at which the lock was taken, by the holder's clock. */
  readonly since: string
}

export type FileLockOptions = {
  /** Path of the files, without their number. */
  readonly path: string
  /** How long a holder that cannot be checked may show no sign of life; default 60 s. */
  readonly leaseMs?: number
  /** Default: a sixth of the lease. */
  readonly renewEveryMs?: number
  /** Whether the process on this machine, started at this time, is alive. For tests. */
  readonly isAlive?: (pid: number, started: string) => Promise<boolean | undefined>
  readonly now?: () => number
}

export type FileLock = RunLock & {
  /** Returns who holds it now, alive or not. */
  holder(): Promise<LockHolder | undefined>
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
const leftUndefined =
  (...codes: readonly string[]) =>
  (error: unknown): undefined => {
    if (!codes.includes(String(codeOf(error)))) throw error
  }

/** Start time of a process in ticks since the boot, with the boot; undefined when there is no such process. */
async function startOf(pid: number | 'self'): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')
    // The second field is the program's name in brackets and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A killed process stays listed until its parent waits for it.
    if (fields[0] === 'Z' || fields[0] === 'X') return 'ended'
    return `${boot.trim()}/${fields[19]}`
  } catch {
    return undefined
  }
}

async function isAliveHere(pid: number, started: string): Promise<boolean | undefined> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false
  }
  const now = await startOf(pid)
  // Without the start time the number may have gone to another process: the lease decides.
  return started === '' || now === undefined ? undefined : now === started
}

async function machineId(): Promise<string> {
  return readlink('/proc/self/ns/pid').catch(() => '')
}

type Found = { readonly holder: LockHolder | undefined; readonly isReleased: boolean; readonly touchedMs: number }

async function look(path: string): Promise<Found | undefined> {
  try {
    const text = await readFile(path, 'utf8')
    const { mtimeMs } = await stat(path)
    return { holder: parseHolder(text), isReleased: text === '', touchedMs: mtimeMs }
  } catch (error) {
    return leftUndefined('ENOENT')(error)
  }
}

/** Numbers of the lock's files, ascending. */
async function numbersOf(path: string): Promise<number[]> {
  const start = `${basename(path)}.`
  const names = (await readdir(dirname(path)).catch(leftUndefined('ENOENT'))) ?? []
  return names
    .filter((name) => name.startsWith(start) && /^\d{1,15}$/.test(name.slice(start.length)))
    .map((name) => Number(name.slice(start.length)))
    .sort((a, b) => a - b)
}

const newest = async (path: string): Promise<number> => (await numbersOf(path)).at(-1) ?? 0

function parseHolder(text: string): LockHolder | undefined {
  try {
    const holder = JSON.parse(text) as LockHolder
    return typeof holder.token === 'string' && typeof holder.pid === 'number' ? holder : undefined
  } catch {
    return undefined
  }
}

/** Creates a lock in files beside each other, `path` and a number; their folder is created. */
export function fileLock(options: FileLockOptions): FileLock {
  const { path, leaseMs = 60_000, isAlive = isAliveHere, now = Date.now } = options
  const renewEveryMs = options.renewEveryMs ?? leaseMs / 6

  async function isGone({ holder, touchedMs }: Found, mine: LockHolder, minePath: string): Promise<boolean> {
    if (holder && holder.host === mine.host && holder.machine === mine.machine) {
      const alive = await isAlive(holder.pid, holder.started)
      if (alive !== undefined) return !alive
    }
    return (await stat(minePath)).mtimeMs - touchedMs > leaseMs
  }

  async function acquire(): Promise<HeldLock | undefined> {
    await makeWithParents(dirname(path), othersBits)
    const mine: LockHolder = {
      host: hostname(),
      machine: await machineId(),
      pid: process.pid,
      started: (await startOf('self')) ?? '',
      token: randomUUID(),
      since: new Date(now()).toISOString(),
    }
    const text = `${JSON.stringify(mine)}\n`
    const minePath = `${path}.new-${mine.token}`
    try {
      await writeNew(minePath, text)
      for (let attempt = 0; attempt < 10; attempt++) {
        const last = await newest(path)
        const found = last === 0 ? undefined : await look(`${path}.${last}`)
        // The file disappeared between the two checks: there is a higher one.
        if (last > 0 && !found) continue
        if (found && !found.isReleased && !(await isGone(found, mine, minePath))) return undefined
        const number = last + 1
        if (!(await linkUnlessThere(minePath, `${path}.${number}`, text))) continue
        if ((await newest(path)) === number) return await hold(path, number, text, renewEveryMs)
        await rm(`${path}.${number}`, { force: true })
      }
      return undefined
    } finally {
      await rm(minePath, { force: true })
    }
  }

  async function holder(): Promise<LockHolder | undefined> {
    const last = await newest(path)
    return last === 0 ? undefined : (await look(`${path}.${last}`))?.holder
  }

  return { acquire, holder }
}

async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
  } finally {
    await file.close()
  }
}

/** Puts the finished file in place unless another exists: an incomplete lock is never visible. */
async function linkUnlessThere(from: string, to: string, text: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP'].includes(String(codeOf(error)))) throw error
  }
  // This is a disk without links (exFAT, some network shares).
  try {
    await writeNew(to, text)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

async function hold(path: string, number: number, text: string, renewEveryMs: number): Promise<HeldLock> {
  const file: FileHandle = await open(`${path}.${number}`, 'r+')
  for (const older of await numbersOf(path)) if (older < number) await rm(`${path}.${older}`, { force: true })
  const bytes = Buffer.from(text)
  const isHeld = async (): Promise<boolean> => (await newest(path)) === number
  // Writes the same bytes again: the content never changes, and the disk records when it was written.
  const renew = (): Promise<unknown> => file.write(bytes, 0, bytes.length, 0).catch(() => {})
  let renewal: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    renewal = renew()
  }, renewEveryMs)
  timer.unref()
  return {
    isHeld,
    release: async () => {
      clearInterval(timer)
      await renewal
      await file.truncate(0).catch(() => {})
      await file.close()
    },
  }
}
