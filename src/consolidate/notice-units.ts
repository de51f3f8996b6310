// A stored notice with its copies, and the order of notices.
import type { Notice } from '../domain/notice.ts'
import { versionNumber } from './link-keys.ts'

/** One stored notice; `rowId` (hash of its document and pointer) decides between copies that are otherwise equal. */
export type StoredNotice = { readonly rowId: string; readonly sourceId: string; readonly notice: Notice }

/** A notice with all its copies: `notice` is the copy that counts. */
export type Unit = {
  readonly notice: Notice
  readonly rowIds: readonly string[]
  readonly sourceIds: readonly string[]
}

/** When a notice was published, for ordering: its publication, else its dispatch; notices without either come last. */
export function noticeDate(notice: Notice): string {
  return notice.publicationDate ?? notice.dispatchDate ?? '9999'
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** By date, then key: the order in which the founding notice is the first. */
export function compareNotices(a: Notice, b: Notice): number {
  return compareText(noticeDate(a), noticeDate(b)) || compareText(a.noticeKey, b.noticeKey)
}

/** A portal's own format, such as a table row, holds less than a document in a standard format. */
const isOwnShape = ({ notice }: StoredNotice): number => Number(notice.format === 'portal')

/**
 * Combines copies of one notice; a document in a standard format takes precedence over a portal's own format (the XML
 * of the German service before its tables, which lack the deadline), then the last dispatched, of the highest version,
 * by hash.
 */
export function uniteCopies(notices: readonly StoredNotice[]): Unit[] {
  const byKey = Map.groupBy(notices, ({ notice }) => notice.noticeKey)
  const units = [...byKey.values()].map((copies) => {
    copies.sort(
      (a, b) =>
        isOwnShape(a) - isOwnShape(b) ||
        compareText(b.notice.dispatchDate ?? '', a.notice.dispatchDate ?? '') ||
        versionNumber(b.notice.noticeVersion) - versionNumber(a.notice.noticeVersion) ||
        compareText(b.rowId, a.rowId),
    )
    return {
      notice: copies[0]!.notice,
      rowIds: copies.map((copy) => copy.rowId).sort(),
      sourceIds: [...new Set(copies.map((copy) => copy.sourceId))].sort(),
    }
  })
  return units.sort((a, b) => compareNotices(a.notice, b.notice))
}
