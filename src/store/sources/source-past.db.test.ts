// What the tables say of the past of sources: which slots are read, how long their readings took, and who uses them.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { drawnEngines, openTestStore } from '../../../test/world.ts'
import { firstRuns, readPastFacts, usesOfSources } from './source-past.ts'

test('slots before the first run are counted, and the time of their readings without long pauses', async () => {
  await using store = await openTestStore(drawnEngines[0]!)
  const { db } = store
  await sql`insert into setting (name, value) values ('source-start:ted', '1000')`.execute(db)
  await sql`insert into source_slot (source_id, channel, slot, due_at, completed_at) values
    ('ted', 'daily', '2021-12-31', null, 5), ('ted', 'daily', '2026-11-01', null, 5), ('ted', 'daily', '2026-10-31', null, 5),
    ('ted', 'daily', '2026-10-30', 7, null), ('ted', 'daily', '2026-10-29', 7, null), ('ted', 'daily', '2026-11-28', 7, null),
    ('doe', 'daily', '2026-11-01', null, 5)`.execute(db)
  const minute = 60_000
  await sql`insert into source_run (source_id, channel, slot, started_at, ended_at, outcome, requests, entries, documents,
      notices, rejections, detail)
    select 'ted', 'daily', slot, start * ${minute}::bigint, (start + 1) * ${minute}::bigint, outcome, 1, 0, 0, 0, 0, ''
    from (values ('2026-11-01', 100, 'failed'), ('2026-11-01', 103, 'complete'), ('2026-10-31', 104, 'empty'),
      ('2026-10-30', 400, 'stopped'), ('2026-11-28', 401, 'complete')) as v (slot, start, outcome)`.execute(db)
  const asked = { sourceId: 'ted', channel: 'daily', first: '2022-01-01', end: '2026-11-02' }
  // three minutes, one, at most ten up to the one that was stopped, which has no next one
  expect(await readPastFacts(db, [asked], 0)).toEqual([
    {
      sourceId: 'ted',
      channel: 'daily',
      read: 2,
      oldest: '2026-10-31',
      waiting: '2026-10-30',
      recent: 2,
      busyMs: (3 + 1 + 10 + 1) * minute,
    },
  ])
  expect(await firstRuns(db)).toEqual(new Map([['ted', 1000]]))
})

test('a source is used as far as open tenders have it, and saved searches have these', async () => {
  await using store = await openTestStore(drawnEngines[0]!)
  const { db } = store
  await sql`insert into tender (tender_id, founding_key, content, content_hash, sources)
    select t, t, '{}', 'h', '[]' from unnest(array['a', 'b', 'c']) t`.execute(db)
  await sql`insert into published_tender (tender_id, first_edition, content_hash, last_modified, sources, archive_reason)
    values ('a', 1, 'h', 1, '["ted","doe"]', null), ('b', 1, 'h', 2, '["ted"]', null), ('c', 1, 'h', 3, '["doe"]', 'expired')`.execute(
    db,
  )
  expect(await usesOfSources(db)).toEqual(
    new Map([
      ['ted', { searches: 0, tenders: 2 }],
      ['doe', { searches: 0, tenders: 1 }],
    ]),
  )
})
