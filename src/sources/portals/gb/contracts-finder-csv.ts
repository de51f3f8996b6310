// Contracts Finder as a table a day: releases of OCDS laid out flat, one a row.
import { hourMs, openGovernmentLicence } from '../../families/card-values.ts'
import { sourceOf } from '../../source.ts'
import { parseFlatRelease } from './parse-flat-release.ts'

export const source = sourceOf({
  id: 'gb-contracts-finder-csv',
  title: 'Contracts Finder (daily tables)',
  publisher: 'Cabinet Office',
  homepage: 'https://www.contractsfinder.service.gov.uk',
  documentation: 'https://www.contractsfinder.service.gov.uk/apidocumentation/home',
  clients: [
    'https://github.com/spendnetwork/silvereye/blob/00f648abfa6c2c583aac9563872aec1c89d32315/silvereye/management/commands/get_cf_data.py',
    'https://github.com/ghost-dev420/cumbria-public-records-tracker/blob/b3dc3fbd621ea5faa0254ccab62912e03ea92345/src/public_records_tracker/collectors/contracts_finder.py',
  ],
  license: openGovernmentLicence,
  channels: [
    {
      name: 'days',
      slots: { kind: 'day', since: '2016-11-01', delayMs: 2 * hourMs, rereadDays: [1, 7] },
      delivery: {
        kind: 'single',
        request: {
          url: 'https://www.contractsfinder.service.gov.uk/Harvester/Notices/Data/CSV/{from:yyyy}/{from:MM}/{from:dd}',
        },
        entries: { format: 'csv' },
        notFound: 'notYet',
      },
    },
  ],
  parse: parseFlatRelease,
  politeness: { requestsPerMinute: 12, pauseMs: 2000, restMs: 5 * 60_000 },
  expects: { perDay: [20, 1500], silentAfterDays: 5, shape: ['releases/0/ocid', 'releases/0/tender/title'] },
  caveats: [
    'Some 500 columns, named by the path of a member (releases/0/tender/value/amount).',
    'After too many requests, the site answers 403 for five minutes.',
  ],
  offBecause: 'the same releases as gb-contracts-finder; name it where its search fails',
})
