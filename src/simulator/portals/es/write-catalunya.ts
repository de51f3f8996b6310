// Made-up rows of Catalonia's publications.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['change'] }

const zone = 'Europe/Madrid'
const pattern = 'yyyy-MM-ddTHH:mm:ss.000'
const natures = { works: 'Obres', services: 'Serveis', supplies: 'Subministraments' } as const
const procedures = { open: 'Obert', restricted: 'Restringit', 'neg-w-call': 'Licitació amb negociació' } as const
const phases = {
  planning: 'Alerta futura',
  call: 'Anunci de licitació',
  change: 'Anunci de licitació',
  cancellation: 'Anul·lació',
  award: 'Adjudicació',
} as const

export function write(sample: PortalSample): string {
  const published = localTime(sample.publishedAt, zone, pattern)
  const isAward = sample.kind === 'award'
  return JSON.stringify({
    codi_expedient: `EXP-${sample.number}`,
    codi_organ: sample.buyer.nationalId,
    nom_organ: sample.buyer.name,
    objecte_contracte: sample.title,
    denominacio: sample.description,
    tipus_contracte: natures[sample.nature],
    procediment: procedures[sample.procedureType],
    fase_publicacio: phases[sample.kind],
    [isAward ? 'data_publicacio_adjudicacio' : 'data_publicacio_anunci']: published,
    termini_presentacio_ofertes: localTimeOf(sample.deadline, zone, pattern),
    pressupost_licitacio_sense_iva_expedient: sample.value && String(sample.value.amount),
    ...(isAward
      ? {
          import_adjudicacio_sense: sample.value && String(sample.value.amount),
          denominacio_adjudicatari: sample.winners[0]?.name,
          ofertes_rebudes: '3',
        }
      : {}),
    codi_cpv: `${sample.cpv}-0||${sample.cpv}-0`,
    codi_nuts: 'ES511',
    enllac_publicacio: { url: sample.url },
  })
}
