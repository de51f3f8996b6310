// What results say about their calls: a result that names another call, or is as old as this one, is the result of
// another tender.
import type { Notice, NoticeReference } from '../domain/notice.ts'
import { dayMs } from '../domain/time.ts'
import { publicationKey } from './link-keys.ts'

/** What the notices of one tender are and name. Plain JSON, sorted: the matcher stores it with its records. */
export type NamedCalls = {
  /** Keys of its calls for competition. */
  readonly calls: readonly string[]
  /** Keys of its other notices, and of those that any of its notices refers to; empty without a call. */
  readonly related: readonly string[]
  /** The keys of the calls that each of its results and cancellations names; those that name none are left out. */
  readonly named: readonly (readonly string[])[]
}

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** `p/` and a journal number, `n/` and a notice id: only ids that are unique over portals can name another call. */
function keysOf({ noticeId, publicationNumber }: Pick<NoticeReference, 'noticeId' | 'publicationNumber'>): string[] {
  const number = publicationNumber && publicationKey(publicationNumber)
  const id = noticeId?.toLowerCase()
  return [...(number ? [`p/${number}`] : []), ...(id && uuidPattern.test(id) ? [`n/${id}`] : [])]
}

/** Its own call for competition, not a change of one. */
export function isFirstCall(notice: Notice): boolean {
  const isChange = notice.changeReasons !== undefined || notice.references.some(({ kind }) => kind === 'changes')
  return notice.formType === 'competition' && !isChange
}

function namedBy(notice: Notice): string[] {
  const isDecision = notice.formType === 'result' || notice.formType === 'dir-awa-pre'
  const isCancellation = notice.changeReasons?.includes('cancel') === true
  return notice.references
    .filter(({ kind }) => (isDecision && kind === 'previous') || (isCancellation && kind === 'changes'))
    .flatMap(keysOf)
}

/** A number in an OCDS release is the portal's own, not one of a journal. */
function ownKeys(notice: Notice): string[] {
  return keysOf(notice).filter((key) => notice.format !== 'ocds' || key.startsWith('n/'))
}

const sorted = (keys: readonly string[]): string[] => [...new Set(keys)].sort()

/** Of the notices of one tender, in any order. */
export function namedCallsOf(notices: readonly Notice[]): NamedCalls {
  const calls = notices.filter(isFirstCall).flatMap(ownKeys)
  const related = notices.flatMap((notice) => [...ownKeys(notice), ...notice.references.flatMap(keysOf)])
  const named = new Map(notices.map((notice) => sorted(namedBy(notice))).map((keys) => [keys.join(' '), keys]))
  named.delete('')
  return {
    calls: sorted(calls),
    related: calls.length > 0 ? sorted(related.filter((key) => !calls.includes(key))) : [],
    named: [...named.keys()].sort().map((text) => named.get(text)!),
  }
}

/**
 * The calls that results of one name, and that the other's call cannot be: none of its notices is named. Undefined if
 * there are no such results. Symmetric.
 */
export function namesOtherCall(a: NamedCalls, b: NamedCalls): string[] | undefined {
  return otherCallNamed(a, b) ?? otherCallNamed(b, a)
}

function otherCallNamed({ named }: NamedCalls, { calls, related }: NamedCalls): string[] | undefined {
  // a call without a journal number may be the one that is named
  const kinds = new Set(calls.map((key) => key.slice(0, 2)))
  const other = named.find(
    (keys) =>
      keys.some((key) => kinds.has(key.slice(0, 2))) &&
      !keys.some((key) => calls.includes(key) || related.includes(key)),
  )
  return other?.map((key) => key.slice(2))
}

/** Epoch day on which portals published something; their midnights lie up to two hours before that of UTC. */
export function publicationDay(epochMs: number): number {
  return Math.floor((epochMs + 2 * 3_600_000) / dayMs)
}
