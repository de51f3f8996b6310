// The part of a server's database into which a drill restores: a schema of its own, which carries a mark from its first
// moment. What a killed drill left is known by it, and the next drill removes that and nothing else.
import { type Kysely, sql } from 'kysely'
import { OperatorError } from '../../platform/errors.ts'
import { migrations } from '../schema/migrations.ts'
import type { Database } from '../schema/schema.ts'
import { openServer } from '../server/open-server.ts'
import { withOptions } from '../server/server-addresses.ts'

const schema = 'tenderstock_drill'
const mark = 'Scratch tables of a drill of Tenderstock, which the next drill removes.'
/** Of emptying the scratch schema. */
const statementTimeoutMs = 10 * 60_000

/**
 * Does the work in an empty schema, with the address at which a store finds that and nothing else, and removes it.
 * Throws OperatorError, and changes nothing, when the schema `public` holds anything, the scratch schema anything that
 * is not of a drill, or another drill is using it.
 */
export async function inScratchSchema<Result>(
  databaseUrl: string,
  target: string,
  work: (scratchUrl: string) => Promise<Result>,
): Promise<Result> {
  const server = await openServer({ databaseUrl, statementTimeoutMs })
  try {
    // one connection, whose end frees the lock however the process ends
    return await server.db.connection().execute(async (db) => {
      await lock(db, target)
      // any that is in use, that of the stock under whatever address too, ends here
      await assertUnused(db, target)
      await removeLeftovers(db, target)
      await db.transaction().execute(async (trx) => {
        await sql`create schema ${sql.id(schema)}`.execute(trx)
        await sql`comment on schema ${sql.id(schema)} is ${sql.lit(mark)}`.execute(trx)
      })
      try {
        const scratchUrl = withOptions(databaseUrl, `-c search_path=${schema}`)
        await assertLeadsToScratch(scratchUrl, target)
        return await work(scratchUrl)
      } finally {
        await remove(db)
      }
    })
  } finally {
    await server.close()
  }
}

async function lock(db: Kysely<Database>, target: string): Promise<void> {
  const { rows } = await sql<{ isFree: boolean }>`
    select pg_try_advisory_lock(hashtext(${mark})) as "isFree"`.execute(db)
  if (!rows[0]!.isFree)
    throw new OperatorError('target-not-empty', `${target} is used by another drill; wait until that one has ended.`)
}

/** Throws OperatorError when the schema that every program uses holds anything, be it without rows. */
async function assertUnused(db: Kysely<Database>, target: string): Promise<void> {
  const { rows } = await sql<{ held: string }>`
    select pg_describe_object(classid, objid, objsubid) as held from pg_depend
    where refclassid = 'pg_namespace'::regclass and refobjid = 'public'::regnamespace limit 1`.execute(db)
  if (rows[0]) throw notEmpty(target, rows[0].held)
}

const notEmpty = (target: string, held: string) =>
  new OperatorError(
    'target-not-empty',
    `${target} is not empty (it holds: ${held}); name a new one, which is emptied afterwards.`,
  )

const tablesMade = Object.values(migrations).flatMap((statements) =>
  statements.flatMap((text) => /create (?:unlogged )?table (?:if not exists )?(\w+)/.exec(text)?.[1] ?? []),
)
const tablesOfDrills = [...tablesMade, 'kysely_migration', 'kysely_migration_lock']

async function removeLeftovers(db: Kysely<Database>, target: string): Promise<void> {
  const { rows } = await sql<{ comment: string | null }>`
    select obj_description(oid, 'pg_namespace') as comment from pg_namespace where nspname = ${schema}`.execute(db)
  if (!rows[0]) return
  if (rows[0].comment !== mark) throw notEmpty(target, `schema ${schema}, without the mark of a drill`)
  const foreign = await foreignObject(db)
  if (foreign !== undefined) throw notEmpty(target, foreign)
  await remove(db)
}

/** What no drill has made: it is in the marked schema, or would go with its tables. */
async function foreignObject(db: Kysely<Database>): Promise<string | undefined> {
  const { rows } = await sql<{ held: string }>`
    with own as (select oid from pg_namespace where nspname = ${schema}),
      held as (select relation.oid from pg_class relation join own on own.oid = relation.relnamespace)
    select pg_describe_object(depend.classid, depend.objid, depend.objsubid) as held from pg_depend depend
      left join pg_class relation on depend.classid = 'pg_class'::regclass and relation.oid = depend.objid
      where depend.refclassid = 'pg_namespace'::regclass and depend.refobjid in (select oid from own)
        and not coalesce(relation.relkind = 'r' and relation.relname = any (${tablesOfDrills}), false)
        and not exists (select from pg_depend of_table where of_table.classid = depend.classid
          and of_table.objid = depend.objid and of_table.deptype in ('a', 'i')
          and of_table.refclassid = 'pg_class'::regclass and of_table.refobjid in (select oid from held))
    union all
    select pg_describe_object('pg_class'::regclass, ev_class, 0) from pg_rewrite
      where ev_class not in (select oid from held) and exists (select from pg_depend
        where classid = 'pg_rewrite'::regclass and objid = pg_rewrite.oid and refobjid in (select oid from held))
    union all
    select pg_describe_object('pg_class'::regclass, conrelid, 0) from pg_constraint
      where confrelid in (select oid from held) and conrelid not in (select oid from held)
    union all
    select pg_describe_object('pg_class'::regclass, inhrelid, 0) from pg_inherits
      where inhparent in (select oid from held) and inhrelid not in (select oid from held)
    limit 1`.execute(db)
  return rows[0]?.held
}

const remove = (db: Kysely<Database>) => sql`drop schema ${sql.id(schema)} cascade`.execute(db)

/** A pooler may drop where the address leads, and the tables would be made elsewhere. */
async function assertLeadsToScratch(scratchUrl: string, target: string): Promise<void> {
  const server = await openServer({ databaseUrl: scratchUrl, statementTimeoutMs })
  try {
    const { rows } = await sql<{ schema: string | null }>`select current_schema() as schema`.execute(server.db)
    if (rows[0]!.schema !== schema)
      throw new OperatorError(
        'pooler-unusable',
        `${target} is behind a pooler that drops the option search_path; name the server itself.`,
      )
  } finally {
    await server.close()
  }
}
