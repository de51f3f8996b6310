// What was decided about each lot. Award notices add up: each names the lots it decides, and several may report
// separate contracts.
import { sumOfMoney } from '../domain/money.ts'
import { wordsOf } from '../domain/name-words.ts'
import type { LotResult, NoticeLot, Organization } from '../domain/notice.ts'
import { namesContradict } from '../domain/organization-identity.ts'
import { type Announcement, isSnapshot } from './timeline.ts'

/** One notice's award of a lot. */
type LotContract = { readonly result: LotResult; readonly announcement: Announcement }

/**
 * The outcome of a lot, the notice that last stated it, and, if it is awarded, the notices of its valid contracts,
 * oldest first.
 */
export type LotOutcome = {
  readonly result: LotResult
  readonly lot: NoticeLot
  readonly announcement: Announcement
  readonly contracts: readonly LotContract[]
}

/** BT-144: the award itself was undone, whatever date of a contract a notice gave before. */
const undone = new Set(['no-signed', 'rev-body', 'rev-buyer', 'tch-pr-error'])

/**
 * Newest decision per lot ID. An undecided lot (`pending`) never undoes a decision, and a concluded contract is not
 * undone by another round without a winner. Snapshots of a portal (OCDS) state everything: there only the newest
 * counts.
 */
export function lotOutcomes(results: readonly Announcement[]): ReadonlyMap<string, LotOutcome> {
  const outcomes = new Map<string, LotOutcome>()
  for (const announcement of results) {
    for (const lot of announcement.notice.lots) {
      const result = lot.result ?? (lot.cancelled ? { outcome: 'not-awarded' as const } : undefined)
      if (!result) continue
      const before = outcomes.get(lot.lotId)
      if (result.outcome === 'pending' && before) continue
      const standing = before ? standingBeside({ result, announcement }, before.contracts) : []
      const contracts = result.outcome === 'awarded' ? [...standing, { result, announcement }] : standing
      if (contracts.length === 0) outcomes.set(lot.lotId, { result, lot, announcement, contracts })
      else if (result.outcome === 'awarded')
        outcomes.set(lot.lotId, { result: united(contracts), lot, announcement, contracts })
      else outcomes.set(lot.lotId, { ...before!, result: united(contracts), contracts })
    }
  }
  return outcomes
}

/** Earlier contracts of a lot that a newer decision about it leaves valid. */
function standingBeside(newer: LotContract, contracts: readonly LotContract[]): LotContract[] {
  if (newer.result.outcome === 'awarded') return contracts.filter((older) => !restates(newer, older))
  if (isSnapshot(newer.announcement.notice) || undone.has(newer.result.reason ?? '')) return []
  return contracts.filter(({ result }) => result.contractDate !== undefined)
}

/**
 * Whether the newer award reports the same contract, corrected or repeated. If little is known about either, it does.
 */
function restates(newer: LotContract, older: LotContract): boolean {
  if (isSnapshot(newer.announcement.notice) || isSnapshot(older.announcement.notice)) return true
  const [a, b] = [newer.result, older.result]
  const isModified = newer.announcement.role === 'execution'
  const hasValues = a.awardedValue !== undefined && b.awardedValue !== undefined
  // a repeated total, possibly with different names
  if (hasValues && a.awardedValue.value === b.awardedValue.value) return true
  const isOtherDay = a.contractDate !== undefined && b.contractDate !== undefined && a.contractDate !== b.contractDate
  const [ours, theirs] = [a.winners ?? [], b.winners ?? []]
  // A modification reports a contract again, with a different amount; the day of the contract stays the same.
  if (isModified) return !(isOtherDay && areOthers(ours, theirs))
  if (ours.length === 0 || theirs.length === 0) return !(isOtherDay && hasValues)
  if (areOthers(ours, theirs)) return false
  if (!isOtherDay) return true
  return !hasValues && theirs.every((winner) => !areOthers(ours, [winner]))
}

/**
 * Whether both sides name winners, but none with a similar name. Their ids do not count: authorities write their own
 * where that of the winner belongs.
 */
const areOthers = (ours: readonly Organization[], theirs: readonly Organization[]): boolean =>
  ours.length > 0 && theirs.length > 0 && ours.every((a) => theirs.every((b) => namesContradict(a.name, b.name)))

/** Several contracts of one lot as one result: all winners, the sum of the values, the rest from the newest. */
function united(contracts: readonly LotContract[]): LotResult {
  const results = contracts.map(({ result }) => result)
  const newest = results.at(-1)!
  if (results.length === 1) return newest
  const awardedValue = sumOfMoney(results.map((result) => result.awardedValue))
  const winners = new Map(results.flatMap((result) => result.winners ?? []).map((winner) => [nameKey(winner), winner]))
  const { awardedValue: own, ...rest } = newest
  const value = awardedValue ?? own
  return { ...rest, ...(value && { awardedValue: value }), ...(winners.size > 0 && { winners: [...winners.values()] }) }
}

const nameKey = ({ name, country }: Organization): string => `${country ?? ''} ${wordsOf(name).join(' ')}`
