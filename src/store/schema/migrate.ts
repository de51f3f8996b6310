// Brings a database to the newest numbered migration; concurrent callers apply each migration once. The names of the
// migrations say which older programs can continue (docs/upgrades.md).
import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { OperatorError } from '../../platform/errors.ts'
import { lockTimedOut } from '../connections/connection-loss.ts'
import { type Migrations, migrations } from './migrations.ts'
import type { Database } from './schema.ts'

async function appliedMigrations(db: Kysely<Database>): Promise<string[]> {
  const table = await sql<{ found: boolean }>`select to_regclass('kysely_migration') is not null as found`.execute(db)
  if (!table.rows[0]?.found) return []
  const applied = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return applied.rows.map((row) => row.name)
}

/** Names that the first migration had before the first release. */
const unreleasedNames = ['0001-stock', '0001-tables']

/** The number of the migration that programs must know for a contracting migration. Undefined: it only expands. */
const neededBy = (name: string): string | undefined => /\.needs-(\d{4})$/.exec(name)?.[1]

const numbersOf = (known: Migrations): string[] => Object.keys(known).map((name) => name.slice(0, 4))

/** Number of the newest migration that a program knows. */
export const newestMigration = (known: Migrations = migrations): string => numbersOf(known).sort().at(-1)!

/** Prefix of the names of our sessions on a server; the number of the newest migration follows. */
export const sessionName = 'tenderstock'

/** How long a statement waits for a lock: other uses of the table meanwhile wait behind it. */
const lockTimeoutMs = 3_000
const retryMs = 1_000
/** Maximum number of retries; with the waits, some six minutes. */
const maxRetries = 100

export type MigrateOptions = {
  readonly known?: Migrations
  /**
   * Called before migrations are applied, and with those that have to wait because a running program is too old for
   * them.
   */
  readonly onMigration?: (news: { readonly applying: readonly string[]; readonly waiting: readonly string[] }) => void
}

/**
 * Applies the missing migrations, all in one transaction. A database migrated by a newer program is accepted if this
 * one can work with it; otherwise throws OperatorError.
 */
export async function migrate(
  db: Kysely<Database>,
  stock: string,
  { known = migrations, onMigration = () => {} }: MigrateOptions = {},
): Promise<void> {
  for (let retries = 0; ; retries++) {
    const applied = await appliedMigrations(db)
    assertUsable(applied, known, stock)
    const missing = Object.keys(known).filter((name) => !applied.includes(name))
    if (missing.length === 0) return
    const waiting = await waitingFor(db, missing)
    const applying = missing.filter((name) => !waiting.includes(name))
    if (retries === 0) onMigration({ applying, waiting })
    if (applying.length === 0) return
    const error = await apply(db, [...applied, ...applying], known)
    if (error === undefined) return
    if ((error as { readonly code?: string }).code !== lockTimedOut) throw error
    if (retries === maxRetries)
      throw new OperatorError(
        'database-busy',
        `${stock} could not be brought up to date, because a long transaction holds its tables; end it (pg_stat_activity shows it), and start again.`,
        { cause: error },
      )
    await delay(retryMs)
  }
}

function assertUsable(applied: readonly string[], known: Migrations, stock: string): void {
  const unknown = applied.filter((name) => !(name in known))
  if (unknown.some((name) => unreleasedNames.includes(name))) {
    throw new OperatorError(
      'older-version',
      `${stock} was written by a version of Tenderstock from before the first release, which this one cannot ` +
        'read; start with an empty data folder or database, and read the notices again.',
    )
  }
  const numbers = new Set(numbersOf(known))
  const forbidding = unknown.filter((name) => {
    const needed = neededBy(name)
    return needed !== undefined && !numbers.has(needed)
  })
  // a newer program has all migrations of an older one; any other list belongs to another kind of program
  const isOlder = Object.keys(known).every((name) => applied.includes(name) || neededBy(name) !== undefined)
  if (forbidding.length > 0 || (unknown.length > 0 && !isOlder)) {
    const named = forbidding.length > 0 ? forbidding : unknown
    throw new OperatorError(
      'newer-version',
      `${stock} was written by a newer version of Tenderstock (it holds ${named.join(', ')}); update the program, or use another database or data folder.`,
    )
  }
}

/** Those that contract while a session of a program is open that does not know what they need. */
async function waitingFor(db: Kysely<Database>, missing: readonly string[]): Promise<string[]> {
  const contracting = missing.filter((name) => neededBy(name) !== undefined)
  if (contracting.length === 0) return []
  const { rows } = await sql<{ name: string }>`
    select application_name as name from pg_stat_activity
    where datname = current_database() and application_name like ${`${sessionName}%`}`.execute(db)
  const oldest = rows.map(({ name }) => name.slice(sessionName.length + 1) || '0000').sort()[0]
  return contracting.filter((name) => oldest !== undefined && oldest < neededBy(name)!)
}

/** Undefined: done. */
async function apply(db: Kysely<Database>, names: readonly string[], known: Migrations): Promise<unknown> {
  const provided: Record<string, Migration> = {}
  for (const name of names) {
    provided[name] = {
      up: async (trx) => {
        await sql`select set_config('lock_timeout', ${String(lockTimeoutMs)}, true)`.execute(trx)
        for (const statement of known[name] ?? []) await sql.raw(statement).execute(trx)
      },
    }
  }
  // one that waited is applied after newer ones
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => provided },
    allowUnorderedMigrations: true,
  })
  const { error } = await migrator.migrateToLatest()
  return error
}
