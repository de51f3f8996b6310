// Winners that are no names: publishers write "Lot infructueux" or "see annex" where the name of the winner belongs.
import type { LotResult, Notice } from '../domain/notice.ts'
import { winnerNameOf } from '../domain/winner-names.ts'

/** The result with the winners that are named; without any, nothing was awarded if one of the texts says so. */
function withNames(result: LotResult): LotResult {
  const { winners = [], ...rest } = result
  const kinds = winners.map(({ name }) => winnerNameOf(name))
  if (kinds.every((kind) => kind === 'name')) return result
  const named = winners.filter((_, index) => kinds[index] === 'name')
  if (named.length > 0) return { ...rest, winners: named }
  if (result.outcome !== 'awarded' || kinds.includes('pointer')) return rest
  const { awardedValue: _value, contractDate: _date, ...undecided } = rest
  return { ...undecided, outcome: 'not-awarded' }
}

/** The notice without winners that are no names, and without awards to nobody. */
export function withNamedWinners(notice: Notice): Notice {
  if (!notice.lots.some(({ result }) => result?.winners)) return notice
  return { ...notice, lots: notice.lots.map((lot) => (lot.result ? { ...lot, result: withNames(lot.result) } : lot)) }
}
