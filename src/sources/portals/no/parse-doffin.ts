// Doffin: notices in eForms, followed by the number of their page.
import type { ParsedPart } from '../../../domain/notice.ts'
import { parseDocument } from '../../parse-document.ts'

const listedAs = /<\?listed-as (\d{4}-\d{6})\?>\s*$/

/** Never throws. */
export function parseDoffin(bytes: Uint8Array): ParsedPart[] {
  const number = listedAs.exec(Buffer.from(bytes.subarray(-100)).toString('latin1'))?.[1]
  const url = `https://www.doffin.no/notices/${number}`
  return parseDocument(bytes, 'NO').map((part) =>
    number !== undefined && 'notice' in part && part.notice.url === undefined
      ? { ...part, notice: { ...part.notice, url } }
      : part,
  )
}
