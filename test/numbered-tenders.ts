// Tenders by their numbers, put into a stock and published; and what a reader of a log finds.
import { contentHash } from '../src/consolidate/canonical.ts'
import type { TenderContent } from '../src/domain/tender.ts'
import { wholePage } from '../src/edition/format/pieces.ts'
import type { EditionLog } from '../src/edition/write/edition-log.ts'
import type { Store } from '../src/store/database/database.ts'
import { upsertTenders } from '../src/store/stock/tenders.ts'
import { generateTender } from './testing/generate/stock.ts'

export const startOfStock = Date.UTC(2026, 0, 1)
const stock = { seed: 7, count: 0, now: startOfStock, size: 'small' } as const

/** Without merges: their survivors need not be in such a small stock. */
function numberedTender(number: number, version: number): TenderContent {
  const { mergedInto, ...tender } = generateTender(stock, number, version)
  return mergedInto === undefined ? tender : { ...tender, status: 'closed', archiveReason: 'expired' }
}

/** Writes the tenders `from` to `to` - 1 in this version. */
export async function putNumbered(store: Pick<Store, 'db'>, from: number, to: number, version = 0): Promise<void> {
  const rows = Array.from({ length: to - from }, (_, index) => {
    const tender = numberedTender(from + index, version)
    const content = JSON.stringify(tender)
    return {
      tenderId: tender.id,
      foundingKey: tender.id,
      content,
      contentHash: contentHash(content),
      archiveReason: tender.archiveReason ?? null,
      nextTransitionMs: null,
      mergedInto: null,
      sources: '["ted"]',
    }
  })
  for (let first = 0; first < rows.length; first += 500) await upsertTenders(store.db, rows.slice(first, first + 500))
}

/** The texts of all records of the newest edition, page by page. */
export function readNewest(log: EditionLog): string[] {
  const found: string[] = []
  const { edition } = log.newest!
  for (let after: { lastModified: number; id: string } | undefined; ; ) {
    const { positions, next } = log.list({ filter: { archived: true }, edition, limit: 100, ...(after && { after }) })
    const page = JSON.parse(wholePage(log.pageBody(positions, edition, 'identity'), null).toString()) as {
      readonly data: readonly unknown[]
    }
    found.push(...page.data.map((record) => JSON.stringify(record)))
    if (next === null) return found
    after = next
  }
}
