// The statements of the PostgreSQL sink on the embedded engine; the sink itself is tested on a server.
import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DigestSum, isOpenRecord } from '../../sync/copy-digest.ts'
import { archivedOf, idOf, recordOf } from '../../testing/sink-conformance.ts'
import type { TenderRecord } from '../../types.ts'
import { recordHash } from '../record/record-hash.ts'
import { migratePostgres } from './postgres-schema.ts'
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
