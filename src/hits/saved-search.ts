// A saved search: what it requires of a tender, as a conjunction of clauses (docs/hits/matching.md).
import { hash } from 'node:crypto'
import type { ProcedureType } from '../domain/codes.ts'
import {
  type ContractNature,
  HitInputError,
  present,
  readAuthority,
  readContractNature,
  readCpv,
  readList,
  readMembers,
  readNuts,
  readProcedure,
  readStatus,
  readValueRange,
  readWhole,
  readWord,
  type SearchStatus,
} from './read-input.ts'

/** What a tender must not have: one of these is enough to leave it out. */
type Exclusions = {
  readonly cpv?: readonly string[]
  readonly nuts?: readonly string[]
  readonly words?: readonly string[]
  readonly authorities?: readonly string[]
}

/**
 * A tender matches when it satisfies every member that is present. Lists are sorted, unique and mean any of their
 * items, except `allWords`.
 */
export type SearchFilter = {
  /** Eight-digit codes with the meaning of the list's filter: each covers the codes below it, codes of lots count. */
  readonly cpv?: readonly string[]
  /** Upper-case codes with the meaning of the list's filter. */
  readonly nuts?: readonly string[]
  /** One word each, in lower case as written. */
  readonly words?: readonly string[]
  /** One word each, all of which must occur: each is a clause of its own. */
  readonly allWords?: readonly string[]
  /** Names or national ids. */
  readonly authorities?: readonly string[]
  readonly contractNatures?: readonly ContractNature[]
  readonly procedures?: readonly ProcedureType[]
  /** Absent, as in searches older than this clause: whatever is not archived. */
  readonly status?: readonly SearchStatus[]
  /** Inclusive, whole euros, with the meaning of the list's filters. */
  readonly valueMin?: number
  readonly valueMax?: number
  /** Days that must be left until the deadline that a bidder meets first (`firstDeadline`). */
  readonly minDaysToDeadline?: number
  readonly excluded?: Exclusions
}

/** What the matcher needs of a search: one version of it. */
export type Search = {
  readonly searchNo: number
  readonly version: number
  readonly filter: SearchFilter
  readonly profileId: string | null
  /** Minimum fit score of a hit, 0 to 100. */
  readonly threshold: number
}

/** What a new search asks for unless it says otherwise: an announcement is no tender to bid for yet. */
export const defaultStatus: readonly SearchStatus[] = ['open']
/** Minimum fit score of a hit if the search does not name another. */
export const defaultThreshold = 50
/** Maximum number of days until the deadline that a search may require. */
const maxDaysToDeadline = 365

const exclusionMembers = ['cpv', 'nuts', 'words', 'authorities']
const members = [
  ...exclusionMembers,
  'allWords',
  'contractNatures',
  'procedures',
  'status',
  'valueMin',
  'valueMax',
  'minDaysToDeadline',
  'excluded',
]

/** Parses a written filter. Throws a HitInputError that says what to change. */
export function parseSearchFilter(input: unknown): SearchFilter {
  const given = readMembers(input, 'A search', members)
  const filter = present({
    cpv: readList(given['cpv'], 'cpv', readCpv),
    nuts: readList(given['nuts'], 'nuts', readNuts),
    words: readList(given['words'], 'words', readWord),
    allWords: readList(given['allWords'], 'allWords', readWord),
    authorities: readList(given['authorities'], 'authorities', readAuthority),
    contractNatures: readList(given['contractNatures'], 'contractNatures', readContractNature),
    procedures: readList(given['procedures'], 'procedures', readProcedure),
    status: readList(given['status'], 'status', readStatus),
    ...readValueRange(given['valueMin'], given['valueMax']),
    minDaysToDeadline: readWhole(given['minDaysToDeadline'], 'minDaysToDeadline', 0, maxDaysToDeadline),
    excluded: readExclusions(given['excluded']),
  })
  if (!hasAnchor(filter))
    throw new HitInputError(
      'nothing-to-match',
      'A search needs at least one CPV code, NUTS code, word or authority: without one it would match nearly everything.',
    )
  return filter
}

/** Whether a filter has one of the clauses without which it would match nearly everything. */
export const hasAnchor = ({ cpv, nuts, words, allWords, authorities }: SearchFilter): boolean =>
  (cpv ?? nuts ?? words ?? allWords ?? authorities) !== undefined

function readExclusions(input: unknown): Exclusions | undefined {
  if (input === undefined || input === null) return undefined
  const given = readMembers(input, 'excluded', exclusionMembers)
  const excluded: Exclusions = present({
    cpv: readList(given['cpv'], 'excluded.cpv', readCpv),
    nuts: readList(given['nuts'], 'excluded.nuts', readNuts),
    words: readList(given['words'], 'excluded.words', readWord),
    authorities: readList(given['authorities'], 'excluded.authorities', readAuthority),
  })
  return Object.keys(excluded).length > 0 ? excluded : undefined
}

/** JSON of a parsed filter: equal filters give equal text, and parsing it gives the filter again. */
export const canonicalSearchFilter = (filter: SearchFilter): string =>
  JSON.stringify({
    ...inOrder(filter, members),
    ...(filter.excluded && { excluded: inOrder(filter.excluded, exclusionMembers) }),
  })

const inOrder = (value: object, names: readonly string[]): object =>
  Object.fromEntries(names.map((name) => [name, (value as { [name: string]: unknown })[name]]))

/** SHA-256 of the canonical text, hex: searches with the same hash have the same filter. */
export const searchFilterHash = (filter: SearchFilter): string => hash('sha256', canonicalSearchFilter(filter))
