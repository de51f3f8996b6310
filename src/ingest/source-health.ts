// How a source is doing: what it last delivered, how late it is, and which alarms that raises. Pure.
import type { OutcomeRow } from '../domain/published-outcome.ts'
import type { SourceState } from '../domain/source-state.ts'
import { dayMs, hourMs, localDay, toInstant } from '../domain/time.ts'
import type { Refusal } from '../platform/refusal.ts'
import type { Source } from '../sources/source.ts'
import { changedOutcomes, contradictionsOf } from './outcome-rates.ts'

export type AlarmKind =
  | 'failing'
  | 'silent'
  | 'totals'
  | 'counts'
  | 'rejections'
  | 'drift'
  | 'fill'
  | 'contents'
  | 'outcomes'
  | 'winners'

/** An alarm stays open as long as its cause does. `share` is how much of the source it is about, 0 to 1. */
type Alarm = { readonly kind: AlarmKind; readonly detail: string; readonly share: number }

/** What the store knows of a source. Times in epoch milliseconds. */
export type SourceRecord = {
  readonly sourceId: string
  /** First reading ever; null when it was never read. */
  readonly firstReadAt: number | null
  readonly lastReadAt: number | null
  /** End of the last reading that completed. */
  readonly lastSuccessAt: number | null
  /** End of the last reading that found a new document. */
  readonly lastNewAt: number | null
  /** Consecutive failed readings, over all slots; 0 after one that did not fail. */
  readonly failures: number
  readonly lastError: string | null
  /** Why the newest of the failed readings failed: a `ReadingReason`; null where it was not written. */
  readonly lastReason: string | null
  /** Whether a worker visits it now. */
  readonly isVisited: boolean
  /** When and why an operator turned it off; null: it is not. */
  readonly turnedOff: { readonly at: number; readonly by: string; readonly reason: string } | null
  /** New documents by day in the source's zone (`YYYY-MM-DD`), the last 30 days. */
  readonly newByDay: { readonly [day: string]: number }
  /** Documents received in the last 7 days, and those of them that were rejected, by reason. */
  readonly recentDocuments: number
  readonly recentRejections: { readonly [reason: string]: number }
  /** Slots that ended short for longer than a day. */
  readonly short: readonly {
    readonly slot: string
    readonly announced: number | null
    readonly delivered: number
    readonly missing: string
    readonly since: number
  }[]
  /** Number of slots that are due and not read yet. */
  readonly waitingSlots: number
  /**
   * Names that appeared after the first documents had been examined, with the number of documents that contained them.
   */
  readonly newNames: readonly { readonly name: string; readonly documents: number; readonly since: number }[]
  /** What was published of it in the last 35 days, by day. */
  readonly outcomes: readonly OutcomeRow[]
  /** Names that win at 50 buyers and in 50 trades or more. */
  readonly farWinners: readonly string[]
  /** Its open alarm `fill`, and the number of its notices that wait for a release; null: it is not in quarantine. */
  readonly quarantine: {
    readonly since: number
    readonly notices: number
    readonly detail: string
    readonly share: number
  } | null
}

export type SourceHealth = {
  readonly sourceId: string
  readonly state: SourceState
  /** Why it does not run; only when off. */
  readonly offBecause?: string
  readonly lastSuccessAt: number | null
  /** Since the last success; null when there was none. */
  readonly lagMs: number | null
  readonly alarms: readonly Alarm[]
}

/** How long a source may go without a success before it counts as failing. */
const failingMs = 6 * hourMs
/** How many readings in a row may fail before the state of a source that was read before names the reason. */
const passingFailures = 3
/** How long readings may be due before the source counts as late. */
const lateMs = 3 * hourMs
/**
 * Maximum share of rejected documents without an alarm: portals normally stay below 0.01, so this leaves room for bad
 * days.
 */
const usualRejectedShare = 0.1
const enoughDocuments = 20
/** How often a new name must occur before it is more than the misspelling of one authority. */
const oftenSeen = 20
/** How long a new name raises an alarm; after that it counts as part of the portal's schema. */
const driftMs = 14 * dayMs
/** Minimum number of working days needed to know what is usual. */
const enoughDays = 5

/** Why a source does not run: the operator's key is missing, or its card turns it off. */
export function whyOff(source: Source, hasKey: boolean): string | undefined {
  if (source.access.kind === 'key' && !hasKey)
    return `needs a key: get one at ${source.access.getItAt} and set TENDERSTOCK_${source.access.setting}`
  return source.offBecause
}

/** Why a source without its key is not read. */
export const needsKey = (
  source: string,
  access: Extract<Source['access'], { readonly kind: 'key' }>,
): Extract<Refusal, { readonly code: 'needs-key' }> => ({
  code: 'needs-key',
  values: { source, at: access.getItAt, setting: `TENDERSTOCK_${access.setting}` },
})

/** Whether a missing key alone keeps the source off. */
export const lacksKey = (source: Source, hasKey: boolean): boolean =>
  source.access.kind === 'key' && !hasKey && source.offBecause === undefined

/** Judges one source at `now`. */
export function sourceHealth(
  source: Source,
  record: SourceRecord,
  options: { readonly now: number; readonly hasKey: boolean },
): SourceHealth {
  const { now } = options
  const offBecause = record.turnedOff?.reason ?? whyOff(source, options.hasKey)
  const lagMs = record.lastSuccessAt === null ? null : Math.max(0, now - record.lastSuccessAt)
  const base = { sourceId: record.sourceId, lastSuccessAt: record.lastSuccessAt, lagMs }
  if (offBecause !== undefined) {
    const state = record.turnedOff ? 'turned-off' : lacksKey(source, options.hasKey) ? 'key-missing' : 'off'
    return { ...base, state, offBecause, alarms: [] }
  }
  if (record.firstReadAt === null) return { ...base, state: record.isVisited ? 'reading' : 'not-tried', alarms: [] }
  const alarms = [
    ...failing(record, now),
    ...silent(source, record, now),
    ...totals(record),
    ...counts(source, record, now),
    ...rejections(record),
    ...drift(record, now),
    ...quarantine(record),
    ...published(record, now),
  ]
  return { ...base, state: stateOf(record, alarms, lagMs), alarms }
}

/** The state of an active source that was tried. */
function stateOf(record: SourceRecord, alarms: readonly Alarm[], lagMs: number | null): SourceState {
  const kinds = new Set(alarms.map(({ kind }) => kind))
  const isUnread = record.lastSuccessAt === null
  if (record.failures > (isUnread ? 0 : passingFailures) || kinds.has('failing')) return failureState(record.lastReason)
  if (kinds.has('silent')) return 'silent'
  if (alarms.length > 0) return 'alarm'
  if (isUnread) return 'reading'
  return record.waitingSlots > 0 && (lagMs ?? 0) > lateMs ? 'late' : 'ok'
}

function failureState(reason: string | null): SourceState {
  if (reason === 'no-answer' || reason === 'tls') return 'no-answer'
  if (reason === 'robots') return 'forbidden'
  return reason === 'refused' ? 'refused' : 'wrong-content'
}

function* failing(record: SourceRecord, now: number): Generator<Alarm> {
  const since = record.lastSuccessAt ?? record.firstReadAt ?? now
  // what robots.txt forbids is a state, which an operator ends with `source off`
  if (record.failures === 0 || record.lastReason === 'robots' || now - since < failingMs) return
  yield {
    kind: 'failing',
    share: 1,
    detail: `No reading succeeded since ${toInstant(since)} (${record.failures} failed in a row). The last error: ${record.lastError ?? 'nothing'}`,
  }
}

function* silent(source: Source, record: SourceRecord, now: number): Generator<Alarm> {
  if (record.lastSuccessAt === null) return
  const since = record.lastNewAt ?? record.firstReadAt ?? now
  // whether one that answers no more has anything new is known up to its last answer
  const until = now - record.lastSuccessAt < failingMs ? now : record.lastSuccessAt
  const days = Math.floor((until - since) / dayMs)
  if (days < source.expects.silentAfterDays) return
  yield {
    kind: 'silent',
    share: 1,
    detail:
      `It answers, but has delivered nothing new for ${days} days (at most ${source.expects.silentAfterDays} ` +
      'are usual): its address or its listing may have changed.',
  }
}

function* totals(record: SourceRecord): Generator<Alarm> {
  const first = record.short[0]
  if (!first) return
  const missed = record.short.reduce(
    (sum, { announced, delivered }) => sum + Math.max(0, (announced ?? delivered) - delivered),
    0,
  )
  const announced = record.short.reduce((sum, each) => sum + Math.max(each.announced ?? 0, each.delivered), 0)
  const others = record.short.length - 1
  yield {
    kind: 'totals',
    share: announced === 0 ? 0 : missed / announced,
    detail:
      `${first.slot}: the portal announced ${first.announced ?? 'more'} and delivered ${first.delivered} (${first.missing})` +
      (others > 0 ? `; ${others} more slots like it.` : '.'),
  }
}

/**
 * Checks the last complete working day with documents: a day without any may be a holiday, which the check for silence
 * covers.
 */
function* counts(source: Source, record: SourceRecord, now: number): Generator<Alarm> {
  const expected = source.expects.perDay
  if (!expected) return
  const today = localDay(now, source.zone)
  const days = Object.keys(record.newByDay)
    .filter((day) => day < today && !isWeekend(day))
    .sort()
  const last = days.at(-1)
  if (last === undefined || days.length < enoughDays) return
  const found = record.newByDay[last]!
  if (found >= expected[0] && found <= expected[1]) return
  yield {
    kind: 'counts',
    share: found < expected[0] ? 1 - found / expected[0] : 0,
    detail: `${found} new documents on ${last}; ${expected[0]} to ${expected[1]} are usual on a working day.`,
  }
}

function* rejections(record: SourceRecord): Generator<Alarm> {
  const reasons = Object.entries(record.recentRejections).sort(([, a], [, b]) => b - a)
  const rejected = reasons.reduce((sum, [, count]) => sum + count, 0)
  if (record.recentDocuments < enoughDocuments || rejected <= record.recentDocuments * usualRejectedShare) return
  yield {
    kind: 'rejections',
    share: Math.min(1, rejected / record.recentDocuments),
    detail: `${rejected} rejections from ${record.recentDocuments} documents of the last 7 days, most for ${reasons[0]![0]} (${reasons[0]![1]}).`,
  }
}

function* drift(record: SourceRecord, now: number): Generator<Alarm> {
  const often = record.newNames
    .filter(({ documents, since }) => documents >= oftenSeen && now - since < driftMs)
    .sort((a, b) => b.documents - a.documents)
  if (often.length === 0) return
  const named = often.slice(0, 5).map(({ name, documents }) => `${name} in ${documents} examined documents`)
  yield {
    kind: 'drift',
    share: 0,
    detail:
      'New since the source was first read: ' +
      `${named.join(', ')}${often.length > 5 ? ` and ${often.length - 5} more` : ''}. The parser may miss what ` +
      'they hold.',
  }
}

function* quarantine({ quarantine: held }: SourceRecord): Generator<Alarm> {
  if (held) yield { kind: 'fill', share: held.share, detail: held.detail }
}

function* published({ outcomes, farWinners }: SourceRecord, now: number): Generator<Alarm> {
  const contents = contradictionsOf(outcomes, now)
  if (contents) yield { kind: 'contents', ...contents }
  const changed = changedOutcomes(outcomes, now)
  if (changed) yield { kind: 'outcomes', ...changed }
  if (farWinners.length === 0) return
  const named = farWinners.slice(0, 3).map((name) => `“${name}”`)
  const detail = `Wins at 50 buyers and in 50 trades or more, as only words that are no company do: ${named.join(', ')}.`
  yield { kind: 'winners', share: 0, detail }
}

const isWeekend = (day: string): boolean => [0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay())
