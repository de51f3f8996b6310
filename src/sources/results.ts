// Results of lots and their winners, combined the same way for all formats.
import { sumOfMoney } from '../domain/money.ts'
import type { LotResult, Money, NoticeLot, Organization } from '../domain/notice.ts'
import { uniform } from './compact.ts'

/** The same organizations once each, in order. */
export function distinctOrganizations(organizations: readonly (Organization | undefined)[]): Organization[] {
  const seen = new Map<string, Organization>()
  for (const organization of organizations) {
    if (!organization) continue
    const key = `${organization.nationalId ?? ''}|${organization.name.toLowerCase()}|${organization.country ?? ''}`
    if (!seen.has(key)) seen.set(key, organization)
  }
  return [...seen.values()]
}

/** One contract of a lot: its holder and its amount. */
export type LotContract = Pick<LotResult, 'winners' | 'awardedValue'>

/** The total value of a lot's contracts. */
export type SumOfContracts = (contracts: readonly LotContract[]) => Money | undefined

/** Every contract with its own value. */
const sumOfAll: SumOfContracts = (contracts) => sumOfMoney(contracts.map(({ awardedValue }) => awardedValue))

/**
 * Equal values of different winners once: each contractor of a framework has the ceiling of all as the value of its
 * contract.
 */
export const sumOfCeilings: SumOfContracts = (contracts) => {
  const counted: LotContract[] = []
  for (const contract of contracts) {
    const equal = counted.filter(({ awardedValue }) => awardedValue?.value === contract.awardedValue?.value)
    const isOfOthers =
      equal.length > 0 && equal.every(({ winners }) => !shareWinner(winners ?? [], contract.winners ?? []))
    if (!isOfOthers) counted.push(contract)
  }
  return sumOfAll(counted)
}

const winnerKeys = ({ name, nationalId }: Organization): string[] => [
  `name ${name.toLowerCase()}`,
  ...(nationalId ? [`id ${nationalId}`] : []),
]

/** Winners without a name may be the same organization. */
function shareWinner(a: readonly Organization[], b: readonly Organization[]): boolean {
  const keys = new Set(a.flatMap(winnerKeys))
  return a.length === 0 || b.length === 0 || b.flatMap(winnerKeys).some((key) => keys.has(key))
}

/** The published total is the sum of these lots, within half a percent. */
function isSumOf(total: Money, lots: readonly Pick<NoticeLot, 'result'>[]): boolean {
  const awarded = lots.filter(({ result }) => result?.outcome === 'awarded')
  const sum = sumOfMoney(awarded.map(({ result }) => result?.awardedValue))
  return sum?.currency === total.currency && Math.abs(sum.value - total.value) <= total.value * 0.005
}

/**
 * The lots as `join` makes them with a way to add up the contracts of a lot: all of them where that gives the total
 * that the notice publishes, else equal values of different winners once.
 */
export function lotsWithin<Lot extends Pick<NoticeLot, 'result'>>(
  total: Money | undefined,
  join: (sum: SumOfContracts) => Lot[],
): Lot[] {
  const plain = total && join(sumOfAll)
  return plain && isSumOf(total, plain) ? plain : join(sumOfCeilings)
}

/** Several results of one lot as one: any award counts as awarded; winners united, values of one currency summed. */
export function mergeResults(results: readonly LotResult[], sum: SumOfContracts = sumOfCeilings): LotResult {
  const awarded = results.filter((result) => result.outcome === 'awarded')
  if (awarded.length === 0) return results.find((result) => result.outcome === 'not-awarded') ?? results[0]!
  const winners = distinctOrganizations(awarded.flatMap((result) => result.winners ?? []))
  const tenders = awarded.map((result) => result.receivedTenders).filter((count) => count !== undefined)
  return uniform<LotResult>({
    outcome: 'awarded',
    // A sum without some of the contracts would be mistaken for the lot's value.
    awardedValue: awarded.every((result) => result.awardedValue) ? sum(awarded) : undefined,
    winners: winners.length > 0 ? winners : undefined,
    contractDate: awarded
      .map((result) => result.contractDate)
      .filter((date) => date !== undefined)
      .sort()[0],
    receivedTenders: tenders.length > 0 ? Math.max(...tenders) : undefined,
  })
}

/**
 * A result of the whole as that of one lot among several: the winners, but not the value, which belongs to all lots
 * together.
 */
export function sharedResult(result: LotResult): LotResult {
  const { awardedValue: _value, receivedTenders: _tenders, ...rest } = result
  return rest
}
