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
  clients: [
    'https://github.com/bilel83502-sketch/abdridi-portal/blob/546843cf40c411e95326eb82186389abf1452b81/lib/megalis.ts',
    'https://github.com/amirdaraee/luxembourg-mcp/blob/934c783951397024e5cc4883509a8a11a10f2d27/src/luxembourg_mcp/providers.py',
  ],
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
    'Both clients read the same software elsewhere: in Brittany, where more than two consultations a page are refused, and in Luxembourg.',
    'The filters follow the conventions of API Platform; no live answer has been seen.',
  ],
  offBecause: 'terms',
})
