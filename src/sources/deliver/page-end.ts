// Whether a list has ended, by the rule of its card.
import type { AnswerPointer, PageEnd } from '../delivery.ts'
import { unexpected } from './answers/answer-documents.ts'
import type { PageFacts } from './pager.ts'

export const placesOfEnd = (end: PageEnd | undefined): readonly AnswerPointer[] =>
  end?.when === 'pages' || end?.when === 'flag' ? [end.at] : []

/**
 * Whether a page holds fewer entries than the longest page of its walk so far. The requested number proves nothing:
 * portals cap their pages below it, so the first page of a walk is never short.
 */
export const isShort = (page: PageFacts): boolean => page.length < page.size

/** By how many entries a list advances: if a portal delivers fewer than requested, the list continues after those. */
export const deliveredOf = (page: PageFacts, pageSize: number): number =>
  page.length > 0 && page.length < pageSize ? page.length : pageSize

/**
 * Whether a page without a new entry may be the last page once more, which some portals deliver for every page after
 * it. It is not if the first page was as long as requested and the second repeats it: then the portal ignores the page
 * number.
 */
export const mayRepeatItsLast = (page: PageFacts, pageSize: number): boolean =>
  page.total === undefined && (page.count > page.length || page.length < pageSize)

/**
 * Whether this page is the last one. `number` counts pages from 1; `pageSize` is the requested number. A short page is
 * not the end while the announced total says that there is more.
 */
export function isEnd(end: PageEnd, page: PageFacts, number: number, pageSize: number): boolean {
  const isAllThere = page.total !== undefined && page.count >= page.total
  switch (end.when) {
    case 'empty-page':
      return page.length === 0
    case 'short-page':
      if (page.total === undefined) return page.length === 0 || isShort(page)
      return page.length === 0 || (isAllThere && (page.length < pageSize || isShort(page)))
    case 'total':
      return page.length === 0 || isAllThere || (page.total === undefined && isShort(page))
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
