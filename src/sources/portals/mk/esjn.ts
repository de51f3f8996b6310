// ESJN, the electronic public procurement system of North Macedonia, by the table of notices of its public site.
import { sourceOf } from '../../source.ts'
import { parseEsjn } from './parse-esjn.ts'

const columns = [
  'ProcessNumber',
  'ContractingInstitutionName',
  'Subject',
  'GoodsWorksServices',
  'EntityProcedureType',
  'AnnouncementDate',
  'FinalDay',
  'Documents',
]

/**
 * The table expects requests in the form of DataTables: every column by name, then its filters as JSON. Status 1 is
 * active, 2 finished.
 */
const table = (status: 1 | 2) => ({
  url: 'https://e-nabavki.gov.mk/Services/Notices.asmx/GetGridData',
  headers: { accept: 'application/json' },
  form: {
    draw: '1',
    'order[0][column]': String(columns.indexOf('AnnouncementDate')),
    'order[0][dir]': 'desc',
    start: '{offset}',
    length: '{limit}',
    'search[value]': '',
    'search[regex]': 'false',
    ...Object.fromEntries(
      columns.flatMap((name, index) => [
        [`columns[${index}][data]`, name],
        [`columns[${index}][name]`, ''],
        [`columns[${index}][searchable]`, 'true'],
        [`columns[${index}][orderable]`, 'true'],
        [`columns[${index}][search][value]`, ''],
        [`columns[${index}][search][regex]`, 'false'],
      ]),
    ),
    Discriminator: JSON.stringify({
      ContractingInstitution: '',
      EauctionOnly: false,
      TypeOfPublicContract: '',
      Status: status,
      OngoingComplitedStatus: '',
      TypeOfProcedure: '',
      ProcessNumber: '',
      IsSmallPublicProcurement: false,
      EprocurementOnly: false,
      PrivatePartnershipOnly: false,
      ContractingInstitutionName: null,
      Subject: '',
      PeriodFrom: '',
      PeriodTo: '',
      SmallOnly: false,
      BigOnly: false,
      LotSubject: '',
      OfferType: '',
      IsFrameworkAgreement: '',
      HasTechnicalDialog: '',
    }),
  },
})

const pages = {
  kind: 'offset',
  entries: { format: 'json', at: '/data' },
  total: '/recordsFiltered',
  pageSize: 100,
  end: { when: 'short-page' },
} as const

export const source = sourceOf({
  id: 'mk-esjn',
  title: 'ЕСЈН',
  publisher: 'Биро за јавни набавки',
  homepage: 'https://e-nabavki.gov.mk',
  clients: [
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
    'https://github.com/fullvedo-del/tender-radar/blob/874152dc1d4447b32360cad926cd99d5e00a56f8/collectors/enabavki_mk.py',
  ],
  unnamedClients: 1,
  channels: [
    { name: 'open', timetable: '55 */3 * * *', delivery: { ...pages, request: table(1) } },
    {
      name: 'finished',
      role: 'backfill',
      slots: { kind: 'week', since: '2026-06-01' },
      timetable: '30 2 * * *',
      delivery: {
        ...pages,
        request: table(2),
        ordered: { at: '/AnnouncementDate', direction: 'descending' },
      },
    },
  ],
  parse: parseEsjn,
  politeness: { requestsPerMinute: 30, pauseMs: 1000 },
  expects: {
    perDay: [10, 600],
    silentAfterDays: 5,
    shape: ['/data/0/Id', '/data/0/Subject', '/data/0/AnnouncementDate'],
  },
  caveats: [
    'Undocumented interface of the public site, newest first.',
    'An entry does not say whether it is finished: the table of finished procedures fills the past with their calls, not with results.',
    'The table has neither CPV codes nor values.',
    'The members of the answer are known from public code of 2026; no live answer has been seen.',
  ],
})
