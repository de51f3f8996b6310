// Brings a database to the newest numbered migration; concurrent callers apply each migration once.
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { OperatorError } from '../platform/errors.ts'
import { type Migrations, migrations } from './migrations.ts'
import type { Database } from './schema.ts'

async function appliedMigrations(db: Kysely<Database>): Promise<string[]> {
  const table = await sql<{ found: boolean }>`select to_regclass('kysely_migration') is not null as found`.execute(db)
  if (!table.rows[0]?.found) return []
  const applied = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return applied.rows.map((row) => row.name)
}

/** Before the first release the first migration had another name. */
const unreleasedName = '0001-stock'

/**
 * Applies what is missing of `migrations`, all in one transaction. Throws OperatorError when the database was made by
 * another version of the program whose tables may mean things that this code does not know.
 */
export async function migrate(db: Kysely<Database>, place: string, known: Migrations = migrations): Promise<void> {
  const applied = await appliedMigrations(db)
  const unknown = applied.filter((name) => !(name in known))
  if (unknown.includes(unreleasedName)) {
    throw new OperatorError(
      `${place} was written by a version of Tenderstock from before the first release, which this one cannot read; start with an empty data folder or database, and read the notices again.`,
    )
  }
  if (unknown.length > 0) {
    throw new OperatorError(
      `${place} was written by a newer version of Tenderstock (it holds ${unknown.join(', ')}); update the program, or use another place.`,
    )
  }
  if (applied.length === Object.keys(known).length) return
  const provided: Record<string, Migration> = {}
  for (const [name, statements] of Object.entries(known)) {
    provided[name] = {
      up: async (trx) => {
        for (const statement of statements) await sql.raw(statement).execute(trx)
      },
    }
  }
  const migrator = new Migrator({ db, provider: { getMigrations: async () => provided } })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
}
