// A real primary and its streaming standby, made in a temporary folder: for tests of what nodes see while one lags, or
// takes over.
import { execFile, execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { watchProcesses } from './chaos/living-processes.ts'
import { postgresBinaries } from './chaos/postgres-cluster.ts'
import { freePort } from './free-port.ts'

const run = promisify(execFile)

export type ReplicatedServers = AsyncDisposable & {
  /** Addresses of the primary and of the standby. */
  readonly urls: () => readonly [primary: string, standby: string]
  readonly createDatabase: (name: string) => Promise<void>
  /** Lets the standby receive, but not show. */
  readonly pauseStandby: () => Promise<void>
  readonly resumeStandby: () => Promise<void>
  /** The standby receives nothing more: what the primary acknowledges from now on is lost with it. */
  readonly cutOffStandby: () => Promise<void>
  /** Waits until the standby shows everything that the primary has. */
  readonly settle: () => Promise<void>
  /** Ends the primary immediately, promotes the standby, and gives it a standby of its own. */
  readonly failOver: () => Promise<void>
}

type Server = { readonly data: string; readonly port: number }

export async function openReplicatedServers(folder: string, database: string): Promise<ReplicatedServers> {
  const binaries = postgresBinaries()
  if (binaries === undefined) throw new Error('there is no PostgreSQL on this machine')
  const isRoot = process.getuid?.() === 0
  mkdirSync(folder, { recursive: true })
  if (isRoot) {
    const [user, group] = ['-u', '-g'].map((flag) =>
      Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })),
    )
    chownSync(folder, user!, group!)
  }
  const call = async (program: string, ...args: string[]) => {
    const path = join(binaries, program)
    // the server refuses to run as root
    if (isRoot) await run('runuser', ['-u', 'postgres', '--', path, ...args], { cwd: folder })
    else await run(path, args, { cwd: folder })
  }
  const living = watchProcesses()
  const pidOf = ({ data }: Server) => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  const start = async (server: Server) => {
    const { data, port } = server
    const settings = [
      `-p ${port}`,
      '-c listen_addresses=127.0.0.1',
      `-c unix_socket_directories=${folder}`,
      '-c max_connections=40',
      '-c fsync=off',
      '-c wal_level=replica',
    ].join(' ')
    await call('pg_ctl', '-D', data, '-l', `${data}.log`, '-w', '-t', '120', '-o', settings, 'start')
    living.add(pidOf(server), 'SIGQUIT')
  }
  const stop = async (server: Server) => {
    const pid = pidOf(server)
    await call('pg_ctl', '-D', server.data, '-m', 'immediate', '-w', 'stop')
    living.remove(pid)
  }
  const urlOf = ({ port }: Server, name = database) => `postgres://postgres@127.0.0.1:${port}/${name}`
  const ask = async <Row>(server: Server, text: string): Promise<Row> => {
    const client = new pg.Client({ connectionString: urlOf(server, 'postgres') })
    await client.connect()
    try {
      return (await client.query(text)).rows[0] as Row
    } finally {
      await client.end()
    }
  }
  let servers = 0
  const newServer = async (): Promise<Server> => ({ data: join(folder, `data-${++servers}`), port: await freePort() })
  const standbyOf = async (source: Server): Promise<Server> => {
    const server = await newServer()
    await call(
      'pg_basebackup',
      '-D',
      server.data,
      '-d',
      urlOf(source, 'postgres'),
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
      '--no-sync',
    )
    await start(server)
    return server
  }
  const until = async (isDone: () => Promise<boolean>): Promise<void> => {
    while (!(await isDone())) await new Promise((done) => setTimeout(done, 20))
  }
  let primary = await newServer()
  await call(
    'initdb',
    '-D',
    primary.data,
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  )
  await start(primary)
  let standby = await standbyOf(primary)
  return {
    urls: () => [urlOf(primary), urlOf(standby)],
    createDatabase: async (name) => {
      await ask(primary, `create database ${name}`)
    },
    pauseStandby: async () => {
      await ask(standby, 'select pg_wal_replay_pause()')
      await until(async () => {
        const { state } = await ask<{ state: string }>(standby, 'select pg_get_wal_replay_pause_state() as state')
        return state === 'paused'
      })
    },
    resumeStandby: async () => {
      await ask(standby, 'select pg_wal_replay_resume()')
    },
    cutOffStandby: async () => {
      await ask(standby, "alter system set primary_conninfo = ''")
      await ask(standby, 'select pg_reload_conf()')
      await until(async () => {
        const { receivers } = await ask<{ receivers: number }>(
          standby,
          'select count(*)::integer as receivers from pg_stat_wal_receiver',
        )
        return receivers === 0
      })
    },
    settle: async () => {
      const { place } = await ask<{ place: string }>(primary, 'select pg_current_wal_lsn()::text as place')
      await until(async () => {
        const { isThere } = await ask<{ isThere: boolean }>(
          standby,
          `select pg_last_wal_replay_lsn() >= '${place}'::pg_lsn as "isThere"`,
        )
        return isThere
      })
    },
    failOver: async () => {
      await stop(primary)
      rmSync(primary.data, { recursive: true, force: true })
      await ask(standby, 'select pg_promote(true, 120)')
      primary = standby
      standby = await standbyOf(primary)
    },
    [Symbol.asyncDispose]: async () => {
      for (const server of [standby, primary]) await stop(server).catch(() => {})
      await living.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
