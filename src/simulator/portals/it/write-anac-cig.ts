// Made-up rows of ANAC's table of lot numbers.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { csvRow, localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['planning', 'change', 'deadline-time', 'awarded', 'winner'] }

const zone = 'Europe/Rome'
const natures = { works: 'LAVORI', services: 'SERVIZI', supplies: 'FORNITURE' } as const
const procedures = {
  open: 'PROCEDURA APERTA',
  restricted: 'PROCEDURA RISTRETTA',
  'neg-w-call': 'PROCEDURA NEGOZIATA PREVIA PUBBLICAZIONE',
} as const

export function write(sample: PortalSample): string {
  return csvRow(
    {
      cig: `B${String(sample.number).padStart(9, '0')}`,
      numero_gara: sample.procedureId,
      oggetto_gara: sample.title,
      importo_complessivo_gara: sample.value?.amount,
      oggetto_lotto: sample.lots[0]?.title ?? sample.title,
      importo_lotto: sample.lots[0]?.amount,
      oggetto_principale_contratto: natures[sample.nature],
      provincia: sample.buyer.town,
      data_pubblicazione: localTime(sample.publishedAt, zone, 'yyyy-MM-dd'),
      data_scadenza_offerta: localTimeOf(sample.deadline, zone, 'yyyy-MM-dd'),
      tipo_scelta_contraente: procedures[sample.procedureType],
      cf_amministrazione_appaltante: sample.buyer.nationalId,
      denominazione_amministrazione_appaltante: sample.buyer.name,
      cod_cpv: `${sample.cpv}-0`,
      flag_prevalente: 'S',
      DATA_CANCELLAZIONE: sample.kind === 'cancellation' ? localTime(sample.publishedAt, zone, 'yyyy-MM-dd') : '',
      ESITO: sample.kind === 'award' ? 'AGGIUDICATA' : '',
    },
    ';',
  )
}
