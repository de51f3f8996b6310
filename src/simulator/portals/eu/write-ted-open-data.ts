// Made-up rows of an answer of TED Open Data.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { localTime } from '../write-sample-values.ts'

export const format: PortalFormat = {
  lacks: [
    'cancellation',
    'buyer',
    'deadline',
    'cpv',
    'nature',
    'procedure',
    'estimate',
    'award-value',
    'winner',
    'versions',
  ],
}

const forms = {
  planning: 'planning',
  call: 'competition',
  change: 'change',
  cancellation: 'change',
  award: 'result',
} as const

export function write(sample: PortalSample): string {
  const zone = 'Europe/Luxembourg'
  const number = `${String(sample.number).padStart(8, '0')}-${localTime(sample.publishedAt, zone, 'yyyy')}`
  return JSON.stringify({
    notice: { type: 'uri', value: `http://data.europa.eu/a4g/resource/id_${sample.id}_Notice` },
    number: { type: 'literal', value: number },
    date: {
      type: 'typed-literal',
      datatype: 'http://www.w3.org/2001/XMLSchema#date',
      value: localTime(sample.publishedAt, zone, 'yyyy-MM-dd'),
    },
    form: { type: 'uri', value: `http://publications.europa.eu/resource/authority/form-type/${forms[sample.kind]}` },
    title: { type: 'literal', 'xml:lang': sample.language, value: sample.title },
  })
}
