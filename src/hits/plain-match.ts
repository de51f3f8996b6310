// Whether a search matches a record, clause by clause, and why. The index must give the same result.
import { firstDeadline } from '#flat/record/first-deadline'
import { buyersOf, isNamedBy } from '../domain/buyers.ts'
import { cpvRange } from '../domain/cpv.ts'
import { nutsNumber, nutsRange, toNutsCode } from '../domain/nuts.ts'
import type { TenderRecord } from '../domain/tender.ts'
import { dayMs } from '../domain/time.ts'
import { authorityKey, isSpellingIn, jointWords, spellingsOf, tokensOf } from '../domain/words.ts'
import {
  type ClauseReason,
  type CodeReason,
  clauseLine,
  listedOf,
  type Place,
  type WordReason,
} from './clause-reason.ts'
import type { SearchFilter } from './saved-search.ts'

export type ClauseName =
  | 'archived'
  | 'cpv'
  | 'nuts'
  | 'word'
  | 'authority'
  | 'contract nature'
  | 'procedure'
  | 'status'
  | 'value'
  | 'deadline'
  | 'excluded cpv'
  | 'excluded nuts'
  | 'excluded word'
  | 'excluded authority'

export type Clause = {
  readonly clause: ClauseName
  readonly holds: boolean
  /** What satisfied it, or why nothing did. */
  readonly reason: ClauseReason
}

/** What satisfied a clause, as hits and messages have it: `cpv: 45233141 in lot 2 by 45233000`. */
export const matchedLine = ({ clause, reason }: Clause): string => `${clause}: ${clauseLine(reason)}`

/**
 * The clauses that ask for something and what satisfied them; undefined when a clause does not hold. `at`: time of the
 * record's edition, epoch ms.
 */
export function matchOf(filter: SearchFilter, record: TenderRecord, at: number): readonly Clause[] | undefined {
  const matched: Clause[] = []
  for (const clause of eachClause(filter, record, at)) {
    if (!clause.holds) return undefined
    if (!clause.clause.startsWith('excluded')) matched.push(clause)
  }
  return matched
}

/** Every clause of the search, and whether it holds: the answer to "why did it not match". */
export const clausesOf = (filter: SearchFilter, record: TenderRecord, at: number): readonly Clause[] => [
  ...eachClause(filter, record, at),
]

function* eachClause(filter: SearchFilter, record: TenderRecord, at: number): Generator<Clause> {
  const { cpv, nuts, words, allWords, authorities, contractNatures, procedures, status, minDaysToDeadline, excluded } =
    filter
  if (record.archiveReason !== undefined)
    yield { clause: 'archived', holds: false, reason: { code: 'archived', values: { reason: record.archiveReason } } }
  if (cpv) yield wanted('cpv', coveredCpv(cpv, record), () => ({ code: 'no-code', values: listedOf(cpv) }))
  if (nuts) yield wanted('nuts', coveredNuts(nuts, record), () => ({ code: 'no-region', values: listedOf(nuts) }))
  if (contractNatures)
    yield wanted('contract nature', natureIn(contractNatures, record), () => ({
      code: 'no-nature',
      values: listedOf(contractNatures),
    }))
  if (procedures)
    yield wanted('procedure', procedureIn(procedures, record), () => ({
      code: 'other-procedure',
      values: { procedure: record.procedureType ?? null, ...listedOf(procedures) },
    }))
  if (status)
    yield wanted('status', statusIn(status, record), () => ({
      code: 'other-status',
      values: { status: record.status, ...listedOf(status) },
    }))
  if (filter.valueMin !== undefined || filter.valueMax !== undefined) yield valueClause(filter, record)
  if (minDaysToDeadline !== undefined) yield deadlineClause(minDaysToDeadline, record, at)
  if (authorities)
    yield wanted('authority', authorityIn(authorities, record), () => ({
      code: 'other-authority',
      values: listedOf(authorities),
    }))
  if (words) yield wanted('word', wordIn(words, record), () => ({ code: 'no-word', values: listedOf(words) }))
  for (const word of allWords ?? [])
    yield wanted('word', wordIn([word], record), () => ({ code: 'no-word', values: listedOf([word]) }))
  if (excluded?.cpv) yield unwanted('excluded cpv', coveredCpv(excluded.cpv, record))
  if (excluded?.nuts) yield unwanted('excluded nuts', coveredNuts(excluded.nuts, record))
  if (excluded?.authorities) yield unwanted('excluded authority', authorityIn(excluded.authorities, record))
  if (excluded?.words) yield unwanted('excluded word', wordIn(excluded.words, record))
}

const wanted = (clause: ClauseName, found: ClauseReason | undefined, missing: () => ClauseReason): Clause => ({
  clause,
  holds: found !== undefined,
  reason: found ?? missing(),
})

const unwanted = (clause: ClauseName, found: ClauseReason | undefined): Clause => ({
  clause,
  holds: found === undefined,
  reason: found ?? { code: 'nothing-excluded', values: {} },
})

/** C55 to C64: the codes of the tender are checked first, then the codes of its lots. */
export function coveredCpv(codes: readonly string[], record: TenderRecord): CodeReason | undefined {
  const ranges = codes.map((code) => ({ code, ...cpvRange(code) }))
  const coverOf = (held: string) => {
    const number = /^\d{8}$/.test(held) ? Number(held) : Number.NaN
    return ranges.find(({ from, to }) => number >= from && number <= to)?.code
  }
  for (const held of record.cpvCodes) {
    const code = coverOf(held)
    if (code !== undefined) return { code: 'code', values: { held, own: code, lot: null } }
  }
  for (const lot of record.lots)
    for (const held of lot.cpvCodes) {
      const code = coverOf(held)
      if (code !== undefined) return { code: 'code', values: { held, own: code, lot: lot.lotId } }
    }
  return undefined
}

/** C65 to C71: only the regions of performance count; neither the buyer's seat nor `realizedLocation` does. */
function coveredNuts(codes: readonly string[], record: TenderRecord): CodeReason | undefined {
  const ranges = codes.map((code) => ({ code, ...nutsRange(code) }))
  for (const text of record.nutsCodes) {
    const held = toNutsCode(text)
    if (held === undefined) continue
    const number = nutsNumber(held)
    const found = ranges.find(({ from, to }) => number >= from && number <= to)
    if (found) return { code: 'code', values: { held, own: found.code, lot: null } }
  }
  return undefined
}

/** Yields the texts in which words are searched, each with its place. */
function* textsOf(record: TenderRecord): Generator<readonly [place: Place, text: string]> {
  yield [{ text: 'title' }, record.title]
  if (record.description !== undefined) yield [{ text: 'description' }, record.description]
  for (const lot of record.lots) {
    if (lot.title !== undefined) yield [{ text: 'title', lot: lot.lotId }, lot.title]
    if (lot.description !== undefined) yield [{ text: 'description', lot: lot.lotId }, lot.description]
  }
  for (const [language, { title, description }] of Object.entries(record.translations ?? {})) {
    if (title !== undefined) yield [{ text: 'title', language }, title]
    if (description !== undefined) yield [{ text: 'description', language }, description]
  }
}

/** Each token of a record with the first text in which it occurs. One record is matched against many searches. */
const tokensByRecord = new WeakMap<TenderRecord, ReadonlyMap<string, Place>>()

function placesByToken(record: TenderRecord): ReadonlyMap<string, Place> {
  const known = tokensByRecord.get(record)
  if (known) return known
  const places = new Map<string, Place>()
  for (const [place, text] of textsOf(record))
    for (const token of [...tokensOf(text), ...jointWords(text)]) if (!places.has(token)) places.set(token, place)
  tokensByRecord.set(record, places)
  return places
}

/** One of these words with the first text in which it occurs. */
export function wordIn(words: readonly string[], record: TenderRecord): WordReason | undefined {
  const asked = words.flatMap((word) => spellingsOf(word).map((spelling) => ({ word, spelling })))
  for (const [token, place] of placesByToken(record))
    for (const { word, spelling } of asked)
      if (isSpellingIn(spelling, token))
        return { code: 'word', values: { word, token: token === spelling ? null : token, place } }
  return undefined
}

function authorityIn(authorities: readonly string[], record: TenderRecord): ClauseReason | undefined {
  const asked = new Set(authorities.map(authorityKey))
  const name = buyersOf(record).find((buyer) => isNamedBy(asked, buyer))?.name
  return name === undefined ? undefined : { code: 'authority', values: { name } }
}

function procedureIn(procedures: readonly string[], { procedureType }: TenderRecord): ClauseReason | undefined {
  if (procedureType === undefined || !procedures.includes(procedureType)) return undefined
  return { code: 'procedure', values: { procedure: procedureType } }
}

function statusIn(wantedStatus: readonly string[], { status }: TenderRecord): ClauseReason | undefined {
  return wantedStatus.includes(status) ? { code: 'status', values: { status } } : undefined
}

function natureIn(natures: readonly string[], record: TenderRecord): ClauseReason | undefined {
  const isWanted = (nature: string | undefined): nature is string => nature !== undefined && natures.includes(nature)
  if (isWanted(record.contractNature)) return { code: 'nature', values: { nature: record.contractNature, lot: null } }
  for (const { contractNature: nature, lotId } of record.lots)
    if (isWanted(nature)) return { code: 'nature', values: { nature, lot: lotId } }
  return undefined
}

/** Like the list's filters: estimates count, other currencies and unknown values do not match. */
function valueClause({ valueMin, valueMax }: SearchFilter, { contractAmount }: TenderRecord): Clause {
  if (contractAmount === null) return { clause: 'value', holds: false, reason: { code: 'value-unknown', values: {} } }
  const { value, currency } = contractAmount
  const holds = currency === 'EUR' && value >= (valueMin ?? -Infinity) && value <= (valueMax ?? Infinity)
  const values = { value, currency, from: valueMin ?? null, to: valueMax ?? null }
  return { clause: 'value', holds, reason: { code: holds ? 'value-inside' : 'value-outside', values } }
}

function deadlineClause(days: number, record: TenderRecord, at: number): Clause {
  const deadline = firstDeadline(record)
  if (deadline === undefined)
    return { clause: 'deadline', holds: false, reason: { code: 'deadline-unknown', values: {} } }
  const left = (Date.parse(deadline.at) - at) / dayMs
  const code = deadline.kind === 'participation' ? 'days-left-to-participate' : 'days-left'
  return { clause: 'deadline', holds: left >= days, reason: { code, values: { left: Math.floor(left), asked: days } } }
}
