// Why a clause of a search holds or not: its code and values, and the English line that hits, messages and commands
// have.
import { type Lines, lineOf } from '../domain/lines.ts'

/** Codes of a search as far as a reason names them, and how many more there are. */
type Listed = { readonly listed: readonly string[]; readonly more: number }

/** A text of a record: of a lot, in a translation, or its own. */
export type Place = {
  readonly text: 'title' | 'description'
  readonly lot?: string
  readonly language?: string
}

/** A code of the record, perhaps of one of its lots, and the wanted code that covers it. */
type CoveredCode = { readonly held: string; readonly own: string; readonly lot: string | null }
/** `token` is what the record says; null if it is the word itself. */
type FoundWord = { readonly word: string; readonly token: string | null; readonly place: Place }
/** Null: no limit. */
type ValueRange = {
  readonly value: number
  readonly currency: string
  readonly from: number | null
  readonly to: number | null
}

export type CodeReason = { readonly code: 'code'; readonly values: CoveredCode }
export type WordReason = { readonly code: 'word'; readonly values: FoundWord }
type Unit = { readonly [name in string]: never }

export type ClauseReason =
  | CodeReason
  | WordReason
  | { readonly code: 'archived'; readonly values: { readonly reason: string } }
  | { readonly code: 'no-code'; readonly values: Listed }
  | { readonly code: 'no-region'; readonly values: Listed }
  | { readonly code: 'nature'; readonly values: { readonly nature: string; readonly lot: string | null } }
  | { readonly code: 'no-nature'; readonly values: Listed }
  | { readonly code: 'procedure'; readonly values: { readonly procedure: string } }
  | { readonly code: 'other-procedure'; readonly values: Listed & { readonly procedure: string | null } }
  | { readonly code: 'status'; readonly values: { readonly status: string } }
  | { readonly code: 'other-status'; readonly values: Listed & { readonly status: string } }
  | { readonly code: 'value-inside'; readonly values: ValueRange }
  | { readonly code: 'value-outside'; readonly values: ValueRange }
  | { readonly code: 'value-unknown'; readonly values: Unit }
  | { readonly code: 'days-left'; readonly values: { readonly left: number; readonly asked: number } }
  | { readonly code: 'days-left-to-participate'; readonly values: { readonly left: number; readonly asked: number } }
  | { readonly code: 'deadline-unknown'; readonly values: Unit }
  | { readonly code: 'authority'; readonly values: { readonly name: string } }
  | { readonly code: 'other-authority'; readonly values: Listed }
  | { readonly code: 'no-word'; readonly values: Listed }
  | { readonly code: 'nothing-excluded'; readonly values: Unit }

/** Maximum number of items that a reason names. */
const maxListed = 8
export const listedOf = (items: readonly string[]): Listed => ({
  listed: items.slice(0, maxListed),
  more: Math.max(0, items.length - maxListed),
})

/** `LOT-0002` is lot 2. */
export const lotName = (lotId: string): string => lotId.replace(/^LOT-0*(?=\d)/, '')

const line = ({ listed, more }: Listed): string =>
  more === 0 ? listed.join(', ') : `${listed.join(', ')} and ${more} more`

const placeLine = ({ text, lot, language }: Place): string =>
  `the ${text}${lot === undefined ? '' : ` of lot ${lotName(lot)}`}${language === undefined ? '' : ` (${language})`}`

const rangeLine = ({ from, to }: ValueRange): string => `${from ?? 0} to ${to ?? 'any'} EUR`

export const clauseLines = {
  code: ({ held, own, lot }) => `${held}${lot === null ? '' : ` in lot ${lotName(lot)}`} by ${own}`,
  word: ({ word, token, place }) => `"${word}"${token === null ? '' : ` as "${token}"`} in ${placeLine(place)}`,
  archived: ({ reason }) => `the tender is archived: ${reason}`,
  'no-code': (wanted) => `no code of the tender or a lot lies in ${line(wanted)}`,
  'no-region': (wanted) => `no region of the tender lies in ${line(wanted)}`,
  nature: ({ nature, lot }) => `${nature}${lot === null ? '' : ` in lot ${lotName(lot)}`}`,
  'no-nature': (wanted) => `neither tender nor lot is ${line(wanted)}`,
  procedure: ({ procedure }) => procedure,
  'other-procedure': ({ procedure, ...wanted }) => `${procedure ?? 'none'} is not ${line(wanted)}`,
  status: ({ status }) => status,
  'other-status': ({ status, ...wanted }) => `${status} is not ${line(wanted)}`,
  'value-inside': (range) => `${range.value} ${range.currency} lies in ${rangeLine(range)}`,
  'value-outside': (range) => `${range.value} ${range.currency} does not lie in ${rangeLine(range)}`,
  'value-unknown': () => 'the value is not known',
  'days-left': ({ left, asked }) => `${left} days are left, ${asked} are asked for`,
  'days-left-to-participate': ({ left, asked }) => `${left} days are left to participate, ${asked} are asked for`,
  'deadline-unknown': () => 'the deadline is not known',
  authority: ({ name }) => name,
  'other-authority': (wanted) => `it is not ${line(wanted)}`,
  'no-word': ({ listed, more }) => `no text has ${line({ listed: listed.map((word) => `"${word}"`), more })}`,
  'nothing-excluded': () => 'nothing that is excluded',
} satisfies Lines<ClauseReason>

export const clauseLine = (reason: ClauseReason): string => lineOf(clauseLines, reason)
