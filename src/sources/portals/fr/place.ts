// France: PLACE, the state's purchasing platform, an Atexo platform.
import { atexoDays, atexoShape } from '../../families/atexo.ts'
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
  channels: [atexoDays('www.marches-publics.gouv.fr', '2025-01-01')],
  parse: atexoReader({ publisher: 'fr-place', zone: 'Europe/Paris', country: 'FR' }),
  access: { kind: 'open' },
  politeness: { requestsPerMinute: 20, pauseMs: 1_000 },
  expects: {
    perDay: [10, 300],
    silentAfterDays: 5,
    shape: atexoShape,
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
