// What each notice changed in its tender's record: the record without it and with it, at the time of its arrival. Pure.
import type { Notice } from '../domain/notice.ts'
import type { TenderContent } from '../domain/tender.ts'
import { canonicalText } from './canonical.ts'
import { lifecycleOf } from './lifecycle.ts'
import { contentOf } from './merge.ts'
import { compareNotices, noticeDate } from './notice-units.ts'
import { timelineOf } from './timeline.ts'

/**
 * A member that has a different value with the notice; `lotId` names its lot, if it is in one. Values as in the record.
 */
export type MemberChange = {
  readonly member: string
  readonly lotId?: string
  readonly before?: unknown
  readonly after?: unknown
}

/** Members that change with every notice, or follow from others. */
const unreported: ReadonlySet<string> = new Set([
  'id',
  'originalSources',
  'publicationDate',
  'firstPublicationDate',
  'translations',
  'archiveReason',
  'lots',
])
/** Maximum number of notices whose changes are shown step by step: each step merges all notices before it. */
const maxNotices = 120

/**
 * The changes by notice key. The first notice has none: it begins the record. Undefined for a tender with too many
 * notices to list.
 */
export function noticeChanges(
  tenderId: string,
  notices: readonly Notice[],
  { now }: { readonly now: number },
): ReadonlyMap<string, readonly MemberChange[]> | undefined {
  if (notices.length > maxNotices) return undefined
  const sorted = [...notices].sort(compareNotices)
  const changes = new Map<string, readonly MemberChange[]>()
  let latest = Number.NEGATIVE_INFINITY
  sorted.forEach((notice, index) => {
    const date = Date.parse(noticeDate(notice))
    latest = Math.max(latest, Number.isNaN(date) ? now : Math.min(date, now))
    if (index === 0) return
    const [before, after] = [sorted.slice(0, index), sorted.slice(0, index + 1)].map((some) =>
      recordOf(tenderId, some, latest),
    ) as [TenderContent, TenderContent]
    changes.set(notice.noticeKey, differences(before, after))
  })
  return changes
}

function recordOf(tenderId: string, notices: readonly Notice[], now: number): TenderContent {
  const timeline = timelineOf(notices)
  return contentOf(tenderId, notices, timeline, lifecycleOf(timeline, now, false))
}

function differences(before: TenderContent, after: TenderContent): MemberChange[] {
  const ofRecord = membersThatDiffer(before, after, unreported)
  const reported = new Set(ofRecord.map((change) => canonicalText(change)))
  // what the record copies from a lot is listed once
  const ofLots = lotsThatDiffer(before, after).filter(({ lotId: _, ...change }) => !reported.has(canonicalText(change)))
  return [...ofRecord, ...ofLots]
}

type Members = { readonly [member: string]: unknown }

function membersThatDiffer(before: Members, after: Members, without: ReadonlySet<string>): MemberChange[] {
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((member) => !without.has(member))
  return members.flatMap((member) =>
    textOf(before[member]) === textOf(after[member])
      ? []
      : [{ member, ...present('before', before[member]), ...present('after', after[member]) }],
  )
}

const withoutLotId: ReadonlySet<string> = new Set(['lotId'])

function lotsThatDiffer(before: TenderContent, after: TenderContent): MemberChange[] {
  const [old, now] = [lotsById(before), lotsById(after)]
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((lotId) => {
    const [left, right] = [old.get(lotId), now.get(lotId)]
    // a lot that appears or disappears is one change, not one for each of its members
    if (!left || !right) return [{ member: 'lots', lotId, ...present('before', left), ...present('after', right) }]
    return membersThatDiffer(left, right, withoutLotId).map((change) => ({ ...change, lotId }))
  })
}

const lotsById = ({ lots }: TenderContent): ReadonlyMap<string, Members> =>
  new Map<string, Members>(lots.map((lot) => [lot.lotId, lot]))

const textOf = (value: unknown): string | undefined => (isAbsent(value) ? undefined : canonicalText(value))

const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

const present = (name: 'before' | 'after', value: unknown): { readonly [name: string]: unknown } =>
  isAbsent(value) ? {} : { [name]: value }
