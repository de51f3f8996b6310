// Brings a database to the newest numbered migration; concurrent callers apply each migration once.
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { OperatorError } from '../platform/errors.ts'
import { migrations } from './migrations.ts'
import type { Database } from './schema.ts'

async function appliedMigrations(db: Kysely<Database>): Promise<string[]> {
  const table = await sql<{ found: boolean }>`select to_regclass('kysely_migration') is not null as found`.execute(db)
  if (!table.rows[0]?.found) return []
  const applied = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return applied.rows.map((row) => row.name)
}

/**
 * Applies what is missing of `migrations.ts`, all in one transaction. Throws OperatorError when the database was made by
 * a newer version of the program: its tables may mean things that this code does not know.
 */
export async function migrate(db: Kysely<Database>, place: string): Promise<void> {
  const applied = await appliedMigrations(db)
  const unknown = applied.filter((name) => !(name in migrations))
  if (unknown.length > 0) {
    throw new OperatorError(
      `${place} was written by a newer version of Tenderstock (it holds ${unknown.join(', ')}); update the program, or use another place.`,
    )
  }
  if (applied.length === Object.keys(migrations).length) return
  const provided: Record<string, Migration> = {}
  for (const [name, statements] of Object.entries(migrations)) {
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
