// The database of a cluster run: three servers under Patroni, or one that stays, for runs about other faults.
import { join } from 'node:path'
import { openEmptyDatabase } from '../../world.ts'
import { openPatroniCluster } from './patroni-cluster.ts'

export type DatabaseServers = AsyncDisposable & {
  readonly database: string
  readonly ports: readonly number[]
  /** The server that accepts writes now. */
  readonly leaderUrl: () => Promise<string>
  /** Absent: the server stays. */
  readonly changes?: {
    readonly promote: () => Promise<string>
    readonly kill: () => Promise<string>
    readonly freeze: () => Promise<string>
    readonly settle: () => Promise<void>
    /** Process ids of the PostgreSQL that accepts writes. */
    readonly leaderProcesses: () => Promise<readonly number[]>
  }
}

export async function openThreeServers(): Promise<DatabaseServers> {
  const cluster = await openPatroniCluster(join('/tmp', `cluster-${process.pid}`))
  return {
    database: 'postgres',
    ports: cluster.ports,
    leaderUrl: async () => cluster.urlOfServer(await cluster.leader(), 'postgres'),
    changes: {
      promote: cluster.switchOver,
      kill: cluster.failOver,
      freeze: cluster.freezeLeader,
      settle: cluster.settle,
      leaderProcesses: cluster.leaderProcesses,
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}

/** A new database of the tests' own server. */
export async function openOneServer(): Promise<DatabaseServers> {
  const database = await openEmptyDatabase()
  const { port, pathname } = new URL(database.url)
  return {
    database: pathname.slice(1),
    ports: [Number(port)],
    leaderUrl: async () => database.url,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}
