// A real PgBouncer in transaction mode before the test server: each transaction may run in another session.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { takesConnections } from './proxies/proxy-process.ts'

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path))
export const hasPgbouncer = program !== undefined

export type Pooler = AsyncDisposable & {
  /** The same database, through the pooler. */
  readonly url: string
  /** Cuts every connection of its clients, as if their processes were killed. */
  readonly cut: () => Promise<void>
}

/** `ignored`: start parameters that it drops instead of refusing them. `size`: sessions that all clients share. */
export async function startPgbouncer(
  databaseUrl: string,
  { ignored = [], size = 3 }: { readonly ignored?: readonly string[]; readonly size?: number } = {},
): Promise<Pooler> {
  const folder = mkdtempSync('/tmp/pgbouncer-')
  chmodSync(folder, 0o755)
  const url = new URL(databaseUrl)
  const port = await freePort()
  const config = join(folder, 'pgbouncer.ini')
  writeFileSync(join(folder, 'users.txt'), `"${url.username}" ""\n`)
  writeFileSync(
    config,
    `[databases]\n* = host=${url.hostname} port=${url.port || 5432}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}
auth_type = trust\nauth_file = ${join(folder, 'users.txt')}\nadmin_users = ${url.username}\nunix_socket_dir =\npool_mode = transaction
default_pool_size = ${size}\nserver_round_robin = 1
ignore_startup_parameters = extra_float_digits${ignored.map((name) => `, ${name}`).join('')}\n`,
  )
  const isRoot = process.getuid?.() === 0
  const child = spawn(program!, isRoot ? ['-u', 'postgres', config] : [config], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  while (!(await takesConnections(port))) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}`)
    await delay(50)
  }
  const database = url.pathname.slice(1)
  url.host = `127.0.0.1:${port}`
  return {
    url: url.href,
    async cut() {
      const admin = new pg.Client({ connectionString: new URL('/pgbouncer', url).href })
      await admin.connect()
      await admin.query(`kill ${database}`)
      await admin.query(`resume ${database}`)
      await admin.end()
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
