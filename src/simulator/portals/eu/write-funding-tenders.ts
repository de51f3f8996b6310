// Made-up results of the search of the EU Funding and Tenders portal.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'

export const format: PortalFormat = { lacks: ['change', 'procedure', 'awarded', 'winner', 'second-call'] }

const suffixes = { planning: 'PIN', call: 'CN', change: 'CN', cancellation: 'CN', award: 'CAN' } as const
const types = { works: 'Works', supplies: 'Supplies', services: 'Services' } as const

export function write(notice: PortalSample): string {
  const identifier = `${notice.procedureId}-${suffixes[notice.kind]}`
  const changed = new Date(Date.parse(notice.publishedAt) + notice.version).toISOString().replace('Z', '+0000')
  return JSON.stringify({
    apiVersion: '2.148',
    reference: `${identifier}en`,
    url: `https://ec.europa.eu/info/funding-tenders/opportunities/portal/screen/opportunities/tender-details/${identifier}`,
    summary: notice.title,
    language: 'en',
    metadata: {
      identifier: [identifier],
      type: ['0'],
      status: ['31094502'],
      statusLabel: notice.kind === 'cancellation' ? ['Cancelled'] : ['Open'],
      title: [notice.title],
      description: [notice.description],
      language: ['en'],
      callIdentifier: [notice.reference],
      startDate: [notice.publishedAt.replace('Z', '+0000')],
      updateDate: [changed],
      deadlineDate: notice.deadline ? [notice.deadline.replace('Z', '+0000')] : [],
      mainCpvCode: [notice.cpv],
      contractType: [types[notice.nature]],
      cftLeadContractingAuthority: [notice.buyer.name],
      cftEstimatedTotalProcedureValue: notice.value ? [String(notice.value.amount)] : [],
    },
  })
}
