// Made-up rows of CanadaBuys' table of tender notices.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { csvRow, localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = {
  lacks: ['cpv', 'estimate', 'award-value', 'winner'],
  procedures: ['open', 'restricted', 'restricted'],
}

const zone = 'America/Toronto'
const categories = { works: '*CNST', services: '*SRV', supplies: '*GD' } as const
const methods = {
  open: 'Competitive - Open Bidding (only for Goods and Services)',
  restricted: 'Competitive - Selective Tendering',
  'neg-w-call': 'Competitive - Selective Tendering',
} as const

export function write(sample: PortalSample): string {
  return csvRow({
    'title-titre-eng': sample.title,
    'title-titre-fra': `${sample.title} (fr)`,
    'referenceNumber-numeroReference': `WS${sample.number}-Doc${sample.number + 7}`,
    'amendmentNumber-numeroModification': sample.version - 1 || '',
    'solicitationNumber-numeroSollicitation': sample.procedureId,
    'publicationDate-datePublication': localTime(sample.publishedAt, zone, 'yyyy-MM-dd'),
    'tenderClosingDate-appelOffresDateCloture': localTimeOf(sample.deadline, zone, 'yyyy-MM-ddTHH:mm:ss'),
    'amendmentDate-dateModification': sample.version > 1 ? localTime(sample.publishedAt, zone, 'yyyy-MM-dd') : '',
    'tenderStatus-appelOffresStatut-eng':
      sample.kind === 'cancellation' ? 'Cancelled' : sample.kind === 'award' ? 'Awarded' : 'Open',
    unspsc: '*72101500',
    'procurementCategory-categorieApprovisionnement': categories[sample.nature],
    'noticeType-avisType-eng': sample.kind === 'planning' ? 'Request for Information' : 'Request for Proposal',
    'procurementMethod-methodeApprovisionnement-eng': methods[sample.procedureType],
    'contractingEntityName-nomEntitContractante-eng': sample.buyer.name,
    'contractingEntityAddressCity-entiteContractanteAdresseVille-eng': sample.buyer.town,
    'contactInfoEmail-informationsContactCourriel': sample.buyer.email,
    'noticeURL-URLavis-eng': sample.url,
    'tenderDescription-descriptionAppelOffres-eng': sample.description,
    'tenderDescription-descriptionAppelOffres-fra': '',
  })
}
