import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { drawnEngines, openTestStore } from '../../../test/world.ts'
import { Retryable } from '../../platform/http.ts'
import { watchContracts } from './watch-contracts.ts'

test.each(drawnEngines)('a document storage that does not answer stops no other deletion (%s)', async (engine) => {
  await using store = await openTestStore(engine)
  const { db } = store
  await sql`
    insert into source_document (document_id, source_id, address, received_at, byte_size, parser_version, packed)
    values ('outside', 's', 'a', 0, 1, 1, null), ('inside', 's', 'a', 0, 1, 1, 'x')`.execute(db)
  const asked: string[] = []
  const errors: string[] = []
  const concerns: unknown[] = []
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: (_: object, text: string) => errors.push(text) }
  const watched = watchContracts({
    store,
    clock: () => 1_000_000,
    log: log as never,
    mailDomain: 'example.org',
    keep: { documentsMs: 1000 },
    documentStore: {
      remove: async (ids) => {
        asked.push(...ids)
        throw new Retryable('the bucket does not answer')
      },
    },
    report: (concern) => concerns.push(concern),
  })
  onTestFinished(() => watched.close())
  await expect.poll(() => errors, { timeout: 60_000 }).toEqual([expect.stringMatching(/retrying in an hour/)])
  expect(asked).toEqual(['outside'])
  const { rows } = await sql`
    select document_id as id, length(packed) as length from source_document order by 1`.execute(db)
  expect(rows).toEqual([
    { id: 'inside', length: 0 },
    { id: 'outside', length: null },
  ])
  // contracts are still processed, so nothing is degraded
  expect(concerns.filter((concern) => concern !== undefined)).toEqual([])
})
