// What of a notice counts (D60, D62, D63): members that the notice itself shows to be something else are left out. The
// notice is kept as it was received; `explain` shows it.
import type { Money, Notice, NoticeLot } from '../domain/notice.ts'
import { dayMs, epochMs, type Instant } from '../domain/time.ts'

/**
 * Nobody announces a smaller purchase in the forms of the European journal: it is the price of a unit or an hour,
 * thousands, or a placeholder. Portals publish small purchases, too.
 */
const leastTotal = 1000

export const isJournal = ({ format }: Notice): boolean => format === 'eforms' || format === 'ted-export'

/** A total, unless it is below what the forms of the journal announce (D60). */
export const likelyTotal = (notice: Notice, amount: Money | undefined): Money | undefined =>
  amount && amount.value < leastTotal && isJournal(notice) ? undefined : amount

/** Systems that stay open for new members: their last day may be many years ahead. */
export function isStandingSystem(notice: Notice): boolean {
  return (
    notice.isDynamicPurchasingSystem === true ||
    notice.noticeType === 'qu-sy' ||
    notice.noticeSubtype === '15' ||
    notice.noticeType === 'F07'
  )
}

/** Results of design contests: what they pay is the prize. */
const isContestResult = ({ noticeType, formType }: Notice): boolean =>
  noticeType === 'can-desg' || (noticeType === 'F13' && formType === 'result')

/** A total is at least its largest part; one that is a tenth of it or less is no total. */
const partAboveTotal = 10
/** Nines only, from nine digits on; from twelve on, more than any authority spends. */
const nines = /^9{9,}$/
const ninesAboveAll = /^9{12,}$/

const digitsOf = ({ value }: Money): string => String(Math.trunc(value))

type Amount = 'estimatedValue' | 'frameworkMaximum' | 'awardedValue'

function amountsOf({ estimatedValue, frameworkMaximum, awardedValue, lots }: Notice): Money[] {
  const ofLots = lots.flatMap((lot) => [lot.estimatedValue, lot.frameworkMaximum, lot.result?.awardedValue])
  return [estimatedValue, frameworkMaximum, awardedValue, ...ofLots].filter((amount) => amount !== undefined)
}

/** Whether the other amounts of the notice show that this one stands for none. */
function isFiller(amount: Money, all: readonly Money[]): boolean {
  if (!nines.test(digitsOf(amount))) return false
  const others = all.filter((other) => other.currency === amount.currency && !nines.test(digitsOf(other)))
  const isAlone = others.every((other) => other.value * partAboveTotal <= amount.value)
  return ninesAboveAll.test(digitsOf(amount)) || (others.length > 0 && isAlone)
}

function isBelowPart(total: Money, parts: readonly (Money | undefined)[]): boolean {
  return parts.some((part) => part?.currency === total.currency && part.value >= total.value * partAboveTotal)
}

/** Years from publication to the latest deadline that may be meant: a correction has been looked at twice. */
const longestDeadline = { first: 3, corrected: 5 }
const unitDays: { readonly [unit: string]: number } = {
  DAY: 1,
  WEEK: 7,
  MONTH: 30.5,
  MON: 30.5,
  YEAR: 365.25,
  ANN: 365.25,
}

/** Last day of what a lot runs for, from `from` if it names no start. */
function endOf({ duration }: NoticeLot, from: number): number {
  if (!duration) return Number.NEGATIVE_INFINITY
  const end = Date.parse(duration.end ?? '')
  if (!Number.isNaN(end)) return end + dayMs
  const start = Date.parse(duration.start ?? '')
  const days = unitDays[(duration.unit ?? '').toUpperCase()]
  if (duration.value === undefined || days === undefined) return Number.NEGATIVE_INFINITY
  return (Number.isNaN(start) ? from : start) + duration.value * days * dayMs
}

/** Whether a deadline may be meant: further ahead, only that of a framework that runs as long (D63). */
function deadlineCheck(notice: Notice): (deadline: Instant | undefined) => boolean {
  const published = notice.publicationDate ?? notice.dispatchDate
  if (published === undefined || isStandingSystem(notice)) return () => true
  const from = epochMs(published)
  const covered = notice.isFramework === true ? Math.max(...notice.lots.map((lot) => endOf(lot, from))) : 0
  const years = notice.changeReasons ? longestDeadline.corrected : longestDeadline.first
  const last = Math.max(from + years * 365.25 * dayMs, covered)
  return (deadline) => deadline === undefined || epochMs(deadline) <= last
}

type Part = Notice | NoticeLot

/** Leaves out members; the same object if it has none of them. */
function without<Holder extends Part>(holder: Holder, members: readonly string[]): Holder {
  const left = members.filter((member) => Object.hasOwn(holder, member))
  if (left.length === 0) return holder
  return Object.fromEntries(Object.entries(holder).filter(([member]) => !left.includes(member))) as Holder
}

const deadlines = ['submissionDate', 'participationDate', 'interestDate'] as const

function lateDeadlines(holder: Part, isMeant: (deadline: Instant | undefined) => boolean): string[] {
  return deadlines.filter((member) => !isMeant((holder as NoticeLot)[member]))
}

function credibleLot(notice: Notice, lot: NoticeLot, all: readonly Money[]): NoticeLot {
  const { result } = lot
  const awarded = result?.awardedValue
  const isNone = awarded !== undefined && (isContestResult(notice) || isFiller(awarded, all))
  const { awardedValue: _, ...rest } = result ?? { outcome: 'pending' as const }
  const kept = isNone ? { ...lot, result: rest } : lot
  const fillers = (['estimatedValue', 'frameworkMaximum'] as const).filter((member) => {
    const amount = lot[member]
    return amount !== undefined && isFiller(amount, all)
  })
  return without(kept, [...fillers, ...lateDeadlines(lot, deadlineCheck(notice))])
}

/** The notice with the members that count; the same object where all do. */
export function credible(notice: Notice): Notice {
  const all = amountsOf(notice)
  const parts: { readonly [member in Amount]: readonly (Money | undefined)[] } = {
    estimatedValue: notice.lots.map((lot) => lot.estimatedValue),
    frameworkMaximum: notice.lots.map((lot) => lot.frameworkMaximum),
    awardedValue: notice.lots.map((lot) => lot.result?.awardedValue),
  }
  const none = (Object.keys(parts) as Amount[]).filter((member) => {
    const total = notice[member]
    if (total === undefined) return false
    const isPrize = member === 'awardedValue' && isContestResult(notice)
    return (
      isPrize ||
      isFiller(total, all) ||
      isBelowPart(
        total,
        parts[member].filter((part) => part && !isFiller(part, all)),
      )
    )
  })
  const lots = notice.lots.map((lot) => credibleLot(notice, lot, all))
  const counted = without(notice, [...none, ...lateDeadlines(notice, deadlineCheck(notice))])
  return lots.every((lot, index) => lot === notice.lots[index]) ? counted : { ...counted, lots }
}
