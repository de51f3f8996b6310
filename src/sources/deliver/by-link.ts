// Lists whose answers name the address of the next.
import type { Delivery } from '../delivery.ts'
import { resolved } from './asking.ts'
import type { PageFacts, Pager, Position } from './pager.ts'

export function byLink({ next, firstNext }: Delivery & { readonly kind: 'link-next' }): Pager {
  const linkOf = (position: Position | null, facts: PageFacts): string | undefined => {
    // The first answer of a feed is requested newest first: its own next link leads into the past.
    const link = facts.at(position === null && facts.isFeed && firstNext !== undefined ? firstNext : next)
    return typeof link === 'string' && link.trim() !== '' ? resolved(link.trim(), facts.url) : undefined
  }
  return {
    pointers: firstNext === undefined ? [next] : [next, firstNext],
    values: () => ({}),
    url: (position) => (position === null ? undefined : String(position)),
    next: (position, facts) => {
      const link = linkOf(position, facts)
      if (link === undefined || link === facts.url) return undefined
      // An empty page says that a feed is read up to now; elsewhere a filter may have emptied it, and the link counts.
      return facts.isFeed && facts.length === 0 ? undefined : link
    },
    again: (position, facts) => (position === null && firstNext !== undefined ? undefined : facts.url),
  }
}
