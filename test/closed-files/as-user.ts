// Runs the programs as other users would, with a umask, and finds with `find` what others may use of their files.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
export const service = join(root, 'src/bin/tenderstock.ts')
export const client = join(root, 'client/src/bin/tender-sync.ts')

/** Only root can run programs as somebody else. */
export const isRoot = process.getuid?.() === 0
/** The number of `nobody`, and of a group that nobody else is in. */
export const [nobody, ownGroup] = [65_534, 54_321]

export type AsUser = {
  readonly umask?: string
  readonly uid?: number
  readonly gid?: number
  readonly env?: NodeJS.ProcessEnv
}

const { DATABASE_URL: _database, REDIS_URL: _redis, TENDERSTOCK_DOCUMENTS: _documents, ...environment } = process.env

/** Starts a program with this umask, and as this user if given. */
export function startAs(args: readonly string[], { umask = '022', env = {}, ...user }: AsUser = {}): ChildProcess {
  return spawn('/bin/sh', ['-c', `umask ${umask}; exec "$0" "$@"`, process.execPath, ...args], {
    ...user,
    env: { ...environment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

export type Ended = { readonly code: number | null; readonly out: string; readonly err: string }

export async function runAs(args: readonly string[], how?: AsUser): Promise<Ended> {
  const child = startAs(args, how)
  const seen = { out: '', err: '' }
  child.stdout!.on('data', (chunk: Buffer) => (seen.out += chunk))
  child.stderr!.on('data', (chunk: Buffer) => (seen.err += chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...seen }
}

const listed = (args: readonly string[]): string[] =>
  execFileSync('find', args, { encoding: 'utf8' }).split('\n').filter(Boolean)

/** What others can read, change or enter in these places; links have no rights of their own. */
export const openTo = (...places: readonly string[]): string[] =>
  listed([...places, '-not', '-type', 'l', '-perm', '/077', '-printf', '%y %m %p\n'])

/** The rights of everything in a place, by its path there. */
export const rightsIn = (place: string): { readonly [path: string]: string } =>
  Object.fromEntries(listed([place, '-printf', '%m %P\n']).map((line) => line.split(' ').reverse() as [string, string]))
