// Knows whether a call runs inside a transaction, so that a query that forgets `trx` is an error and not a hang.
import { AsyncLocalStorage } from 'node:async_hooks'

type Scope = { readonly db: object; isOpen: boolean }
const scopes = new AsyncLocalStorage<Scope>()

/** Runs `work` as the inside of a transaction of `db`. */
export async function asTransactionOf<Result>(db: object, work: () => Promise<Result>): Promise<Result> {
  const scope: Scope = { db, isOpen: true }
  try {
    return await scopes.run(scope, work)
  } finally {
    scope.isOpen = false
  }
}

/**
 * Throws when the caller runs inside a transaction of `db`: it should have used the transaction. On the embedded
 * engine, with its one connection, such a query would wait forever; on a server it would not see what the transaction
 * wrote.
 */
export function assertOutsideTransactionOf(db: object): void {
  const scope = scopes.getStore()
  if (scope?.isOpen && scope.db === db) throw new Error('a query on the store inside a transaction: use the given trx')
}
