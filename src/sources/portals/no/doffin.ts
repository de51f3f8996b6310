// Norway: Doffin, eForms notices through the public interface.
import { sourceOf } from '../../source.ts'
import { parseDoffin } from './parse-doffin.ts'

const key = { 'Ocp-Apim-Subscription-Key': '{key}' }

export const source = sourceOf({
  id: 'no-doffin',
  title: 'Doffin',
  publisher: 'Direktoratet for forvaltning og økonomistyring (DFØ)',
  homepage: 'https://www.doffin.no',
  documentation: 'https://dof-notices-prod-api.developer.azure-api.net/',
  license: { name: 'NLOD 2.0', url: 'https://data.norge.no/nlod/no/2.0' },
  channels: [
    {
      name: 'notices',
      slots: { kind: 'day', since: '2022-01-01', rereadDays: [1, 2, 7], isOpenRead: true },
      delivery: {
        kind: 'page',
        request: {
          url: 'https://api.doffin.no/public/v2/search?page={page}&numHitsPerPage={limit}&issueDateFrom={from:yyyy-MM-dd}&issueDateTo={last:yyyy-MM-dd}',
          headers: key,
        },
        entries: { format: 'json', at: '/hits' },
        total: '/numHitsTotal',
        pageSize: 100,
        lastPage: 10,
        end: { when: 'total' },
        dateOf: '/issueDate',
        detail: {
          request: { url: 'https://api.doffin.no/public/v2/download/{id}', headers: key },
          id: '/id',
          withId: true,
        },
      },
    },
  ],
  access: {
    kind: 'key',
    setting: 'DOFFIN_API_KEY',
    getItAt: 'https://dof-notices-prod-api.developer.azure-api.net/ (product Public, free)',
  },
  expects: {
    perDay: [40, 600],
    silentAfterDays: 5,
    shape: ['/numHitsTotal', '/numHitsAccessible', '/hits/0/id'],
  },
  parse: parseDoffin,
  caveats: [
    'Unknown or malformed filters are ignored silently: dates must be days, a timestamp is one of the ignored ones.',
    'At most 1,000 hits of a query can be reached, whatever numHitsTotal says; a day has a few hundred.',
    'Yesterday is incomplete until about 10:30 and grows for days; the pages of one query overlap.',
    'Notices are downloaded as eForms XML, so their ids are those of TED; the number of their page is only in the list.',
    'The site has an interface of its own that needs no key and gives neither CPV nor lots; it is not for others and is not used.',
  ],
})
