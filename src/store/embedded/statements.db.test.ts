import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Statements } from './statements.ts'

let pglite: PGlite
let statements: Statements
beforeAll(async () => {
  pglite = await PGlite.create()
})
afterAll(() => pglite.close())
beforeEach(async () => {
  await pglite.exec('deallocate all; drop table if exists thing; create table thing (id int primary key, name text)')
  statements = new Statements(pglite)
})

const run = (text: string, ...parameters: readonly unknown[]) => statements.run(text, parameters)
const rowsOf = async (text: string, ...parameters: readonly unknown[]) => (await run(text, ...parameters))?.rows
const preparedNames = async () =>
  (await pglite.query<{ name: string }>('select name from pg_prepared_statements')).rows.map(({ name }) => name)

describe('a statement that is repeated', () => {
  test('is prepared the second time, and answers as the first time did', async () => {
    const text = `select $1::int as number, $2::text as text, $3::bytea as bytes, $4::text[] as list, $5::bigint as big,
      $6::jsonb as json, $7::boolean as truth, $8::timestamptz as at, $9::int as nothing`
    const parameters = [
      ...[7, 'sieben', new Uint8Array([0, 1, 255]), ['a', null, 'b"c'], 2 ** 53, { a: [1] }, false],
      ...[new Date(0), null],
    ]
    const first = await run(text, ...parameters)
    expect(await preparedNames()).toEqual([])
    for (let turn = 0; turn < 3; turn++) expect(await run(text, ...parameters)).toEqual(first)
    expect(await preparedNames()).toHaveLength(1)
    expect(first?.rows).toEqual(await pglite.query(text, parameters).then(({ rows }) => rows))
  })

  test('counts the rows that it changed', async () => {
    const text = 'insert into thing select number, $1 from generate_series($2::int, $3::int) as number'
    for (const [from, to] of [
      [1, 3],
      [4, 4],
      [5, 9],
    ] as const)
      expect(await run(text, 'a', from, to)).toMatchObject({ command: 'INSERT', affectedRows: to - from + 1, rows: [] })
    for (const id of [1, 2, 99])
      expect(await rowsOf('delete from thing where id = $1 returning id', id)).toEqual(id === 99 ? [] : [{ id }])
  })

  test('fails as the first time would, and runs again afterwards', async () => {
    const text = 'insert into thing values ($1, $2)'
    await run(text, 1, 'a')
    await run(text, 2, 'b')
    for (let turn = 0; turn < 2; turn++) await expect(run(text, 2, 'c')).rejects.toMatchObject({ code: '23505' })
    await run(text, 3, 'c')
    for (let turn = 0; turn < 3; turn++) {
      await run('begin')
      await expect(run(text, 3, 'd')).rejects.toMatchObject({ code: '23505' })
      await expect(run('select 1')).rejects.toMatchObject({ code: '25P02' })
      expect(await run('commit')).toMatchObject({ command: 'ROLLBACK' })
    }
    expect(await rowsOf('select count(*)::int as count from thing')).toEqual([{ count: 3 }])
  })

  test('sees the schema of the moment, also after one that was undone', async () => {
    const text = 'select * from thing'
    await run('insert into thing values (1, $1)', 'a')
    const small = [{ id: 1, name: 'a' }]
    const large = [{ id: 1, name: 'a', more: null }]
    const twice = async (rows: readonly unknown[]) => {
      for (let turn = 0; turn < 3; turn++) expect(await rowsOf(text)).toEqual(rows)
    }
    await twice(small)
    await run('begin')
    await run('alter table thing add column more int')
    await twice(large)
    await run('rollback')
    await twice(small)
    await run('alter table thing add column more int')
    await twice(large)
    await run('begin')
    await run('savepoint before')
    await run('alter table thing drop column more')
    await run('rollback to savepoint before')
    await twice(large)
    await run('commit')
    await twice(large)
  })

  test('recovers when something else changed the schema, or forgot its statement', async () => {
    const text = 'select * from thing'
    for (let turn = 0; turn < 3; turn++) await run(text)
    await pglite.exec('alter table thing add column more int')
    await expect(run(text)).rejects.toMatchObject({ code: '0A000' })
    for (let turn = 0; turn < 3; turn++) expect(await rowsOf(text)).toEqual([])
    await pglite.exec('deallocate all')
    await expect(run(text)).rejects.toMatchObject({ code: '26000' })
    expect(await rowsOf(text)).toEqual([])
  })

  test('is planned for the table as it has become', async () => {
    const text = 'select thing.name from unnest($1::int[]) as wanted join thing on thing.id = wanted'
    for (let turn = 0; turn < 20; turn++) await run(text, [1])
    const [former] = await preparedNames()
    for (let turn = 0; turn < 100; turn++) await run(text, [1])
    const names = await preparedNames()
    expect(names).toHaveLength(1)
    expect(names).not.toContain(former)
  })
})

describe('what is kept', () => {
  test('stays below 200 statements, the least recently used go first', async () => {
    for (let turn = 0; turn < 3; turn++) await run('select 0 as kept')
    const [kept] = await preparedNames()
    for (let number = 1; number <= 500; number++) {
      for (let turn = 0; turn < 2; turn++) await run(`select ${number} as number`)
      await run('select 0 as kept')
    }
    const names = await preparedNames()
    expect(names.length).toBeLessThanOrEqual(200)
    expect(names.length).toBeGreaterThan(150)
    expect(names).not.toContain(kept)
    expect(await rowsOf('select 500 as number')).toEqual([{ number: 500 }])
  })

  test('are no long texts', async () => {
    const text = `select '${'x'.repeat(20_000)}' as text`
    for (let turn = 0; turn < 3; turn++) await run(text)
    expect(await preparedNames()).toEqual([])
  })
})
