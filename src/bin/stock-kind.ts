// Made-up notices and live ones never mix in one stock.
import { OperatorError } from '../platform/errors.ts'
import type { Store } from '../store/database.ts'
import { getOrCreateSetting, getSetting } from '../store/settings.ts'

/** What a stock is made of: made-up notices, or what portals published. */
export type StockKind = 'samples' | 'live'

const refusals: { readonly [noted in StockKind]: string } = {
  samples: 'This stock holds made-up notices: give --live a data folder (or database) of its own.',
  live: 'This stock holds live notices: start it with --live, or give the samples a data folder (or database) of their own.',
}

/** Notes what a stock is made of, the first time. Throws OperatorError when it is made of the other kind. */
export async function claimStockKind({ db }: Pick<Store, 'db'>, kind: StockKind): Promise<void> {
  // stocks of before this was noted have an epoch when they are made of samples
  const before = (await getSetting(db, 'sample-epoch')) === undefined ? kind : 'samples'
  const noted = (await getOrCreateSetting(db, 'stock-kind', before)) as StockKind
  if (noted !== kind) throw new OperatorError(refusals[noted])
}
