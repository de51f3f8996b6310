// What individual portals do that no card can express: caps and clamps, each as documented by the portal or measured by
// its clients.
import { dayMs } from '../domain/time.ts'

export type Quirks = {
  /** Maximum length of a window; a longer one is silently truncated. */
  readonly clampMs?: number
  /** Maximum length of a window; a longer one is answered with 400. */
  readonly widestMs?: number
  /** Maximum entries of one query; pages after them are answered with 400. */
  readonly reach?: number
  /** Maximum entries of a page, whatever the request says. */
  readonly largestPage?: number
  /** Whether it names a next page by cursor, although following it loses entries. */
  readonly hasLossyCursor?: boolean
  /** Whether it ignores the number of the page: every page is the first. */
  readonly ignoresPage?: boolean
  /** Whether it answers undocumented parameters with 400; otherwise it ignores them. */
  readonly refusesUnknown?: boolean
  /** Header that every request must have. */
  readonly needsHeader?: string
  /** Number of requests within ten seconds after which it sends a challenge once. */
  readonly challengeAfter?: number
}

/** By source. */
export const quirks: { readonly [sourceId: string]: Quirks } = {
  'gr-kimdis': { clampMs: 180 * dayMs },
  'nl-tenderned': { reach: 10_000, largestPage: 100 },
  'no-doffin': { reach: 1000, largestPage: 100 },
  'fr-boamp': { reach: 10_000, largestPage: 100 },
  'ch-simap': { challengeAfter: 15, largestPage: 20 },
  'pl-bzp': { ignoresPage: true },
  'br-pncp': { widestMs: 366 * dayMs, largestPage: 50 },
  'br-compras': { widestMs: 31 * dayMs },
  'us-sam': { widestMs: 366 * dayMs, largestPage: 1000 },
  'gb-find-a-tender': { refusesUnknown: true, largestPage: 100, hasLossyCursor: true },
  'ro-seap': { needsHeader: 'referer' },
  'ba-ejn': { largestPage: 50 },
  'kr-g2b': { largestPage: 999 },
}
