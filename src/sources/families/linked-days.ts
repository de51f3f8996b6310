// Portals that give the releases of some days, page after page, each answer naming the address of the next.
import { releases } from '../ocds/entries.ts'
import type { Channel } from '../source.ts'

/**
 * A channel read day by day: `url` with the day in it (`{from:…}`, `{to:…}` exclusive, `{last:…}` inclusive), the next
 * page at `/links/next`. Each day is read again when late and changed releases have come.
 */
export function linkedDays(name: string, url: string, since: string): Channel {
  return {
    name,
    slots: { kind: 'day', since, rereadDays: [1, 7, 30], isOpenRead: true },
    delivery: { kind: 'link-next', request: { url }, entries: releases, next: '/links/next' },
  }
}
