// The federal portal's export as tables: 19 CSV files, keyed by notice, version and lot; without deadlines, as it
// publishes them.
import { readFileSync } from 'node:fs'
import type { ArchiveMember } from './archive-writers.ts'
import { csvCell } from './portals/write-sample-values.ts'
import type { PortalSample } from './samples/portal-sample.ts'
import { localParts } from './samples/xml-text.ts'
import type { ShelfEntry } from './shelf.ts'

const key = ['noticeIdentifier', 'noticeVersion'] as const
/** The columns of each table, beside those of `key`. */
const columns: { readonly [table: string]: readonly string[] } = Object.fromEntries(
  readFileSync(new URL('./data/doe-columns.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((row) => row.split(': '))
    .map(([table, names]) => [table, names!.split(' ')]),
)

const forms: { readonly [kind in PortalSample['kind']]: readonly [form: string, type: string] } = {
  planning: ['planning', 'pin-only'],
  call: ['competition', 'cn-standard'],
  change: ['competition', 'cn-standard'],
  cancellation: ['competition', 'cn-standard'],
  award: ['result', 'can-standard'],
}

type Cells = { readonly [column: string]: string | number | undefined }

/** One member for each table; entries without a sample are left out. */
export function exportTables(entries: readonly ShelfEntry[]): ArchiveMember[] {
  const rows = new Map<string, string[]>()
  const put = (entry: ShelfEntry, table: string, cells: Cells) => {
    const own: Cells = {
      noticeIdentifier: entry.noticeId,
      noticeVersion: String(entry.version).padStart(2, '0'),
      ...cells,
    }
    const line = [...key, ...columns[table]!].map((column) => csvCell(own[column])).join(',')
    rows.set(table, [...(rows.get(table) ?? []), line])
  }
  for (const entry of entries)
    if (entry.sample) putTables(entry, entry.sample, (table, cells) => put(entry, table, cells))
  return Object.entries(columns).map(([table, names]) => ({
    name: `${table}.csv`,
    bytes: Buffer.from(`${[[...key, ...names].join(','), ...(rows.get(table) ?? [])].join('\n')}\n`),
  }))
}

function putTables(entry: ShelfEntry, sample: PortalSample, put: (table: string, cells: Cells) => void): void {
  const { buyer } = sample
  const published = localParts(entry.publishedAt, 'Europe/Berlin')
  const [formType, noticeType] = forms[sample.kind]
  put('notice', {
    procedureIdentifier: sample.procedureId,
    procedureLegalBasis: 'vgv',
    formType,
    noticeType,
    publicationDate: `${published.date}${published.offset}`,
  })
  put('procedure', { procedureType: sample.procedureType })
  put('organisation', {
    organisationName: buyer.name,
    organisationIdentifier: buyer.nationalId,
    organisationCity: buyer.town,
    organisationPostCode: buyer.postalCode,
    organisationCountrySubdivision: buyer.nuts,
    organisationCountryCode: 'DEU',
    organisationInternetAddress: buyer.url,
    organisationRole: 'buyer',
  })
  for (const name of new Set(sample.winners.map((winner) => winner.name)))
    put('organisation', { organisationName: name, organisationCountryCode: 'DEU', organisationRole: 'winner' })
  for (const lot of sample.lots) {
    put('lot', { lotIdentifier: lot.id })
    put('purpose', {
      lotIdentifier: lot.id,
      internalIdentifier: sample.reference,
      mainNature: sample.nature,
      title: lot.title,
      description: sample.description,
    })
    put('classification', { lotIdentifier: lot.id, classificationType: 'cpv', mainClassificationCode: lot.cpv })
    put('placeOfPerformance', {
      lotIdentifier: lot.id,
      placePerformanceCity: buyer.town,
      placePerformancePostCode: buyer.postalCode,
      placePerformanceCountrySubdivision: buyer.nuts,
      placePerformanceCountryCode: 'DEU',
    })
    if (sample.kind !== 'award') continue
    const winner = sample.winners.find(({ lotId }) => lotId === lot.id)
    put('procedureLotResult', {
      lotIdentifier: lot.id,
      procedureLotResultNumber: `RES-${lot.id.slice(-4)}`,
      winnerChosen: winner ? 'selec-w' : 'clos-nw',
      notAwardedReason: winner ? undefined : 'no-rece',
    })
    if (winner)
      put('tender', {
        tenderIdentifier: `TEN-${lot.id.slice(-4)}`,
        lotIdentifier: lot.id,
        tenderValue: winner.amount,
        tenderValueCurrency: sample.value?.currency ?? 'EUR',
      })
  }
}
