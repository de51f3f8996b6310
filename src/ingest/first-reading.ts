// How far the first reading of the portals is, and whether the first edition may be published. Pure.
import type { FirstReading } from '../domain/source-state.ts'
import type { Source } from '../sources/source.ts'
import type { News } from './schedule.ts'

/** Share of the sources that answer which has to be read before the first edition. */
const enough = 0.9

/** How far these sources are read. Before the first look at what is due, nothing is. */
export function firstReading(sources: readonly Source[], news: News | undefined): FirstReading {
  const isRead = ({ id }: Source) => news !== undefined && !news.due.has(id) && !news.failing.has(id)
  return {
    total: sources.length,
    read: sources.filter(isRead).length,
    failing: news?.failing.size ?? 0,
    waitsFor: sources.filter((source) => source.leads === true && !isRead(source)).map(({ id }) => id),
  }
}

/** Whether the leading sources are read, and nine of ten of the others that answer. */
export function isReadEnough({ total, read, failing, waitsFor }: FirstReading): boolean {
  return waitsFor.length === 0 && read >= enough * (total - failing)
}
