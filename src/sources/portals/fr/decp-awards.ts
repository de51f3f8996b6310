// France: DECP, the essential data of awarded contracts in the format of 2022, as the Ministry's Opendatasoft portal
// has them.
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
    'The dataset decp-v3-marches-valides (format of 2019) ended in February 2024 and is not read.',
    'Buyers and winners are named by their SIRET; where the name is missing the number stands in for it.',
    'A contract without a number of its procedure joins its call by buyer and reference only.',
    'Whether datepublicationdonnees can be filtered as a date was not seen live.',
  ],
})
