// France: PLACE, the state's purchasing platform, an Atexo platform.
import { atexoDays, atexoShape } from '../../families/atexo.ts'
import { sourceOf } from '../../source.ts'
import { atexoParser } from '../parse-atexo.ts'

export const source = sourceOf({
  id: 'fr-place',
  title: "PLACE, plateforme des achats de l'État",
  publisher: "Direction des achats de l'État",
  homepage: 'https://www.marches-publics.gouv.fr',
  documentation: 'https://www.marches-publics.gouv.fr/api/v2/docs',
  license: { name: 'Reuse forbidden without written consent of the publisher (conditions of use)' },
  channels: [atexoDays('www.marches-publics.gouv.fr', '2025-01-01')],
  parse: atexoParser('fr-place'),
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
    'The filters follow the conventions of API Platform, and the members what users of such platforms show; no live answer has been seen.',
  ],
  offBecause: 'terms',
})
