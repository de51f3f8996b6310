// Results of lots and their winners, put together the same way for all formats.
import { sumOfMoney } from '../domain/money.ts'
import type { LotResult, Organization } from '../domain/notice.ts'
import { uniform } from './compact.ts'

/** The same organisations once each, in order. */
export function distinctOrganizations(organizations: readonly (Organization | undefined)[]): Organization[] {
  const seen = new Map<string, Organization>()
  for (const organization of organizations) {
    if (!organization) continue
    const key = `${organization.nationalId ?? ''}|${organization.name.toLowerCase()}|${organization.country ?? ''}`
    if (!seen.has(key)) seen.set(key, organization)
  }
  return [...seen.values()]
}

/** Several results of one lot as one: any award counts as awarded; winners united, values of one currency summed. */
export function mergeResults(results: readonly LotResult[]): LotResult {
  const awarded = results.filter((result) => result.outcome === 'awarded')
  if (awarded.length === 0) return results.find((result) => result.outcome === 'not-awarded') ?? results[0]!
  const winners = distinctOrganizations(awarded.flatMap((result) => result.winners ?? []))
  const tenders = awarded.map((result) => result.receivedTenders).filter((count) => count !== undefined)
  return uniform<LotResult>({
    outcome: 'awarded',
    // A sum that leaves contracts out would pretend to be the lot's value.
    awardedValue: awarded.every((result) => result.awardedValue)
      ? sumOfMoney(awarded.map((result) => result.awardedValue))
      : undefined,
    winners: winners.length > 0 ? winners : undefined,
    contractDate: awarded
      .map((result) => result.contractDate)
      .filter((date) => date !== undefined)
      .sort()[0],
    receivedTenders: tenders.length > 0 ? Math.max(...tenders) : undefined,
  })
}

/** A result of the whole as that of one lot among several: who won, but no value, which belongs to all together. */
export function sharedResult(result: LotResult): LotResult {
  const { awardedValue: _value, receivedTenders: _tenders, ...rest } = result
  return rest
}
