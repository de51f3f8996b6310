// The keys that seal cursors, shared by all API processes and kept for as long as a cursor sealed with them may still
// be used.
import { dayMs, hourMs } from '../../domain/time.ts'
import type { Executor } from '../database/database.ts'
import { getSetting, setSetting } from '../database/settings.ts'

/**
 * `key` is 32 random bytes in hex. `lastEdition`: a key of an earlier epoch does not open cursors of later editions,
 * because those numbers now mean other editions.
 */
export type CursorKey = { readonly keyId: number; readonly key: string; readonly lastEdition?: number }

export type CursorKeys = {
  /** Seals new cursors. */
  readonly current: CursorKey
  /** Opens cursors: the current key and those replaced less than 25 hours ago, newest first. */
  readonly all: readonly CursorKey[]
  /** When the current key was created, epoch milliseconds. */
  readonly currentSince: number
}

export type CursorKeyOptions = {
  /** Epoch milliseconds. */
  readonly now: number
  readonly randomBytes: (count: number) => Uint8Array
}

/**
 * How long cursor keys are kept: a cursor is valid for 24 hours (C38); the extra hour allows for clocks that differ.
 */
const cursorKeyRetentionMs = 25 * hourMs

/**
 * How long a key is used for sealing. A key may seal 2^32 cursors (NIST SP 800-38D, with random nonces), which takes 16
 * months at 100 pages a second.
 */
const cursorKeyLifeMs = 30 * dayMs

/**
 * The keys at `now`; creates the first one, and the next one when the current one is old. Processes that start at the
 * same time agree on it. A process that sees a cursor with an unknown key ID loads the keys again: another process may
 * have replaced the key.
 */
export async function loadCursorKeys(db: Executor, options: CursorKeyOptions): Promise<CursorKeys> {
  const keys = await readKeys(db, options.now)
  if (keys && options.now - keys.currentSince < cursorKeyLifeMs) return keys
  return replaceKey(db, keys?.current, options)
}

/** Replaces the current key and drops those that no valid cursor can need. Two simultaneous calls replace it once. */
export async function rotateCursorKey(db: Executor, options: CursorKeyOptions): Promise<CursorKeys> {
  return replaceKey(db, (await readKeys(db, options.now))?.current, options)
}

async function replaceKey(db: Executor, old: CursorKey | undefined, options: CursorKeyOptions): Promise<CursorKeys> {
  await insertKey(db, (old?.keyId ?? 0) + 1, options)
  const keys = (await readKeys(db, options.now))!
  const oldest = keys.all.at(-1)!
  await db.deleteFrom('cursor_key').where('key_id', '<', oldest.keyId).execute()
  return keys
}

async function insertKey(db: Executor, keyId: number, { now, randomBytes }: CursorKeyOptions): Promise<void> {
  await db
    .insertInto('cursor_key')
    .values({ key_id: keyId, key: Buffer.from(randomBytes(32)).toString('hex'), created_at: now })
    .onConflict((conflict) => conflict.column('key_id').doNothing())
    .execute()
}

const epochName = 'cursor-epoch'

/** The first key of the current epoch, and the newest edition that it shares with the previous one. */
type CursorEpoch = { readonly keyId: number; readonly edition: number }

async function cursorEpoch(db: Executor): Promise<CursorEpoch | undefined> {
  const text = await getSetting(db, epochName)
  return text === undefined ? undefined : (JSON.parse(text) as CursorEpoch)
}

/** Gap for keys that were created after the backup, so that none of them has the number of a new one. */
const epochGap = 1000

/**
 * From now on cursors are sealed with a new key, and those of editions above `edition` that older keys sealed have
 * expired: in a restored database these numbers belong to other editions.
 */
export async function beginCursorEpoch(trx: Executor, edition: number, options: CursorKeyOptions): Promise<void> {
  const before = await cursorEpoch(trx)
  if (before) await trx.deleteFrom('cursor_key').where('key_id', '<', before.keyId).execute()
  const newest = await trx.selectFrom('cursor_key').select('key_id').orderBy('key_id', 'desc').executeTakeFirst()
  const keyId = (newest?.key_id ?? 0) + epochGap
  await insertKey(trx, keyId, options)
  await setSetting(trx, epochName, JSON.stringify({ keyId, edition } satisfies CursorEpoch))
}

async function readKeys(db: Executor, now: number): Promise<CursorKeys | undefined> {
  const epoch = await cursorEpoch(db)
  const rows = await db.selectFrom('cursor_key').selectAll().orderBy('key_id', 'desc').execute()
  const all: CursorKey[] = []
  let replacedAt = Number.POSITIVE_INFINITY
  for (const row of rows) {
    if (replacedAt <= now - cursorKeyRetentionMs) break
    const isOlder = epoch !== undefined && row.key_id < epoch.keyId
    all.push({ keyId: row.key_id, key: row.key, ...(isOlder && { lastEdition: epoch.edition }) })
    replacedAt = row.created_at
  }
  const current = all[0]
  return current && { current, all, currentSince: rows[0]!.created_at }
}
