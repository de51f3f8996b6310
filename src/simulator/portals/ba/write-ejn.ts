// Made-up notices of EJN's open data service.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'

export const format: PortalFormat = { lacks: ['change', 'cpv', 'estimate'], kinds: ['call', 'change'] }

const procedures = {
  open: 'OpenProcedure',
  restricted: 'RestrictedProcedure',
  'neg-w-call': 'NegotiatedProcedure',
} as const
const natures = { works: 'Works', services: 'Services', supplies: 'Goods' } as const

export function write(sample: PortalSample): string {
  return JSON.stringify({
    Id: 80_000 + sample.number,
    ProcedureId: sample.procedureId,
    ProcedureName: sample.title,
    ProcedureNumber: sample.reference,
    ProcedureType: procedures[sample.procedureType],
    ContractType: natures[sample.nature],
    Announced: sample.publishedAt,
    ApplicationDeadlineDateTime: sample.deadline ?? null,
    ContractingAuthorityName: sample.buyer.name,
    ContractingAuthorityTaxNumber: sample.buyer.nationalId,
    ContractingAuthorityCityName: sample.buyer.town,
  })
}
