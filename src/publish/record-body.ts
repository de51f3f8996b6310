// The bytes of a record in an edition.
import { type TenderContent, tenderRecordSchema } from '../domain/tender.ts'
import { toInstant } from '../domain/time.ts'

/** Members in the order of the schema; `checkedAt` is put in after the id by whoever serves the record. */
const order = Object.keys(tenderRecordSchema.properties).filter((name) => name !== 'id' && name !== 'checkedAt')

/**
 * JSON of the record without `checkedAt`, beginning `{"id":"…",`. Members that the schema does not name are not published:
 * throws on one, since the contract would not hold.
 */
export function recordBody(content: TenderContent, lastModified: number): string {
  const members: Record<string, unknown> = { ...content, lastModified: toInstant(lastModified) }
  const record: Record<string, unknown> = { id: content.id }
  let left = Object.keys(members).length - 1
  for (const name of order) {
    if (!(name in members)) continue
    record[name] = members[name]
    left--
  }
  if (left !== 0)
    throw new Error(`tender ${content.id} has members outside the schema: ${Object.keys(members).join(', ')}`)
  return JSON.stringify(record)
}
