// Made-up entries of vergaben.llv.li.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['publication', 'cpv', 'procedure', 'estimate', 'award-value', 'winner'] }

const zone = 'Europe/Vaduz'
const forms = {
  planning: 'Vorinformation',
  call: 'Auftragsbekanntmachung',
  change: 'Berichtigung der Auftragsbekanntmachung',
  cancellation: 'Widerruf der Auftragsbekanntmachung',
  award: 'Bekanntgabe vergebener Aufträge',
} as const
const natures = { works: 1, supplies: 2, services: 3 } as const

export function write(notice: PortalSample): string {
  return JSON.stringify({
    id: notice.number,
    name: notice.title,
    contractDescription: notice.description,
    formName: forms[notice.kind],
    contractTypeId: natures[notice.nature],
    contAuthOfficialName: notice.buyer.name,
    documentNumber: notice.reference,
    nutsCode: 'LI000',
    submitDeadline: localTimeOf(notice.deadline, zone, 'yyyy-MM-ddTHH:mm:ss') ?? '0001-01-01T00:00:00',
    updatedAt: localTime(notice.publishedAt, zone, `yyyy-MM-ddTHH:mm:ss.${String(notice.version).padStart(3, '0')}`),
    tresholdTypeId: 1,
  })
}
