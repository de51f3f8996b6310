// Labels without manual work: notices with one procedure ID are one tender; those of one authority with similar titles
// and different IDs are not.
import { buyerIdentity, buyerKeys, buyersConflict } from '../../src/consolidate/buyer-identity.ts'
import { procedureScope } from '../../src/consolidate/link-keys.ts'
import { bestTitles } from '../../src/consolidate/match/compare.ts'
import type { MatchRecord } from '../../src/consolidate/match/match-record.ts'
import { prepare } from '../../src/consolidate/match/prepare.ts'
import type { Notice } from '../../src/domain/notice.ts'

/**
 * Where the label comes from: equal or different procedure IDs, people, an operator's decision, or the program that
 * made a copy.
 */
type LabelOrigin = 'id' | 'people' | 'operator' | 'copy'

export type LabeledPair = {
  readonly a: MatchRecord
  readonly b: MatchRecord
  readonly isSame: boolean
  readonly origin: LabelOrigin
  /** One key of the authority of `a`: pairs of one authority are always in one fold. */
  readonly authority: string
}

/**
 * Minimum share of the titles' weight that two tenders of one authority must have in common to be useful for learning.
 */
const likeTitles = 0.5
/** Maximum number of notices of one authority that are compared with each other: 200 give 20,000 pairs. */
const maxOfAuthority = 200

/** A notice as the matcher would see it if portals gave no procedure IDs. */
function recordOfNotice(notice: Notice): MatchRecord {
  const unit = { notice, rowIds: [], sourceIds: [notice.publisher] }
  return { ...prepare(notice.noticeKey, [unit]), procedures: [] }
}

/** Key of the authority of a notice; empty if there is none. */
export function authorityOf(notice: Notice): string {
  const [buyer] = notice.contractingAuthorities
  return buyer === undefined ? '' : (buyerKeys(buyer)[0] ?? '')
}

export const isBetween = ({ a, b }: LabeledPair): boolean =>
  !a.publishers.some((publisher) => b.publishers.includes(publisher))

const byKey = (a: Notice, b: Notice): number => (a.noticeKey < b.noticeKey ? -1 : a.noticeKey > b.noticeKey ? 1 : 0)

function* pairsOf<T>(items: readonly T[]): Generator<readonly [T, T]> {
  for (let first = 0; first < items.length; first++)
    for (let second = first + 1; second < items.length; second++) yield [items[first]!, items[second]!]
}

/**
 * Both kinds of pairs of these notices, ordered by their keys. An ID that is copied from an example, or under which
 * buyers contradict each other, is no label.
 */
export function freeLabels(notices: readonly Notice[]): LabeledPair[] {
  const records = new Map<string, MatchRecord>()
  const recordOf = (notice: Notice): MatchRecord => {
    const known = records.get(notice.noticeKey) ?? recordOfNotice(notice)
    records.set(notice.noticeKey, known)
    return known
  }
  const unique = [...new Map(notices.map((notice) => [notice.noticeKey, notice])).values()].sort(byKey)
  const scoped = unique.flatMap((notice) => {
    const procedure = procedureScope(notice)
    return procedure === undefined ? [] : [{ notice, ...procedure }]
  })
  const found: LabeledPair[] = []
  const add = (a: Notice, b: Notice, isSame: boolean): void => {
    found.push({ a: recordOf(a), b: recordOf(b), isSame, origin: 'id', authority: authorityOf(a) })
  }
  for (const group of Map.groupBy(scoped, ({ scope, id }) => `${scope} ${id}`).values())
    for (const [a, b] of pairsOf(group)) if (!haveOtherBuyers(a.notice, b.notice)) add(a.notice, b.notice, true)
  const byAuthority = Map.groupBy(
    scoped.filter(({ notice }) => authorityOf(notice) !== ''),
    ({ notice }) => authorityOf(notice),
  )
  for (const group of byAuthority.values())
    for (const [a, b] of pairsOf(group.slice(0, maxOfAuthority))) {
      if (a.scope !== b.scope || a.id === b.id) continue
      if ((bestTitles(recordOf(a.notice), recordOf(b.notice))?.jaccard ?? 0) >= likeTitles)
        add(a.notice, b.notice, false)
    }
  return found
}

/** Decisions of operators on two notices that still exist. */
export function labelsOfDecisions(
  notices: readonly Notice[],
  decisions: readonly { readonly left: string; readonly right: string; readonly decision: 'merge' | 'split' }[],
): LabeledPair[] {
  const byNoticeKey = new Map(notices.map((notice) => [notice.noticeKey, notice]))
  return decisions.flatMap(({ left, right, decision }) => {
    const [a, b] = [byNoticeKey.get(left), byNoticeKey.get(right)]
    if (!a || !b) return []
    const [first, second] = [recordOfNotice(a), recordOfNotice(b)]
    return [
      { a: first, b: second, isSame: decision === 'merge', origin: 'operator' as const, authority: authorityOf(a) },
    ]
  })
}

const haveOtherBuyers = (a: Notice, b: Notice): boolean =>
  buyersConflict(buyerIdentity(a.contractingAuthorities), buyerIdentity(b.contractingAuthorities))

export type LabelCounts = {
  readonly within: { readonly same: number; readonly different: number }
  readonly between: { readonly same: number; readonly different: number }
  readonly authorities: number
}

export function countLabels(pairs: readonly LabeledPair[]): LabelCounts {
  const count = (isOfTwoPortals: boolean, isSame: boolean): number =>
    pairs.filter((pair) => isBetween(pair) === isOfTwoPortals && pair.isSame === isSame).length
  return {
    within: { same: count(false, true), different: count(false, false) },
    between: { same: count(true, true), different: count(true, false) },
    authorities: new Set(pairs.map(({ authority }) => authority)).size,
  }
}
