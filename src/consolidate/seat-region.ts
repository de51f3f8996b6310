// The region of an authority's seat where it publishes none, from its postal code and town. The table is counted from
// published addresses and shipped, so that a record never depends on what else is in the stock.
import { readFileSync } from 'node:fs'
import { wordsOf } from '../domain/name-words.ts'

/** What an address must have for its region to be found. */
type Address = {
  /** ISO 3166, two letters. */
  readonly country?: string | undefined
  readonly postalCode?: string | undefined
  readonly city?: string | undefined
}

/** NUTS codes by `postalKey` and `townKey`. */
export type SeatRegions = ReadonlyMap<string, string>

let shipped: SeatRegions | undefined

/** The shipped table: lines of `key region`. */
function shippedRegions(): SeatRegions {
  if (shipped !== undefined) return shipped
  const lines = readFileSync(new URL('./data/seat-regions.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  shipped = new Map(
    lines.map((line) => {
      const gap = line.lastIndexOf(' ')
      return [line.slice(0, gap), line.slice(gap + 1)]
    }),
  )
  return shipped
}

/** Countries whose postal codes begin with letters that name an area; in all others the digits do. */
const areaPattern: { readonly [country: string]: RegExp } = {
  GB: /^[A-Z]{1,2}\d[A-Z\d]?(?=\d[A-Z]{2}$)|^[A-Z]{1,2}\d[A-Z\d]?$/,
  IE: /^[A-Z]\d[\dW]/,
  MT: /^[A-Z]{3}/,
}

/** The part of a postal code that names an area: `OX1 2JD` is `OX1`, `LV-1010` is `1010`; empty without one. */
export function areaOf(country: string, postalCode: string | undefined): string {
  const letters = (postalCode ?? '').toUpperCase().replace(/[^A-Z\d]/g, '')
  return (areaPattern[country] ?? /\d{3,}/).exec(letters)?.[0] ?? ''
}

/** Key of all postal codes that begin so. */
export const postalKey = (country: string, start: string): string => `${country} ${start}`

/** Key of a town; without numbers and `cedex`, which name a delivery office. Undefined without a name. */
export function townKey(country: string, city: string | undefined): string | undefined {
  const words = wordsOf(city ?? '').filter((word) => !/\d/.test(word) && word !== 'cedex')
  return words.length === 0 ? undefined : `${country} =${words.join(' ')}`
}

/**
 * NUTS code of an address (BT-507) by its postal code (BT-512) and town (BT-513): of level 3, or of the level 1 or 2
 * that all known addresses nearby share. Undefined if the table does not know it, or if postal code and town disagree.
 */
export function seatRegion(address: Address, regions: SeatRegions = shippedRegions()): string | undefined {
  const { country, postalCode, city } = address
  if (country === undefined) return undefined
  const town = townKey(country, city)
  const byTown = town === undefined ? undefined : regions.get(town)
  return common(byPostalCode(regions, country, areaOf(country, postalCode)), byTown)
}

/** By the longest start that is in the table. */
function byPostalCode(regions: SeatRegions, country: string, area: string): string | undefined {
  for (let length = area.length; length >= 0; length--) {
    const found = regions.get(postalKey(country, area.slice(0, length)))
    if (found !== undefined) return found
  }
  return undefined
}

/** Minimum characters of a code that is worth publishing: level 1. */
const minLength = 3

/** The more exact of two codes if one contains the other, else the area that contains both. */
function common(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other
  let length = 0
  while (length < Math.min(one.length, other.length) && one[length] === other[length]) length++
  if (length === one.length) return other
  if (length === other.length) return one
  return length >= minLength ? one.slice(0, length) : undefined
}
