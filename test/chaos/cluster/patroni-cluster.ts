// Three PostgreSQL servers under Patroni, which keeps its decisions in a real etcd: processes of Debian's packages on
// free ports, in a temporary folder.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../free-port.ts'
import { watchProcesses } from '../living-processes.ts'
import { postgresBinaries } from '../postgres-cluster.ts'

const programs = ['patroni', 'etcd'].map((name) => join('/usr/bin', name))

export const hasPatroni = postgresBinaries() !== undefined && programs.every((path) => existsSync(path))

type Member = { readonly name: string; readonly role: string; readonly state: string; readonly lag?: number | string }

export type PatroniCluster = AsyncDisposable & {
  readonly urlOfServer: (name: string, database: string) => string
  /** Where the servers listen. */
  readonly ports: readonly number[]
  /** Name of the leader, once there is one that runs. */
  readonly leader: () => Promise<string>
  /** Waits until every member runs and one standby is synchronous. */
  readonly settle: () => Promise<void>
  /** A planned change: the synchronous standby takes over. Resolves to its name. */
  readonly switchOver: () => Promise<string>
  /** SIGKILL to the leader's PostgreSQL and Patroni; resolves to the next leader's name. The lost one comes back. */
  readonly failOver: () => Promise<string>
  /**
   * The leader's whole machine stands still until another leads. Its PostgreSQL wakes up believing that it leads, and
   * its Patroni is a new one. Resolves to the next leader's name.
   */
  readonly freezeLeader: () => Promise<string>
  /** Process ids of the leader's PostgreSQL. */
  readonly leaderProcesses: () => Promise<readonly number[]>
}

/** What docs/high-availability.md recommends, with short times. `ttl` is the smallest that Patroni accepts. */
const dcs = {
  ttl: 20,
  loop_wait: 1,
  retry_timeout: 3,
  synchronous_mode: true,
  synchronous_mode_strict: false,
  postgresql: {
    use_pg_rewind: true,
    parameters: {
      synchronous_commit: 'on',
      hot_standby_feedback: 'on',
      wal_log_hints: 'on',
      max_connections: 100,
      // only processes are killed here, never the machine
      fsync: 'off',
    },
  },
}
const memberCount = 3
const longestWaitMs = 180_000

export async function openPatroniCluster(folder: string): Promise<PatroniCluster> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const isRoot = process.getuid?.() === 0
  const [user, group] = isRoot
    ? ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })))
    : []
  if (isRoot) chownSync(folder, user!, group!)
  const living = watchProcesses()
  const children = new Map<string, ChildProcess>()
  const launch = (name: string, program: string, args: readonly string[]): ChildProcess => {
    const log = openSync(join(folder, `${name}.log`), 'a')
    const child = spawn(program, args, {
      cwd: folder,
      stdio: ['ignore', log, log],
      // PostgreSQL refuses to run as root
      ...(isRoot && { uid: user!, gid: group! }),
      env: { PATH: process.env.PATH, LANG: 'C.UTF-8', HOME: folder },
    })
    living.add(child.pid)
    child.once('close', () => living.remove(child.pid))
    children.set(name, child)
    return child
  }
  const until = async <Result>(what: string, ask: () => Promise<Result | undefined>): Promise<Result> => {
    for (const end = Date.now() + longestWaitMs; ; ) {
      const found = await ask().catch(() => undefined)
      if (found !== undefined) return found
      if (Date.now() > end)
        throw new Error(`waited for ${longestWaitMs / 1000} s in vain: ${what}; ${await lastWords()}`)
      await delay(100)
    }
  }

  /** What etcd holds of the members, and the end of each log. */
  const lastWords = async (): Promise<string> => {
    const logs = [...children.keys()].map((name) => {
      const text = readFileSync(join(folder, `${name}.log`), 'utf8')
      return `${name}: ${text.split('\n').slice(-8).join('\n')}`
    })
    return `${JSON.stringify(await list().catch(() => []))}\n${logs.join('\n')}`
  }

  const [client, peer] = [await freePort(), await freePort()]
  const [clientUrl, peerUrl] = [client, peer].map((port) => `http://127.0.0.1:${port}`)
  launch('etcd', programs[1]!, [
    ...['--data-dir', join(folder, 'etcd-data'), '--name', 'one', '--initial-cluster', `one=${peerUrl}`],
    ...['--listen-client-urls', clientUrl!, '--advertise-client-urls', clientUrl!],
    ...['--listen-peer-urls', peerUrl!, '--initial-advertise-peer-urls', peerUrl!],
  ])
  await until('etcd', async () => ((await fetch(`${clientUrl}/health`)).ok ? true : undefined))

  const members: { name: string; port: number; api: string; data: string }[] = []
  for (let number = 1; number <= memberCount; number++) {
    const name = `server${number}`
    const [port, apiPort] = [await freePort(), await freePort()]
    const data = join(folder, name)
    const account = (username: string) => ({ username, password: 'secret' })
    const settings = {
      scope: 'stock',
      name,
      restapi: { listen: `127.0.0.1:${apiPort}`, connect_address: `127.0.0.1:${apiPort}` },
      etcd3: { host: `127.0.0.1:${client}` },
      bootstrap: {
        dcs,
        initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums', 'no-sync'],
        pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
      },
      postgresql: {
        listen: `127.0.0.1:${port}`,
        connect_address: `127.0.0.1:${port}`,
        data_dir: data,
        bin_dir: postgresBinaries(),
        pgpass: join(folder, `${name}.pgpass`),
        authentication: {
          superuser: account('postgres'),
          replication: account('replicator'),
          rewind: account('rewinder'),
        },
        parameters: { unix_socket_directories: folder },
      },
    }
    writeFileSync(join(folder, `${name}.yml`), JSON.stringify(settings))
    members.push({ name, port, api: `http://127.0.0.1:${apiPort}`, data })
  }
  const startMember = (name: string) => launch(name, programs[0]!, [join(folder, `${name}.yml`)])
  for (const { name } of members) startMember(name)

  const list = async (): Promise<readonly Member[]> => {
    for (const { api } of members) {
      const answer = await fetch(`${api}/cluster`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined)
      if (answer?.ok) return ((await answer.json()) as { members: Member[] }).members
    }
    return []
  }
  /** The leader by its own word: etcd may name a dead one until its time is over. */
  const leader = (but?: string) =>
    until('a leader', async () => {
      for (const { name, api } of members) {
        if (name === but) continue
        const answer = await fetch(`${api}/primary`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined)
        await answer?.arrayBuffer()
        if (answer?.ok) return name
      }
      return undefined
    })
  const standby = async () => (await list()).find(({ role }) => role === 'sync_standby')?.name
  const settle = async () => {
    await leader()
    await until('all members', async () => {
      const all = await list()
      const isWell =
        all.length === memberCount && all.every(({ state }) => state === 'running' || state === 'streaming')
      return isWell && all.some(({ role }) => role === 'sync_standby') ? true : undefined
    })
  }
  /** These processes, and what they started. */
  const familyOf = (...pids: readonly number[]): readonly number[] => {
    const found = [...pids]
    for (const parent of found)
      for (const task of readdirSync(`/proc/${parent}/task`))
        for (const child of readFileSync(`/proc/${parent}/task/${task}/children`, 'utf8').split(' '))
          if (child !== '' && !found.includes(Number(child))) found.push(Number(child))
    return found
  }
  const postmasterOf = (data: string) => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  await settle()
  return {
    urlOfServer: (server, database) =>
      `postgres://postgres@127.0.0.1:${members.find(({ name }) => name === server)!.port}/${database}`,
    ports: members.map(({ port }) => port),
    leader: () => leader(),
    settle,
    switchOver: async () => {
      const from = await leader()
      const candidate = await until('a synchronous standby', standby)
      const { api } = members.find(({ name }) => name === from)!
      const answer = await fetch(`${api}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: from, candidate }),
      })
      if (!answer.ok) throw new Error(`switchover: ${answer.status} ${await answer.text()}`)
      return leader(from)
    },
    failOver: async () => {
      const from = await leader()
      const { data } = members.find(({ name }) => name === from)!
      const ended = new Promise((done) => children.get(from)!.once('close', done))
      // Patroni first: it would start PostgreSQL again
      children.get(from)!.kill('SIGKILL')
      process.kill(postmasterOf(data), 'SIGKILL')
      await ended
      const next = await leader(from)
      startMember(from)
      return next
    },
    freezeLeader: async () => {
      const from = await leader()
      const patroni = children.get(from)!
      const machine = familyOf(patroni.pid!, postmasterOf(members.find(({ name }) => name === from)!.data))
      const ended = new Promise((done) => patroni.once('close', done))
      const signal = (name: NodeJS.Signals) => {
        for (const pid of machine) {
          try {
            process.kill(pid, name)
          } catch {
            // a process of the server that has ended
          }
        }
      }
      signal('SIGSTOP')
      try {
        return await leader(from)
      } finally {
        // Patroni 3.0 with etcd 3, if woken, takes the leader's key back from whoever has it: what a watchdog is for
        patroni.kill('SIGKILL')
        await ended
        signal('SIGCONT')
        startMember(from)
      }
    },
    leaderProcesses: async () => {
      const from = await leader()
      return familyOf(postmasterOf(members.find(({ name }) => name === from)!.data))
    },
    [Symbol.asyncDispose]: async () => {
      for (const { name } of members) {
        const child = children.get(name)!
        if (child.exitCode !== null || child.signalCode !== null) continue
        const ended = new Promise((done) => child.once('close', done))
        child.kill('SIGTERM')
        await Promise.race([ended, delay(20_000)])
      }
      for (const { data } of members)
        if (existsSync(join(data, 'postmaster.pid'))) process.kill(postmasterOf(data), 'SIGQUIT')
      children.get('etcd')!.kill('SIGKILL')
      await living.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
