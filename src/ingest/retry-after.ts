// How long a host asks to be left alone (RFC 9110 section 10.2.3), and the dates of HTTP.

/**
 * Milliseconds from `now`, at least a second; undefined when the header is missing or unusable. A date is compared with
 * the host's own `Date`, because its clock may be wrong and so may ours.
 */
export function retryAfterMs(
  headers: { readonly [name: string]: string | undefined },
  now: number,
): number | undefined {
  const text = headers['retry-after']?.trim()
  if (!text) return undefined
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Math.max(1000, Math.ceil(Number(text) * 1000))
  const until = parseHttpDate(text)
  return until === undefined ? undefined : Math.max(1000, until - (parseHttpDate(headers.date ?? '') ?? now))
}

/** Epoch milliseconds of a date as HTTP writes it (RFC 9110 section 5.6.7, the preferred form only). */
export function parseHttpDate(text: string): number | undefined {
  // Date.parse alone reads "version-3" as a day in March
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text.trim())) return undefined
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : ms
}
