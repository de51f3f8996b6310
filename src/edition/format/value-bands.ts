// The bands in which values are counted.

/**
 * Euros, both inclusive: a value on a bound is in two bands, so that the filter of a band finds as many as it counts.
 */
export const valueBands: readonly { readonly min?: number; readonly max?: number }[] = [
  { max: 100_000 },
  { min: 100_000, max: 500_000 },
  { min: 500_000, max: 1_000_000 },
  { min: 1_000_000, max: 5_000_000 },
  { min: 5_000_000 },
]
