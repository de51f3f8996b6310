// Made-up items of UNDP's RSS.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { localTime } from '../write-sample-values.ts'

export const format: PortalFormat = {
  lacks: ['change', 'buyer', 'deadline-time', 'cpv', 'nature', 'procedure', 'estimate'],
  kinds: ['call', 'change'],
}

const zone = 'America/New_York'
const months = 'January February March April May June July August September October November December'.split(' ')
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

export function write(sample: PortalSample): string {
  const deadline =
    sample.deadline === undefined
      ? ''
      : `Application Deadline: ${Number(localTime(sample.deadline, zone, 'dd'))} ` +
        `${months[Number(localTime(sample.deadline, zone, 'MM')) - 1]} ` +
        `${localTime(sample.deadline, zone, 'yyyy')}`
  const link = `https://procurement-notices.undp.org/view_notice.cfm?notice_id=${sample.number}`
  const title = `${sample.kind === 'award' ? 'Contract award: ' : ''}${sample.title} - UNDP - GEORGIA`
  return (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" ' +
    `xmlns:dc="http://purl.org/dc/elements/1.1/"><item rdf:about="${link}"><title>${escaped(title)}</title>` +
    `<link>${link}</link><description>${escaped(deadline)}</description>` +
    `<dc:date>${localTime(sample.publishedAt, zone, 'yyyy-MM-dd')}</dc:date></item></rdf:RDF>\n`
  )
}
