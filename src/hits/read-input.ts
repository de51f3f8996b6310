// Reads what people write into searches and profiles: bounded, exact, with a sentence that says what to do about each
// fault.
import { isProcedureType, type ProcedureType, procedureTypes, toCountry } from '../domain/codes.ts'
import { toCpvCode } from '../domain/cpv.ts'
import { toNutsCode } from '../domain/nuts.ts'
import { plainText } from '../domain/plain-text.ts'
import type { Status } from '../domain/tender.ts'
import { authorityKey, tokensOf } from '../domain/words.ts'
import { OperatorError } from '../platform/errors.ts'

/** A search or profile that cannot be accepted as it is; the message says what to change. */
export class HitInputError extends OperatorError {}

/** Maximum items of one list. */
export const maxItems = 200
/** Maximum letters of a word. */
const maxWordLength = 60
/** Minimum letters of a word: a single one is in every text. */
const minWordLength = 2
/** Maximum letters of the name or national id of an authority. */
const maxAuthorityLength = 400
/** Maximum value in euros. */
const maxEuros = 999_999_999_999_999

export const contractNatures = ['works', 'supplies', 'services'] as const
export type ContractNature = (typeof contractNatures)[number]

/** States of a tender that is not archived, and that a search can ask for. */
export const searchStatuses = ['open', 'planned', 'awardIntended'] as const satisfies readonly Status[]
export type SearchStatus = (typeof searchStatuses)[number]

/** Returns the input as an object. Throws if it is not one, or has unknown members. */
export function readMembers(
  input: unknown,
  what: string,
  known: readonly string[],
): { readonly [name: string]: unknown } {
  if (input === null || typeof input !== 'object' || Array.isArray(input))
    throw new HitInputError('invalid-members', `${what} must be an object with the members ${known.join(', ')}.`)
  const unknown = Object.keys(input).find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new HitInputError(
      'invalid-members',
      `${what} has no member "${shortened(unknown)}": use ${known.join(', ')}.`,
    )
  return input as { readonly [name: string]: unknown }
}

/** Reads a list of texts, each with `read`: sorted, without duplicates; undefined if it is absent or empty. */
export function readList<T extends string>(input: unknown, name: string, read: (text: string) => T): T[] | undefined {
  if (input === undefined || input === null) return undefined
  if (!Array.isArray(input)) throw new HitInputError('invalid-list', `${name} must be a list of texts.`)
  if (input.length > maxItems)
    throw new HitInputError(
      'invalid-list',
      `${name} has ${input.length} items, and ${maxItems} are allowed: use codes that cover others, or several searches.`,
    )
  const items = new Set<T>()
  for (const item of input) {
    if (typeof item !== 'string') throw new HitInputError('invalid-list', `${name} must hold texts only.`)
    items.add(read(item.trim()))
  }
  return items.size === 0 ? undefined : [...items].sort()
}

export function readCpv(text: string): string {
  const code = toCpvCode(text)
  if (code === undefined)
    throw new HitInputError(
      'invalid-cpv',
      `"${shortened(text)}" is no CPV code: write 2 to 8 digits, for example 45233000 or 45.`,
    )
  return code
}

export function readNuts(text: string): string {
  const code = toNutsCode(text)
  if (code === undefined)
    throw new HitInputError(
      'invalid-nuts',
      `"${shortened(text)}" is no NUTS code: write two letters of a country and up to three characters, for example DE21.`,
    )
  return code
}

/** Reads a word as it was written, in lower case; its spellings are made when it is searched for. */
export function readWord(text: string): string {
  const word = plainText(text).toLowerCase()
  if (word.length > maxWordLength)
    throw new HitInputError(
      'invalid-word',
      `The word "${shortened(word)}" has more than ${maxWordLength} letters: shorten it.`,
    )
  if (/[\\^$.|?*+()[\]{}]/.test(word))
    throw new HitInputError(
      'invalid-word',
      `"${shortened(word)}" holds signs of a pattern, and words are not patterns: write the word alone. From ` +
        'five letters on it is also found at the beginning and end of longer words.',
    )
  const tokens = tokensOf(word)
  if (tokens.length > 1)
    throw new HitInputError(
      'invalid-word',
      `"${shortened(word)}" is ${tokens.length} words: give each as an item of its own.`,
    )
  if (tokens.length === 0 || tokens[0]!.length < minWordLength)
    throw new HitInputError(
      'invalid-word',
      `"${shortened(word)}" is too short: a word has at least ${minWordLength} letters or digits.`,
    )
  return word
}

export function readAuthority(text: string): string {
  if (text.length > maxAuthorityLength || authorityKey(text).length < minWordLength)
    throw new HitInputError(
      'invalid-authority',
      `"${shortened(text)}" is no authority: write its name or national id as tenders have it, at most ${maxAuthorityLength} letters.`,
    )
  return text.normalize('NFC')
}

export function readContractNature(text: string): ContractNature {
  const nature = contractNatures.find((known) => known === text.toLowerCase())
  if (nature === undefined)
    throw new HitInputError(
      'invalid-choice',
      `"${shortened(text)}" is no contract nature: use ${contractNatures.join(', ')}.`,
    )
  return nature
}

export function readStatus(text: string): SearchStatus {
  const status = searchStatuses.find((known) => known.toLowerCase() === text.toLowerCase())
  if (status === undefined)
    throw new HitInputError('invalid-choice', `"${shortened(text)}" is no status: use ${searchStatuses.join(', ')}.`)
  return status
}

export function readProcedure(text: string): ProcedureType {
  const code = text.toLowerCase()
  if (!isProcedureType(code))
    throw new HitInputError('invalid-choice', `"${shortened(text)}" is no procedure: use ${procedureTypes.join(', ')}.`)
  return code
}

export function readCountry(text: string): string {
  const country = toCountry(text)
  if (country === undefined)
    throw new HitInputError(
      'invalid-country',
      `"${shortened(text)}" is no country: write two letters of ISO 3166, for example DE.`,
    )
  return country
}

export function readTenderId(text: string): string {
  const id = text.toLowerCase()
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))
    throw new HitInputError('invalid-tender-id', `"${shortened(text)}" is no id of a tender.`)
  return id
}

/** Reads a whole number in [from, to]; undefined if it is absent. */
export function readWhole(input: unknown, name: string, from: number, to: number): number | undefined {
  if (input === undefined || input === null) return undefined
  if (typeof input !== 'number' || !Number.isSafeInteger(input) || input < from || input > to)
    throw new HitInputError('invalid-number', `${name} must be a whole number from ${from} to ${to}.`)
  return input
}

export type ValueRange = { readonly valueMin?: number; readonly valueMax?: number }

/** Reads inclusive bounds in whole euros. */
export function readValueRange(valueMin: unknown, valueMax: unknown): ValueRange {
  const min = readWhole(valueMin, 'valueMin', 0, maxEuros)
  const max = readWhole(valueMax, 'valueMax', 0, maxEuros)
  if (min !== undefined && max !== undefined && min > max)
    throw new HitInputError(
      'invalid-number',
      `valueMin ${min} is above valueMax ${max}: no tender can have such a value.`,
    )
  return { ...(min !== undefined && { valueMin: min }), ...(max !== undefined && { valueMax: max }) }
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text)

/** Returns the members that are not undefined. */
export function present<T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never
}
