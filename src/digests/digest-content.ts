// The content of a digest, as data: short texts on one line each, from records as published. Words come when it is
// sent. Pure.
import { type DeadlineKind, firstDeadline } from '#flat/record/first-deadline'
import type { Coded } from '../domain/lines.ts'
import type { TenderRecord } from '../domain/tender.ts'

/** A clause of a search and what satisfied it, as hits store both. */
type MatchReason = { readonly clause: string; readonly reason: Coded }

/** Why a search found a tender. */
type ItemMatch = {
  /** Index of the search in the content. */
  readonly search: number
  /** As codes; null: the hit of an older version, which has only the lines. */
  readonly reasons: readonly MatchReason[] | null
  readonly lines: readonly string[]
}

/** A tender in a digest. It has no score: scores leave the service only through webhooks (C143). */
export type DigestItem = {
  /** Absent in a mail of a version before, and for a tender without a record. */
  readonly tenderId?: string
  /** Empty: it has none. */
  readonly title: string
  readonly titleLanguage?: string
  readonly isClosed: boolean
  readonly authority?: string
  readonly nutsCodes?: readonly string[]
  readonly cpvCodes?: readonly string[]
  readonly amount?: { readonly value: number; readonly currency: string; readonly estimated: boolean }
  /** The deadline that a bidder meets first: ISO 8601, UTC. */
  readonly deadline?: string
  readonly deadlineKind?: DeadlineKind
  /** Of the authority; absent if it is not known. */
  readonly timeZone?: string
  /** A page for people on the portal. */
  readonly url?: string
  readonly matches?: readonly ItemMatch[]
}

export type DigestContent = {
  /** What a program of the version before calls it. */
  readonly search?: string
  readonly language: 'en' | 'de'
  readonly searches: readonly {
    readonly digestId: string
    readonly name: string
    readonly organization: string
    /** It has the hits of editions after this one; absent in a mail of a version before. */
    readonly after?: number
  }[]
  /** Number of all tenders; those beyond the items are only counted. */
  readonly count: number
  /** How many tenders beyond the items which searches found, by index; absent in a mail of a version before. */
  readonly rest?: readonly { readonly searches: readonly number[]; readonly count: number }[]
  readonly items: readonly DigestItem[]
  /** It has the hits of editions after the first one, up to the second. */
  readonly editions?: readonly [after: number, upTo: number]
}

/** Sealing context of the link to everything that a mail brings: of its `Message-ID`. */
export const letterContext = 'letter'

/** Maximum number of characters of a title, and of other text from a notice. */
const maxLetters = 300
/** Maximum characters of a URL that is linked; a longer one is left out. */
const maxUrlLength = 1000
/** Maximum codes of a tender: the first that has a name is shown. */
const maxCodes = 5
/** Maximum reasons of one search, and their maximum characters where they are lines. */
const maxReasons = 4

export type ContentInput = {
  /** Those that have a search. */
  readonly digests: readonly {
    readonly digestId: string
    readonly organization: string
    readonly searchNo: number
    readonly search: string
    readonly lastEdition: number
  }[]
  readonly language: DigestContent['language']
  readonly edition: number
  readonly hits: { readonly count: number; readonly tenders: readonly FoundTender[] }
  /** Of tenders beyond those. */
  readonly rest: readonly { readonly searchNos: readonly number[]; readonly count: number }[]
}

/** A tender that one or more searches found: JSON of its record, null if there is none, and why. */
type FoundTender = {
  readonly tenderId: string
  readonly isClosed: boolean
  readonly body: string | null
  /** JSON array of FoundMatch. */
  readonly matches: string
}

/** `matched`: JSON of lines; `reasons`: JSON of the same as codes, null if an older version wrote the hit. */
type FoundMatch = { readonly searchNo: number; readonly matched: string; readonly reasons: string | null }

export function digestContent({ digests, language, edition, hits, rest }: ContentInput): DigestContent {
  const indexes = new Map(digests.map(({ searchNo }, index) => [searchNo, index]))
  const searches = digests.map(({ digestId, search, organization, lastEdition }) => ({
    digestId,
    name: oneLine(search),
    organization: oneLine(organization),
    after: lastEdition,
  }))
  return {
    search: namesOf(searches),
    language,
    searches,
    count: hits.count,
    rest: rest.map(({ searchNos, count }) => ({ searches: searchNos.flatMap((no) => indexes.get(no) ?? []), count })),
    items: hits.tenders.map((tender) => itemOf(tender, indexes)),
    editions: [Math.min(...digests.map(({ lastEdition }) => lastEdition)), edition],
  }
}

/** What a version before wrote for one search. */
type FormerContent = Pick<DigestContent, 'count' | 'items'> & { readonly search: string }

/** The content of a waiting mail, of any version. */
export function readContent(text: string, digestId: string): DigestContent {
  const content = JSON.parse(text) as DigestContent | FormerContent
  if ('searches' in content) return content
  const { search, count, items } = content
  return { language: 'en', searches: [{ digestId, name: search, organization: '' }], count, items }
}

/** Without what only searches found that the person no longer receives; undefined if nothing is left. */
export function contentFor(content: DigestContent, live: ReadonlySet<string>): DigestContent | undefined {
  const searches = content.searches.filter(({ digestId }) => live.has(digestId))
  if (searches.length === content.searches.length) return content
  const indexOf = (former: number): number[] => {
    const index = searches.indexOf(content.searches[former]!)
    return index < 0 ? [] : [index]
  }
  const items = content.items.flatMap((item) => {
    const matches = (item.matches ?? []).flatMap((match) =>
      indexOf(match.search).map((search) => ({ ...match, search })),
    )
    return matches.length > 0 ? [{ ...item, matches }] : []
  })
  const rest = content.rest?.map((each) => ({ ...each, searches: each.searches.flatMap(indexOf) }))
  const gone = rest?.filter((each) => each.searches.length === 0).reduce((sum, each) => sum + each.count, 0) ?? 0
  const count = content.count - content.items.length + items.length - gone
  if (searches.length === 0 || count <= 0 || (!rest && items.length === 0)) return undefined
  const left = rest && { rest: rest.filter((each) => each.searches.length > 0) }
  return { ...content, search: namesOf(searches), searches, count, items, ...left }
}

/** Without a search that is deleted; undefined if nothing is left. */
export function contentWithout(content: DigestContent, digestId: string): DigestContent | undefined {
  return contentFor(content, new Set(content.searches.map((each) => each.digestId).filter((id) => id !== digestId)))
}

const namesOf = (searches: readonly { readonly name: string }[]): string => searches.map(({ name }) => name).join(', ')

function itemOf(
  { tenderId, isClosed, matches: text, body }: FoundTender,
  indexes: ReadonlyMap<number, number>,
): DigestItem {
  const matches = (JSON.parse(text) as FoundMatch[]).map(({ searchNo, matched, reasons }): ItemMatch => {
    const coded =
      reasons === null
        ? null
        : (JSON.parse(reasons) as { readonly matched: readonly MatchReason[] }).matched.slice(0, maxReasons)
    const lines = coded === null ? (JSON.parse(matched) as string[]).slice(0, maxReasons).map(oneLine) : []
    return { search: indexes.get(searchNo) ?? 0, reasons: coded, lines }
  })
  if (body === null) return { title: '', isClosed, matches }
  const record = JSON.parse(body) as TenderRecord
  const { name, city } = record.contractingAuthority ?? {}
  const authority = oneLine([name, city].filter((part) => part !== undefined).join(', '))
  const deadline = firstDeadline(record)
  const amount = record.contractAmount
  const url = record.originalSources.findLast((source) => source.url !== undefined)?.url
  const titleLanguage = record.titleLanguage ?? record.language
  return {
    tenderId,
    title: oneLine(record.displayTitle ?? record.title),
    ...(titleLanguage !== undefined && { titleLanguage }),
    isClosed,
    ...(authority !== '' && { authority }),
    nutsCodes: record.nutsCodes.slice(0, maxCodes),
    cpvCodes: [...record.cpvCodes, ...record.lots.flatMap((lot) => lot.cpvCodes)].slice(0, maxCodes),
    ...(amount && {
      amount: { value: amount.value, currency: oneLine(amount.currency), estimated: amount.estimated },
    }),
    ...(deadline !== undefined && { deadline: deadline.at, deadlineKind: deadline.kind }),
    ...(record.timeZone !== undefined && { timeZone: record.timeZone }),
    ...(url !== undefined && isPage(url) && { url }),
    matches,
  }
}

/** A text on one line: without line ends, control characters and marks that change the writing direction. */
const onOneLine = (text: string): string =>
  text.replace(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\s]+/gu, ' ').trim()

/** The same, at most 300 characters. */
export function oneLine(text: string): string {
  const line = onOneLine(text)
  const letters = [...line]
  return letters.length > maxLetters ? `${letters.slice(0, maxLetters - 1).join('')}…` : line
}

/** The paragraphs of a text, of any length: the lines of each are as `oneLine` has them, and end with `\n`. */
export function paragraphsOf(text: string): string[] {
  const lines = text.split(/\r\n|[\n\v\f\r\x85\u2028\u2029]/).map(onOneLine)
  return lines
    .join('\n')
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
}

/** Whether a mail may link it: text from a notice may be anything. */
function isPage(text: string): boolean {
  return text.length <= maxUrlLength && /^https?:\/\/[^\s\p{Cc}<>"']+$/u.test(text) && URL.canParse(text)
}
