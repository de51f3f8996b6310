// Made-up publications of the gazette portal.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { escapeXml } from '../../samples/xml-text.ts'
import { idOfVersion, localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['cpv', 'nature', 'procedure', 'estimate', 'award-value', 'winner'] }

const zone = 'Europe/Zurich'
const names = {
  planning: 'Vorankündigung',
  call: 'Ausschreibung',
  change: 'Berichtigung',
  cancellation: 'Abbruch',
  award: 'Zuschlag',
} as const

export function write(notice: PortalSample): string {
  const deadline = localTimeOf(notice.deadline, zone, 'yyyy-MM-ddTHH:mm:ss')
  const due = deadline ? `<submissionDeadline>${deadline}</submissionDeadline>` : ''
  // The portal puts the name of the sub-rubric before the title; here it is in the French one alone.
  return (
    `<publication><meta><id>${idOfVersion(notice)}</id><rubric>OB-BS</rubric><subRubric>OB-BS10</subRubric>` +
    `<language>de</language><registrationOffice><id>${notice.procedureId}</id>` +
    `<displayName>${escapeXml(notice.buyer.name)}</displayName><town>${escapeXml(notice.buyer.town)}</town>` +
    `</registrationOffice><publicationNumber>OB-BS10-${notice.number}</publicationNumber>` +
    '<publicationState>PUBLISHED</publicationState>' +
    `<publicationDate>${localTime(notice.publishedAt, zone, 'yyyy-MM-dd')}</publicationDate>` +
    `<cantons>BS</cantons><title><de>${escapeXml(notice.title)}</de><fr>${names[notice.kind]}</fr></title>` +
    `</meta><content><publication>${escapeXml(notice.description)}</publication>${due}</content></publication>`
  )
}
