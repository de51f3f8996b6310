// NUTS codes of every vintage: two letters of a country, then up to three characters, each naming an area inside the
// one before.
import type { CodeRange } from './cpv.ts'

const pattern = /^[A-Za-z]{2}[A-Za-z0-9]{0,3}$/

/** Countries whose NUTS letters differ from ISO 3166: some buyers write the ISO code before the area's number. */
const nutsCountries: { readonly [isoCode: string]: string } = { GR: 'EL', GB: 'UK' }

/**
 * A code as written in notices or filters, upper case, with NUTS's own letters for the country (`GR30` is `EL30`);
 * undefined when the text does not have the form of a code. The code need not exist in a NUTS list.
 */
export function toNutsCode(text: string): string | undefined {
  const trimmed = text.trim()
  // checked before the case changes: some other letters (ı, ſ, ß) become one of these in upper case
  if (!pattern.test(trimmed)) return undefined
  const code = trimmed.toUpperCase()
  const country = nutsCountries[code.slice(0, 2)]
  return country === undefined ? code : country + code.slice(2)
}

/** Five characters in base 37 (none, 0-9, A-Z), so that an area's codes are one range of numbers. Below 2^27. */
function number37(code: string, fill: number): number {
  let value = 0
  for (let index = 0; index < 5; index++) {
    const char = code.charCodeAt(index)
    value = value * 37 + (Number.isNaN(char) ? fill : char <= 57 ? char - 47 : char - 54)
  }
  return value
}

/** A code as a number that sorts like its text. */
export const nutsNumber = (code: string): number => number37(code, 0)

/** The numbers of `code` and of all areas below it (C65 to C69). */
export function nutsRange(code: string): CodeRange {
  return { from: number37(code, 0), to: number37(code, 36) }
}
