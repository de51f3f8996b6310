// How often the notices of a source have a deadline, CPV, value, authority and region, and when a share has broken.
// Pure.
import type { Notice, NoticeLot } from '../domain/notice.ts'
import { dayMs } from '../domain/time.ts'

const fillFields = ['deadline', 'cpv', 'value', 'authority', 'region'] as const
type FillField = (typeof fillFields)[number]

/** The notices of one form type that a source delivered on one UTC day, and how many of them have each field. */
export type FillTally = { readonly day: string; readonly formType: string; readonly notices: number } & {
  readonly [field in FillField]: number
}

/** Which shares of its calls a source is known to have; written in its card, used until it has a past of its own. */
export type ExpectedFill = { readonly [field in FillField]?: number }

/** A share that broke. `usual` is a share, 0 to 1. */
type BrokenFill = {
  readonly field: FillField
  readonly since: string
  readonly notices: number
  readonly filled: number
  readonly usual: number
}

/** Days that are the past of a source. */
export const pastDays = 28
/** Maximum days that are judged together: a source with few notices a day is judged over several. */
const maxJudgedDays = 7
/** Minimum days with notices for a past. */
const enoughDays = 5
/** Minimum notices for the share of a single past day to mean anything. */
const enoughNotices = 10
/** Minimum share of the notices of a form type that usually have a field; others are not judged by it. */
const usualShare = 0.2
/** Quantile of the normal distribution for 1 in 2,000. */
const z = 3.29
/** Older notices are a backfill: what they hold says nothing about the portal of today. */
const newsMs = 60 * dayMs

/** Counts notices that arrived at `receivedAt`, by form type; a backfill is left out. */
export function tallyFill(notices: readonly Notice[], receivedAt: number): FillTally[] {
  const news = notices.filter(
    ({ publicationDate }) => publicationDate === undefined || receivedAt - Date.parse(publicationDate) < newsMs,
  )
  const day = dayOf(receivedAt)
  return [...Map.groupBy(news, ({ formType }) => formType)].map(([formType, some]) => ({
    day,
    formType,
    notices: some.length,
    deadline: some.filter(hasDeadline).length,
    cpv: some.filter((notice) => inAny(notice, ({ cpvCodes }) => cpvCodes.length > 0)).length,
    value: some.filter(hasValue).length,
    authority: some.filter(({ contractingAuthorities }) => contractingAuthorities.length > 0).length,
    region: some.filter((notice) => inAny(notice, hasRegion)).length,
  }))
}

type Part = Notice | NoticeLot

const inAny = (notice: Notice, has: (part: Part) => boolean): boolean => has(notice) || notice.lots.some(has)

const hasDeadline = (notice: Notice): boolean =>
  inAny(
    notice,
    (part) =>
      (part.submissionDate ?? part.participationDate ?? ('lotId' in part ? part.interestDate : undefined)) !==
      undefined,
  )

const hasValue = (notice: Notice): boolean =>
  inAny(
    notice,
    (part) =>
      (part.estimatedValue ?? part.frameworkMaximum ?? ('lotId' in part ? part.result : part)?.awardedValue) !==
      undefined,
  )

const hasRegion = ({ nutsCodes, place }: Part): boolean =>
  nutsCodes.length > 0 || (place?.nutsCode ?? place?.postalCode ?? place?.city) !== undefined

/**
 * The shares that broke by `now`: those of the last days, one to seven, that are certainly below half of what is usual
 * and lower than on any single day of the past. What is usual is known for each form type, so that a day with more
 * results than calls is compared with such a day. It follows from the 28 days before, or from the card while there are
 * not five. Days up to `acceptedUntil` are past: an operator has accepted them.
 */
export function brokenFills(
  tallies: readonly FillTally[],
  {
    now,
    expected,
    acceptedUntil,
  }: { readonly now: number; readonly expected: ExpectedFill; readonly acceptedUntil: number | null },
): BrokenFill[] {
  const accepted = acceptedUntil === null ? '' : dayOf(acceptedUntil)
  return fillFields.flatMap((field) => {
    for (let back = 0; back < maxJudgedDays; back++) {
      const since = dayOf(now - back * dayMs)
      if (since <= accepted) break
      const found = judge(tallies, field, since, expected[field])
      if (found) return [found]
    }
    return []
  })
}

function judge(
  tallies: readonly FillTally[],
  field: FillField,
  since: string,
  usualByCard: number | undefined,
): BrokenFill | undefined {
  const first = dayOf(Date.parse(since) - pastDays * dayMs)
  const past = tallies.filter(({ day }) => day < since && day >= first)
  const usual = new Map<string, Usual>()
  if (usualByCard !== undefined) usual.set('competition', { share: usualByCard, least: usualByCard })
  for (const [formType, days] of Map.groupBy(past, (tally) => tally.formType))
    if (days.length >= enoughDays) usual.set(formType, usualOf(days, field))
  const now = compare(
    tallies.filter(({ day }) => day >= since),
    field,
    usual,
  )
  if (now.notices === 0 || wilson(now.filled, now.notices).high >= now.least / now.notices / 2) return undefined
  const isSeen = [...Map.groupBy(past, ({ day }) => day).values()].some((day) => {
    const then = compare(day, field, usual)
    return then.notices >= enoughNotices && then.filled / then.usual <= now.filled / now.usual
  })
  if (isSeen) return undefined
  const { notices, filled } = now
  return { field, since, notices, filled, usual: now.usual / notices }
}

/** The share of notices of a form type that have a field, and what it is at least. */
type Usual = { readonly share: number; readonly least: number }

function usualOf(days: readonly FillTally[], field: FillField): Usual {
  const notices = days.reduce((sum, tally) => sum + tally.notices, 0)
  const filled = days.reduce((sum, tally) => sum + tally[field], 0)
  return { share: filled / notices, least: wilson(filled, notices).low }
}

/** Notices of the form types that usually have the field; how many have it, and how many would usually or at least. */
function compare(tallies: readonly FillTally[], field: FillField, usual: ReadonlyMap<string, Usual>) {
  const sums = { notices: 0, filled: 0, usual: 0, least: 0 }
  for (const tally of tallies) {
    const known = usual.get(tally.formType)
    if (!known || known.share < usualShare) continue
    sums.notices += tally.notices
    sums.filled += tally[field]
    sums.usual += tally.notices * known.share
    sums.least += tally.notices * known.least
  }
  return sums
}

/** Wilson's interval of a share that was found in a sample. */
export function wilson(filled: number, notices: number): { readonly low: number; readonly high: number } {
  const share = filled / notices
  const middle = share + z ** 2 / (2 * notices)
  const half = z * Math.sqrt((share * (1 - share)) / notices + z ** 2 / (4 * notices ** 2))
  const scale = 1 + z ** 2 / notices
  return { low: (middle - half) / scale, high: (middle + half) / scale }
}

const fieldNames: { readonly [field in FillField]: string } = {
  deadline: 'a deadline',
  cpv: 'a CPV code',
  value: 'a value',
  authority: 'an authority',
  region: 'a region',
}

/** A sentence for operators. `newNames`: names that appeared in the documents lately. */
export function fillSentence(broken: readonly BrokenFill[], newNames: readonly string[]): string {
  const parts = broken.map(
    ({ field, since, notices, filled, usual }) =>
      `${filled} of ${notices} notices received since ${since} have ${fieldNames[field]} (${Math.round(usual * 100)} % are usual)`,
  )
  const names = newNames.length > 0 ? ` New names in its documents: ${newNames.join(', ')}.` : ''
  return `${parts.join('; ')}. Its new notices wait until an operator releases them.${names}`
}

/** The UTC day (`YYYY-MM-DD`). */
export const dayOf = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 10)
