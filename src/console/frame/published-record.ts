// Records as they are published: from the edition log of this node, without the database.
import type { Redactor } from '../../domain/redaction.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import type { EditionView } from '../../edition/read/edition-view.ts'
import { publishedBodies } from '../../store/editions/editions.ts'
import { loadRedactor } from '../../store/received/redactions.ts'
import type { ConsoleContext } from './console-context.ts'

type Editions = Pick<EditionView, 'find' | 'record'>

function publishedJson(editions: Editions, id: string): string | undefined {
  const position = editions.find(id)
  return position === undefined ? undefined : jsonAt(editions, position)
}

function jsonAt(editions: Pick<EditionView, 'record'>, position: number): string {
  const { bytes, release } = editions.record(position, 'identity')
  try {
    return Buffer.from(bytes).toString('utf8')
  } finally {
    release?.()
  }
}

/** The record as the API serves it; undefined when no edition of this node holds it. */
export function publishedRecord(editions: Editions, id: string): TenderRecord | undefined {
  const json = publishedJson(editions, id)
  return json === undefined ? undefined : (JSON.parse(json) as TenderRecord)
}

/**
 * Records at positions that were just found: nothing may come between the answer and this. With a redactor, as they may
 * leave the service before the next edition.
 */
export const recordsAt = (
  editions: Pick<EditionView, 'record'>,
  positions: readonly number[],
  redactor?: Pick<Redactor, 'value'>,
): TenderRecord[] =>
  positions.map((position) => {
    const record = JSON.parse(jsonAt(editions, position)) as TenderRecord
    return redactor ? redactor.value(record) : record
  })

/**
 * Records by their ids, as they may leave the service. The database is queried for those that this node does not hold
 * yet: hits are made as soon as an edition is published.
 */
export async function publishedRecords(
  { editions, store: { db } }: Pick<ConsoleContext, 'editions' | 'store'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, TenderRecord>> {
  const found = new Map<string, string>()
  for (const id of new Set(ids)) {
    const json = publishedJson(editions, id)
    if (json !== undefined) found.set(id, json)
  }
  const missing = ids.filter((id) => !found.has(id))
  if (missing.length > 0) for (const { tenderId, body } of await publishedBodies(db, missing)) found.set(tenderId, body)
  // an edition keeps values that were redacted after it, until the next one
  const { json } = await loadRedactor(db)
  return new Map([...found].map(([id, body]) => [id, JSON.parse(json(body)) as TenderRecord]))
}
