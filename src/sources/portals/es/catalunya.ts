// Publications of Catalonia's procurement platform, by the open data platform of the Generalitat (Socrata).
import { socrata } from '../../deliver/socrata.ts'
import { dayMs } from '../../families/card-values.ts'
import { sourceOf } from '../../source.ts'
import { parseCatalunya } from './parse-catalunya.ts'

const channel = (name: string, field: string) =>
  ({
    name,
    slots: { kind: 'day', since: '2022-01-01', delayMs: dayMs, rereadDays: [3, 30] },
    timetable: '20 4,16 * * *',
    delivery: socrata({ domain: 'analisi.transparenciacatalunya.cat', dataset: 'ybgg-dgi6', dateField: field }),
  }) as const

export const source = sourceOf({
  id: 'es-catalunya',
  title: 'Plataforma de serveis de contractació pública (open data)',
  publisher: 'Generalitat de Catalunya',
  homepage: 'https://contractaciopublica.cat',
  documentation: 'https://analisi.transparenciacatalunya.cat/d/ybgg-dgi6',
  license: {
    name: 'not stated',
    url: 'https://administraciodigital.gencat.cat/ca/dades/dades-obertes/informacio-practica/llicencies/',
  },
  channels: [
    channel('calls', 'data_publicacio_anunci'),
    channel('awards', 'data_publicacio_adjudicacio'),
    channel('contracts', 'data_publicacio_contracte'),
  ],
  parse: parseCatalunya,
  politeness: { requestsPerMinute: 30, pauseMs: 1000 },
  expects: {
    perDay: [20, 5000],
    silentAfterDays: 10,
    shape: ['/0/codi_expedient', '/0/nom_organ', '/0/objecte_contracte'],
  },
  caveats: [
    'The site of the platform itself asks robots to come between 18:00 and 07:00 only; this set on another host holds its publications.',
    'A row is a lot of a publication in one phase; cells with several values divide them with ||.',
    'Calls above the thresholds are in TED too, and most in the Spanish platform that gathers the regional ones.',
    'The columns of calls are known from public code of 2026, those of awards from a sample; no live answer has been seen.',
  ],
})
