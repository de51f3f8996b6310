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
  clients: ['https://github.com/amirdaraee/luxembourg-mcp/blob/main/src/luxembourg_mcp/providers.py'],
  license: { name: 'not stated; the operator asks for authorisation before reuse' },
  channels: [atexoDays('pmp.b2g.etat.lu', '2023-01-01')],
  parse: atexoParser('lu-pmp'),
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
    'The filters follow the conventions of API Platform, and the members what users of such platforms show; no live answer has been seen.',
  ],
})
