// Made-up rows of the dump of OffeneVergaben.at.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { csvRow, formTypeOf, localTime, localTimeOf } from '../write-sample-values.ts'
import { forms, zone } from './write-kerndaten.ts'

export const format: PortalFormat = { lacks: ['change', 'cancellation', 'deadline-time'] }

const natures = { works: 'Bauauftrag', supplies: 'Lieferauftrag', services: 'Dienstleistungsauftrag' } as const
const procedures = {
  open: 'Offenes Verfahren',
  restricted: 'Nicht offenes Verfahren',
  'neg-w-call': 'Verhandlungsverfahren mit vorheriger Bekanntmachung',
} as const

/** The row of an announcement in its present state: a change is the same id on a later day. */
export function write(notice: PortalSample): string {
  const dayMs = 86_400_000
  const pattern = 'dd.MM.yyyy'
  const at = localTime(notice.publishedAt, zone, pattern)
  const changedAt = new Date(Date.parse(notice.publishedAt) + (notice.version - 1) * dayMs).toISOString()
  return csvRow(
    {
      id: notice.number,
      art: forms[formTypeOf(notice)],
      aktualisiert: localTime(changedAt, zone, pattern),
      auftragsart: natures[notice.nature],
      cpv: `${notice.cpv} Bezeichnung`,
      'cpv zusätzlich': '',
      nuts_code: 'AT130',
      titel: notice.title,
      auftraggeber: notice.buyer.name,
      'auftraggeber stammzahl': notice.buyer.nationalId,
      'auftraggeber geschäftszahl': notice.reference,
      'weitere auftraggeber': '',
      lieferant: notice.winners[0]?.name ?? '',
      'lieferant stammzahl': '',
      'weitere lieferanten': '',
      verfahrensart: procedures[notice.procedureType],
      wert: notice.value?.amount ?? '',
      beschreibung: notice.description,
      'schlusstermin für den eingang': localTimeOf(notice.deadline, zone, pattern),
      'tag vertragsabschluss': notice.kind === 'award' ? at : '',
      'tag erstmalige verfügbarkeit': at,
      'anzahl eingegangener angebote': notice.kind === 'award' ? 3 : '',
      'oberschwellenbereich / unterschwellenbereich': 'USB',
    },
    ';',
  )
}
