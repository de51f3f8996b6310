// Made-up consultations of an Atexo platform.
import type { PortalFormat, PortalSample } from '../samples/portal-sample.ts'
import type { SampleWriters } from './own-writers.ts'
import { formTypeOf, localTime } from './write-sample-values.ts'

export const format: PortalFormat = { lacks: ['change', 'awarded', 'winner'] }

const natures = { works: 'Travaux', supplies: 'Fournitures', services: 'Services' } as const
const procedures = {
  open: 'Procédure ouverte',
  restricted: 'Procédure restreinte',
  'neg-w-call': 'Procédure négociée',
} as const
const announcements = {
  planning: "Avis d'information préalable",
  competition: 'Annonce de consultation',
  result: "Avis d'attribution",
} as const

/** The writer of one platform: its consultations carry their own host, and may belong to one organization. */
function atexoWriter(host: string, organization?: string): (notice: PortalSample) => string {
  return (notice) => {
    const published = (pattern: string) => localTime(notice.publishedAt, 'Europe/Paris', pattern)
    return JSON.stringify({
      '@id': `/api/v2/consultations/${notice.number}`,
      '@type': 'Consultation',
      id: notice.number,
      reference: notice.reference,
      intitule: notice.title,
      objet: notice.description,
      organismeDenomination: organization ?? notice.buyer.name,
      ...(organization && { directionServiceLibelle: notice.buyer.name }),
      typeProcedureLibelle: procedures[notice.procedureType],
      typeAnnonceLibelle: announcements[formTypeOf(notice)],
      naturePrestationLibelle: natures[notice.nature],
      dateMiseEnLigneCalcule: published('yyyy-MM-ddTHH:mm:ssxxx'),
      dateModification: published(`yyyy-MM-ddTHH:mm:ss.${String(notice.version).padStart(3, '0')}xxx`),
      dateLimiteRemisePlis: notice.deadline ?? null,
      codeCpvPrincipal: notice.cpv,
      valeurEstimee: notice.value?.amount ?? null,
      statutCalculeLibelle: notice.kind === 'cancellation' ? 'Annulée' : 'Consultation',
      urlConsultation: `https://${host}/entreprise/consultation/${notice.number}`,
      lieuxExecution: [],
    })
  }
}

export const writers: SampleWriters = {
  'fr-place': atexoWriter('www.marches-publics.gouv.fr'),
  'lu-pmp': atexoWriter('pmp.b2g.etat.lu', 'Portail des marchés publics'),
}
