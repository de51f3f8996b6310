// Made-up tenders of CeJN with their rounds.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['planning', 'change', 'cpv', 'estimate', 'award-value', 'winner'] }

const zone = 'Europe/Podgorica'
const pattern = 'yyyy-MM-ddTHH:mm:ss'
const natures = { works: 'Works', services: 'Services', supplies: 'Goods' } as const
const procedures = {
  open: 'Open procedure',
  restricted: 'Restricted procedure',
  'neg-w-call': 'Competitive procedure with negotiation',
} as const
const states = {
  planning: 'U toku',
  call: 'U toku',
  change: 'U toku',
  cancellation: 'Poništen',
  award: 'Završen',
} as const

export function write(sample: PortalSample): string {
  return JSON.stringify({
    entry: {
      id: sample.number,
      title: sample.title,
      lifecycleCaption: states[sample.kind],
      publishDate: localTime(sample.publishedAt, zone, pattern),
      typeOfProcedureCaption: procedures[sample.procedureType],
      typeOfContractCaption: natures[sample.nature],
      contractAuthority: sample.buyer.name,
    },
    detail: { value: [{ endOfSubmissions: localTimeOf(sample.deadline, zone, pattern) ?? null }] },
  })
}
