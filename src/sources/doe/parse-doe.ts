// Documents of the German service: eForms, its own below-threshold channel, and notices joined out of its CSV tables.
import type { ParsedPart } from '../../domain/notice.ts'
import { parseDocument } from '../parse-document.ts'
import { pageOfDoe } from '../read-values.ts'
import { parseTables } from './parse-tables.ts'

/**
 * Parses one document. The service delivers some notices that do not identify it (plain `eforms-sdk-1.12`, no journal
 * number): they get `doe` from their origin, so that XML and tables of one notice have one key.
 */
export function parseDoe(bytes: Uint8Array): ParsedPart[] {
  const first = new TextDecoder().decode(bytes.subarray(0, 40)).trimStart()
  if (first.startsWith('{"noticeIdentifier"')) return parseTables(bytes)
  return parseDocument(bytes).map((part) => {
    if (!('notice' in part) || part.notice.publisher !== 'eforms') return part
    const noticeKey = part.notice.noticeKey.replace(/^eforms:/, 'doe:')
    const url = pageOfDoe(part.notice.noticeId)
    return { ...part, notice: { ...part.notice, noticeKey, publisher: 'doe', ...(url && { url }) } }
  })
}
