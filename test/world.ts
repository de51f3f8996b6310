// Worlds for tests: an empty stock on each engine, fast because it is copied from a template made once per machine.
import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { lockName } from '../src/platform/folder-lock.ts'
import { within } from '../src/platform/within.ts'
import { openStore, type Store } from '../src/store/database/database.ts'
import { migrations } from '../src/store/schema/migrations.ts'
import { proofDraw } from './proof/proof-count.ts'

export type Engine = Store['engine']

/** The server that tests may use; each test creates its own database there. */
export const testDatabaseUrl: string | undefined = process.env.TEST_DATABASE_URL || undefined

/** The engines that every store test runs on: `describe.each(engines)('… (%s)', (engine) => …)`. */
export const engines: readonly Engine[] = testDatabaseUrl === undefined ? ['embedded'] : ['embedded', 'server']
/**
 * One of them, drawn for each file and run, for pages and commands: tests of the store run its queries on each. A proof
 * uses all.
 */
export const drawnEngines: readonly Engine[] = proofDraw(engines, 1)
if (testDatabaseUrl === undefined) console.log('skipped: the server engine (no TEST_DATABASE_URL)')

export type TestStore = Store &
  AsyncDisposable & {
    /** The options with which `openStore` opens the same stock again after `close`. */
    readonly options: { readonly dataFolder: string; readonly databaseUrl?: string }
  }

async function templateKey(): Promise<string> {
  const pgliteMain = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const pglite = await readFile(join(dirname(pgliteMain), '..', 'package.json'), 'utf8')
  return createHash('sha256')
    .update(JSON.stringify(['folder layout 3', migrations, JSON.parse(pglite).version]))
    .digest('hex')
    .slice(0, 16)
}

/**
 * A folder with an initialized, migrated, closed embedded stock. It is made under another name and renamed, so that
 * parallel tests do not conflict.
 */
async function templateFolder(): Promise<string> {
  const folder = join(tmpdir(), `tenderstock-template-${await templateKey()}`)
  if (existsSync(folder)) return folder
  const aside = await mkdtemp(`${folder}-`)
  const store = await openStore({ dataFolder: aside })
  await store.close()
  // both programs set a umask; a test process has none
  await chmod(join(aside, lockName), 0o600)
  await rename(aside, folder).catch(() => rm(aside, { recursive: true }))
  return folder
}

async function withServer<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: testDatabaseUrl })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The same server, another database. */
export function serverUrlOf(database: string): string {
  const url = new URL(testDatabaseUrl!)
  url.pathname = `/${database}`
  return url.href
}

const templateLock = 7_271_100

async function templateDatabase(): Promise<string> {
  const name = `tenderstock_template_${await templateKey()}`
  await withServer(async (client) => {
    await client.query('select pg_advisory_lock($1)', [templateLock])
    const found = await client.query('select 1 from pg_database where datname = $1', [name])
    if (found.rows.length > 0) return
    const aside = `${name}_new`
    await client.query(`drop database if exists ${aside} with (force)`)
    await client.query(`create database ${aside}`)
    const store = await openStore({ databaseUrl: serverUrlOf(aside), dataFolder: tmpdir() })
    await store.close()
    await client.query(`alter database ${aside} rename to ${name}`)
  })
  return name
}

/** A database without tables on the test server; `await using` drops it. */
export async function openEmptyDatabase(): Promise<AsyncDisposable & { readonly url: string }> {
  const database = testDatabaseName()
  await withServer((client) => client.query(`create database ${database}`))
  return { url: serverUrlOf(database), [Symbol.asyncDispose]: () => dropDatabase(database) }
}

function testDatabaseName(): string {
  return `tenderstock_test_${randomUUID().replaceAll('-', '')}`
}

async function dropDatabase(database: string): Promise<void> {
  await withServer((client) => client.query(`drop database ${database} with (force)`))
}

/**
 * Embedded stocks that a test of this file no longer needs, emptied for the next one: opening one takes a second of
 * CPU.
 */
const idle: TestStore[] = []
/** How long emptying may take; if it takes longer, it waits for a transaction that a failed test left open. */
const emptyWithinMs = 10_000
// Programs that tests start use this file too; they end without a hook.
if ('__vitest_worker__' in globalThis) {
  const { afterAll } = await import('vitest')
  afterAll(async () => {
    for (const { close, options } of idle.splice(0)) {
      await close()
      await rm(options.dataFolder, { recursive: true, force: true })
    }
  })
}

/**
 * Puts an empty embedded stock into a data folder, which is created if missing: a program that finds one starts without
 * the five seconds of CPU in which it would create its database.
 */
export async function putEmptyStock(dataFolder: string): Promise<string> {
  await cp(await templateFolder(), dataFolder, { recursive: true })
  return dataFolder
}

async function openEmbeddedStore(): Promise<TestStore> {
  const dataFolder = await putEmptyStock(await mkdtemp(join(tmpdir(), 'tenderstock-test-')))
  const options = { dataFolder }
  const store = await openStore(options)
  const [schema, seeds, files] = [await schemaOf(store), await rowsOf(store), await readdir(dataFolder)]
  let isClosed = false
  const opened: TestStore = {
    ...store,
    options,
    close: () => {
      isClosed = true
      return store.close()
    },
    [Symbol.asyncDispose]: async () => {
      if (!isClosed && (await isEmptied(store, schema, seeds))) {
        // what a test has put beside the database
        for (const name of await readdir(dataFolder))
          if (!files.includes(name)) await rm(join(dataFolder, name), { recursive: true, force: true })
        idle.push(opened)
        return
      }
      await store.close()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
  return opened
}

/** Changes with tables, columns, constraints, triggers and functions. */
async function schemaOf({ db }: Store): Promise<string> {
  const { rows } = await sql<{ schema: string }>`
    select md5(string_agg(part, ' ' order by part)) as schema from (
      select concat(relname, relkind, relhastriggers) as part from pg_class where relnamespace = 'public'::regnamespace
      union all select concat(relname, '.', attname, atttypid)
        from pg_attribute join pg_class on pg_class.oid = attrelid where relnamespace = 'public'::regnamespace
      union all select conname from pg_constraint where connamespace = 'public'::regnamespace
      union all select tgname from pg_trigger
      union all select proname from pg_proc where pronamespace = 'public'::regnamespace) as parts`.execute(db)
  return rows[0]!.schema
}

type Rows = readonly { readonly table: string; readonly rows: string | null }[]

/** The rows of all tables but those of the migrations. */
async function rowsOf({ db }: Store): Promise<Rows> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not like 'kysely%'`.execute(db)
  const found: { table: string; rows: string | null }[] = []
  for (const { name } of tables) {
    const { rows } = await sql<{ rows: string | null }>`
      select json_agg(t)::text as rows from ${sql.table(name)} t`.execute(db)
    found.push({ table: name, rows: rows[0]!.rows })
  }
  return found
}

/** Makes the stock a new one again, including the settings of its session. False if it can no longer be used. */
async function isEmptied(store: Store, schema: string, seeds: Rows): Promise<boolean> {
  const { db } = store
  const empty = async () => {
    if ((await schemaOf(store)) !== schema) throw new Error('a test changed the tables')
    await sql`reset all`.execute(db)
    await sql`truncate ${sql.join(seeds.map(({ table }) => sql.table(table)))} restart identity`.execute(db)
    for (const { table, rows } of seeds) {
      if (rows === null) continue
      await sql`
        insert into ${sql.table(table)} overriding system value
        select * from json_populate_recordset(null::${sql.table(table)}, ${rows}::json)`.execute(db)
    }
  }
  return within(empty(), emptyWithinMs).catch(() => false)
}

/** A separate empty stock; `await using` gives it back. */
export async function openTestStore(engine: Engine): Promise<TestStore> {
  if (engine === 'embedded') return idle.pop() ?? openEmbeddedStore()
  const dataFolder = await mkdtemp(join(tmpdir(), 'tenderstock-test-'))
  const template = await templateDatabase()
  const database = testDatabaseName()
  await withServer(async (client) => {
    // `create database` refuses a template that another test is copying at this moment.
    await client.query('select pg_advisory_lock($1)', [templateLock])
    await client.query(`create database ${database} template ${template}`)
  })
  const options = { dataFolder, databaseUrl: serverUrlOf(database) }
  const store = await openStore(options)
  const dispose = async () => {
    await store.close()
    await dropDatabase(database)
    await rm(dataFolder, { recursive: true, force: true })
  }
  return { ...store, options, [Symbol.asyncDispose]: dispose }
}
