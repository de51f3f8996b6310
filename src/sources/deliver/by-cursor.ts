// Lists whose answers hold a token for the next request.
import type { Delivery } from '../delivery.ts'
import { isShort } from './page-end.ts'
import type { PageFacts, Pager, Position } from './pager.ts'

export function byCursor(delivery: Delivery & { readonly kind: 'cursor' }): Pager {
  const { cursor, firstCursor } = delivery
  const tokenOf = (facts: PageFacts): Position | undefined => {
    const token = facts.at(cursor)
    return (typeof token === 'string' && token !== '') || typeof token === 'number' ? token : undefined
  }
  return {
    pointers: [cursor],
    values: (position, fill) => ({ cursor: position ?? (firstCursor === undefined ? undefined : fill(firstCursor)) }),
    next: (position, facts) => {
      const token = tokenOf(facts)
      // The token that was just used: the portal has nothing after it.
      if (token === undefined || token === position || facts.length === 0) return undefined
      // A token still comes back after the last record: the total ends the list, once a page is shorter than others.
      return facts.total !== undefined && facts.count >= facts.total && isShort(facts) ? undefined : token
    },
    again: (position, facts) =>
      facts.length > 0 ? (tokenOf(facts) ?? position ?? undefined) : (position ?? undefined),
  }
}
