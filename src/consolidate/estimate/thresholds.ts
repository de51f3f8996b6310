// Values from which the procurement directives of the Union apply: what the law implies about an unpublished value.

type Thresholds = {
  /** First year of the two in which they hold. */
  readonly from: number
  readonly works: number
  /** Supplies and services of central government. */
  readonly central: number
  /** Supplies and services of all other authorities. */
  readonly subCentral: number
  readonly utilities: number
}

/**
 * Euros without VAT. Directives 2014/24/EU (article 4) and 2014/25/EU (article 15), as the Commission sets them again
 * for every two years by delegated regulations (1336/2013, 2015/2170, 2017/2365, 2019/1828, 2021/1952, 2023/2495 and
 * those that came with them; the last row holds for 2026 and 2027).
 */
const table: readonly Thresholds[] = [
  { from: 2014, works: 5_186_000, central: 134_000, subCentral: 207_000, utilities: 414_000 },
  { from: 2016, works: 5_225_000, central: 135_000, subCentral: 209_000, utilities: 418_000 },
  { from: 2018, works: 5_548_000, central: 144_000, subCentral: 221_000, utilities: 443_000 },
  { from: 2020, works: 5_350_000, central: 139_000, subCentral: 214_000, utilities: 428_000 },
  { from: 2022, works: 5_382_000, central: 140_000, subCentral: 215_000, utilities: 431_000 },
  { from: 2024, works: 5_538_000, central: 143_000, subCentral: 221_000, utilities: 443_000 },
  { from: 2026, works: 5_404_000, central: 140_000, subCentral: 216_000, utilities: 432_000 },
]

/**
 * Social and other specific services (2014/24/EU article 4 d, 2014/25/EU article 15 c); not revised every two years.
 */
const social = { classic: 750_000, utilities: 1_000_000 }

/**
 * Share of its threshold that a published estimate at the Union's level may fall to: a lot, a rounding, a voluntary
 * publication.
 */
const shareOfFloor = 0.5

/** What is known of the procedure's law; `year` of publication, absent means today's table. */
export type LegalFrame = {
  readonly level: 'eu' | 'national' | undefined
  readonly nature: string | undefined
  readonly isUtilities: boolean
  readonly isSocial: boolean
  readonly year: number | undefined
}

/**
 * Minimum and maximum value that the law permits, in euros. A national procedure is below the threshold of its class.
 * One of the Union's level is above half of it, except for works, where single lots of a large building are tendered
 * as procedures.
 */
export function legalBounds(frame: LegalFrame): { readonly least: number; readonly greatest: number } {
  const { level, nature, year, isUtilities, isSocial } = frame
  const row = table.findLast(({ from }) => from <= (year ?? Number.POSITIVE_INFINITY)) ?? table[0]!
  const isService = nature === 'services' || nature === 'supplies'
  const least = isSocial ? (isUtilities ? social.utilities : social.classic) : isUtilities ? row.utilities : row.central
  const greatest =
    nature === 'works' || nature === undefined
      ? row.works
      : isSocial
        ? isUtilities
          ? social.utilities
          : social.classic
        : isUtilities
          ? row.utilities
          : row.subCentral
  return {
    least: level === 'eu' && isService ? least * shareOfFloor : 0,
    greatest: level === 'national' ? greatest : Number.POSITIVE_INFINITY,
  }
}
