// The quota as stated by the answers.

/** The three X-RateLimit headers; `resetSeconds` until `remaining` can rise. NaN if the answer had no such header. */
export type RateLimit = { readonly limit: number; readonly remaining: number; readonly resetSeconds: number }

const number = (headers: Headers, name: string): number => Number.parseFloat(headers.get(name) ?? '')

/** Reads the headers of one answer. */
export function readRateLimit(headers: Headers): RateLimit {
  return {
    limit: number(headers, 'x-ratelimit-limit'),
    remaining: number(headers, 'x-ratelimit-remaining'),
    resetSeconds: number(headers, 'x-ratelimit-reset'),
  }
}
