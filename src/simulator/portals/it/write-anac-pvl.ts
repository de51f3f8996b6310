// Made-up announcements of ANAC's platform for legal publicity.
import { type PortalFormat, type PortalSample, versionedId } from '../../samples/portal-sample.ts'

export const format: PortalFormat = { lacks: ['nature', 'procedure', 'awarded'] }

const forms = { planning: 'P1_4', call: 'P1_16', change: 'P1_16', cancellation: 'P1_16', award: 'A1_29' } as const
const kinds = {
  planning: 'avviso',
  call: 'avviso',
  change: 'rettifica',
  cancellation: 'annullamento',
  award: 'avviso',
} as const

export function write(sample: PortalSample): string {
  return JSON.stringify({
    idAvviso: versionedId(sample),
    idAppalto: sample.procedureId,
    codiceScheda: forms[sample.kind],
    tipo: kinds[sample.kind],
    attivo: true,
    oscurato: false,
    dataPubblicazione: sample.publishedAt.replace('Z', '+00:00'),
    dataScadenza: sample.deadline?.replace('Z', '+00:00') ?? null,
    template: [
      {
        template: {
          metadata: { titolo: sample.title, descrizione: sample.description },
          sections: [
            {
              name: 'SEZ. A - Committente',
              fields: {
                soggetti_sa: [
                  { denominazione_amministrazione: sample.buyer.name, codice_fiscale: sample.buyer.nationalId },
                ],
              },
            },
            {
              name: 'SEZ. C - Oggetto',
              items: sample.lots.map((lot) => ({
                cig: `B${String(sample.number).padStart(8, '0')}${lot.id.slice(-1)}`,
                descrizione: lot.title,
                cpv: `${lot.cpv}-0`,
                valore_complessivo_stimato: lot.amount,
                luogo_nuts: sample.buyer.town,
                termine_ricezione: sample.deadline?.replace('Z', '+00:00') ?? null,
                ...(sample.winners.length > 0
                  ? { aggiudicatari: sample.winners.map((winner) => ({ denominazione: winner.name })) }
                  : {}),
              })),
            },
          ],
        },
      },
    ],
  })
}
