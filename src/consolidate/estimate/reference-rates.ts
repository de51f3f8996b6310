// Amounts in euros, for comparing values of several currencies; a published amount is never replaced by its conversion.
import type { Money } from '../../domain/notice.ts'

const firstYear = 2015

/**
 * Units of the currency for one euro, yearly averages from 2015 on, to three or four digits: reference rates of the
 * European Central Bank (EXR data set, annual averages), of the national banks for ISK, MKD and RSD before the ECB had
 * them. They were entered by hand, not loaded; a test compares them with the monthly averages that the ECB published
 * in the Official Journal for three months of 2019, 2020 and 2022 (within 6 %, as months differ from their year). The
 * last year is an average so far, and serves for later years: allow 3 %, and some percent a year from then on. An
 * error of 5 % is 0.02 of the logarithm that the model works with; its own median error is 0.34.
 */
const unitsPerEuro: { readonly [currency: string]: readonly number[] } = {
  BGN: [1.956],
  CHF: [1.068, 1.09, 1.112, 1.155, 1.112, 1.071, 1.081, 1.005, 0.972, 0.953, 0.937],
  CZK: [27.28, 27.03, 26.33, 25.65, 25.67, 26.46, 25.64, 24.57, 24.0, 25.12, 24.7],
  DKK: [7.459, 7.445, 7.439, 7.453, 7.466, 7.454, 7.437, 7.44, 7.451, 7.459, 7.463],
  GBP: [0.726, 0.819, 0.877, 0.885, 0.878, 0.89, 0.86, 0.853, 0.87, 0.847, 0.857],
  HRK: [7.614, 7.533, 7.464, 7.418, 7.418, 7.538, 7.528, 7.535],
  HUF: [310, 311.4, 309.2, 318.9, 325.3, 351.2, 358.5, 391.3, 381.9, 395.3, 398],
  ISK: [146.2, 133.6, 120.5, 127.7, 137.3, 154.6, 150.2, 142.2, 149.1, 149.3, 144],
  MKD: [61.6],
  NOK: [8.95, 9.291, 9.327, 9.598, 9.851, 10.72, 10.16, 10.1, 11.43, 11.63, 11.72],
  PLN: [4.184, 4.363, 4.257, 4.261, 4.298, 4.443, 4.565, 4.686, 4.542, 4.306, 4.24],
  RON: [4.445, 4.49, 4.569, 4.654, 4.745, 4.838, 4.922, 4.931, 4.947, 4.975, 5.04],
  RSD: [120.7, 123.1, 121.3, 118.3, 117.9, 117.6, 117.6, 117.5, 117.3, 117.1, 117.2],
  SEK: [9.353, 9.469, 9.635, 10.26, 10.59, 10.49, 10.15, 10.63, 11.48, 11.43, 11.07],
  USD: [1.11, 1.107, 1.13, 1.181, 1.12, 1.142, 1.183, 1.053, 1.081, 1.082, 1.13],
}

/**
 * A bare number for comparison with values in other currencies, by the average of its year (the nearest known one);
 * undefined for a currency without a rate. Only the fitting of the model may use it: published amounts keep their
 * currency and every digit.
 */
export function eurosOf({ value, currency }: Money, year: number | undefined): number | undefined {
  if (currency === 'EUR') return value
  const rates = unitsPerEuro[currency]
  if (!rates) return undefined
  const index = Math.min(Math.max((year ?? Number.POSITIVE_INFINITY) - firstYear, 0), rates.length - 1)
  return value / rates[index]!
}
