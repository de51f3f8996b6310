// Made-up notices and live ones never mix in one stock.
import { OperatorError } from '../../platform/errors.ts'
import type { Store } from '../../store/database/database.ts'
import { getOrCreateSetting, getSetting } from '../../store/database/settings.ts'

/** The kind of a stock: made-up notices, or what portals published. */
export type StockKind = 'samples' | 'live'

const refusals: { readonly [noted in StockKind]: string } = {
  samples: 'This stock holds made-up notices: use a separate data folder (or database) for --live.',
  live: 'This stock holds live notices: start it with --live and without --simulator, or use a separate data folder (or database) for made-up ones.',
}

/** Undefined for a stock that neither samples nor portals were read into. */
export const stockKind = ({ db }: Pick<Store, 'db'>): Promise<string | undefined> => getSetting(db, 'stock-kind')

/** Records the kind of a stock, the first time. Throws OperatorError if the stock is of the other kind. */
export async function claimStockKind({ db }: Pick<Store, 'db'>, kind: StockKind): Promise<void> {
  // stocks from before this was recorded have an epoch if they contain samples
  const before = (await getSetting(db, 'sample-epoch')) === undefined ? kind : 'samples'
  const noted = (await getOrCreateSetting(db, 'stock-kind', before)) as StockKind
  if (noted !== kind) throw new OperatorError('other-kind-of-stock', refusals[noted])
}
