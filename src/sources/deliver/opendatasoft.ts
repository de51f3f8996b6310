// Deliveries of datasets on Opendatasoft (Explore API 2.1): records in pages for days, exports without a cap for longer spans.
import type { Delivery } from '../delivery.ts'

export type OpendatasoftDataset = {
  /** `www.boamp.fr` */
  readonly domain: string
  readonly dataset: string
  /** Field of the day of publication, a date. */
  readonly dateField: string
  /** A field that tells records apart: pages are ordered by it, or they overlap. */
  readonly idField: string
  /** Further conditions in ODSQL. */
  readonly where?: string
}

/** `/records` ends at offset + limit = 10,000, whatever the total says. */
const mostRecords = 10_000

/**
 * `records` for slots of days (pages of 100, an announced total, halved by days where a slot has more than 10,000);
 * `exports` for months and years, in one answer that is read while it comes. Both give the record as the dataset has it.
 */
export function opendatasoft(options: OpendatasoftDataset): { readonly records: Delivery; readonly exports: Delivery } {
  const { domain, dataset, dateField, idField, where } = options
  const base = `https://${domain}/api/explore/v2.1/catalog/datasets/${encodeURIComponent(dataset)}`
  const condition = [
    `${dateField} >= date'{from:yyyy-MM-dd}' and ${dateField} < date'{to:yyyy-MM-dd}'`,
    ...(where === undefined ? [] : [`(${where})`]),
  ].join(' and ')
  const query = `where=${encodedLiteral(condition)}&order_by=${encodeURIComponent(idField)}`
  return {
    records: {
      kind: 'offset',
      request: { url: `${base}/records?${query}&limit={limit}&offset={offset}` },
      entries: { format: 'json', at: '/results' },
      total: '/total_count',
      pageSize: 100,
      end: { when: 'total' },
      most: mostRecords,
      dateOf: `/${dateField}`,
    },
    exports: {
      kind: 'single',
      request: { url: `${base}/exports/json?${query}&limit=-1` },
      entries: { format: 'json', at: '' },
      dateOf: `/${dateField}`,
    },
  }
}

/** Encodes what stands between placeholders, which the adapter fills and encodes itself. */
function encodedLiteral(text: string): string {
  return text.replace(/\{[^{}]*\}|[^{}]+/g, (part) => (part.startsWith('{') ? part : encodeURIComponent(part)))
}
