// Loads a backup into an empty database, in one transaction, and begins the next epoch there.
import type { KeyObject } from 'node:crypto'
import { sql } from 'kysely'
import { OperatorError } from '../../platform/errors.ts'
import { type Executor, inTransaction, type Store } from '../database/database.ts'
import { keyPrintSetting } from '../database/settings.ts'
import type { CursorKeyOptions } from '../editions/cursor-keys.ts'
import { beginEpoch } from '../editions/older-database.ts'
import { endAllSessions } from '../people/sessions.ts'
import { loseRedactions } from '../received/redactions.ts'
import { freeLeases } from '../schema/free-leases.ts'
import type { BackupStorage } from './backup-storage.ts'
import { type Manifest, openRows, readPart } from './manifest.ts'
import {
  batchLength,
  fingerprint,
  fingerprintText,
  isSameFingerprint,
  readTables,
  seededTables,
  setSequence,
  type Table,
  usedTable,
  writeRows,
  writeValuesAlike,
} from './table-copy.ts'

export type RestoreOptions = CursorKeyOptions & {
  /** Name of the database for people. */
  readonly target: string
  /** With which the manifest was read. Without it, the stock receives new keys. */
  readonly key: KeyObject | undefined
  readonly onProgress?: (progress: {
    readonly rows: number
    readonly totalRows: number
    readonly table: string
  }) => void
  /** Called at the end of the transaction. */
  readonly atEnd?: (trx: Executor) => Promise<void>
}

export type RestoreSummary = {
  readonly rows: number
  /** The newest edition; 0 for none. */
  readonly edition: number
  /** How many records the next edition publishes again. */
  readonly records: number
}

/** Throws OperatorError when the stock has rows. */
export async function assertEmpty(db: Executor, target: string): Promise<void> {
  const used = await usedTable(db, await readTables(db))
  if (used !== undefined)
    throw new OperatorError(
      'target-not-empty',
      `${target} is not empty (its table ${used} has rows); restore into an empty database or a new data folder.`,
    )
}

/**
 * Restores into a store whose tables have the migrations of the manifest and no rows. Everything is restored, checked
 * by counts and checksums, or nothing is.
 */
export async function restoreStock(
  store: Pick<Store, 'db'>,
  storage: BackupStorage,
  manifest: Manifest,
  options: RestoreOptions,
): Promise<RestoreSummary> {
  const summary = await inTransaction(store, async (trx) => {
    await writeValuesAlike(trx)
    await assertEmpty(trx, options.target)
    const tables = new Map((await readTables(trx)).map((table) => [table.name, table]))
    for (const name of seededTables) if (tables.has(name)) await sql`delete from ${sql.table(name)}`.execute(trx)
    const rows = await loadParts(trx, storage, { manifest, tables, options })
    for (const { name, rows: count, checksum } of manifest.tables) {
      if (options.key === undefined && manifest.sealed.tables.includes(name)) continue
      const [was, is] = [{ rows: count, sum: BigInt(checksum) }, await fingerprint(trx, tableOf(tables, name))]
      if (!isSameFingerprint(was, is))
        throw new OperatorError(
          'backup-damaged',
          `The backup in ${storage.name} is damaged: the table ${name} has ${fingerprintText(is)} instead of ${fingerprintText(was)}; use another backup.`,
        )
    }
    for (const sequence of manifest.sequences) await setSequence(trx, sequence)
    await freeLeases(trx)
    await endAllSessions(trx)
    if (options.key === undefined) await loseKeys(trx, options)
    const begun = await beginEpoch(trx, options)
    await options.atEnd?.(trx)
    return { rows, ...begun }
  })
  await sql`analyze`.execute(store.db)
  return summary
}

/** The stock goes on with another secret key, unless secrets of webhooks still need the former one. */
async function loseKeys(trx: Executor, { randomBytes }: CursorKeyOptions): Promise<void> {
  await loseRedactions(trx, randomBytes)
  await sql`
    delete from setting where name = ${keyPrintSetting} and not exists (select from webhook_secret)`.execute(trx)
}

async function loadParts(
  trx: Executor,
  storage: BackupStorage,
  {
    manifest,
    tables,
    options,
  }: { readonly manifest: Manifest; readonly tables: ReadonlyMap<string, Table>; readonly options: RestoreOptions },
): Promise<number> {
  let rows = 0
  for (const part of manifest.parts) {
    const table = tableOf(tables, part.table)
    for (const lines of slices(await readPart(storage, part))) await writeRows(trx, table, lines)
    rows += part.rows
    options.onProgress?.({ rows, totalRows: manifest.rows, table: part.table })
  }
  if (options.key === undefined) return rows
  const sealed = openRows(manifest, options.key)
  if (sealed === undefined)
    throw new Error('the manifest was made with this key, and its keys were sealed with another')
  for (const [name, lines] of Object.entries(sealed)) await writeRows(trx, tableOf(tables, name), lines)
  return rows
}

function tableOf(tables: ReadonlyMap<string, Table>, name: string): Table {
  const table = tables.get(name)
  if (table === undefined) throw new Error(`the backup has a table ${name} that its migrations do not make`)
  return table
}

/** Whole lines, about as many as fit into one statement. */
function* slices(lines: string): Generator<string> {
  for (let from = 0; from < lines.length; ) {
    const end = from + batchLength >= lines.length ? lines.length : lines.indexOf('\n', from + batchLength)
    const to = end < 0 ? lines.length : end
    yield lines.slice(from, to)
    from = to + 1
  }
}
