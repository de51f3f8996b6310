// Why a record is as it is: the notice of each member, and the reason why each notice belongs to it. Read-only.
import type { Notice } from '../domain/notice.ts'
import { type TenderContent, tenderRecordSchema } from '../domain/tender.ts'
import { canonicalText } from './canonical.ts'
import { type Lifecycle, lifecycleOf } from './lifecycle.ts'
import { contentOf } from './merge.ts'
import { timelineOf } from './timeline.ts'

/** Where a member of a record came from. */
export type MemberOrigin = {
  readonly member: keyof TenderContent
  /** Canonical JSON of the value. */
  readonly value: string
  /** The part of the written rule that applied. */
  readonly rule: string
  /**
   * Keys of the notices that have exactly this value, the one that it was taken from first; none for what is computed.
   */
  readonly noticeKeys: readonly string[]
}

export type TenderExplanation = { readonly content: TenderContent; readonly origins: readonly MemberOrigin[] }

/** Members that follow from all notices and the clock, with the rule that says how. */
const computed: { readonly [member in keyof TenderContent]?: string } = {
  status: 'lifecycle of all notices and the clock',
  archiveReason: 'lifecycle of all notices and the clock',
  publicationDate: 'newest of all notices',
  firstPublicationDate: 'oldest of all notices',
  submissionDate: "latest among the lots of the call, else the call's own",
  participationDate: "latest among the lots of the call, else the call's own",
  awardedAmount: 'sum over the results, else over what describes contracts',
  isQualificationSystem: 'every call is a qualification system',
  isSuspended: 'the newest change of the call',
  isDeadlineUnknown: 'no notice has a deadline',
  timeZone:
    'the region of the authority, else the place of performance; none where a country has several and the region is not known',
  titleLanguage: 'language of the title, if it is not that of the head',
  descriptionLanguage: 'language of the description, if it is not that of the head',
  displayTitle: 'a title in capitals, as the texts of the record write its words',
  jointAuthorities: 'beside the contracting authority',
  language: 'head',
  translations: 'head',
  lots: 'the call, joined with the results by lot',
  originalSources: 'every notice once',
}

/** The record of these notices as mergeTender makes it, with the origin of each member. Same arguments, same path. */
export function explainTender(
  tenderId: string,
  notices: readonly Notice[],
  options: { readonly now: number; readonly isSucceeded: boolean },
): TenderExplanation {
  const timeline = timelineOf(notices)
  const lifecycle: Lifecycle = lifecycleOf(timeline, options.now, options.isSucceeded)
  const reported = new Map<keyof TenderContent, { rule: string; read: ((notice: Notice) => unknown) | undefined }>()
  const content = contentOf(tenderId, notices, timeline, lifecycle, (member, rule, read) =>
    reported.set(member, { rule, read }),
  )
  const { head, competition } = timeline
  const order = [competition?.notice.noticeKey, head.noticeKey, ...timeline.fallbacks.map((each) => each.noticeKey)]
  const rank = ({ noticeKey }: Notice): number => {
    const position = order.indexOf(noticeKey)
    return position < 0 ? order.length : position
  }
  const ranked = [...notices].sort((a, b) => rank(a) - rank(b) || (a.noticeKey < b.noticeKey ? -1 : 1))
  const origins = (Object.keys(tenderRecordSchema.properties) as (keyof TenderContent)[])
    .filter((member) => member !== 'id' && content[member] !== undefined)
    .map((member): MemberOrigin => {
      const found = reported.get(member)
      const read = found?.read ?? memberValues(content)[member]
      return {
        member,
        value: canonicalText(content[member]),
        rule: found?.rule ?? computed[member] ?? 'fixed',
        noticeKeys: read ? holdersOf(ranked, timeline.fallbacks, read, found !== undefined) : [],
      }
    })
  return { content, origins }
}

/**
 * The notices, as received, that have this value. Copies of one notice on several portals are completed from each
 * other before they are used, so the value is searched in all of them.
 */
function holdersOf(
  notices: readonly Notice[],
  fallbacks: readonly Notice[],
  read: (notice: Notice) => unknown,
  isFirstOf: boolean,
): string[] {
  const value = (isFirstOf ? fallbacks : notices).map(read).find(isPresent)
  if (value === undefined) return []
  const text = canonicalText(value)
  return notices.filter((notice) => isSame(read(notice), text)).map((notice) => notice.noticeKey)
}

const isPresent = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0)

function isSame(value: unknown, text: string): boolean {
  return isPresent(value) && canonicalText(value) === text
}

/** How to find the value of a computed member in a notice, if a single notice can have it. */
function memberValues(content: TenderContent): {
  readonly [member in keyof TenderContent]?: (notice: Notice) => unknown
} {
  const deadline = (member: 'submissionDate' | 'participationDate') => (notice: Notice) =>
    [notice, ...notice.lots].some(
      (holder) =>
        holder[member] === content[member] ||
        (member === 'participationDate' && 'interestDate' in holder && holder.interestDate === content[member]),
    )
      ? content[member]
      : undefined
  const dated = (date: string | undefined) => (notice: Notice) => (notice.publicationDate === date ? date : undefined)
  return {
    submissionDate: deadline('submissionDate'),
    participationDate: deadline('participationDate'),
    publicationDate: dated(content.publicationDate),
    firstPublicationDate: dated(content.firstPublicationDate),
    language: (notice) => (notice.language === content.language ? content.language : undefined),
  }
}
