// How many open records of the newest edition a code covers, from the edition log, as far as that is fast.
import type { CodeKind } from '../../domain/code-labels.ts'
import type { EditionView } from '../../edition/read/edition-view.ts'

/** Maximum count; beyond it, a page says "more than": a list of this many takes a few milliseconds. */
export const maxCounted = 10_000
/** How long one page may count codes that were not requested in this edition. */
const longestMs = 15

export type CodeCounts = {
  /**
   * Number of records that are not archived; undefined if counting would take long. Above `maxCounted`: more than
   * this.
   */
  readonly of: (kind: CodeKind, codes: readonly string[]) => ReadonlyMap<string, number>
}

/** Remembers its counts until the next edition. */
export function openCodeCounts(editions: Pick<EditionView, 'newest' | 'list'>): CodeCounts {
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
          const filter = kind === 'cpv' ? { cpv: [code], archived: false } : { nuts: [code], archived: false }
          count = editions.list({ filter, edition, limit: maxCounted + 1 }).positions.length
          known.set(key, count)
        }
        if (count !== undefined) counts.set(code, count)
      }
      return counts
    },
  }
}
