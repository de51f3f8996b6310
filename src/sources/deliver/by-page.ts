// Lists by the number of their page.
import type { Delivery } from '../delivery.ts'
import { isEnd, placesOfEnd } from './page-end.ts'
import type { Pager } from './pager.ts'

export function byPage({ firstPage, pageSize, end, lastPage }: Delivery & { readonly kind: 'page' }): Pager {
  const numberOf = (position: string | number | null): number => (position === null ? firstPage : Number(position))
  return {
    places: placesOfEnd(end),
    ...(end.when === 'not-found' && { accept: [404] }),
    values: (position) => {
      const page = numberOf(position)
      return { page, offset: (page - firstPage) * pageSize, limit: pageSize }
    },
    next: (position, facts) => {
      const page = numberOf(position)
      if (isEnd(end, facts, page - firstPage + 1, pageSize) || (lastPage !== undefined && page >= lastPage))
        return undefined
      return page + 1
    },
    missing: (position, facts) => {
      const page = numberOf(position)
      if (page !== lastPage || facts.total !== undefined || isEnd(end, facts, page - firstPage + 1, pageSize))
        return undefined
      return `the portal answers no page behind ${lastPage}, and that one was full`
    },
  }
}
