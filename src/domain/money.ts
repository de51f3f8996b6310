// Sums of money.
import type { Money } from './notice.ts'

/** Sum of the given amounts, to the cent; undefined if there are none, or if currencies differ. */
export function sumOfMoney(amounts: readonly (Money | undefined)[]): Money | undefined {
  const given = amounts.filter((amount) => amount !== undefined)
  const currency = given[0]?.currency
  if (currency === undefined || given.some((amount) => amount.currency !== currency)) return undefined
  return { value: Math.round(given.reduce((sum, amount) => sum + amount.value, 0) * 100) / 100, currency }
}
