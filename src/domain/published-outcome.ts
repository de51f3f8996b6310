// What a published record says about itself that may be wrong, and its winners: figures for the operator
// (docs/operations.md, alarms `contents`, `outcomes` and `winners`). Pure.
import { createHash } from 'node:crypto'
import { foldLetters } from './name-words.ts'
import type { TenderContent } from './tender.ts'

export const outcomeFigures = [
  'open',
  'open_with_result',
  'open_without_deadline',
  'awarded',
  'awarded_without_winner',
  'cancelled',
  'cancelled_with_award',
  'ended_awarded',
  'ended_cancelled',
  'ended_expired',
] as const
type OutcomeFigure = (typeof outcomeFigures)[number]

/**
 * Number of published entries. `ended_…`: of tenders with news of the last 60 days, so that a backfill is no change of
 * what a source publishes.
 */
export type OutcomeCounts = { readonly [figure in OutcomeFigure]: number }
export type OutcomeRow = OutcomeCounts & { readonly sourceId: string; readonly day: string }

type Part = Pick<TenderContent['lots'][number], 'winners' | 'awardedAmount'>

const hasWinner = ({ winners }: Part): boolean => winners !== undefined && winners.length > 0
const hasAward = (part: Part): boolean => hasWinner(part) || part.awardedAmount !== undefined

/** A record that stays open while contracts are given: they are no contradiction there. */
const isStanding = (record: TenderContent): boolean =>
  record.isDynamicPurchasingSystem === true || record.isQualificationSystem === true || record.isFramework === true

/** Every part of a call that is open has a result. */
const hasResult = (record: TenderContent): boolean =>
  !isStanding(record) &&
  (record.awardedAmount !== undefined || record.lots.some(hasAward)) &&
  !record.lots.some((lot) => ['open', 'planned', 'pending'].includes(lot.status) && !hasAward(lot))

/** `isNews`: it has news of the last weeks, so that its end counts as an outcome of these. */
export function outcomeOf(record: TenderContent, isNews: boolean): { readonly [figure in OutcomeFigure]: boolean } {
  const { status, archiveReason } = record
  const isAwarded = archiveReason === 'awarded'
  const isCancelled = archiveReason === 'cancelled'
  const hasAmount = record.awardedAmount !== undefined || record.lots.some(hasAward)
  const hasDeadline = record.submissionDate !== undefined || record.participationDate !== undefined
  return {
    open: status === 'open',
    open_with_result: status === 'open' && hasResult(record),
    open_without_deadline: status === 'open' && !isStanding(record) && !hasDeadline,
    awarded: isAwarded,
    awarded_without_winner: isAwarded && !hasAmount,
    cancelled: isCancelled,
    cancelled_with_award: isCancelled && hasAmount,
    ended_awarded: isNews && isAwarded,
    ended_cancelled: isNews && isCancelled,
    ended_expired: isNews && archiveReason === 'expired',
  }
}

/** The same for all spellings of a name. */
export const nameKey = (name: string): string =>
  foldLetters(name)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Under which a winner is remembered: who is redacted must not be readable there. */
export const winnerHash = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 16)

/** The names of its winners, by `nameKey`. */
export function winnersOf({ lots }: TenderContent): ReadonlyMap<string, string> {
  const names = lots.flatMap(({ winners }) => winners ?? []).map(({ name }) => [nameKey(name), name] as const)
  return new Map(names.filter(([key]) => key !== ''))
}
