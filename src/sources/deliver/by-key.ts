// Lists that go on behind a value of their last entry (keyset).
import type { Delivery } from '../delivery.ts'
import type { PageFacts, Pager, Position } from './pager.ts'

export function byKey({ keyOf, firstKey, pageSize }: Delivery & { readonly kind: 'keyset' }): Pager {
  const isStuck = (position: Position | null, facts: PageFacts): boolean =>
    facts.length >= pageSize && facts.fresh === 0 && (facts.atLast(keyOf) ?? '') === String(position ?? '')
  return {
    places: [],
    values: (position, fill) => ({
      cursor: position ?? (firstKey === undefined ? undefined : fill(firstKey)),
      limit: pageSize,
    }),
    next: (position, facts) => {
      if (facts.length < pageSize) return undefined
      const key = facts.atLast(keyOf)
      return key === undefined || key === String(position ?? '') ? undefined : key
    },
    again: (position, facts) => facts.atLast(keyOf) ?? position ?? undefined,
    missing: (position, facts) => {
      if (facts.length < pageSize) return undefined
      const key = facts.atLast(keyOf)
      if (key === undefined) return `the last entry has no ${keyOf} to go on from`
      if (isStuck(position, facts) || key === String(position ?? ''))
        return `${facts.length} entries share the value ${key}, and the portal gives no more of it`
      return undefined
    },
  }
}
