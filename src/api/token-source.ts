// Tokens as the database has them. Apart from the table: a reader has the table without a database, and loads nothing
// of it.
import { readSerials } from '../store/change-signal.ts'
import type { Store } from '../store/database.ts'
import { loadTokens, touchTokens } from '../store/organizations.ts'
import type { TokenSource } from './token-table.ts'

export function tokenSourceOf(store: Pick<Store, 'looks'>): TokenSource {
  return {
    load: () => loadTokens(store.looks),
    serial: async () => (await readSerials(store.looks)).tokens,
    touch: (tokenIds, now) => touchTokens(store.looks, tokenIds, now),
  }
}
