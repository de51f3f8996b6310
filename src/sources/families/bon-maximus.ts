// State portals of Nigeria by Bon Maximus: an HTML table of awarded contracts, one OCDS file for each.
import { releases } from '../ocds/entries.ts'
import type { CardChannel, Politeness } from '../source.ts'

/** The contracts that such a portal lists. `origin` ends with a slash. The files write the OCID with `_` for `/`. */
export function awardedContracts(origin: string): CardChannel {
  return {
    name: 'contracts',
    delivery: {
      kind: 'single',
      request: { url: `${origin}awarded_contracts.php` },
      entries: {
        format: 'html',
        link: /existing_award_details\.php\?id=([^"'&#\s<>]+)/,
        sample: '<a href="existing_award_details.php?id={key}">',
      },
      detail: {
        request: { url: `${origin}media/{id}.json` },
        id: '/0',
        replace: { what: '/', by: '_' },
        entries: releases,
      },
    },
    timetable: '20 5 * * *',
  }
}

/** Refusals with 403 end after a while. */
export const bonMaximusPace: Politeness = { requestsPerMinute: 20, restMs: 120_000 }
