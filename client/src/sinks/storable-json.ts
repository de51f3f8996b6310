// JSON that PostgreSQL's jsonb takes: it refuses U+0000 and lone surrogates, which JSON itself allows.
import type { TenderRecord } from '../types.ts'

// An even number of backslashes before makes the u a plain letter; such a text is only cleaned in vain, never damaged.
const refused = /\\u(?:0000|d[89ab][0-9a-f]{2}|d[c-f][0-9a-f]{2})/i

/** The record as JSON; NUL characters left out and lone surrogates replaced by U+FFFD, which changes nothing else. */
export function storableJson(record: TenderRecord): string {
  const json = JSON.stringify(record)
  if (!refused.test(json)) return json
  return JSON.stringify(record, (_key, value: unknown) =>
    // Not toWellFormed(): Node 20 has it, older edge runtimes do not.
    typeof value === 'string'
      ? value
          .replaceAll('\0', '')
          .replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD')
      : value,
  )
}
