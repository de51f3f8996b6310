// One database address with two servers behind it, as a balancer or a failover makes them: each connection reaches one
// of the two.
import {
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresDialect,
  PostgresDriver,
  type TransactionSettings,
} from 'kysely'
import pg from 'pg'
import type { Store } from '../src/store/database/database.ts'
import type { Database } from '../src/store/schema/schema.ts'

const int8Oid = 20
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8Oid ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

/** A store whose connections reach the server that `choose` names, called for each. */
export function balancedStore(
  urls: readonly string[],
  choose: () => number,
): Pick<Store, 'db' | 'engine'> & AsyncDisposable {
  const pools = urls.map((connectionString) => new pg.Pool({ connectionString, types, max: 4 }))
  for (const pool of pools) {
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
  }
  const drivers = pools.map((pool) => new PostgresDriver({ pool }))
  class Balanced extends PostgresDialect {
    override createDriver(): PostgresDriver {
      return new BalancedDriver(drivers, choose) as unknown as PostgresDriver
    }
  }
  const db = new Kysely<Database>({ dialect: new Balanced({ pool: pools[0]! }) })
  return {
    db,
    engine: 'server',
    [Symbol.asyncDispose]: async () => {
      await Promise.all(pools.map((pool) => pool.end()))
    },
  }
}

class BalancedDriver implements Driver {
  readonly #drivers: readonly PostgresDriver[]
  readonly #choose: () => number
  readonly #owners = new WeakMap<DatabaseConnection, PostgresDriver>()

  constructor(drivers: readonly PostgresDriver[], choose: () => number) {
    this.#drivers = drivers
    this.#choose = choose
  }

  async init(): Promise<void> {
    for (const driver of this.#drivers) await driver.init()
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const driver = this.#drivers[this.#choose()]!
    const connection = await driver.acquireConnection()
    this.#owners.set(connection, driver)
    return connection
  }

  beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    return this.#of(connection).beginTransaction(connection as never, settings)
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#of(connection).commitTransaction(connection as never)
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#of(connection).rollbackTransaction(connection as never)
  }

  releaseConnection(connection: DatabaseConnection): Promise<void> {
    return this.#of(connection).releaseConnection(connection as never)
  }

  #of(connection: DatabaseConnection): PostgresDriver {
    return this.#owners.get(connection)!
  }

  async destroy(): Promise<void> {}
}
