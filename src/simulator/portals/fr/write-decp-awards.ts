// Made-up rows of the DECP dataset.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { localTime } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['deadline'], kinds: ['award'], natures: ['works', 'works', 'works'] }

const procedures = {
  open: "Appel d'offres ouvert",
  restricted: "Appel d'offres restreint",
  'neg-w-call': 'Procédure avec négociation',
} as const

/** The dataset knows awarded contracts only; whatever is announced is written as one. */
export function write(notice: PortalSample): string {
  const day = localTime(notice.publishedAt, 'Europe/Paris', 'yyyy-MM-dd')
  return JSON.stringify({
    id: `${notice.reference}-${String(notice.version).padStart(2, '0')}`,
    nature: 'Marché',
    objet: notice.title,
    codecpv: `${notice.cpv}-0`,
    procedure: procedures[notice.procedureType],
    acheteur_id: `21${String(notice.number).padStart(12, '0')}`,
    acheteur_nom: notice.buyer.name,
    datenotification: day,
    datepublicationdonnees: day,
    montant: notice.value?.amount ?? null,
    offresrecues: '3',
    lieuexecution_code: notice.buyer.postalCode,
    titulaire_id_1: '12345678900011',
    titulaire_typeidentifiant_1: 'SIRET',
    titulaire_denominationsociale_1: notice.winners[0]?.name ?? null,
    idmodification: null,
  })
}
