// Made-up rows of Contracts Finder's daily table.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import type { SampleWriters } from '../own-writers.ts'
import { csvRow } from '../write-sample-values.ts'

export const format: PortalFormat = {
  lacks: ['change'],
  procedures: ['open', undefined, undefined],
  publisher: 'gb-contracts-finder',
}

const tags = {
  planning: 'planning',
  call: 'tender',
  change: 'tenderUpdate',
  cancellation: 'tenderCancellation',
  award: 'award',
} as const
const natures = { works: 'works', services: 'services', supplies: 'goods' } as const
const methods = { open: 'open', restricted: 'selective', 'neg-w-call': 'selective' } as const

function writeFlatRelease(sample: PortalSample): string {
  const ocid = `ocds-b5fd17-${sample.procedureId}`
  const release: { [path: string]: string | number | undefined } = {
    ocid,
    id: `${sample.id}-${sample.number}-${sample.version}`,
    date: sample.publishedAt,
    language: 'en',
    'tag/0': tags[sample.kind],
    initiationType: 'tender',
    'tender/id': sample.reference,
    'tender/title': sample.title,
    'tender/description': sample.description,
    'tender/status': sample.kind === 'cancellation' ? 'cancelled' : sample.kind === 'award' ? 'complete' : 'active',
    'tender/classification/scheme': 'CPV',
    'tender/classification/id': sample.cpv,
    'tender/value/amount': sample.value?.amount,
    'tender/value/currency': 'GBP',
    'tender/procurementMethod': methods[sample.procedureType],
    'tender/mainProcurementCategory': natures[sample.nature],
    'tender/tenderPeriod/endDate': sample.deadline,
    'parties/0/id': 'GB-CFS-1',
    'parties/0/name': sample.buyer.name,
    'parties/0/roles/0': 'buyer',
    'buyer/id': 'GB-CFS-1',
    'buyer/name': sample.buyer.name,
  }
  for (const [index, winner] of sample.winners.entries()) {
    release[`awards/${index}/id`] = `${ocid}-${index + 1}`
    release[`awards/${index}/status`] = 'active'
    release[`awards/${index}/value/amount`] = winner.amount
    release[`awards/${index}/value/currency`] = 'GBP'
    release[`awards/${index}/suppliers/0/id`] = `GB-CFS-W${index}`
    release[`awards/${index}/suppliers/0/name`] = winner.name
    release[`parties/${index + 1}/id`] = `GB-CFS-W${index}`
    release[`parties/${index + 1}/name`] = winner.name
    release[`parties/${index + 1}/roles/0`] = 'supplier'
  }
  return csvRow(Object.fromEntries(Object.entries(release).map(([path, value]) => [`releases/0/${path}`, value])))
}

export const writers: SampleWriters = { 'gb-contracts-finder-csv': writeFlatRelease }
