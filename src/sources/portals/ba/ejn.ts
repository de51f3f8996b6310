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
  clients: [
    'https://github.com/Silvafox76/FB_test/blob/ec422d920abae8f41cd832463bedcfbf29186a26/monitor/connectors/ejn_ba.py',
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
  ],
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
    'The service returns 50 entries at a time, whatever number is requested, and names the next address.',
    'Lots, with their values, and CPV codes are in other sets; they are requested a hundred at a time, because longer addresses are answered with 404.',
    'There is no page of a notice that could be linked to; numbers of the service are not those of the portal.',
    'Small procedures have neither CPV codes nor values; awards are another set, without a date of publication, and are not read.',
    'About a hundred regular notices a working day; none at weekends.',
    'Entities, members, paging and the count are known from public code written against recorded answers of 2026, the small procedures from code only.',
  ],
})
