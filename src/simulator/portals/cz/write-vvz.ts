// Made-up forms of the Czech bulletin: the entry of the search and the fields of its eForms content.
import type { PortalSample } from '../../samples/portal-sample.ts'
import { formTypeOf, localTime } from '../write-sample-values.ts'

const zone = 'Europe/Prague'
const forms = { planning: 'E2', competition: 'E3', result: 'E4' } as const

/** The document that the list and its details make: `{ entry, detail }`. */
export function write(notice: PortalSample): string {
  const { deadline } = notice
  const amount = (value: number) => ({ _value: value, _currencyID: 'CZK' })
  const company = (id: string, name: string, rest: object = {}) => ({
    'ND-Company': { 'OPT-200-Organization-Company': id, 'BT-500-Organization-Company': name, ...rest },
  })
  const isEdition = notice.kind === 'change'
  const root = {
    'BT-701-notice': notice.id,
    'BT-757-notice': String(notice.version).padStart(2, '0'),
    'BT-04-notice': notice.procedureId,
    'BT-03-notice': formTypeOf(notice),
    'BT-02-notice': notice.kind === 'award' ? 'can-standard' : 'cn-standard',
    'ND-RootExtension': {
      ...(isEdition
        ? { 'ND-Changes': { 'BT-758-notice': `${notice.id}-01`, 'ND-ChangeReason': { 'BT-140-notice': 'update-add' } } }
        : {}),
      'ND-Organizations': {
        'ND-Organization': [
          company('ORG-0001', notice.buyer.name, {
            'BT-513-Organization-Company': notice.buyer.town,
            'BT-512-Organization-Company': notice.buyer.postalCode,
            'BT-514-Organization-Company': 'CZE',
            'BT-506-Organization-Company': notice.buyer.email,
            'ND-CompanyLegalEntity': { 'BT-501-Organization-Company': notice.buyer.nationalId },
          }),
          ...notice.winners.map((winner, index) => company(`ORG-000${index + 2}`, winner.name)),
        ],
      },
      ...(notice.kind === 'award'
        ? {
            'ND-NoticeResult': {
              'ND-LotResult': notice.winners.map((winner, index) => ({
                'BT-142-LotResult': 'selec-w',
                'BT-13713-LotResult': winner.lotId,
                'ND-LotResultTenderReference': { 'OPT-320-LotResult': `TEN-000${index + 1}` },
              })),
              'ND-LotTender': notice.winners.map((winner, index) => ({
                'OPT-321-Tender': `TEN-000${index + 1}`,
                'OPT-310-Tender': `TPA-000${index + 1}`,
                'BT-720-Tender': amount(winner.amount),
              })),
              'ND-TenderingParty': notice.winners.map((_, index) => ({
                'OPT-210-Tenderer': `TPA-000${index + 1}`,
                'ND-Tenderer': [{ 'OPT-300-Tenderer': `ORG-000${index + 2}` }],
              })),
            },
          }
        : {}),
    },
    'ND-ContractingParty': [{ 'ND-Buyer': { 'OPT-300-Procedure-Buyer': 'ORG-0001' } }],
    'ND-ProcedureTenderingProcess': { 'BT-105-Procedure': notice.procedureType },
    'ND-ProcedureProcurementScope': {
      'BT-21-Procedure': notice.title,
      'BT-24-Procedure': notice.description,
      'BT-23-Procedure': notice.nature,
      'ND-ProcedureMainClassification': { 'BT-262-Procedure': notice.cpv },
      ...(notice.value ? { 'ND-ProcedureValueEstimate': { 'BT-27-Procedure': amount(notice.value.amount) } } : {}),
    },
    'ND-Lot': notice.lots.map((lot) => ({
      'BT-137-Lot': lot.id,
      'ND-LotProcurementScope': { 'BT-21-Lot': lot.title, 'ND-LotMainClassification': { 'BT-262-Lot': lot.cpv } },
      ...(deadline
        ? {
            'ND-LotTenderingProcess': {
              'BT-131(d)-Lot': localTime(deadline, zone, 'yyyy-MM-ddxxx'),
              'BT-131(t)-Lot': localTime(deadline, zone, 'HH:mm:ssxxx'),
            },
          }
        : {}),
    })),
  }
  const number = `F${notice.publishedAt.slice(0, 4)}-${String((notice.number * 10 + notice.version) % 10_000_000).padStart(7, '0')}`
  return JSON.stringify({
    entry: {
      id: notice.id,
      publicId: `${notice.number}-${notice.version}`,
      variableId: number,
      data: {
        druhFormulare: forms[formTypeOf(notice)],
        nazevZakazky: notice.title,
        evCisloZakazkyVvz: `Z${notice.publishedAt.slice(0, 4)}-${notice.number}`,
        datumUverejneniVvz: localTime(notice.publishedAt, zone, 'yyyy-MM-ddTHH:mm:ssxxx'),
        lhutaNabidkyZadosti: notice.deadline ?? null,
        uverejnitTed: false,
        zakazkaZrusena: notice.kind === 'cancellation',
        zadavatele: [{ ico: notice.buyer.nationalId, nazev: notice.buyer.name }],
      },
    },
    detail: [{ data: { 'ND-Root': root } }],
  })
}
