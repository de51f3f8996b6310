// Lists by the number of their page.
import type { Delivery } from '../delivery.ts'
import { deliveredOf, isEnd, mayRepeatItsLast, placesOfEnd } from './page-end.ts'
import type { Pager, Position } from './pager.ts'

export function byPage({ firstPage = 1, pageSize, end, lastPage }: Delivery & { readonly kind: 'page' }): Pager {
  // A portal may count rows instead of pages, and deliver fewer than requested: the offset follows the number
  // received.
  const positionOf = (position: Position | null): { readonly page: number; readonly offset: number } => {
    if (position === null) return { page: firstPage, offset: 0 }
    const [page, offset] = String(position).split('/').map(Number)
    return { page: page!, offset: offset ?? (page! - firstPage) * pageSize }
  }
  return {
    pointers: placesOfEnd(end),
    ...(end.when === 'not-found' && { accept: [404] }),
    values: (position) => {
      const { page, offset } = positionOf(position)
      return { page, offset, limit: pageSize }
    },
    next: (position, facts) => {
      const { page, offset } = positionOf(position)
      if (isEnd(end, facts, page - firstPage + 1, pageSize) || (lastPage !== undefined && page >= lastPage))
        return undefined
      const reached = offset + deliveredOf(facts, pageSize)
      return reached === (page + 1 - firstPage) * pageSize ? page + 1 : `${page + 1}/${reached}`
    },
    mayRepeatItsLast: (facts) => mayRepeatItsLast(facts, pageSize),
    missing: (position, facts) => {
      const { page } = positionOf(position)
      if (page !== lastPage || facts.total !== undefined || isEnd(end, facts, page - firstPage + 1, pageSize))
        return undefined
      return `the portal answers no page behind ${lastPage}, and that one was full`
    },
  }
}
