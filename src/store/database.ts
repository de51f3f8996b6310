// PLACEHOLDER of the interface; the store's owner replaces the body.
import type { Kysely, Transaction } from 'kysely'
import type { Database } from './schema.ts'

/** What every named query takes: the database or a running transaction. */
export type Executor = Kysely<Database> | Transaction<Database>

/** An open stock, on either engine. */
export type Store = {
  readonly engine: 'embedded' | 'server'
  readonly db: Kysely<Database>
  readonly close: () => Promise<void>
}
