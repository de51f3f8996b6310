// Whether what was published of a source looks wrong: records that contradict themselves, tenders that end otherwise
// than in the weeks before, a name that wins everywhere. Pure.
import type { OutcomeCounts, OutcomeRow } from '../domain/published-outcome.ts'
import { dayMs } from '../domain/time.ts'
import { dayOf, wilson } from './fill-rates.ts'

/** Days that are judged together, and the days before them that say what is usual. */
const judgedDays = 7
export const outcomeDays = 35
/** Minimum days, and records, for a past. */
const enoughDays = 5
const enoughRecords = 100
/** Minimum records of the last days: fewer raise nothing. */
const enoughRecent = 20

type Figure = keyof OutcomeCounts

/** `most`: the share above which it is wrong whatever was usual; `rise`: by how much it may certainly exceed that. */
type Watched = {
  readonly figure: Figure
  readonly of: readonly Figure[]
  readonly says: string
  readonly most: number
  readonly rise: number
}

const contradictions: readonly Watched[] = [
  { figure: 'open_with_result', of: ['open'], says: 'open records have results', most: 0.01, rise: 0.05 },
  { figure: 'open_without_deadline', of: ['open'], says: 'open records have no deadline', most: 1, rise: 0.2 },
  { figure: 'awarded_without_winner', of: ['awarded'], says: 'awards have no winner or amount', most: 1, rise: 0.2 },
  {
    figure: 'cancelled_with_award',
    of: ['cancelled'],
    says: 'cancelled records have an award',
    most: 0.01,
    rise: 0.05,
  },
]
const ends = ['ended_awarded', 'ended_cancelled', 'ended_expired'] as const
const outcomes: readonly Watched[] = [
  { figure: 'ended_awarded', of: ends, says: 'tenders that ended were awarded', most: 1, rise: 0.2 },
  { figure: 'ended_cancelled', of: ends, says: 'tenders that ended were cancelled', most: 0.5, rise: 0.2 },
  { figure: 'ended_expired', of: ends, says: 'tenders that ended had expired', most: 1, rise: 0.2 },
]

type Finding = { readonly detail: string; readonly share: number }

/** Records that contradict themselves more often than usual, or than ever. */
export const contradictionsOf = (rows: readonly OutcomeRow[], now: number): Finding | undefined =>
  judge(rows, contradictions, now)

/** Ends that are certainly more frequent than in the weeks before. */
export const changedOutcomes = (rows: readonly OutcomeRow[], now: number): Finding | undefined =>
  judge(rows, outcomes, now)

function judge(rows: readonly OutcomeRow[], watched: readonly Watched[], now: number): Finding | undefined {
  const since = dayOf(now - (judgedDays - 1) * dayMs)
  const recent = rows.filter(({ day }) => day >= since)
  const past = rows.filter(({ day }) => day < since)
  const sum = (some: readonly OutcomeRow[], names: readonly Figure[]) =>
    some.reduce((total, row) => total + names.reduce((each, name) => each + row[name], 0), 0)
  const found = watched.flatMap(({ figure, of, says, most, rise }) => {
    const [part, all] = [sum(recent, [figure]), sum(recent, of)]
    if (all < enoughRecent) return []
    const { low } = wilson(part, all)
    const [partBefore, allBefore] = [sum(past, [figure]), sum(past, of)]
    const hasPast = past.length >= enoughDays && allBefore >= enoughRecords
    const isRisen = hasPast && low > wilson(partBefore, allBefore).high + rise
    // a share that was always as high is how the source publishes
    const isTooMuch = low > most && !(hasPast && partBefore / allBefore > most)
    if (!isRisen && !isTooMuch) return []
    const usual = hasPast ? `; ${Math.round((100 * partBefore) / allBefore)} % before` : ''
    const share = part / all
    return [{ share, text: `${part} of ${all} ${says} (${Math.round(100 * share)} %${usual})` }]
  })
  if (found.length === 0) return undefined
  return {
    share: Math.max(...found.map(({ share }) => share)),
    detail: `Published since ${since}: ${found.map(({ text }) => text).join('; ')}.`,
  }
}
