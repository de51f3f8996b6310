// Made-up procurement notices of the World Bank.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { formTypeOf, localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = {
  lacks: ['change', 'cancellation', 'cpv', 'procedure', 'estimate', 'award-value', 'winner'],
}

const zone = 'Asia/Tbilisi'
const types = {
  planning: 'General Procurement Notice',
  competition: 'Invitation for Bids',
  result: 'Contract Award',
} as const
const natures = { works: 'CW', services: 'CS', supplies: 'GO' } as const
const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

export function write(sample: PortalSample): string {
  const month = months[Number(localTime(sample.publishedAt, zone, 'MM')) - 1]!
  return JSON.stringify({
    id: `OP${String(sample.number).padStart(8, '0')}`,
    notice_type: types[formTypeOf(sample)],
    noticedate: `${localTime(sample.publishedAt, zone, 'dd')}-${month}-${localTime(sample.publishedAt, zone, 'yyyy')}`,
    notice_lang_name: 'English',
    notice_status: 'Published',
    submission_deadline_date: sample.deadline && `${localTimeOf(sample.deadline, zone, 'yyyy-MM-dd')}T00:00:00Z`,
    submission_deadline_time: localTimeOf(sample.deadline, zone, 'HH:mm'),
    project_ctry_name: 'Georgia',
    project_id: `P${sample.number}`,
    project_name: `Project ${sample.number}`,
    bid_reference_no: sample.procedureId,
    bid_description: sample.title,
    procurement_group: natures[sample.nature],
    procurement_method_name: 'Request for Bids',
    contact_organization: sample.buyer.name,
    contact_email: sample.buyer.email,
  })
}
