// `schema.ts` states what Kysely assumes; the migrations create the tables. This test parses the first and queries the
// second.
import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { engines, openEmptyDatabase, openTestStore, testDatabaseUrl } from '../../../test/world.ts'
import { openStore } from '../database/database.ts'
import { migrations } from './migrations.ts'

/** `table.column` → TypeScript type, read from the text of the type `Database`. */
async function declaredColumns(): Promise<Map<string, string>> {
  const source = await readFile(new URL('schema.ts', import.meta.url), 'utf8')
  const body = source
    .slice(source.indexOf('export type Database = {') + 'export type Database = {'.length)
    .replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
  const columns = new Map<string, string>()
  for (const [, table, members] of body.matchAll(/(\w+): \{([^}]*)\}/g)) {
    for (const [, column, type] of members!.matchAll(/(\w+): ([^;\n]+)/g))
      columns.set(`${table}.${column}`, type!.trim())
  }
  return columns
}

const typeOf: { readonly [sqlType: string]: readonly string[] } = {
  text: ['string'],
  boolean: ['boolean'],
  integer: ['number'],
  smallint: ['number'],
  bigint: ['EpochMs', 'number'],
  'double precision': ['number'],
  bytea: ['Uint8Array'],
}

test('migrations are numbered from 1 without gaps, in their order', () => {
  const names = Object.keys(migrations)
  expect(names.map((name) => name.slice(0, 5))).toEqual(
    names.map((_, index) => `${String(index + 1).padStart(4, '0')}-`),
  )
})

describe.each(engines)('the tables on the %s engine', (engine) => {
  test('are those of schema.ts, column by column', async () => {
    await using store = await openTestStore(engine)
    const { rows } = await sql<{ name: string; type: string; nullable: boolean }>`
      select table_name || '.' || column_name as name, data_type as type, is_nullable = 'YES' as nullable
      from information_schema.columns where table_schema = 'public' and table_name not like 'kysely%'`.execute(store.db)
    const declared = await declaredColumns()
    expect(declared.size).toBeGreaterThan(50)
    expect(rows.map((row) => row.name).sort()).toEqual([...declared.keys()].sort())
    for (const { name, type, nullable } of rows) {
      const written = declared.get(name)!.replace(/^Generated<(.*)>$/, '$1')
      const [base, ...others] = written.split(' | ')
      expect({ name, type: typeOf[type]?.includes(base!) ? type : `${type}, not ${base}`, nullable }).toEqual({
        name,
        type,
        nullable: others.includes('null'),
      })
    }
  })

  test('return the same values on both engines: bigint as number, sums as text', async () => {
    await using store = await openTestStore(engine)
    const { rows } = await sql`select 9007199254740991::bigint as big, count(*) as counted, sum(serial) as total,
      null::bigint as nothing, true as yes, 'ä'::text as letter, array[1, 2] as list, '{"a":1}'::jsonb as json
      from change_signal`.execute(store.db)
    expect(rows).toEqual([
      {
        big: Number.MAX_SAFE_INTEGER,
        counted: 3,
        total: '0',
        nothing: null,
        yes: true,
        letter: 'ä',
        list: [1, 2],
        json: { a: 1 },
      },
    ])
  })

  test('accept the same parameters on both engines', async () => {
    await using store = await openTestStore(engine)
    const { rows } = await sql`select ${5}::bigint as number, ${'ß'}::text as text, ${null}::text as nothing,
      ${true}::boolean as yes, ${['a', 'b"\\']}::text[] as list, ${'{"a":[1]}'}::jsonb as json, ${[1, 2]}::bigint[] = array[1, 2]::bigint[] as equal`.execute(
      store.db,
    )
    expect(rows).toEqual([
      { number: 5, text: 'ß', nothing: null, yes: true, list: ['a', 'b"\\'], json: { a: [1] }, equal: true },
    ])
  })
})

describe.skipIf(testDatabaseUrl === undefined)('migrations on a server', () => {
  test('are applied once by processes that start at once', async () => {
    await using database = await openEmptyDatabase()
    const options = { databaseUrl: database.url, dataFolder: '' }
    const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(options)))
    const signals = await stores[0]!.db.selectFrom('change_signal').selectAll().execute()
    expect(signals).toHaveLength(3)
    for (const store of stores) await store.close()
  })
})
