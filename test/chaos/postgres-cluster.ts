// A separate PostgreSQL server for the chaos run: created in a temporary folder, crashed and restarted on request.
import { execFile, execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { LivingProcesses } from './living-processes.ts'

const run = promisify(execFile)

/** The folder with initdb and pg_ctl of the newest PostgreSQL on this machine; undefined if there is none. */
export function postgresBinaries(): string | undefined {
  const root = '/usr/lib/postgresql'
  if (!existsSync(root)) return undefined
  const newest = readdirSync(root).sort((left, right) => Number(right) - Number(left))[0]
  const folder = newest === undefined ? undefined : join(root, newest, 'bin')
  return folder !== undefined && existsSync(join(folder, 'initdb')) ? folder : undefined
}

export type PostgresCluster = {
  readonly urlOf: (database: string) => string
  readonly createDatabase: (name: string) => Promise<void>
  /** Like a crash: no checkpoint, and every connection is cut. */
  readonly crash: () => Promise<void>
  readonly start: () => Promise<void>
  /** Starts it, or ends it first if it runs. */
  readonly restart: () => Promise<void>
  readonly end: () => Promise<void>
}

/** Creates and starts a cluster below `folder`, which its user must be able to reach. */
export async function openPostgresCluster(options: {
  readonly binaries: string
  readonly folder: string
  readonly port: number
  readonly living: LivingProcesses
}): Promise<PostgresCluster> {
  const { binaries, folder, port, living } = options
  const isRoot = process.getuid?.() === 0
  mkdirSync(folder, { recursive: true })
  if (isRoot) {
    const [user, group] = ['-u', '-g'].map((flag) =>
      Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })),
    )
    chownSync(folder, user!, group!)
  }
  const data = join(folder, 'data')
  const call = (program: string, args: readonly string[]) => {
    const path = join(binaries, program)
    // The server refuses to run as root.
    return isRoot
      ? run('runuser', ['-u', 'postgres', '--', path, ...args], { cwd: folder })
      : run(path, [...args], { cwd: folder })
  }
  const control = (...args: string[]) => call('pg_ctl', ['-D', data, ...args])
  await call('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'])
  const settings = [
    ['-p', String(port)],
    ['-c', 'listen_addresses=127.0.0.1'],
    ['-c', `unix_socket_directories=${folder}`],
    ['-c', 'max_connections=100'],
    // Only processes are killed here, never the machine: writes to the page cache survive a crash.
    ['-c', 'fsync=off'],
  ]
  const serverPid = () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  const stop = async (): Promise<void> => {
    const pid = serverPid()
    await control('-m', 'immediate', '-w', 'stop')
    living.remove(pid)
  }
  const start = async (): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      try {
        await control('-l', join(folder, 'server.log'), '-w', '-t', '60', '-o', settings.flat().join(' '), 'start')
        living.add(serverPid(), 'SIGQUIT')
        return
      } catch (error) {
        // The memory of a crashed server may still be in use for a moment.
        if (attempt === 20) throw error
        await delay(500)
      }
    }
  }
  await start()
  return {
    urlOf: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    createDatabase: async (name) => {
      await call('createdb', ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', name])
    },
    crash: stop,
    start,
    restart: async () => {
      await stop().catch(() => {})
      await start()
    },
    end: () => stop().catch(() => {}),
  }
}
