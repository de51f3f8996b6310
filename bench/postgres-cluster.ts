// A separate PostgreSQL cluster for the benchmarks, in a temporary folder, on loopback.
import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, runCommand, startProcess, stopProcess, temporaryFolder } from './processes.ts'

export type Cluster = {
  readonly pid: number
  readonly version: string
  readonly url: (database: string) => string
  /** Runs one statement or a COPY whose rows are written to the returned stream. */
  readonly psql: (database: string, sql: string) => string
  readonly psqlArguments: (database: string, sql: string) => [program: string, args: string[]]
  readonly stop: () => Promise<void>
}

function binFolder(): string | undefined {
  const root = '/usr/lib/postgresql'
  if (!existsSync(root)) return undefined
  const version = readdirSync(root)
    .map(Number)
    .filter(Number.isFinite)
    .sort((a, b) => b - a)[0]
  return version === undefined || !existsSync(`${root}/${version}/bin/postgres`) ? undefined : `${root}/${version}/bin`
}

/**
 * Starts a cluster, tuned as for a machine with enough memory; undefined if no PostgreSQL is installed. With
 * `keptFolder` its data is there, and stays there when it is stopped. `further` settings override ours.
 */
export async function startCluster(keptFolder?: string, further: readonly string[] = []): Promise<Cluster | undefined> {
  const bin = binFolder()
  if (bin === undefined) return undefined
  const folder = keptFolder ?? temporaryFolder('pg')
  const data = join(folder, 'data')
  const isNew = !existsSync(join(data, 'PG_VERSION'))
  if (isNew) mkdirSync(data, { mode: 0o700, recursive: true })
  // The server refuses to run as root: in that case the system's postgres user owns and runs it.
  const owner: { uid?: number; gid?: number } = {}
  if (process.getuid?.() === 0) {
    owner.uid = Number(runCommand('id', ['-u', 'postgres']))
    owner.gid = Number(runCommand('id', ['-g', 'postgres']))
    for (const path of [folder, data]) chownSync(path, owner.uid, owner.gid)
  }
  if (isNew) {
    const made = spawnSync(
      `${bin}/initdb`,
      ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
      { ...owner, encoding: 'utf8', cwd: folder },
    )
    if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`)
  }
  const port = await freePort()
  const settings = [
    'shared_buffers=2GB',
    'effective_cache_size=8GB',
    'work_mem=32MB',
    'maintenance_work_mem=512MB',
    'max_wal_size=2GB',
    // nothing runs beside what is measured
    'autovacuum=off',
    'checkpoint_timeout=30min',
    'default_toast_compression=lz4',
    'random_page_cost=1.1',
    'synchronous_commit=off',
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'jit=off',
    ...further,
  ]
  const server = startProcess(`${bin}/postgres`, ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
    ...owner,
    cwd: folder,
  })
  const psqlArguments = (database: string, sql: string): [string, string[]] => [
    `${bin}/psql`,
    [
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '-U',
      'postgres',
      '-d',
      database,
      '-v',
      'ON_ERROR_STOP=1',
      '-qAtX',
      '-c',
      sql,
    ],
  ]
  for (
    let attempt = 0;
    spawnSync(`${bin}/pg_isready`, ['-h', '127.0.0.1', '-p', String(port)]).status !== 0;
    attempt++
  ) {
    if (attempt > 600 || server.exitCode !== null) throw new Error('PostgreSQL did not start')
    await sleep(100)
  }
  return {
    pid: server.pid!,
    version: runCommand(`${bin}/postgres`, ['--version']).trim(),
    url: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    psql: (database, sql) => runCommand(...psqlArguments(database, sql)),
    psqlArguments,
    stop: async () => {
      await stopProcess(server, 'SIGINT')
      if (keptFolder === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}
