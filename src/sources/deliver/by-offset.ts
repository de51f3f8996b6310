// Lists by the number of entries before the page.
import type { Delivery } from '../delivery.ts'
import { deliveredOf, isEnd, mayRepeatItsLast, placesOfEnd } from './page-end.ts'
import type { Pager } from './pager.ts'

export function byOffset({ pageSize, end }: Delivery & { readonly kind: 'offset' }): Pager {
  const offsetOf = (position: string | number | null): number => Number(position ?? 0)
  const pageOf = (offset: number): number => Math.floor(offset / pageSize) + 1
  return {
    pointers: placesOfEnd(end),
    ...(end.when === 'not-found' && { accept: [404] }),
    values: (position) => {
      const offset = offsetOf(position)
      return { offset, limit: pageSize, page: pageOf(offset) }
    },
    next: (position, facts) => {
      const offset = offsetOf(position)
      if (isEnd(end, facts, pageOf(offset), pageSize)) return undefined
      return offset + deliveredOf(facts, pageSize)
    },
    mayRepeatItsLast: (facts) => mayRepeatItsLast(facts, pageSize),
  }
}
