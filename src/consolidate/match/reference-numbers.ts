// The authority's own numbers: from the notice's field, and where portals write them into titles and descriptions.
import { cleanReferenceNumber } from '../link-keys.ts'

const named =
  /(?:vergabe(?:nummer|-?\s?nr|-?\s?kennung|verfahrens?-?\s?nr)|ausschreibungs(?:nummer|-?nr)|referenz(?:nummer|-?nr)|aktenzeichen|geschäftszeichen|projektnummer|procurement no|tender (?:no|ref)|reference number|référence)\.?\s*[:#]?\s*([\p{L}\p{N}][\p{L}\p{N}./_-]{3,40})/giu

/** Clean numbers, sorted; `texts` are read at their beginning only. */
export function referenceNumbers(fields: readonly (string | undefined)[], texts: readonly string[]): string[] {
  const found = new Set<string>()
  for (const field of fields) {
    const clean = cleanReferenceNumber(field)
    if (clean && isTelling(clean)) found.add(clean)
    // Several numbers in one field: `54127-2026 / WTV 26 L 0002`.
    for (const part of field?.split(/\s+\/\s+|;/) ?? []) {
      const single = cleanReferenceNumber(part)
      if (single && isTelling(single)) found.add(single)
    }
  }
  for (const text of texts)
    for (const match of text.slice(0, 600).matchAll(named)) {
      const clean = cleanReferenceNumber(match[1]!.split('_')[0])
      if (clean && isTelling(clean)) found.add(clean)
    }
  return [...found].sort().slice(0, 8)
}

/** A UUID or a date is not a buyer's number. */
function isTelling(number: string): boolean {
  return !/^[0-9A-F]{32}$/.test(number) && !/^(?:0?[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])20\d\d$/.test(number)
}
