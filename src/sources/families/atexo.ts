// Platforms of Atexo with an API Platform interface: consultations by the day on which they were put online.
import type { Channel } from '../source.ts'

/** The consultations of the platform at `host`, from the first day on. */
export function atexoDays(host: string, since: string): Channel {
  return {
    name: 'consultations',
    slots: { kind: 'day', since, rereadDays: [1, 7, 30], isOpenRead: true },
    delivery: {
      kind: 'page',
      request: {
        url: `https://${host}/api/v2/consultations?dateMiseEnLigneCalcule%5Bafter%5D={from:yyyy-MM-ddTHH:mm:ss}&dateMiseEnLigneCalcule%5Bstrictly_before%5D={to:yyyy-MM-ddTHH:mm:ss}&itemsPerPage={limit}&page={page}`,
        // without it the interface answers with its documentation in HTML
        headers: { Accept: 'application/ld+json' },
      },
      entries: { format: 'json', at: '/hydra:member' },
      total: '/hydra:totalItems',
      pageSize: 30,
      end: { when: 'total' },
      dateOf: '/dateMiseEnLigneCalcule',
    },
  }
}

/** What an answer holds. */
export const atexoShape = ['/hydra:totalItems', '/hydra:member/0/id', '/hydra:member/0/intitule'] as const
