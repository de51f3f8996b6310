// Deliveries of datasets on Socrata (SODA 2.1, SoQL).
import type { Delivery } from '../delivery.ts'

export type SocrataDataset = {
  /** `www.datos.gov.co` */
  readonly domain: string
  /** Four signs, a dash, four signs. */
  readonly dataset: string
  /** Field of the time by which slots are requested; absent: the whole dataset, for slots without a span. */
  readonly dateField?: string
  /** Further conditions in SoQL. */
  readonly where?: string
  /**
   * The source has a key: an application token, without which the host shares one small allowance among all readers.
   */
  readonly hasToken?: boolean
}

/**
 * Rows in pages of 1,000, ordered by the row's own `:id`: without an order Socrata promises none, and pages overlap.
 */
export function socrata({ domain, dataset, dateField, where, hasToken }: SocrataDataset): Delivery {
  const time = 'yyyy-MM-ddTHH:mm:ss'
  const conditions = [
    ...(dateField === undefined ? [] : [`${dateField} >= '{from:${time}}' AND ${dateField} < '{to:${time}}'`]),
    ...(where === undefined ? [] : [`(${where})`]),
  ]
  const condition = conditions.length > 0 ? `$where=${conditions.join(' AND ').replaceAll('&', '%26')}&` : ''
  return {
    kind: 'offset',
    request: {
      url: `https://${domain}/resource/${dataset}.json?${condition}$order=:id&$limit={limit}&$offset={offset}`,
      headers: { accept: 'application/json', ...(hasToken && { 'x-app-token': '{key}' }) },
    },
    entries: { format: 'json', at: '' },
    pageSize: 1000,
    end: { when: 'short-page' },
    ...(dateField !== undefined && { dateOf: `/${dateField}` }),
  }
}
