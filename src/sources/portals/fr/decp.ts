// The consolidated essential data of French public contracts (DECP), as far as it is published in OCDS.
import { dayMs } from '../../families/card-values.ts'
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'fr-decp',
  title: 'Données essentielles de la commande publique, fichiers consolidés',
  publisher: "Ministère de l'Économie et des Finances",
  homepage: 'https://www.data.gouv.fr/fr/datasets/donnees-essentielles-de-la-commande-publique-fichiers-consolides/',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/france.py',
    'https://github.com/ColinMaudry/static-ocds-stats/blob/28e58b7ea7689fd4e7ed3cfeae1879397716f22d/generate.sh',
  ],
  license: { name: 'Licence Ouverte 2.0', url: 'https://www.etalab.gouv.fr/licence-ouverte-open-licence/' },
  channels: [
    {
      name: 'files',
      delivery: {
        kind: 'index',
        index: {
          url: 'https://www.data.gouv.fr/api/1/datasets/donnees-essentielles-de-la-commande-publique-fichiers-consolides/',
        },
        entries: { format: 'json', at: '/resources' },
        url: '/url',
        version: '/last_modified',
        where: { at: '/description', fits: /ocds/i },
        files: releases,
      },
      timetable: '40 4 * * *',
    },
  ],
  politeness: { restMs: dayMs / 24 },
  // The file is no longer rewritten.
  expects: { silentAfterDays: 400, shape: ['/resources/0/url', '/resources/0/last_modified'] },
  caveats: [
    'Awarded contracts only, no calls for tenders; contracts modified later are as they were first awarded.',
    'Only resources whose description names OCDS are read: one file of 1 GB (decp.ocds.json), last rewritten ' +
      'on 7 February 2023. The contracts since then are in fr-decp-awards.',
    'The second client takes the address of the file by hand; its page names this file. Its author also worked on the program that writes it.',
    'A release that this program writes in its own test (yguenneugues/decp-rama) was read: title, authority, value and CPV agree with what a person reads.',
  ],
})
