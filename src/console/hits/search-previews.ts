// Counts what a search finds before it is saved. Reading a large stock takes longer than a page may: the count
// continues, and a later request of the page gets the result.
import { openMatcher } from '../../hits/matcher.ts'
import { canonicalSearchFilter, type SearchFilter } from '../../hits/saved-search.ts'
import { type Preview, previewSearch, type Widening, widenSearch } from '../../hits/search-stock.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { settledWithin } from '../frame/settled-within.ts'

/** How long a page waits for a count. */
const longestWaitMs = 3000
/** Maximum counts at the same time: each has a thread and reads the whole stock. */
const maxAtOnce = 2
const maxRemembered = 50

type PreviewQuestion = {
  readonly filter: SearchFilter
  /** Null: derived from the search. `profileVersion` distinguishes its versions. */
  readonly profileId: string | null
  readonly profileVersion: number
}

export type PreviewAnswer =
  | ({ readonly kind: 'counted' } & Counted)
  /** `share` of the stock read so far, 0 to 1. */
  | { readonly kind: 'counting'; readonly share: number }
  /** Others are counting: try again later. */
  | { readonly kind: 'busy' }

/** `wider`: what would match with one part fewer, if no open tender matches. */
export type Counted = { readonly preview: Preview; readonly wider: readonly Widening[] }

type Count = { share: number; counted: Counted | undefined; readonly done: Promise<void> }

export type SearchPreviews = {
  /** Starts a count, or joins one that runs or is known for this edition. Rejects with the count's error. */
  readonly ask: (question: PreviewQuestion) => Promise<PreviewAnswer>
  /** Result of a count that has ended; undefined if there is none. */
  readonly known: (question: PreviewQuestion) => Counted | undefined
}

export function openSearchPreviews({
  store,
  clock,
  editions,
}: Pick<ConsoleContext, 'store' | 'clock' | 'editions'>): SearchPreviews {
  const counts = new Map<string, Count>()
  const keyOf = ({ filter, profileId, profileVersion }: PreviewQuestion): string =>
    JSON.stringify([editions.newest?.edition, canonicalSearchFilter(filter), profileId, profileVersion])
  const running = (): number => [...counts.values()].filter(({ counted }) => counted === undefined).length

  const start = (key: string, { filter, profileId }: PreviewQuestion): Count => {
    const records = editions.newest?.records ?? 0
    const matcher = openMatcher()
    const { promise: done, resolve, reject } = Promise.withResolvers<void>()
    const count: Count = { share: 0, counted: undefined, done }
    const asked = {
      filter,
      profileId,
      matcher,
      now: clock(),
      onRead: (read: number) => {
        count.share = Math.min(1, read / Math.max(1, records))
      },
    }
    previewSearch(store, asked)
      .then(async (preview) => {
        // advice for nothing is worth a second reading
        const wider = preview.open.any === 0 ? await widenSearch(store, asked) : []
        count.counted = { preview, wider }
        resolve()
      })
      .catch((error: unknown) => {
        counts.delete(key)
        reject(error)
      })
      .finally(() => matcher.close())
    done.catch(() => {})
    counts.set(key, count)
    for (const [old, { counted }] of counts)
      if (counts.size > maxRemembered && counted !== undefined && old !== key) counts.delete(old)
    return count
  }

  return {
    ask: async (question) => {
      const key = keyOf(question)
      if (!counts.has(key) && running() >= maxAtOnce) return { kind: 'busy' }
      const count = counts.get(key) ?? start(key, question)
      await settledWithin(count.done, longestWaitMs)
      return count.counted ? { kind: 'counted', ...count.counted } : { kind: 'counting', share: count.share }
    },
    known: (question) => counts.get(keyOf(question))?.counted,
  }
}
