// Made-up announcements of BASE as its yearly files and its search write them, and rows of its list of contracts.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import type { SampleWriters } from '../own-writers.ts'
import { localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['deadline-time', 'award-cpv'], publisher: 'pt-base' }

const zone = 'Europe/Lisbon'
const acts = {
  planning: 'Anúncio de pré-informação',
  call: 'Anúncio de procedimento',
  change: 'Aviso de prorrogação de prazo',
  cancellation: 'Revogação da decisão de contratar',
} as const
const natures = {
  works: 'Empreitadas de obras públicas',
  services: 'Aquisição de serviços',
  supplies: 'Aquisição de bens móveis',
} as const
const procedures = {
  open: 'Concurso público',
  restricted: 'Concurso limitado por prévia qualificação',
  'neg-w-call': 'Procedimento de negociação',
} as const

function writeBase(sample: PortalSample): string {
  if (sample.kind === 'award') return JSON.stringify(contractOf(sample))
  return JSON.stringify({
    nAnuncio: numberOf(sample),
    tipoActo: acts[sample.kind],
    modeloAnuncio: procedures[sample.procedureType],
    descricaoAnuncio: sample.title,
    designacaoEntidade: sample.buyer.name,
    nifEntidade: sample.buyer.nationalId,
    tiposContrato: [natures[sample.nature]],
    PrecoBase: sample.value === undefined ? 'Inexistente' : String(sample.value.amount),
    CPVs: [`${sample.cpv}-0 - ${sample.title}`],
    dataPublicacao: localTime(sample.publishedAt, zone, 'dd/MM/yyyy'),
    DataLimitePropostas: localTimeOf(sample.deadline, zone, 'dd/MM/yyyy') ?? null,
    url: sample.url,
  })
}

/** A row of the search with its detail. */
function writeFoundInBase(sample: PortalSample): string {
  if (sample.kind === 'award') return JSON.stringify({ entry: contractOf(sample), detail: {} })
  return JSON.stringify({
    entry: {
      id: sample.number,
      type: acts[sample.kind],
      contractDesignation: sample.title,
      contractingEntity: sample.buyer.name,
      contractingProcedureType: procedures[sample.procedureType],
      drPublicationDate: localTime(sample.publishedAt, zone, 'dd-MM-yyyy'),
      proposalDeadline: localTimeOf(sample.deadline, zone, 'dd-MM-yyyy') ?? null,
      basePrice: sample.value === undefined ? null : euros(sample.value.amount),
    },
    detail: {
      announcementNumber: numberOf(sample),
      contractingProcedureId: sample.procedureId,
      contractType: natures[sample.nature],
      contractingEntities: [{ nif: sample.buyer.nationalId }],
      cpvs: `${sample.cpv}-0, ${sample.title}`,
    },
  })
}

const numberOf = (sample: PortalSample): string => `${sample.number}/${localTime(sample.publishedAt, zone, 'yyyy')}`
const euros = (amount: number): string => `${amount.toFixed(2).replace('.', ',')} €`

function contractOf(sample: PortalSample) {
  return {
    id: sample.number,
    objectBriefDescription: sample.title,
    contracting: sample.buyer.name,
    contracted: sample.winners.map((winner) => winner.name).join('; '),
    contractingProcedureType: procedures[sample.procedureType],
    publicationDate: localTime(sample.publishedAt, zone, 'dd-MM-yyyy'),
    drPublicationDate: localTime(sample.publishedAt, zone, 'dd-MM-yyyy'),
    signingDate: localTime(sample.publishedAt, zone, 'dd-MM-yyyy'),
    initialContractualPrice: sample.value === undefined ? null : euros(sample.value.amount),
  }
}

export const writers: SampleWriters = { 'pt-base': writeBase, 'pt-base-search': writeFoundInBase }
