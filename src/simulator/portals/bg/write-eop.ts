// Made-up procedures of CAIS EOP's public lists.
import type { PortalSample } from '../../samples/portal-sample.ts'

const wcfDate = (instant: string): string => `/Date(${Date.parse(instant)})/`

export function write(sample: PortalSample): string {
  const isClosed = sample.kind === 'award'
  return JSON.stringify({
    TenderId: 400_000 + sample.number,
    TenderName: sample.title,
    TenderDescription: `<p>${sample.description.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>`,
    OrganizationName: sample.buyer.name,
    SpecialNumber: sample.procedureId,
    ProcedureType: sample.kind === 'planning' ? 19 : 12,
    Status: isClosed ? 2 : 1,
    PublicationDate: wcfDate(sample.publishedAt),
    Deadline: sample.deadline === undefined ? null : wcfDate(sample.deadline),
    EstimatedValue: sample.value?.amount ?? null,
    IsFrameworkAgreement: false,
  })
}
