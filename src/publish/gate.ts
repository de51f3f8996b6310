// The gate: whether the next edition looks like procurement in progress, or like a defect.
import type { HoldReason } from '../domain/hold-reason.ts'
import { dayMs, hourMs } from '../domain/time.ts'

/** Minimum number of documents, and of records, for a share to mean anything. */
const enoughDocuments = 50
const enoughRecords = 100

/**
 * Maximum share of rejected documents: portals stay below 0.01, but a changed format or a broken parser rejects most of
 * them.
 */
const maxRejectedShare = 0.1

/**
 * Maximum share of live records that an edition may cancel or merge. Cancellations and late duplicates together stay
 * below one in a hundred per day; expiry and awards come in waves and are not counted.
 */
const maxArchivedShare = 0.05

/**
 * Maximum share of its records that a source may lose: records change sources only when duplicates are found, so a
 * fifth at once means that matching is broken.
 */
const maxSourceLossShare = 0.2

/** How long a regular source may be silent; longer than the Christmas and Easter breaks of the official journals. */
export const silenceMs = 5 * dayMs

/** Minimum days with documents, of the last 30, for a source to count as regular; files read once do not. */
const regularDays = 5

/** Number of days to check for regularity. */
export const activityWindowMs = 30 * dayMs

/**
 * Minimum share of live records that name an important portal. Alarms of other portals are reported but do not block
 * publication: of more than a hundred portals, some are always silent or wrong.
 */
const weightyShare = 0.05

/**
 * Maximum share of announced notices that may be missing: from it on, an edition is held back; smaller gaps are only
 * reread and reported.
 */
const maxMissingShare = 0.1

/** Maximum age of a check that proves that the source answers but has nothing new. */
const recentCheckMs = 24 * hourMs

export type GateInput = {
  readonly now: number
  /** The newest edition; undefined before the first. */
  readonly previous:
    | {
        readonly publishedAt: number
        readonly live: number
        readonly bySource: { readonly [sourceId: string]: number }
      }
    | undefined
  /** Number of records of the next edition, including archived ones. */
  readonly records: number
  /** Number of live records that become archived as cancelled, or as merged. */
  readonly cancelled: number
  readonly merged: number
  /** The rules that changed since the newest edition: they explain how many records this one archives and moves. */
  readonly changedRules: readonly string[]
  /** Change in the number of records that name each source. */
  readonly bySourceDelta: { readonly [sourceId: string]: number }
  /** Documents in notice formats received since the newest edition. */
  readonly received: { readonly documents: number; readonly rejected: number }
  readonly sources: readonly {
    readonly sourceId: string
    readonly lastReceivedAt: number
    readonly activeDays: number
    readonly checkedAt: number | null
  }[]
  /** Ids of redactions whose values nothing recognizes, because the stock was restored without its secret key. */
  readonly lostRedactions: readonly string[]
  /** Alarms that are open (ingest/source-health.ts). `share`: how much of the source is affected, 0 to 1. */
  readonly alarms: readonly {
    readonly sourceId: string
    readonly kind: string
    readonly raisedAt: number
    readonly detail: string
    readonly share: number
  }[]
}

/** `warnings` are reported but do not block publication. */
export type GateResult =
  | { readonly kind: 'pass'; readonly warnings: readonly HoldReason[] }
  | { readonly kind: 'hold'; readonly reasons: readonly HoldReason[]; readonly warnings: readonly HoldReason[] }

/** Decides whether an edition may be published. */
export function gate(input: GateInput): GateResult {
  const { previous } = input
  const alarms = input.alarms.map((alarm) => ({
    alarm,
    isHolding: previous !== undefined && isHolding(alarm, previous),
  }))
  const warnings = alarms.filter((each) => !each.isHolding).map(({ alarm }) => reasonOf(alarm))
  const lost = [...losses(input)]
  if (previous === undefined) {
    const reasons = input.records > 0 ? lost : [{ code: 'no-records', values: {} } as const]
    return reasons.length === 0 ? { kind: 'pass', warnings } : { kind: 'hold', reasons, warnings }
  }
  const moved = [...archiving(input, previous.live), ...sourceLosses(input, previous.bySource)]
  const explained = [...rulesChanged(input, previous.live)]
  warnings.unshift(...explained, ...(explained.length > 0 ? moved : []))
  const reasons = [
    ...lost,
    ...rejections(input),
    ...(explained.length > 0 ? [] : moved),
    ...silences(input, previous),
    ...alarms.filter((each) => each.isHolding).map(({ alarm }) => reasonOf(alarm)),
  ]
  return reasons.length === 0 ? { kind: 'pass', warnings } : { kind: 'hold', reasons, warnings }
}

type Previous = NonNullable<GateInput['previous']>

const weightOf = (sourceId: string, { bySource, live }: Previous): number =>
  live === 0 ? 0 : (bySource[sourceId] ?? 0) / live

/** Holds once per alarm: publishing an edition in spite of it counts as the operator's answer. */
function isHolding({ sourceId, kind, raisedAt, share }: GateInput['alarms'][number], previous: Previous): boolean {
  if (raisedAt < previous.publishedAt || weightOf(sourceId, previous) < weightyShare) return false
  return kind === 'silent' || (kind === 'totals' && share >= maxMissingShare)
}

function reasonOf({ sourceId, kind, detail, share }: GateInput['alarms'][number]): HoldReason {
  return { code: 'alarm', values: { sourceId, kind, detail, share } }
}

function* losses({ lostRedactions: ids }: GateInput): Generator<HoldReason> {
  if (ids.length > 0) yield { code: 'lost-redactions', values: { ids } }
}

function* rejections({ received: { documents, rejected } }: GateInput): Generator<HoldReason> {
  if (documents < enoughDocuments || rejected <= documents * maxRejectedShare) return
  yield { code: 'rejections', values: { rejected, documents, most: maxRejectedShare } }
}

function* archiving({ cancelled, merged }: GateInput, live: number): Generator<HoldReason> {
  const archived = cancelled + merged
  if (archived < enoughRecords || archived <= live * maxArchivedShare) return
  yield { code: 'archiving', values: { live, cancelled, merged, most: maxArchivedShare } }
}

/** A rebuild by other rules moves at once what they move in months. */
function* rulesChanged({ changedRules: rules, cancelled, merged }: GateInput, live: number): Generator<HoldReason> {
  if (rules.length > 0) yield { code: 'rules-changed', values: { rules, live, cancelled, merged } }
}

function* sourceLosses(
  { bySourceDelta }: GateInput,
  bySource: { readonly [sourceId: string]: number },
): Generator<HoldReason> {
  for (const [sourceId, before] of Object.entries(bySource)) {
    const lost = -(bySourceDelta[sourceId] ?? 0)
    if (lost < enoughRecords || lost <= before * maxSourceLossShare) continue
    yield { code: 'source-loss', values: { sourceId, before, after: before - lost, most: maxSourceLossShare } }
  }
}

/** Holds once per silence: publishing an edition in spite of it counts as the operator's answer. */
function* silences({ now, sources, alarms }: GateInput, previous: Previous): Generator<HoldReason> {
  const { publishedAt } = previous
  for (const { sourceId, lastReceivedAt, activeDays, checkedAt } of sources) {
    const isReported = alarms.some((alarm) => alarm.sourceId === sourceId && alarm.kind === 'silent')
    if (isReported || weightOf(sourceId, previous) < weightyShare) continue
    const silentFrom = lastReceivedAt + silenceMs
    const isAnswering = checkedAt !== null && now - checkedAt <= recentCheckMs
    if (!isAnswering || activeDays < regularDays || now <= silentFrom || publishedAt > silentFrom) continue
    const days = Math.floor((now - lastReceivedAt) / dayMs)
    yield { code: 'silence', values: { sourceId, days, activeDays } }
  }
}
