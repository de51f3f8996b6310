// The filters of GET /v1/tenders after parsing (docs/specification.md, 6.3). The API parses them, the edition's query
// applies them.
import type { ProcedureType } from './codes.ts'

/** All times in epoch milliseconds, values in whole euros. An absent member does not filter. */
export type TenderFilter = {
  /** Eight-digit CPV codes, sorted, unique; each matches itself and all codes below it. */
  readonly cpv?: readonly string[]
  /** Upper-case NUTS codes, sorted, unique; each matches itself and the areas below it. */
  readonly nuts?: readonly string[]
  /** Inclusive, on publicationDate. */
  readonly publishedSince?: number
  /** Inclusive, on lastModified. */
  readonly updatedSince?: number
  /** Exclusive, on submissionDate. */
  readonly deadlineAfter?: number
  readonly valueMin?: number
  readonly valueMax?: number
  /** Sorted, unique. */
  readonly procedure?: readonly ProcedureType[]
  /** True delivers archived records too. Always true when updatedSince is present (C92). */
  readonly archived: boolean
}

/**
 * The parameter of each filter, in the order of the canonical text and of the prints in a cursor: a new one comes last
 * (C141). If a filter is missing here, the code does not compile.
 */
const parameters: { readonly [member in keyof Required<TenderFilter>]: string } = {
  cpv: 'cpv',
  nuts: 'nuts',
  publishedSince: 'published_since',
  updatedSince: 'updated_since',
  deadlineAfter: 'deadline_after',
  valueMin: 'value_min',
  valueMax: 'value_max',
  procedure: 'procedure',
  archived: 'archived',
}
export const filterParameters = Object.entries(parameters) as readonly (readonly [keyof TenderFilter, string])[]

/** Cached texts: a request needs the text several times, and requests share their filters. */
const remembered = new WeakMap<TenderFilter, string>()

/** Canonical text of a filter: the same for the same query, whatever the order or notation of the parameters (D30). */
export function canonicalFilter(filter: TenderFilter): string {
  let text = remembered.get(filter)
  if (text === undefined) {
    text = writeFilter(filter)
    remembered.set(filter, text)
  }
  return text
}

/** Without the absent filters at its end, so that a version with one more parameter writes the same text (C141). */
function writeFilter(filter: TenderFilter): string {
  const isArchivedIgnored = filter.updatedSince !== undefined
  const values = filterParameters.map(([member]) =>
    member === 'archived' && isArchivedIgnored ? undefined : filter[member],
  )
  const end = values.findLastIndex((value) => value !== undefined)
  return JSON.stringify(values.slice(0, end + 1))
}
