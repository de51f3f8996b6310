// The statements of the PostgreSQL sink on the embedded engine; the sink itself is tested on a server.
import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DigestSum, isOpenRecord } from '../../sync/copy-digest.ts'
import { archivedOf, idOf, recordOf } from '../../testing/sink-conformance.ts'
import type { TenderRecord } from '../../types.ts'
import { recordHash } from '../record/record-hash.ts'
import { removeKeys, restoreKeys } from './postgres-load.ts'
import { migratePostgres, plainIndexes } from './postgres-schema.ts'
import { PostgresTables } from './postgres-tables.ts'

let pglite: PGlite
let tables: PostgresTables
const rows = async <Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> =>
  (await pglite.query<Row>(sql, [...values])).rows

beforeAll(async () => {
  pglite = await PGlite.create()
  await migratePostgres(
    { query: (sql, values) => pglite.query<{ [name: string]: unknown }>(sql, values as unknown[]) },
    'copy',
  )
  tables = new PostgresTables(rows, '"copy"')
})
beforeEach(() => pglite.exec('delete from copy.tender; delete from copy.sync_staged'))
afterAll(() => pglite.close())

const digestOf = (...records: readonly TenderRecord[]) => {
  const sum = new DigestSum()
  for (const record of records) sum.add(recordHash(record), isOpenRecord(record), record.lastModified)
  return sum.digest
}

describe.each([
  { where: 'the staging', isStaging: true },
  { where: 'the tables', isStaging: false },
])('$where', ({ isStaging }) => {
  const put = (records: readonly TenderRecord[], isKnownOnly = false) => tables.put(records, { isStaging, isKnownOnly })

  test('an older version never replaces a newer one, whatever call brings it (G5)', async () => {
    await put([recordOf(1, 2), recordOf(2, 2)])
    await put([recordOf(1, 1)])
    await put([archivedOf(2, 1), recordOf(3, 0)], true)
    expect(await tables.digest(isStaging)).toEqual(digestOf(recordOf(1, 2), recordOf(2, 2)))
    await put([recordOf(1, 3)])
    await put([archivedOf(2, 3)], true)
    expect(await tables.digest(isStaging)).toEqual(digestOf(recordOf(1, 3), archivedOf(2, 3)))
  })

  test('the same version with other content replaces the held one', async () => {
    await put([recordOf(1, 1, { title: 'Damaged' })])
    await put([recordOf(1, 1)])
    expect(await tables.digest(isStaging)).toEqual(digestOf(recordOf(1, 1)))
  })
})

test('a complete staging replaces all that the tables held, also what was newer there', async () => {
  await tables.put([recordOf(1, 5), recordOf(2, 5), recordOf(3, 1)], { isStaging: false, isKnownOnly: false })
  await tables.put([recordOf(1, 4), recordOf(3, 1)], { isStaging: true, isKnownOnly: false })
  await tables.applyStaged()
  expect(await tables.digest(false)).toEqual(digestOf(recordOf(1, 4), recordOf(3, 1)))
  expect(await tables.digest(true)).toEqual(digestOf())
  const seen: unknown[] = []
  for await (const { id, content, record } of tables.seen()) seen.push([id, content === recordHash(record!)])
  expect(seen).toEqual([
    [idOf(1), true],
    [idOf(3), true],
  ])
})

test('a load takes away and brings back the own plain indexes, and leaves those of others as they are', async () => {
  await pglite.exec(`create index own_title on copy.tender (title);
    comment on index copy.own_title is 'for the report';
    create index on copy.tender_cpv (code text_pattern_ops);
    alter table copy.tender_nuts cluster on tender_nuts_code_idx`)
  const indexes = () =>
    rows<{ name: string }>(
      `select relname as name, indexdef, indexrelid::bigint as oid, obj_description(indexrelid) as comment, indisclustered
       from pg_index join pg_class on pg_class.oid = indexrelid join pg_indexes on indexname = relname
       where schemaname = 'copy' order by 1`,
    )
  const before = await indexes()
  await removeKeys(rows, '"copy"')
  const removed = new Set<string>(plainIndexes.filter((name) => name !== 'tender_nuts_code_idx'))
  expect(removed.size).toBe(4)
  const during = await indexes()
  expect(during).toEqual(before.filter(({ name }) => !removed.has(name)))
  expect(during).toContainEqual(expect.objectContaining({ name: 'own_title', comment: 'for the report' }))
  await restoreKeys(rows, '"copy"')
  const newOid = (each: { readonly name: string }) => (removed.has(each.name) ? { ...each, oid: 'new' } : each)
  expect((await indexes()).map(newOid)).toEqual(before.map(newOid))
})
