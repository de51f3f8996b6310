// Parses the query of a list and remembers it: the pages of a run, and a thousand clients, send the same query except
// for the cursor. An empty answer takes 17 µs of CPU instead of 24 (ratio 1.4), with filters 18 instead of 30 (1.6).

import type { ParameterFault } from '../problems/problems.ts'
import { type ListQuery, parseListQuery } from './parameters.ts'
import { parseQueryString } from './query-string.ts'

/** Maximum number of queries to remember: every client of a delta starts from a different moment. */
const rememberedMax = 4096
/**
 * Maximum length of a query string that is remembered: this bounds the memory to some 20 MB; usually it takes less than
 * one.
 */
const rememberedLength = 1024

export type ReadListQuery = (
  text: string,
) => { readonly query: ListQuery } | { readonly faults: readonly ParameterFault[] }

/** Returns faults of the text first, then of the values; never both a query and faults. */
function readWhole(text: string): ReturnType<ReadListQuery> {
  const { values, faults } = parseQueryString(text)
  const parsed = parseListQuery(values)
  if (faults.length === 0) return parsed
  return { faults: 'faults' in parsed ? [...faults, ...parsed.faults] : faults }
}

/** A cursor as the last parameter, in the only alphabet that the service issues, so nothing needs decoding. */
const lastCursor = /(?:^|&)cursor=([\w-]+)$/

export function createListQueryCache(): ReadListQuery {
  const remembered = new Map<string, ListQuery>()
  return (text) => {
    if (text.length > rememberedLength * 2) return readWhole(text)
    const match = text.includes('cursor=') ? lastCursor.exec(text) : null
    const rest = match ? text.slice(0, match.index) : text
    let query = remembered.get(rest)
    if (query === undefined) {
      const parsed = readWhole(rest)
      // A cursor in the rest is a second one, or at a different position: then everything is read together.
      if ('faults' in parsed || parsed.query.cursor !== undefined) return match ? readWhole(text) : parsed
      query = parsed.query
      if (rest.length <= rememberedLength) {
        if (remembered.size >= rememberedMax) remembered.clear()
        remembered.set(rest, query)
      }
    }
    return match ? { query: { ...query, cursor: match[1]! } } : { query }
  }
}
