// Whether a search matches a record, clause by clause, and why. The index must give the same result.
import { firstDeadline } from '#flat/first-deadline'
import { cpvRange } from '../domain/cpv.ts'
import { nutsNumber, nutsRange, toNutsCode } from '../domain/nuts.ts'
import type { TenderRecord } from '../domain/tender.ts'
import { dayMs } from '../domain/time.ts'
import { buyersOf, isNamedBy } from './authorities.ts'
import type { SearchFilter } from './saved-search.ts'
import { authorityKey, isSpellingIn, spellingsOf, tokensOf } from './words.ts'

/** What satisfied each clause, one line each: `cpv: 45233141 in lot 2 by 45233000`. */
export type Matched = readonly string[]

export type Clause = {
  readonly clause:
    | 'archived'
    | 'cpv'
    | 'nuts'
    | 'word'
    | 'authority'
    | 'contract nature'
    | 'procedure'
    | 'value'
    | 'deadline'
    | 'excluded cpv'
    | 'excluded nuts'
    | 'excluded word'
    | 'excluded authority'
  readonly holds: boolean
  /** What satisfied it, or why nothing did. */
  readonly text: string
}

/**
 * The lines of what satisfied each clause; undefined when one does not hold. `at`: time of the record's edition, epoch
 * ms.
 */
export function matchOf(filter: SearchFilter, record: TenderRecord, at: number): Matched | undefined {
  const matched: string[] = []
  for (const { clause, holds, text } of eachClause(filter, record, at)) {
    if (!holds) return undefined
    if (!clause.startsWith('excluded')) matched.push(`${clause}: ${text}`)
  }
  return matched
}

/** Every clause of the search, and whether it holds: the answer to "why did it not match". */
export const clausesOf = (filter: SearchFilter, record: TenderRecord, at: number): readonly Clause[] => [
  ...eachClause(filter, record, at),
]

function* eachClause(filter: SearchFilter, record: TenderRecord, at: number): Generator<Clause> {
  const { cpv, nuts, words, authorities, contractNatures, procedures, minDaysToDeadline, excluded } = filter
  if (record.archiveReason !== undefined)
    yield { clause: 'archived', holds: false, text: `the tender is archived: ${record.archiveReason}` }
  if (cpv) yield wanted('cpv', coveredCpv(cpv, record), () => `no code of the tender or a lot lies in ${listed(cpv)}`)
  if (nuts) yield wanted('nuts', coveredNuts(nuts, record), () => `no region of the tender lies in ${listed(nuts)}`)
  if (contractNatures)
    yield wanted(
      'contract nature',
      natureIn(contractNatures, record),
      () => `neither tender nor lot is ${listed(contractNatures)}`,
    )
  if (procedures)
    yield wanted(
      'procedure',
      procedures.find((code) => code === record.procedureType),
      () => `${record.procedureType ?? 'none'} is not ${listed(procedures)}`,
    )
  if (filter.valueMin !== undefined || filter.valueMax !== undefined) yield valueClause(filter, record)
  if (minDaysToDeadline !== undefined) yield deadlineClause(minDaysToDeadline, record, at)
  if (authorities) yield wanted('authority', authorityIn(authorities, record), () => `it is not ${listed(authorities)}`)
  if (words)
    yield wanted('word', wordIn(words, record), () => `no text has ${listed(words.map((word) => `"${word}"`))}`)
  if (excluded?.cpv) yield unwanted('excluded cpv', coveredCpv(excluded.cpv, record))
  if (excluded?.nuts) yield unwanted('excluded nuts', coveredNuts(excluded.nuts, record))
  if (excluded?.authorities) yield unwanted('excluded authority', authorityIn(excluded.authorities, record))
  if (excluded?.words) yield unwanted('excluded word', wordIn(excluded.words, record))
}

const wanted = (clause: Clause['clause'], found: string | undefined, missing: () => string): Clause => ({
  clause,
  holds: found !== undefined,
  text: found ?? missing(),
})

const unwanted = (clause: Clause['clause'], found: string | undefined): Clause => ({
  clause,
  holds: found === undefined,
  text: found ?? 'nothing that is excluded',
})

/** Maximum number of items that a reason names. */
const maxListed = 8
const listed = (items: readonly string[]): string =>
  items.length <= maxListed
    ? items.join(', ')
    : `${items.slice(0, maxListed).join(', ')} and ${items.length - maxListed} more`

const lotName = (lotId: string): string => `lot ${lotId.replace(/^LOT-0*(?=\d)/, '')}`

/** C55 to C64: the codes of the tender are checked first, then those of its lots. */
export function coveredCpv(codes: readonly string[], record: TenderRecord): string | undefined {
  const ranges = codes.map((code) => ({ code, ...cpvRange(code) }))
  const coverOf = (held: string) => {
    const number = /^\d{8}$/.test(held) ? Number(held) : Number.NaN
    return ranges.find(({ from, to }) => number >= from && number <= to)?.code
  }
  for (const held of record.cpvCodes) {
    const code = coverOf(held)
    if (code !== undefined) return `${held} by ${code}`
  }
  for (const lot of record.lots)
    for (const held of lot.cpvCodes) {
      const code = coverOf(held)
      if (code !== undefined) return `${held} in ${lotName(lot.lotId)} by ${code}`
    }
  return undefined
}

/** C65 to C71: only the regions of performance count; neither the buyer's seat nor `realizedLocation` does. */
function coveredNuts(codes: readonly string[], record: TenderRecord): string | undefined {
  const ranges = codes.map((code) => ({ code, ...nutsRange(code) }))
  for (const text of record.nutsCodes) {
    const held = toNutsCode(text)
    if (held === undefined) continue
    const number = nutsNumber(held)
    const found = ranges.find(({ from, to }) => number >= from && number <= to)
    if (found) return `${held} by ${found.code}`
  }
  return undefined
}

/** Yields the texts in which words are searched, each with its name. */
function* textsOf(record: TenderRecord): Generator<readonly [path: string, text: string]> {
  yield ['the title', record.title]
  if (record.description !== undefined) yield ['the description', record.description]
  for (const lot of record.lots) {
    if (lot.title !== undefined) yield [`the title of ${lotName(lot.lotId)}`, lot.title]
    if (lot.description !== undefined) yield [`the description of ${lotName(lot.lotId)}`, lot.description]
  }
  for (const [language, { title, description }] of Object.entries(record.translations ?? {})) {
    if (title !== undefined) yield [`the title (${language})`, title]
    if (description !== undefined) yield [`the description (${language})`, description]
  }
}

/** Each token of a record with the first text in which it occurs. One record is matched against many searches. */
const tokensByRecord = new WeakMap<TenderRecord, ReadonlyMap<string, string>>()

function pathsByToken(record: TenderRecord): ReadonlyMap<string, string> {
  const known = tokensByRecord.get(record)
  if (known) return known
  const paths = new Map<string, string>()
  for (const [path, text] of textsOf(record))
    for (const token of tokensOf(text)) if (!paths.has(token)) paths.set(token, path)
  tokensByRecord.set(record, paths)
  return paths
}

/** One of these words with the first text in which it occurs. */
export function wordIn(words: readonly string[], record: TenderRecord): string | undefined {
  const asked = words.flatMap((word) => spellingsOf(word).map((spelling) => ({ word, spelling })))
  for (const [token, path] of pathsByToken(record))
    for (const { word, spelling } of asked)
      if (isSpellingIn(spelling, token)) return `"${word}"${token === spelling ? '' : ` as "${token}"`} in ${path}`
  return undefined
}

function authorityIn(authorities: readonly string[], record: TenderRecord): string | undefined {
  const asked = new Set(authorities.map(authorityKey))
  return buyersOf(record).find((buyer) => isNamedBy(asked, buyer))?.name
}

function natureIn(natures: readonly string[], record: TenderRecord): string | undefined {
  if (natures.some((nature) => nature === record.contractNature)) return record.contractNature
  const lot = record.lots.find(({ contractNature }) => natures.some((nature) => nature === contractNature))
  return lot && `${lot.contractNature} in ${lotName(lot.lotId)}`
}

/** Like the list's filters: estimates count, other currencies and unknown values do not match. */
function valueClause({ valueMin, valueMax }: SearchFilter, { contractAmount }: TenderRecord): Clause {
  const range = `${valueMin ?? 0} to ${valueMax ?? 'any'} EUR`
  if (contractAmount === null) return { clause: 'value', holds: false, text: 'the value is not known' }
  const { value, currency } = contractAmount
  const holds = currency === 'EUR' && value >= (valueMin ?? -Infinity) && value <= (valueMax ?? Infinity)
  return { clause: 'value', holds, text: `${value} ${currency} ${holds ? 'lies' : 'does not lie'} in ${range}` }
}

function deadlineClause(days: number, record: TenderRecord, at: number): Clause {
  const deadline = firstDeadline(record)
  if (deadline === undefined) return { clause: 'deadline', holds: false, text: 'the deadline is not known' }
  const left = (Date.parse(deadline.at) - at) / dayMs
  const what = deadline.kind === 'participation' ? ' to participate' : ''
  const text = `${Math.floor(left)} days are left${what}, ${days} are asked for`
  return { clause: 'deadline', holds: left >= days, text }
}
