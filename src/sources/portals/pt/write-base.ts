// Made-up rows of BASE's yearly file of announcements, and of its list of contracts.
import type { PortalSample } from '../../source.ts'
import { localTime, localTimeOf } from '../write-local-time.ts'

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

export function writeBase(sample: PortalSample): string {
  if (sample.kind === 'award') {
    return JSON.stringify({
      id: sample.number,
      objectBriefDescription: sample.title,
      contracting: sample.buyer.name,
      contracted: sample.winners.map((winner) => winner.name).join('; '),
      contractingProcedureType: procedures[sample.procedureType],
      publicationDate: localTime(sample.publishedAt, zone, 'dd-MM-yyyy'),
      signingDate: localTime(sample.publishedAt, zone, 'dd-MM-yyyy'),
      initialContractualPrice: `${(sample.value?.amount ?? 0).toFixed(2).replace('.', ',')} €`,
    })
  }
  return JSON.stringify({
    nAnuncio: `${sample.number}/${localTime(sample.publishedAt, zone, 'yyyy')}`,
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
