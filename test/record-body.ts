// The body that publication makes of a content in SQL, written down a second time for tests that check or model it.
import { canonicalJson } from '../src/consolidate/canonical.ts'
import type { TenderContent } from '../src/domain/tender.ts'
import { toInstant } from '../src/domain/time.ts'

/** JSON of the record without `checkedAt`: the canonical text with `lastModified` after its first member, the id. */
export function recordBody(content: TenderContent, lastModified: number): string {
  const head = `{"id":"${content.id}",`
  return `${head}"lastModified":"${toInstant(lastModified)}",${canonicalJson(content).slice(head.length)}`
}
