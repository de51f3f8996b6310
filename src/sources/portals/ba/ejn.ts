// EJN, the public procurement portal of Bosnia and Herzegovina, by its open data service (OData).
import { odata } from '../../deliver/odata.ts'
import { hourMs } from '../../families/card-values.ts'
import { withHops } from '../../families/odata-hops.ts'
import { type Slots, sourceOf } from '../../source.ts'
import { parseEjn } from './parse-ejn.ts'

const service = 'https://open.ejn.gov.ba'
const list = (entity: string) =>
  odata({ url: `${service}/${entity}`, dateField: 'Announced', idField: 'Id', pageSize: 50, pages: 'nextLink' })
const slots: Slots = { kind: 'day', since: '2022-01-01', delayMs: 2 * hourMs, rereadDays: [2], isOpenRead: true }

export const source = sourceOf({
  id: 'ba-ejn',
  title: 'EJN',
  publisher: 'Agencija za javne nabavke BiH',
  homepage: 'https://www.ejn.gov.ba',
  documentation: 'https://open.ejn.gov.ba',
  unnamedClients: 1,
  channels: [
    {
      name: 'notices',
      slots,
      delivery: withHops(list('ProcurementNotices'), [
        { name: 'lots', url: `${service}/Lots`, key: 'ProcedureId', of: 'ProcedureId' },
        { name: 'links', url: `${service}/LotCpvCodeLinks`, key: 'LotId', of: 'Id' },
        { name: 'codes', url: `${service}/CpvCodes`, key: 'Id', of: 'CpvCodeId' },
      ]),
    },
    { name: 'small', slots, delivery: list('NpsProcurementNotices') },
  ],
  parse: parseEjn,
  expects: {
    perDay: [10, 800],
    silentAfterDays: 5,
    shape: ['/value/0/Id', '/value/0/Announced', '/value/0/ContractingAuthorityName'],
  },
  caveats: [
    'The service gives 50 entries at a time whatever is asked for, and names the next address.',
    'Lots, with their values, and CPV codes stand in other sets; they are asked for a hundred at a time, as longer addresses are answered with 404.',
    'There is no page of a notice that could be linked to; numbers of the service are not those of the portal.',
    'Neither CPV codes nor values stand at the small procedures; awards are another set, without a date of publication, and are not read.',
    'About a hundred regular notices a working day; none at weekends.',
    'Entities, members, paging and the count seen in public code that was written against recorded answers of 2026; the small procedures in code alone.',
  ],
})
