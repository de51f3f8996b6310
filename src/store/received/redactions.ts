// Redactions of contact data, and the stored texts to which they are applied.
import { sql } from 'kysely'
import { type RedactionRule, type Redactor, redactor } from '../../domain/redaction.ts'
import { arrayText } from '../database/array-text.ts'
import type { Executor } from '../database/database.ts'
import { getSetting, setSetting } from '../database/settings.ts'

export type Redaction = {
  readonly redactionId: string
  readonly rules: readonly RedactionRule[]
  readonly reason: string
  /** Epoch milliseconds. */
  readonly madeAt: number
  /** When everything stored had been processed; null: not yet, so the command has to be run again. */
  readonly appliedAt: number | null
}

/** The key of the rules of this stock. It protects the hashes where they are without the database. */
export async function redactionKey(db: Executor): Promise<Buffer> {
  const { rows } = await sql<{ key: string }>`select key from redaction_key`.execute(db)
  return Buffer.from(rows[0]!.key, 'base64')
}

const lostName = 'lost-redactions'

/**
 * A new key, and a note of the redactions that the former one made: nothing can recognize their values any more, so the
 * next publication has to wait for the operator.
 */
export async function loseRedactions(trx: Executor, randomBytes: (count: number) => Uint8Array): Promise<void> {
  const key = Buffer.from(randomBytes(32)).toString('base64')
  await sql`delete from redaction_key`.execute(trx)
  await sql`insert into redaction_key (key) values (${key})`.execute(trx)
  await noteLost(
    trx,
    (await listRedactions(trx)).map(({ redactionId }) => redactionId),
  )
}

/** Adds some that are not in the database at all. */
export async function noteLost(trx: Executor, ids: readonly string[]): Promise<void> {
  const known = new Set(await lostRedactions(trx))
  for (const id of ids) known.add(id)
  if (known.size > 0) await setSetting(trx, lostName, JSON.stringify([...known]))
}

/** Ids of redactions that nothing recognizes any more, until an edition is published in spite of it. */
export async function lostRedactions(db: Executor): Promise<readonly string[]> {
  return JSON.parse((await getSetting(db, lostName)) ?? '[]') as string[]
}

/** Call it in the transaction that adds an edition: publishing it is the operator's answer. */
export async function forgetLost(trx: Executor): Promise<void> {
  await trx.deleteFrom('setting').where('name', '=', lostName).execute()
}

/** False in the stock of a version that had no redactions. */
export async function hasRedactions(db: Executor): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`select to_regclass('redaction_key') is not null as is`.execute(db)
  return rows[0]!.is
}

/**
 * What was loaded last. An id is derived from the hashes of a redaction, so the key and the ids say which rules they
 * are; those of 10,000 people take a fifth of a second to read.
 */
let lastLoaded = { name: '', redactor: redactor(Buffer.alloc(0), []) }

/** Returns what applies all current redactions. Call it in the transaction that uses it. */
export async function loadRedactor(db: Executor): Promise<Redactor> {
  const { rows: named } = await sql<{ key: string; id: string }>`
    select key, redaction_id as id from redaction cross join redaction_key order by redaction_id`.execute(db)
  if (lastLoaded.name === nameOf(named)) return lastLoaded.redactor
  const { rows } = await sql<{ key: string; id: string; rules: string }>`
    select key, redaction_id as id, rules from redaction cross join redaction_key order by redaction_id`.execute(db)
  const rules = rows.flatMap((row) => JSON.parse(row.rules) as RedactionRule[])
  lastLoaded = { name: nameOf(rows), redactor: redactor(Buffer.from(rows[0]?.key ?? '', 'base64'), rules) }
  return lastLoaded.redactor
}

const nameOf = (rows: readonly { readonly key: string; readonly id: string }[]): string =>
  [rows[0]?.key, ...rows.map(({ id }) => id)].join(' ')

/**
 * Returns rows with the JSON of a record as they may leave the service: an edition keeps what was redacted after it
 * until the next one.
 */
export async function withoutRedacted<Row extends { readonly body: string | null }>(
  db: Executor,
  rows: readonly Row[],
): Promise<Row[]> {
  const { json } = await loadRedactor(db)
  return rows.map((row) => ({ ...row, body: row.body === null ? null : json(row.body) }))
}

/** Redactions, the oldest first. */
export async function listRedactions(db: Executor): Promise<Redaction[]> {
  const { rows } = await sql<Omit<Redaction, 'rules'> & { rules: string }>`
    select redaction_id as "redactionId", rules, reason, made_at as "madeAt", applied_at as "appliedAt"
    from redaction order by made_at, redaction_id`.execute(db)
  return rows.map((row) => ({ ...row, rules: JSON.parse(row.rules) as RedactionRule[] }))
}

/** Adds a redaction that is not applied yet; an existing one keeps its time and its reason. */
export async function insertRedaction(
  trx: Executor,
  { redactionId, rules, reason, madeAt }: Omit<Redaction, 'appliedAt'>,
): Promise<void> {
  await sql`
    insert into redaction (redaction_id, rules, reason, made_at)
    values (${redactionId}, ${JSON.stringify(rules)}, ${reason}, ${madeAt})
    on conflict (redaction_id) do update set applied_at = null`.execute(trx)
}

export async function setRedactionApplied(db: Executor, redactionId: string, at: number): Promise<void> {
  await sql`update redaction set applied_at = ${at} where redaction_id = ${redactionId}`.execute(db)
}

/** Returns true if there was one. */
export async function deleteRedaction(trx: Executor, redactionId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from redaction where redaction_id = ${redactionId}`.execute(trx)
  return numAffectedRows === 1n
}

/** Where copies of records are stored besides the notices: the column of the key, and that of the JSON or text. */
export const storedTexts = {
  tender: { table: 'tender', key: 'tender_id', content: 'content' },
  estimate: { table: 'tender_estimate', key: 'tender_id', content: 'estimate' },
  /** Mails of digests only; a mail of the console is for the person that it is about. */
  mail: { table: 'mail', key: 'message_id', content: 'content', condition: 'digest_id is not null' },
  matched: { table: 'hit', key: 'hit_id', content: 'matched' },
  reasons: { table: 'hit', key: 'hit_id', content: 'reasons', condition: 'reasons is not null' },
} as const satisfies { readonly [name: string]: StoredPlace }

/** `condition`: SQL that holds for the rows with such a text. */
type StoredPlace = {
  readonly table: string
  readonly key: string
  readonly content: string
  readonly condition?: string
}

export type StoredText = { readonly key: string; readonly content: string }

/** A page of these texts, in the order of their keys. */
export async function listStoredTexts(
  db: Executor,
  name: keyof typeof storedTexts,
  after: string,
  limit: number,
): Promise<StoredText[]> {
  const { table, key, content, condition = 'true' }: StoredPlace = storedTexts[name]
  const { rows } = await sql<StoredText>`
    select ${sql.ref(key)} as key, ${sql.ref(content)} as content from ${sql.table(table)}
    where ${sql.raw(condition)} and ${sql.ref(key)} in (
      select distinct ${sql.ref(key)} from ${sql.table(table)}
      where ${sql.ref(key)} > ${after} and ${sql.raw(condition)} order by ${sql.ref(key)} limit ${limit}::integer)
    order by ${sql.ref(key)}`.execute(db)
  return rows
}

/** Replaces a text if it is still the one that was read. */
export async function replaceStoredText(
  db: Executor,
  name: Exclude<keyof typeof storedTexts, 'tender'>,
  { key: id, content: before }: StoredText,
  after: string,
): Promise<void> {
  const { table, key, content } = storedTexts[name]
  await sql`
    update ${sql.table(table)} set ${sql.ref(content)} = ${after}
    where ${sql.ref(key)} = ${id} and ${sql.ref(content)} = ${before}`.execute(db)
}

/** A page of the bodies of messages, packed, in the order of their ids. */
export async function listKeptBodies(
  db: Executor,
  after: string,
  limit: number,
): Promise<{ readonly key: string; readonly packed: Uint8Array }[]> {
  const { rows } = await sql<{ key: string; packed: Uint8Array }>`
    select message_id as key, packed from delivery_body
    where message_id > ${after} order by message_id limit ${limit}::integer`.execute(db)
  return rows
}

export async function replaceKeptBody(db: Executor, messageId: string, packed: Uint8Array): Promise<void> {
  await sql`update delivery_body set packed = ${packed} where message_id = ${messageId}`.execute(db)
}

/** A page of the notices as they were parsed, in the order of their ids. */
export async function listParsedNotices(db: Executor, after: string, limit: number): Promise<StoredText[]> {
  const { rows } = await sql<StoredText>`
    select notice_id as key, content from notice where notice_id > ${after} order by notice_id limit ${limit}::integer`.execute(
    db,
  )
  return rows
}

/** Lets the next consolidation derive the records of these notices again. */
export async function reconsiderNotices(db: Executor, noticeIds: readonly string[]): Promise<void> {
  await sql`
    update notice set is_consolidated = false where notice_id = any(${arrayText(noticeIds)}::text[])`.execute(db)
}
