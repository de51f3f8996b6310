// Deliveries of SPARQL endpoints (SPARQL 1.1 Protocol, results in JSON).
import type { Delivery } from '../delivery.ts'

export type SparqlQuery = {
  readonly endpoint: string
  /**
   * A SELECT with an ORDER BY that leaves no ties, without LIMIT and OFFSET; dates as in templates
   * (`{from:yyyy-MM-dd}`).
   */
  readonly query: string
  readonly pageSize?: number
}

/**
 * One document per binding (`{"notice":{"type":"uri","value":"…"},…}`). Throws when the query has no order: its pages
 * would overlap and have gaps.
 */
export function sparql({ endpoint, query, pageSize = 1000 }: SparqlQuery): Delivery {
  if (!/\border\s+by\b/i.test(query)) throw new Error(`a query without ORDER BY cannot be read in pages: ${endpoint}`)
  if (/\b(?:limit|offset)\s+\d/i.test(query)) throw new Error(`LIMIT and OFFSET are added to the query: ${endpoint}`)
  return {
    kind: 'offset',
    request: {
      url: endpoint,
      form: { query: `${query.trim()}\nLIMIT {limit} OFFSET {offset}` },
      headers: { accept: 'application/sparql-results+json' },
    },
    entries: { format: 'json', at: '/results/bindings' },
    pageSize,
    end: { when: 'short-page' },
  }
}
