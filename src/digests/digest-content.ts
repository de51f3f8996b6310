// The content of a digest, as data: short texts on one line each, from records as published. Pure.
import { type DeadlineKind, firstDeadline } from '#flat/record/first-deadline'
import type { TenderRecord } from '../domain/tender.ts'

/** A hit in a digest. It has no score: scores leave the service only through webhooks (C143). */
export type DigestItem = {
  readonly title: string
  readonly isClosed: boolean
  /** Whether its deadline is within a week. */
  readonly isUrgent: boolean
  readonly authority?: string
  /** The deadline that a bidder meets first: ISO 8601, UTC. */
  readonly deadline?: string
  readonly deadlineKind?: DeadlineKind
  /** Of the authority; absent if it is not known. */
  readonly timeZone?: string
  readonly value?: string
  /** A page for people on the portal. */
  readonly url?: string
}

export type DigestContent = {
  readonly search: string
  /** Number of all hits; those beyond the items are only counted. */
  readonly count: number
  readonly items: readonly DigestItem[]
}

/** Maximum number of characters of a title, and of other text from a notice. */
const maxLetters = 300
/** Maximum characters of a URL that is linked; a longer one is left out. */
const maxUrlLength = 1000

/** A hit as found; its record in JSON, null if there is none. */
type FoundHit = Pick<DigestItem, 'isClosed' | 'isUrgent'> & { readonly body: string | null }

export function digestContent(
  search: string,
  { count, best }: { readonly count: number; readonly best: readonly FoundHit[] },
): DigestContent {
  return { search: oneLine(search), count, items: best.map(itemOf) }
}

function itemOf({ isClosed, isUrgent, body }: FoundHit): DigestItem {
  if (body === null) return { title: 'A tender that is no longer in the stock', isClosed, isUrgent }
  const record = JSON.parse(body) as TenderRecord
  const { name, city, country } = record.contractingAuthority ?? {}
  const authority = oneLine([name, city, country].filter((part) => part !== undefined).join(', '))
  const deadline = firstDeadline(record)
  const amount = record.contractAmount
  const url = record.originalSources.findLast((source) => source.url !== undefined)?.url
  return {
    title: oneLine(record.displayTitle ?? record.title) || 'A tender without a title',
    isClosed,
    isUrgent,
    ...(authority !== '' && { authority }),
    ...(deadline !== undefined && { deadline: deadline.at, deadlineKind: deadline.kind }),
    ...(record.timeZone !== undefined && { timeZone: record.timeZone }),
    ...(amount && {
      value: `${amount.value.toLocaleString('en-US')} ${oneLine(amount.currency)}${amount.estimated ? ' (estimate)' : ''}`,
    }),
    ...(url !== undefined && isPage(url) && { url }),
  }
}

/**
 * A text on one line, at most 300 characters: without line ends, control characters and marks that change the writing
 * direction.
 */
export function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\s]+/gu, ' ').trim()
  const letters = [...line]
  return letters.length > maxLetters ? `${letters.slice(0, maxLetters - 1).join('')}…` : line
}

/** Whether a mail may link it: text from a notice may be anything. */
function isPage(text: string): boolean {
  return text.length <= maxUrlLength && /^https?:\/\/[^\s\p{Cc}<>"']+$/u.test(text) && URL.canParse(text)
}
