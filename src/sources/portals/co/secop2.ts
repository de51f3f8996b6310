// SECOP II, the electronic procurement system of Colombia, by the national open data platform (Socrata).
import { socrata } from '../../deliver/socrata.ts'
import { dayMs } from '../../families/card-values.ts'
import { sourceOf } from '../../source.ts'
import { parseSecop2 } from './parse-secop2.ts'

const channel = (name: string, field: string, rereadDays: readonly number[]) =>
  ({
    name,
    slots: { kind: 'day', since: '2022-01-01', delayMs: dayMs / 2, rereadDays, isOpenRead: true },
    delivery: socrata({ domain: 'www.datos.gov.co', dataset: 'p6dx-8zbt', dateField: field }),
  }) as const

export const source = sourceOf({
  id: 'co-secop2',
  title: 'SECOP II – Procesos de Contratación',
  publisher: 'Colombia Compra Eficiente',
  homepage: 'https://www.datos.gov.co/d/p6dx-8zbt',
  documentation: 'https://dev.socrata.com/foundry/www.datos.gov.co/p6dx-8zbt',
  license: { name: 'CC-BY-SA-4.0', url: 'https://creativecommons.org/licenses/by-sa/4.0/' },
  channels: [
    channel('published', 'fecha_de_publicacion_del', [3, 30]),
    // A process is published again when it changes.
    channel('republished', 'fecha_de_ultima_publicaci', [3]),
  ],
  parse: parseSecop2,
  politeness: { requestsPerMinute: 30, pauseMs: 500 },
  expects: {
    perDay: [500, 30_000],
    silentAfterDays: 5,
    shape: ['/0/id_del_proceso', '/0/entidad', '/0/nombre_del_procedimiento', '/0/fecha_de_publicacion_del'],
  },
  caveats: [
    'Most rows are direct contracts without a call.',
    'Classified by UNSPSC (V1.80111600), not by CPV: no CPV codes are read.',
    'Without an application token, the platform slows down clients that send many requests.',
    'The platform refreshes the set once a day.',
    'The columns are known from public code of 2026; no live answer has been seen; the name of the column of the last publication is cut by the platform.',
  ],
})
