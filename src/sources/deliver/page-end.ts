// Whether a list has come to its end, by the rule of its card.
import type { PageEnd, Place } from '../delivery.ts'
import { unexpected } from './answer-documents.ts'
import type { PageFacts } from './pager.ts'

export const placesOfEnd = (end: PageEnd | undefined): readonly Place[] =>
  end?.when === 'pages' || end?.when === 'flag' ? [end.at] : []

/** `number` counts pages from 1. A short page is no end while the announced total says that more is there. */
export function isEnd(end: PageEnd, page: PageFacts, number: number, pageSize: number): boolean {
  const isAllThere = page.total !== undefined && page.count >= page.total
  switch (end.when) {
    case 'empty-page':
      return page.length === 0
    case 'short-page':
      return page.length === 0 || (page.length < pageSize && (page.total === undefined || isAllThere))
    case 'total':
      return page.length === 0 || isAllThere || (page.total === undefined && page.length < pageSize)
    case 'not-found':
      return page.status === 404 || page.length === 0
    case 'pages': {
      const pages = Number(page.at(end.at))
      if (Number.isFinite(pages) && page.at(end.at) !== null && page.at(end.at) !== '') return number >= pages
      if (page.length === 0) return true
      throw unexpected(page.address, `no number of pages at ${end.at}`)
    }
    case 'flag': {
      const flag = page.at(end.at)
      if (flag === undefined) {
        if (page.length === 0) return true
        throw unexpected(page.address, `no flag at ${end.at}`)
      }
      return page.length === 0 || String(flag) === String(end.isLast)
    }
  }
}
