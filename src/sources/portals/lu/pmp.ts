// Luxembourg: the Portail des marchés publics, an Atexo platform.
import { atexoDays, atexoShape } from '../../families/atexo.ts'
import { sourceOf } from '../../source.ts'
import { atexoParser } from '../parse-atexo.ts'

export const source = sourceOf({
  id: 'lu-pmp',
  title: 'Portail des marchés publics',
  publisher: 'Ministère de la Mobilité et des Travaux publics',
  homepage: 'https://pmp.b2g.etat.lu',
  documentation: 'https://pmp.b2g.etat.lu/api/v2/docs',
  clients: [
    'https://github.com/amirdaraee/luxembourg-mcp/blob/934c783951397024e5cc4883509a8a11a10f2d27/src/luxembourg_mcp/providers.py',
    'https://github.com/bilel83502-sketch/abdridi-portal/blob/546843cf40c411e95326eb82186389abf1452b81/lib/megalis.ts',
  ],
  license: { name: 'not stated; the operator asks for authorisation before reuse' },
  channels: [atexoDays('pmp.b2g.etat.lu', '2023-01-01')],
  parse: atexoParser('lu-pmp', 'directionServiceLibelle'),
  politeness: { requestsPerMinute: 20, pauseMs: 1_000 },
  expects: {
    perDay: [1, 60],
    silentAfterDays: 10,
    shape: atexoShape,
  },
  offBecause: 'terms',
  caveats: [
    'Readable without a login, but the operator asks for an authorization: ask before publishing what comes from here.',
    'Deadlines in 2050 and 2999 mean that there is none; they are left out.',
    'A consultation is changed in place; days are read again after 1, 7 and 30 days.',
    'One organization, the portal itself, holds all consultations; the service in them is the buyer.',
    'The second client reads the same software in Brittany, with two consultations a page, and leaves trials of the platform out.',
    'Neither client filters by date; notes of September 2026 in a public repository say that this filter works here, and that sorting is ignored.',
    'No live answer has been seen.',
  ],
})
