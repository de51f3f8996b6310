// A generated tender as a stock may hold it.
import type { TenderContent } from '../../src/domain/tender.ts'
import { generateTender, type StockOptions } from '../testing/generate/stock.ts'

/** A merged record must name one that stays: tender 0, which is never merged. */
export function settledTender(options: StockOptions, index: number, version: number): TenderContent {
  const content = generateTender(options, index, version)
  if (content.archiveReason !== 'merged') return content
  const survivor = generateTender(options, 0).id
  const { archiveReason: _, mergedInto: __, ...rest } = content
  return content.id === survivor ? { ...rest, status: 'open' } : { ...content, mergedInto: survivor }
}
