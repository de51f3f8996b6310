// Values as OCDS accepts them.
import { currenciesOfOcds } from './ocds-currencies.ts'

export type Json = { readonly [member: string]: unknown }

/** The list of currencies is closed: an amount in another one would be read as one without a currency. */
export function amountOf(amount: { readonly value: number; readonly currency: string } | undefined): Json | undefined {
  if (amount === undefined || !Number.isFinite(amount.value) || !currenciesOfOcds.has(amount.currency)) return undefined
  return { amount: amount.value, currency: amount.currency }
}

/** A day, with or without a zone, as its first instant; undefined when it is not a time. */
export function dateTimeOf(text: string | undefined): string | undefined {
  const parts = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}:\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/.exec(text ?? '')
  if (!parts) return undefined
  const [, day, time = 'T00:00:00', zone = 'Z'] = parts
  // Date.parse reads 30 February as 2 March
  const isDay = new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day!) === true
  const written = `${day}${time}${zone}`
  return isDay && !Number.isNaN(Date.parse(written)) ? written : undefined
}

/** As RFC 3986 writes it; undefined for a text that is not an address. */
export function uriOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const address = URL.parse(/^www\./i.test(text) ? `http://${text}` : text)
  if (address === null || !/^(?:https?|ftp|mailto):$/.test(address.protocol)) return undefined
  const [before, ...after] = address.href
    .replaceAll(/%(?![0-9A-Fa-f]{2})/g, '%25')
    .replaceAll(/[^A-Za-z0-9\-._~:/?#@!$&'()*+,;=%]/gu, encodeURIComponent)
    .split('#')
  return after.length === 0 ? before : `${before}#${after.join('%23')}`
}

/** Removes empty members: undefined, an empty text, list or object. */
export function compact(json: Json): Json {
  const isEmpty = (value: unknown): boolean =>
    value === undefined ||
    value === '' ||
    (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  return Object.fromEntries(Object.entries(json).filter(([, value]) => !isEmpty(value)))
}
