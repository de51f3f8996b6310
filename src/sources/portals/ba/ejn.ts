// EJN, the public procurement portal of Bosnia and Herzegovina, by its open data service (OData).
import { hourMs, licenceNotStated } from '../../families/card-values.ts'
import type { Source } from '../../source.ts'
import { parseEjn } from './parse-ejn.ts'
import { writeEjn } from './write-ejn.ts'

const channel = (name: string, entity: string) =>
  ({
    name,
    slots: { kind: 'day', since: '2022-01-01', delayMs: 2 * hourMs, rereadDays: [2], isOpenRead: true },
    delivery: {
      kind: 'offset',
      request: {
        url: `https://open.ejn.gov.ba/${entity}?$filter=Announced%20ge%20{from:isoSeconds}%20and%20Announced%20lt%20{to:isoSeconds}&$orderby=Announced%20asc&$top={limit}&$skip={offset}`,
        headers: { accept: 'application/json' },
      },
      entries: { format: 'json', at: '/value' },
      pageSize: 50,
      end: { when: 'short-page' },
      dateOf: '/Announced',
    },
  }) as const

export const source: Source = {
  id: 'ba-ejn',
  title: 'EJN',
  publisher: 'Agencija za javne nabavke BiH',
  country: 'BA',
  homepage: 'https://www.ejn.gov.ba',
  documentation: 'https://open.ejn.gov.ba',
  licence: licenceNotStated,
  zone: 'Europe/Sarajevo',
  channels: [channel('notices', 'ProcurementNotices'), channel('small', 'NpsProcurementNotices')],
  parse: parseEjn,
  writeSample: writeEjn,
  access: { kind: 'open' },
  politeness: { requestsPerMinute: 60 },
  expects: {
    perDay: [10, 800],
    silentAfterDays: 5,
    shape: ['/value/0/Id', '/value/0/Announced', '/value/0/ContractingAuthorityName'],
  },
  caveats: [
    'The service gives at most 50 entries whatever $top says.',
    'There is no page of a notice that could be linked to; numbers of the service are not those of the portal.',
    'Neither CPV codes nor values stand in these two lists.',
    'Entities and members seen in public code of 2026, the answers themselves not seen live.',
  ],
}
