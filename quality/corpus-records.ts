// The records that the notices of a corpus folder make, as the stock would hold them.

import { mergeTender } from '../src/consolidate/merge.ts'
import { resolve } from '../src/consolidate/resolve.ts'
import type { TenderRecord } from '../src/domain/tender.ts'
import { readNotices } from './corpus-notices.ts'

/** A time after every notice of the corpus, so that everything awarded is awarded. */
const now = Date.parse('2026-11-22T06:00:00.000Z')
const instant = '2026-11-22T06:00:00.000Z'

/** In the order of their ids; empty without a corpus. */
export async function readCorpusRecords(corpus: string): Promise<TenderRecord[]> {
  const stored = []
  for await (const { notices } of readNotices(corpus))
    for (const notice of notices)
      stored.push({ rowId: String(stored.length).padStart(8, '0'), sourceId: notice.publisher, notice })
  const records = resolve(stored).map(({ units, isSucceeded }) => {
    const notices = units.map(({ notice }) => notice)
    const { content } = mergeTender(notices[0]!.noticeKey, notices, { now, isSucceeded })
    return { ...(JSON.parse(content) as TenderRecord), lastModified: instant, checkedAt: instant }
  })
  return records.sort((a, b) => (a.id < b.id ? -1 : 1))
}
