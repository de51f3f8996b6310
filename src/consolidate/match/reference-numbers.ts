// The authority's own numbers: from the notice's field, and from titles and descriptions into which portals write them.
import { cleanReferenceNumber } from '../link-keys.ts'
import { readCharacters } from './thresholds.ts'

/** The name of the number of one award. All trades of a project have its number, so it is not in it. */
const names = [
  String.raw`vergabe(?:nummer|-?\s?nr|-?\s?kennung|verfahrens?-?\s?nr)|ausschreibungs(?:nummer|-?nr)`,
  'verfahrensnummer|referenz(?:nummer|-?nr)|aktenzeichen|geschäftszeichen',
  'procurement no|tender (?:no|ref)|reference number|référence',
]
const named = new RegExp(
  String.raw`(?:${names.join('|')})\b\.?[ \t]*[:#]?\s*(["„“'»]?)([\p{L}\p{N}][^\n\r;,"“”„'«»()]{1,60})`,
  'giu',
)

/** Clean numbers, sorted. */
export function referenceNumbers(fields: readonly (string | undefined)[], texts: readonly string[]): string[] {
  const found = new Set<string>()
  const add = (text: string | undefined): void => {
    const clean = cleanReferenceNumber(text)
    if (clean && isTelling(clean)) found.add(clean)
  }
  for (const field of fields) {
    add(field)
    // Several numbers in one field: `54127-2026 / WTV 26 L 0002`.
    for (const part of field?.split(/\s+\/\s+|;/) ?? []) add(part)
  }
  for (const text of texts)
    for (const [, quote, value] of text.slice(0, readCharacters).matchAll(named))
      add(quote ? value : firstNumber(value!))
  return [...found].sort().slice(0, 8)
}

const hasDigit = (token: string): boolean => /\p{N}/u.test(token)

/**
 * The number at the beginning of a text that continues: `WBG 26_01 c) Angaben`, `6031 06/65/15-07`,
 * `WAN-6-0142/ 02 Unser`. Capitals before the first digit belong to it, and so does what follows an open separator, and
 * a further part with separators.
 */
function firstNumber(text: string): string {
  const [first, ...more] = text.trim().split(/\s+/)
  let number = first ?? ''
  for (const token of more.slice(0, 3)) {
    const isLabel = /^(?:\p{L}|\p{N}{1,2})[.)]+$/u.test(token)
    const isPart = hasDigit(token) && /\p{N}[/_-]\p{N}/u.test(token)
    const isOpen = /[/_-]$/.test(number) || /^\p{Lu}{1,8}$/u.test(number)
    if (isLabel || !(isPart || (isOpen && hasDigit(token)))) break
    number += ` ${token}`
  }
  return number
}

/** A UUID or a date is not a buyer's number. */
function isTelling(number: string): boolean {
  return !/^[0-9A-F]{32}$/.test(number) && !/^(?:0?[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])20\d\d$/.test(number)
}
