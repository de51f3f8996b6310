// France: PLACE, the state's purchasing platform, an Atexo platform.
import type { Source } from '../../source.ts'
import { atexoReader } from '../parse-atexo.ts'
import { atexoWriter } from '../write-atexo.ts'

export const source: Source = {
  id: 'fr-place',
  title: "PLACE, plateforme des achats de l'État",
  publisher: "Direction des achats de l'État",
  country: 'FR',
  homepage: 'https://www.marches-publics.gouv.fr',
  documentation: 'https://www.marches-publics.gouv.fr/api/v2/docs',
  licence: { name: 'Reuse forbidden without written consent of the publisher (conditions of use)' },
  zone: 'Europe/Paris',
  channels: [
    {
      name: 'consultations',
      slots: { kind: 'day', since: '2025-01-01', rereadDays: [1, 7, 30], isOpenRead: true },
      delivery: {
        kind: 'page',
        request: {
          url: 'https://www.marches-publics.gouv.fr/api/v2/consultations?dateMiseEnLigneCalcule%5Bafter%5D={from:yyyy-MM-ddTHH:mm:ss}&dateMiseEnLigneCalcule%5Bstrictly_before%5D={to:yyyy-MM-ddTHH:mm:ss}&itemsPerPage={limit}&page={page}',
          headers: { Accept: 'application/ld+json' },
        },
        entries: { format: 'json', at: '/hydra:member' },
        total: '/hydra:totalItems',
        firstPage: 1,
        pageSize: 30,
        end: { when: 'total' },
        dateOf: '/dateMiseEnLigneCalcule',
      },
    },
  ],
  parse: atexoReader({ publisher: 'fr-place', zone: 'Europe/Paris', country: 'FR' }),
  access: { kind: 'open' },
  politeness: { requestsPerMinute: 20, pauseMs: 1_000 },
  expects: {
    perDay: [10, 300],
    silentAfterDays: 5,
    shape: ['/hydra:totalItems', '/hydra:member/0/id', '/hydra:member/0/intitule'],
  },
  caveats: [
    'The conditions of use forbid reuse without written consent: run it only with one.',
    'A rolling window, no archive: what is not read in time is gone.',
    'The interface may name the buyer by a reference only; such entries are kept with their title.',
    'Above the thresholds the notices are in BOAMP and TED too.',
    'Filters after the conventions of API Platform, members after what users of such platforms show, not seen live.',
  ],
  offBecause: 'terms',
  writeSample: atexoWriter('www.marches-publics.gouv.fr'),
}
