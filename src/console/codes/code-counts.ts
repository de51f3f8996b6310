// How many open tenders of the newest edition a code covers, as far as counting is fast: as many as the page of tenders
// finds.
import type { CodeKind } from '../../domain/code-labels.ts'
import { hourMs } from '../../domain/time.ts'
import type { EditionView, TenderFinder } from '../../edition/read/edition-view.ts'

/** How long one page may count codes that were not requested in this edition. */
const longestMs = 15

export type CodeCounts = {
  /** Number of open tenders, without announcements; absent if counting would take long, or while words are indexed. */
  readonly of: (kind: CodeKind, codes: readonly string[]) => ReadonlyMap<string, number>
}

/** Remembers its counts until the next edition. */
export function openCodeCounts(editions: Pick<EditionView, 'newest'> & TenderFinder, clock: () => number): CodeCounts {
  let edition: number | undefined
  const known = new Map<string, number>()
  return {
    of: (kind, codes) => {
      const { newest } = editions
      const counts = new Map<string, number>()
      if (!newest) return counts
      if (newest.edition !== edition) known.clear()
      edition = newest.edition
      const until = performance.now() + longestMs
      for (const code of codes) {
        const key = `${kind} ${code}`
        let count = known.get(key)
        if (count === undefined && performance.now() < until) {
          const at = Math.floor(clock() / hourMs) * hourMs
          const found = editions.findTenders({
            [kind]: [code],
            statuses: ['open'],
            order: 'newest',
            offset: 0,
            limit: 1,
            at,
          })
          if (found.indexed < 1 || found.edition !== edition) continue
          count = found.total
          known.set(key, count)
        }
        if (count !== undefined) counts.set(code, count)
      }
      return counts
    },
  }
}
