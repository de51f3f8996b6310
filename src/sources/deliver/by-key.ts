// Lists that continue after a value of their last entry (keyset).
import type { Delivery } from '../delivery.ts'
import { isShort } from './page-end.ts'
import type { PageFacts, Pager } from './pager.ts'

export function byKey({ keyOf, firstKey, pageSize }: Delivery & { readonly kind: 'keyset' }): Pager {
  // A page as long as any other whose entries all share the requested key: the portal delivers no more of that key.
  const isFull = (facts: PageFacts): boolean =>
    facts.length >= pageSize || (!isShort(facts) && facts.count > facts.length)
  return {
    pointers: [],
    values: (position, fill) => ({
      cursor: position ?? (firstKey === undefined ? undefined : fill(firstKey)),
      limit: pageSize,
    }),
    next: (position, facts) => {
      if (facts.length === 0 || isShort(facts)) return undefined
      const key = facts.atLast(keyOf)
      return key === undefined || key === String(position ?? '') ? undefined : key
    },
    again: (position, facts) => facts.atLast(keyOf) ?? position ?? undefined,
    missing: (position, facts) => {
      if (facts.length === 0 || !isFull(facts)) return undefined
      const key = facts.atLast(keyOf)
      if (key === undefined) return `the last entry has no ${keyOf} to go on from`
      if (key === String(position ?? ''))
        return `${facts.length} entries share the value ${key}, and the portal gives no more of it`
      return undefined
    },
  }
}
