// Deliveries of OData services (version 4).
import type { Delivery } from '../delivery.ts'

export type ODataEntity = {
  /** Address of the entity set. */
  readonly url: string
  /** The member of the time by which slots are requested. */
  readonly dateField: string
  /** A member that identifies entries, and orders those with the same time. */
  readonly idField: string
  /** Maximum number of entries that the service returns at a time. */
  readonly pageSize: number
  /** Further conditions. */
  readonly filter?: string
}

/**
 * Entries of a slot in the order of their time, with the service's own count. `nextLink`: the service pages itself and
 * names the next address; otherwise `$top` and `$skip`.
 */
export function odata(options: ODataEntity & { readonly pages: 'nextLink' | 'skip' }): Delivery {
  const { url, dateField, idField, pageSize, filter, pages } = options
  const conditions = `${dateField} ge {from:isoSeconds} and ${dateField} lt {to:isoSeconds}${filter === undefined ? '' : ` and (${filter})`}`
  const query = `$filter=${conditions.replaceAll(' ', '%20').replaceAll('&', '%26')}&$orderby=${dateField}%20asc,${idField}%20asc&$count=true`
  const list = {
    entries: { format: 'json', at: '/value' },
    total: '/@odata.count',
    dateOf: `/${dateField}`,
  } as const
  const headers = { accept: 'application/json' }
  if (pages === 'nextLink')
    return { ...list, kind: 'link-next', request: { url: `${url}?${query}`, headers }, next: '/@odata.nextLink' }
  return {
    ...list,
    kind: 'offset',
    request: { url: `${url}?${query}&$top={limit}&$skip={offset}`, headers },
    pageSize,
    end: { when: 'total' },
  }
}
