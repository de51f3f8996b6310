// CPV 2008 (Regulation 213/2008): reading codes as portals write them, and the tree that the trailing zeros spell.
import { readFileSync } from 'node:fs'

let checkDigits: Map<string, string> | undefined

/**
 * Check digit of an official code; undefined if the code is not in the list. Never computed: no formula fits all 9,454.
 */
export function officialCheckDigit(code: string): string | undefined {
  checkDigits ??= new Map(
    readFileSync(new URL('./data/cpv-codes.txt', import.meta.url), 'utf8')
      .trim()
      .split(/\s+/)
      .map((entry) => [entry.slice(0, 8), entry.slice(8)]),
  )
  return checkDigits.get(code)
}

/**
 * A code as a portal writes it (`45210000`, `45210000-2`, `45`, `452 10000`) as eight digits; undefined for anything
 * else. Short codes of two digits or more are padded with zeros (DÖE writes divisions as two digits). Need not be
 * official (C60).
 */
export function toCpvCode(text: string): string | undefined {
  const match = /^\s*(\d{2,8})(?:-\d)?\s*$/.exec(text.replace(/\s+/g, ''))
  if (!match) return undefined
  const code = match[1]!.padEnd(8, '0')
  return code.startsWith('00') ? undefined : code
}

const zero = '0'.charCodeAt(0)

/** An inclusive range of eight-digit codes as numbers. */
export type CodeRange = { readonly from: number; readonly to: number }

/** The codes that a filter on `code` covers: itself and all below it; six zeros cover a division (C55 to C60). */
export function cpvRange(code: string): CodeRange {
  let digits = code.length
  while (digits > 2 && code.charCodeAt(digits - 1) === zero) digits--
  const prefix = code.slice(0, digits)
  const from = Number(prefix.padEnd(8, '0'))
  return { from, to: Number(prefix.padEnd(8, '9')) }
}
