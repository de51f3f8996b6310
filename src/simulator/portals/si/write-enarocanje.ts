// Made-up forms of Slovenia's procurement portal: the row of the list and the form.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { formTypeOf, localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['cancellation', 'cpv', 'nature', 'procedure'] }

const zone = 'Europe/Ljubljana'
const pattern = 'yyyy-MM-ddTHH:mm:ss'
const phases = { planning: 'Predhodna objava', competition: 'Naročilo', result: 'Rezultat' } as const

export function write(sample: PortalSample): string {
  const year = localTime(sample.publishedAt, zone, 'yyyy')
  const form = sample.kind === 'award' ? 'SL2' : 'SL1'
  const correction = sample.version > 1 ? `-P${String(sample.version - 1).padStart(2, '0')}` : ''
  return JSON.stringify({
    entry: {
      idObrazec: 700_000 + sample.number,
      objavaIdent: `JN${String(sample.number).padStart(6, '0')}/${year}-${form}/01${correction}`,
      idDosje: sample.procedureId,
      naslov: sample.title,
      narocnikNaziv: sample.buyer.name,
      narocnikMaticna: sample.buyer.nationalId,
      sifObrazecOznaka: form,
      sifPostopekFazaNaziv: phases[formTypeOf(sample)],
      objavaDejanskaDatum: localTime(sample.publishedAt, zone, pattern),
    },
    detail: {
      kratekOpis: sample.description,
      datumDoPonudba: localTimeOf(sample.deadline, zone, pattern) ?? null,
      vrednostOcenjenaBrezDDV: sample.value?.amount ?? null,
      idSifCpv: 1234,
      obrazecSklop: [],
      obrazecOddaja:
        sample.winners.length === 0
          ? []
          : [{ obrazecOddajaSubjekt: sample.winners.map((winner) => ({ naziv: winner.name })) }],
    },
  })
}
