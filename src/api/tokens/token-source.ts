// Tokens as stored in the database. Separate from the table: a reader has the table without a database, and must not
// load its code.
import { readSerials } from '../../store/database/change-signal.ts'
import type { Store } from '../../store/database/database.ts'
import { untilWritten } from '../../store/database/until-written.ts'
import { loadTokens, touchTokens } from '../../store/people/organizations.ts'
import type { TokenSource } from './token-table.ts'

export function tokenSourceOf(store: Pick<Store, 'looks' | 'writes'>): TokenSource {
  const serials = untilWritten(store, () => readSerials(store.looks))
  return {
    load: () => loadTokens(store.looks),
    serial: async () => (await serials()).tokens,
    touch: (tokenIds, now) => touchTokens(store.looks, tokenIds, now),
  }
}
