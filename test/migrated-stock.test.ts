// A stock that an earlier version of the program filled and published is opened by this one, and publication goes on.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hourMs } from '../src/domain/time.ts'
import { prune, publish } from '../src/publish/publish.ts'
import { openStore } from '../src/store/database.ts'
import { newestEdition } from '../src/store/editions.ts'
import { openEmbedded } from '../src/store/embedded/open-embedded.ts'
import { migrations } from '../src/store/migrations.ts'
import { openServer } from '../src/store/server/open-server.ts'
import { checksumByPython } from './state-checksum.ts'
import { type Engine, engines, openEmptyDatabase } from './world.ts'

const start = Date.UTC(2026, 0, 1)
const statementTimeoutMs = 60_000

const ids = ['a', 'b', 'c', 'd', 'e'].map((digit) => `00000000-0000-8000-8000-00000000000${digit}`) as [
  string,
  string,
  string,
  string,
  string,
]
const [unchanged, replaced, changed, added, restored] = ids

const contentOf = (id: string, more = '') => `{"id":"${id}",${more}"title":"a \\"archiveReason\\":\\"x\\" in a text"}`
const archived = '"archiveReason":"cancelled",'

/** Opens an empty stock without its tables. */
async function openEmpty(engine: Engine) {
  const dataFolder = mkdtempSync(join(tmpdir(), 'migrated-stock-'))
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }))
  if (engine === 'embedded')
    return { options: { dataFolder }, store: await openEmbedded({ dataFolder, statementTimeoutMs }) }
  const database = await openEmptyDatabase()
  onTestFinished(() => database[Symbol.asyncDispose]())
  const options = { dataFolder, databaseUrl: database.url }
  return { options, store: await openServer({ databaseUrl: database.url, statementTimeoutMs }) }
}

describe.each(engines)('a stock from before 0009 (%s)', (engine) => {
  test('keeps its editions; what was not published yet comes with the next one', async () => {
    const { store: old, options } = await openEmpty(engine)
    const provided = Object.entries(migrations)
      .filter(([name]) => name < '0009')
      .map(([name, statements]): [string, Migration] => [
        name,
        {
          up: async (trx) => {
            for (const statement of statements) await sql.raw(statement).execute(trx)
          },
        },
      ])
    const migrator = new Migrator({ db: old.db, provider: { getMigrations: async () => Object.fromEntries(provided) } })
    expect((await migrator.migrateToLatest()).error).toBeUndefined()
    const tender = (id: string, content: string, hash: string, publishedHash: string | null, edition: number | null) =>
      sql`insert into tender (tender_id, founding_key, first_edition, content, content_hash, published_hash, sources)
        values (${id}, ${id}, ${edition}::integer, ${content}, ${hash}, ${publishedHash}, '["ted"]')`.execute(old.db)
    await tender(unchanged, contentOf(unchanged), 'u1', 'u1', 1)
    await tender(replaced, contentOf(replaced, archived), 'r2', 'r2', 1)
    await tender(changed, contentOf(changed, archived), 'c2', 'c1', 1)
    await tender(added, contentOf(added), 'a1', null, null)
    await tender(restored, contentOf(restored), 's1', 's1', 2)
    const edition = (number: number, lastModified: number, records: number, changes: number, live: number) =>
      sql`insert into edition (edition, last_modified, published_at, records, changes, checks, counts) values
        (${number}, ${lastModified}, ${start + (number - 1) * hourMs}, ${records}, ${changes}, '{}',
        ${JSON.stringify({ live, bySource: { ted: records } })})`.execute(old.db)
    await edition(1, start - 1, 3, 3, 3)
    await edition(2, start + 1, 4, 2, 3)
    const entry = (lastModified: number, number: number, id: string, body: string, supersededBy: number | null) =>
      sql`insert into edition_entry (last_modified, edition, tender_id, body, sources, superseded_by)
        values (${lastModified}, ${number}, ${id}, ${body}, '["ted"]', ${supersededBy}::integer)`.execute(old.db)
    await entry(start - 3, 1, unchanged, contentOf(unchanged), null)
    await entry(start - 2, 1, replaced, contentOf(replaced), 2)
    await entry(start - 1, 1, changed, contentOf(changed), null)
    await entry(start, 2, replaced, contentOf(replaced, archived), null)
    await entry(start + 1, 2, restored, contentOf(restored), null)
    const entriesBefore = await sql`select last_modified, edition, tender_id, body, sources from edition_entry`.execute(
      old.db,
    )
    await old.close()

    const store = await openStore(options)
    onTestFinished(() => store.close())
    const published = await store.db.selectFrom('published_tender').selectAll().orderBy('tender_id').execute()
    expect(published).toEqual(
      [
        [unchanged, 1, 'u1', start - 3, false],
        [replaced, 1, 'r2', start, true],
        [changed, 1, 'c1', start - 1, false],
        [restored, 2, 's1', start + 1, false],
      ].map(([tender_id, first_edition, content_hash, last_modified, is_archived]) => ({
        tender_id,
        first_edition,
        content_hash,
        last_modified,
        sources: '["ted"]',
        is_archived,
        entry_hash: null,
      })),
    )
    expect(await store.db.selectFrom('tender_change').selectAll().orderBy('tender_id').execute()).toEqual([
      { tender_id: changed },
      { tender_id: added },
    ])
    expect(await store.db.selectFrom('replaced_entry').select(['superseded_by', 'last_modified']).execute()).toEqual([
      { superseded_by: 2, last_modified: start - 2 },
    ])
    expect((await store.db.selectFrom('edition_entry').selectAll().execute()).map((row) => ({ ...row }))).toEqual(
      entriesBefore.rows.map((row) => ({ ...(row as object) })),
    )

    const now = start + 30 * hourMs
    expect(await publish(store, { now, minIntervalMs: hourMs })).toMatchObject({
      kind: 'published',
      edition: 3,
      records: 5,
      changes: 2,
    })
    const counts = await store.db.selectFrom('edition').select('counts').where('edition', '=', 3).executeTakeFirst()
    expect(JSON.parse(counts!.counts)).toEqual({ live: 3, bySource: { ted: 5 } })
    // of records that were published without one, too
    expect(await newestEdition(store.db)).toMatchObject({ edition: 3, checksum: await checksumByPython(store) })
    // publishing removed what edition 2 had replaced 29 hours before
    expect(
      await store.db.selectFrom('edition_entry').select('last_modified').orderBy('last_modified').execute(),
    ).toEqual([start - 3, start - 1, start, start + 1, now - 2, now - 1].map((last_modified) => ({ last_modified })))
    expect(await prune(store, now + 27 * hourMs)).toBe(1)
    expect(await publish(store, { now: now + hourMs, minIntervalMs: hourMs })).toEqual({ kind: 'nothingNew' })
  })
})
