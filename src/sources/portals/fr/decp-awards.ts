// France: DECP, the essential data of awarded contracts: from 2024 as the Ministry's Opendatasoft portal has them, and
// the years before from the consolidated files on data.gouv.fr.
import { sourceOf } from '../../source.ts'
import { parseDecpAwards } from './parse-decp-awards.ts'

export const source = sourceOf({
  id: 'fr-decp-awards',
  title: 'Données essentielles de la commande publique (marchés valides, format 2022)',
  publisher: "Direction des affaires juridiques, Ministère de l'Économie",
  homepage: 'https://data.economie.gouv.fr/explore/dataset/decp-2022-marches-valides/',
  documentation: 'https://data.economie.gouv.fr/explore/dataset/decp-2022-marches-valides/api/',
  license: { name: 'Licence Ouverte 2.0', url: 'https://www.etalab.gouv.fr/licence-ouverte-open-licence' },
  channels: [
    {
      name: 'published',
      slots: { kind: 'day', since: '2024-01-01', delayMs: 12 * 3_600_000, rereadDays: [2, 10] },
      delivery: {
        kind: 'single',
        request: {
          url: 'https://data.economie.gouv.fr/api/explore/v2.1/catalog/datasets/decp-2022-marches-valides/exports/json?where=datepublicationdonnees%3Ddate%27{from:yyyy-MM-dd}%27&limit=-1',
        },
        entries: { format: 'json', at: '' },
        dateOf: '/datepublicationdonnees',
      },
    },
    {
      name: 'years',
      role: 'backfill',
      delivery: {
        kind: 'index',
        index: {
          url: 'https://www.data.gouv.fr/api/1/datasets/donnees-essentielles-de-la-commande-publique-fichiers-consolides/',
        },
        entries: { format: 'json', at: '/resources' },
        url: '/url',
        version: '/last_modified',
        where: { at: '/title', fits: /^decp-20(?:19|22)\.json$/, sample: 'decp-2019.json' },
        files: { format: 'json', at: '/marches' },
      },
      timetable: '20 3 * * 0',
    },
  ],
  parse: parseDecpAwards,
  politeness: { requestsPerMinute: 20 },
  expects: {
    perDay: [0, 8_000],
    silentAfterDays: 10,
    shape: ['/0/id', '/0/objet', '/0/montant', '/0/acheteur_id', '/0/datenotification'],
  },
  caveats: [
    'Awarded contracts from 40,000 EUR, no calls; they come up to two months after the award.',
    'The years before 2024 come from the files decp-2019.json (some 900 MB) and decp-2022.json, which are rewritten now and then.',
    'A file holds each modification within its contract; it is read as a notice of its own.',
    'Buyers and winners are named by their SIRET; where the name is missing the number stands in for it.',
    'A contract without a number of its procedure joins its call by buyer and reference only.',
    'Whether datepublicationdonnees can be filtered as a date has not been tried live.',
  ],
})
