// Made-up rows of ESJN's table of notices.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['change', 'cpv', 'estimate'], kinds: ['call', 'change'] }

const zone = 'Europe/Skopje'
const pattern = 'yyyy-MM-ddTHH:mm:ss'
const natures = { works: 'Works', services: 'Services', supplies: 'Goods' } as const
const procedures = { open: 'Open', restricted: 'Restricted', 'neg-w-call': 'Competitive negotiated' } as const

export function write(sample: PortalSample): string {
  return JSON.stringify({
    Id: `${String(sample.number).padStart(8, '0')}-0000-4000-8000-000000000000`,
    ProcessNumber: sample.reference,
    ContractingInstitutionName: sample.buyer.name,
    Subject: sample.title,
    GoodsWorksServices: natures[sample.nature],
    EntityProcedureType: procedures[sample.procedureType],
    ProcedureType: 1,
    AnnouncementDate: localTime(sample.publishedAt, zone, pattern),
    FinalDay: localTimeOf(sample.deadline, zone, pattern) ?? null,
    Documents: null,
  })
}
