// Runs a search over what is published now, page by page: the preview before it is saved, and the hits that are
// delivered at once.
import type { TenderRecord } from '../domain/tender.ts'
import { dayMs } from '../domain/time.ts'
import { inTransaction, type Store } from '../store/database/database.ts'
import { Pace } from '../store/database/paced.ts'
import { newestEdition, type PublishedEntry, publishedEntries } from '../store/editions/editions.ts'
import { lockMark } from '../store/hits/hit-mark.ts'
import { insertDeliveries, insertHits, subscriptionsNow } from '../store/hits/hits.ts'
import { findProfileById, type StoredSearch } from '../store/hits/searches.ts'
import type { LoadedProfile } from './company-profile.ts'
import { watchedState } from './hit-changes.ts'
import { hitId, messageId } from './hit-id.ts'
import { loadedProfile } from './load-matcher.ts'
import type { Match } from './match-records.ts'
import type { Matcher } from './matcher.ts'
import { hasAnchor, type Search, type SearchFilter } from './saved-search.ts'

type HitStore = Pick<Store, 'db'> & Partial<Pick<Store, 'engine'>>

/** Numbers of tenders that a search matches, by the minimum score that they reach. */
type Counts = { readonly any: number; readonly '40': number; readonly '50': number; readonly '60': number }

export type Preview = {
  /** Tenders that match and are open now. */
  readonly open: Counts
  /**
   * Tenders that were published for the first time in the last 30 days and matched then, as they are now; also those
   * closed since.
   */
  readonly lastDays: Counts
  /** The open ones that fit best, the best first. */
  readonly best: readonly Example[]
}

/** An open tender as an example of what a search finds. */
type Example = {
  readonly tenderId: string
  readonly title: string
  readonly language: string | undefined
  readonly fitScore: number
  /** Whether the score comes from the search alone, without a profile. */
  readonly isBySearch: boolean
}

/** How far back a preview looks. */
const previewMs = 30 * dayMs
const maxExamples = 5

/** What a search finds before it is saved. `onRead` is called with the number of tenders read so far. */
export async function previewSearch(
  store: HitStore,
  {
    filter,
    profileId,
    matcher,
    now,
    onRead,
  }: Question & { readonly now: number; readonly onRead?: (tenders: number) => void },
): Promise<Preview> {
  await load(store, [{ searchNo: 1, version: 1, filter, profileId, threshold: 1 }], profileId, matcher)
  const [open, lastDays] = [emptyCounts(), emptyCounts()]
  let best: (Pick<Example, 'tenderId' | 'fitScore'> & { readonly body: string })[] = []
  let read = 0
  await readPublished(store, async (page) => {
    const current = page.filter(({ isArchived }) => !isArchived)
    const bodies = new Map(current.map(({ tenderId, body }) => [tenderId, body]))
    for (const { fitScore, tenderId } of await matcher.match([...bodies.values()], now)) {
      count(open, fitScore)
      best.push({ tenderId, fitScore, body: bodies.get(tenderId)! })
    }
    best = best.sort(betterFirst).slice(0, maxExamples)
    const recent = Map.groupBy(
      page.filter(({ firstPublishedAt, isMerged }) => now - firstPublishedAt <= previewMs && !isMerged),
      ({ firstPublishedAt }) => firstPublishedAt,
    )
    for (const [at, entries] of recent)
      for (const { fitScore } of await matcher.match(
        entries.map(({ body }) => unarchived(body)),
        at,
      ))
        count(lastDays, fitScore)
    read += page.length
    onRead?.(read)
  })
  const examples = best.map(({ tenderId, fitScore, body }) => {
    const { title, language } = JSON.parse(body) as TenderRecord
    return { tenderId, fitScore, title, language, isBySearch: profileId === null }
  })
  return { open, lastDays, best: examples }
}

/** A part of a search that may be left out: a member of the filter, or both ends of the value. */
export type SearchPart = Exclude<keyof SearchFilter, 'valueMin' | 'valueMax'> | 'value'

/** How many open tenders a search would match without one of its parts. */
export type Widening = { readonly without: SearchPart; readonly open: number }

/**
 * What a search that matches no open tender would match with one part fewer, the most first. A part without which
 * nothing is left that selects is not tried.
 */
export async function widenSearch(
  store: HitStore,
  { filter, profileId, matcher, now, onRead }: Parameters<typeof previewSearch>[1],
): Promise<readonly Widening[]> {
  const wider = widerFilters(filter)
  if (wider.length === 0) return []
  const searches = wider.map(([, each], index) => ({
    searchNo: index + 1,
    version: 1,
    filter: each,
    profileId,
    threshold: 1,
  }))
  await load(store, searches, profileId, matcher)
  const counts = new Map<number, number>()
  let read = 0
  await readPublished(store, async (page) => {
    const current = page.filter(({ isArchived }) => !isArchived)
    const matches = await matcher.match(
      current.map(({ body }) => body),
      now,
    )
    for (const { searchNo } of matches) counts.set(searchNo, (counts.get(searchNo) ?? 0) + 1)
    read += page.length
    onRead?.(read)
  })
  return wider
    .map(([without], index) => ({ without, open: counts.get(index + 1) ?? 0 }))
    .filter(({ open }) => open > 0)
    .sort((left, right) => right.open - left.open)
}

function widerFilters({ valueMin, valueMax, ...rest }: SearchFilter): (readonly [SearchPart, SearchFilter])[] {
  const value = { ...(valueMin !== undefined && { valueMin }), ...(valueMax !== undefined && { valueMax }) }
  const parts = Object.entries(rest).filter(([, part]) => part !== undefined) as [keyof typeof rest, unknown][]
  const wider: (readonly [SearchPart, SearchFilter])[] = parts.map(([part]) => {
    const { [part]: _, ...others } = rest
    return [part, { ...others, ...value }]
  })
  if (Object.keys(value).length > 0) wider.push(['value', rest])
  return wider.filter(([, each]) => hasAnchor(each))
}

const betterFirst = (
  left: Pick<Example, 'tenderId' | 'fitScore'>,
  right: Pick<Example, 'tenderId' | 'fitScore'>,
): number => right.fitScore - left.fitScore || (left.tenderId < right.tenderId ? -1 : 1)

type Question = {
  readonly filter: SearchFilter
  /** Null: derived from the search. */
  readonly profileId: string | null
  readonly matcher: Pick<Matcher, 'load' | 'match'>
}

type MutableCounts = { -readonly [name in keyof Counts]: number }
const emptyCounts = (): MutableCounts => ({ any: 0, '40': 0, '50': 0, '60': 0 })

function count(counts: MutableCounts, fitScore: number): void {
  counts.any++
  for (const score of ['40', '50', '60'] as const) if (fitScore >= Number(score)) counts[score]++
}

/** Returns the record as it was before it was archived: open if a deadline passed, or if there was a call. */
function unarchived(body: string): string {
  const { archiveReason, ...record } = JSON.parse(body) as TenderRecord
  const hadCall =
    record.status === 'closed' || record.originalSources.some(({ formType }) => formType === 'competition')
  return JSON.stringify({ ...record, ...(archiveReason !== undefined && hadCall && { status: 'open' }) })
}

/** `searches`: all of them score with this profile. */
async function load(
  store: HitStore,
  searches: readonly Search[],
  profileId: string | null,
  matcher: Question['matcher'],
): Promise<void> {
  const profile = profileId === null ? undefined : await findProfileById(store.db, profileId)
  const profiles: LoadedProfile[] = profile ? [await loadedProfile(store, profile)] : []
  await matcher.load(searches, profiles, 0)
}

type Published = PublishedEntry & {
  readonly isArchived: boolean
  readonly isMerged: boolean
}

async function readPublished(store: HitStore, take: (page: readonly Published[]) => Promise<void>): Promise<void> {
  const pace = new Pace(store.engine)
  for (let afterId: string | undefined = ''; afterId !== undefined; ) {
    const after: string = afterId
    const page = await pace.run((limit) => publishedEntries(store.db, after, limit))
    await take(
      page.map((entry) => ({
        ...entry,
        isArchived: entry.archiveReason !== null,
        isMerged: entry.archiveReason === 'merged',
      })),
    )
    afterId = page.at(-1)?.tenderId
  }
}

/**
 * Makes hits of the open tenders that a search matches now, the best first, and offers them to the current endpoints.
 * Returns how many.
 */
export async function deliverOpen(
  store: HitStore,
  {
    search,
    limit,
    matcher,
    now,
    stockId,
  }: {
    readonly search: StoredSearch
    readonly limit: number
    readonly matcher: Question['matcher']
    readonly now: number
    readonly stockId: string
  },
): Promise<number> {
  const { searchNo, searchId, organizationId, version, profileId, threshold } = search
  const filter = JSON.parse(search.filter) as SearchFilter
  await load(store, [{ searchNo, version, filter, profileId, threshold }], profileId, matcher)
  const edition = await newestEdition(store.db)
  if (!edition) return 0
  let best: { readonly match: Match; readonly body: string; readonly lastModified: number }[] = []
  await readPublished(store, async (page) => {
    const current = page.filter(({ isArchived }) => !isArchived)
    const entries = new Map(current.map((entry) => [entry.tenderId, entry]))
    const matches = await matcher.match(
      current.map(({ body }) => body),
      now,
    )
    for (const match of matches) best.push({ match, ...entries.get(match.tenderId)! })
    best = best.sort((left, right) => right.match.fitScore - left.match.fitScore).slice(0, limit)
  })
  let made = 0
  const pace = new Pace(store.engine)
  for (let done = 0; done < best.length; )
    done += await pace.run(async (rows) => {
      const hits = best.slice(done, done + rows).map(({ match, body, lastModified }) => ({
        searchNo,
        tenderId: match.tenderId,
        hitId: hitId({ stockId, searchId, tenderId: match.tenderId }),
        edition: edition.edition,
        lastModified,
        searchVersion: version,
        fitScore: match.fitScore,
        fit: JSON.stringify(match.fit),
        matched: JSON.stringify(match.matched),
        reasons: JSON.stringify(match.reasons),
        ...watchedState(JSON.parse(body) as TenderRecord),
      }))
      made += await inTransaction(store, async (trx) => {
        // one after the other with the process that matches editions, which may make the same hits
        await lockMark(trx)
        const added = await insertHits(trx, hits, now)
        const endpoints = (await subscriptionsNow(trx, organizationId)).filter(
          ({ kinds, searches }) => kinds.includes('search.hit') && (searches === null || searches.includes(searchId)),
        )
        const deliveries = hits
          .filter((hit) => added.has(hit.hitId))
          .flatMap(({ tenderId, lastModified, ...hit }) =>
            endpoints.map(({ endpointNo, endpointId, isActive }) => ({
              messageId: messageId({ stockId, searchId, tenderId }, endpointId, 'new'),
              endpointNo,
              kind: 'search.hit' as const,
              hitId: hit.hitId,
              edition: edition.edition,
              lastModified,
              changes: null,
              reason: null,
              isDue: isActive,
            })),
          )
        await insertDeliveries(trx, deliveries, now)
        return added.size
      })
      return hits.length
    })
  return made
}
