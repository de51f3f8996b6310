// What the copies of the chaos run hold and what the service published: read independently of the client, compared by
// ID and field.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import pg from 'pg'

export type CopyKind = 'postgres' | 'sqlite' | 'parquet'
export type WireRecord = { readonly id: string; readonly lastModified: string; readonly [member: string]: unknown }
/** Records by id. */
export type Records = ReadonlyMap<string, WireRecord>

/** A short-lived connection for one query. Rejects when the server is down. */
export async function queryOnce<Row>(url: string, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text, [...values])).rows as Row[]
  } finally {
    await client.end().catch(() => {})
  }
}

/** The newest edition, body by body. */
export async function editionDump(url: string): Promise<Records> {
  const rows = await queryOnce<{ body: string }>(
    url,
    'select body from edition_entry join published_tender using (last_modified)',
  )
  return byId(rows.map(({ body }) => JSON.parse(body) as WireRecord))
}

/** Digest of the edition whose last stamp is `lastModified`, as the client computes it of a copy. */
export async function editionDigest(url: string, lastModified: string): Promise<string> {
  const rows = await queryOnce<{ id: string; stamp: string }>(
    url,
    `select tender_id as id, max(last_modified)::text as stamp from edition_entry where last_modified <= $1 group by 1`,
    [Date.parse(lastModified)],
  )
  return digestOf(rows.map(({ id, stamp }) => [id, new Date(Number(stamp)).toISOString()] as const))
}

/** Digest over ids and their lastModified, in any order. */
export function digestOf(stamps: Iterable<readonly [id: string, lastModified: string]>): string {
  const lines = [...stamps].map(([id, lastModified]) => `${id} ${lastModified}`).sort()
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}

/** All records of a copy, as its readers see them. Empty when it was never written. */
export async function readCopy(kind: CopyKind, target: string): Promise<Records> {
  switch (kind) {
    case 'postgres':
      return byId(
        (await queryOnce<{ record: WireRecord }>(target, 'select record from tenderstock.tender')).map(recordOf),
      )
    case 'sqlite': {
      if (!existsSync(target)) return new Map()
      const db = new DatabaseSync(target, { readOnly: true })
      try {
        return byId((db.prepare('select record from tender').all() as { record: string }[]).map(recordOf))
      } finally {
        db.close()
      }
    }
    case 'parquet': {
      if (!existsSync(target)) return new Map()
      const rows = await parquetReadObjects({ file: await asyncBufferFromFile(target), columns: ['record'] })
      return byId((rows as { record: string | WireRecord }[]).map(recordOf))
    }
  }
}

const recordOf = ({ record }: { readonly record: string | WireRecord }): WireRecord =>
  typeof record === 'string' ? (JSON.parse(record) as WireRecord) : record

function byId(records: readonly WireRecord[]): Records {
  const found = new Map(records.map((record) => [record.id, record]))
  if (found.size !== records.length) throw new Error('an id stands twice')
  return found
}

/**
 * The differences between a copy and the edition, one line per id and field; checkedAt does not count (C26).
 * `isComplete`: every record must exist, otherwise only those that are not archived.
 */
export function mismatches(edition: Records, copy: Records, isComplete: boolean): string[] {
  const found: string[] = []
  for (const [id, record] of edition) {
    const held = copy.get(id)
    if (!held) {
      if (isComplete || record.archiveReason === undefined) found.push(`${id}: missing (${record.lastModified})`)
      continue
    }
    for (const member of new Set([...Object.keys(record), ...Object.keys(held)])) {
      if (member === 'checkedAt' || isDeepStrictEqual(record[member], held[member])) continue
      found.push(`${id} ${member}: ${short(held[member])} instead of ${short(record[member])}`)
    }
  }
  for (const id of copy.keys()) if (!edition.has(id)) found.push(`${id}: not in the edition`)
  return found
}

const short = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 120)
