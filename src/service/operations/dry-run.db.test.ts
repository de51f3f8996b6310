// `--dry-run` reports exactly what would be done, and changes nothing.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { runOperation, serviceContext } from '../../../test/operations-world.ts'
import { receiveNotices } from '../../../test/receive-notices.ts'
import { at, notice } from '../../../test/testing/generate/notices.ts'
import { drawnEngines, openEmptyDatabase, openTestStore, type TestStore, testDatabaseUrl } from '../../../test/world.ts'
import type { CommandName } from '../../cli/command-table.ts'
import { consolidate } from '../../consolidate/consolidate.ts'
import type { ServiceContext } from '../control/operation-context.ts'
import type { CommandEvent } from '../events/command-event.ts'

async function run(
  store: TestStore,
  command: CommandName,
  operands: readonly string[],
  options: object,
  service: Partial<ServiceContext> = {},
) {
  const events: CommandEvent[] = []
  const context = { ...serviceContext({ store, dataFolder: store.options.dataFolder }), ...service }
  const code = await runOperation(context, { command, operands, options: { ...options } }, (event) => {
    if (event.event !== 'progress') events.push(event)
  })
  return { code, events }
}

/** All rows of all tables. */
async function contents({ db }: TestStore): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' order by table_name`.execute(db)
  const each = tables.map(
    ({ name }) =>
      sql`select ${name} as name, md5(string_agg(t::text, '|' order by t::text)) as content from ${sql.table(name)} t`,
  )
  const { rows } = await sql<{ name: string; content: string | null }>`${sql.join(each, sql` union all `)}`.execute(db)
  return rows.map(({ name, content }) => `${name} ${content}`).join('\n')
}

const dry = { 'dry-run': true }
const now = { 'publish-interval-minutes': 0 }

describe.each(drawnEngines)('--dry-run (%s)', (engine) => {
  test('publish: what the edition would contain, what the gate would decide, when it may be published', async () => {
    await using store = await openTestStore(engine)
    const preview = async (options: object) => {
      const before = await contents(store)
      const result = await run(store, 'publish', [], { ...dry, ...options })
      expect(await contents(store)).toBe(before)
      return result
    }
    expect(await preview(now)).toMatchObject({ code: 0, events: [{ isNothingNew: true, edition: 1, changes: 0 }] })
    await receiveNotices(store, [
      notice({ noticeKey: 'ted:1-2026', publicationDate: at('2026-01-05') }),
      notice({ noticeKey: 'doe:2', title: { de: 'Winterdienst' }, publicationDate: at('2026-01-09') }),
    ])
    await consolidate(store, { now: Date.now() })
    const summary = { edition: 1, records: 2, changes: 2, isNothingNew: false, reasons: [], allowedAt: null }
    expect(await preview(now)).toMatchObject({ code: 0, events: [{ event: 'publishPreview', ...summary }] })
    expect((await run(store, 'publish', [], now)).events).toMatchObject([
      { event: 'published', edition: 1, records: 2, changes: 2 },
    ])
    await receiveNotices(store, [
      notice({ noticeKey: 'doe:3', title: { de: 'Kanalbau' }, publicationDate: at('2026-01-10') }),
    ])
    await consolidate(store, { now: Date.now() })
    expect(await preview({})).toMatchObject({
      code: 4,
      events: [{ edition: 2, records: 3, changes: 1, allowedAt: expect.any(Number) }],
    })
  })

  test('rebuild: how many notices the parsers would read differently, and of how many records', async () => {
    await using store = await openTestStore(engine)
    const folder = mkdtempSync(join(tmpdir(), 'tenderstock-dry-'))
    try {
      const release = (id: string) => ({
        ocid: `ocds-x-${id}`,
        id,
        date: '2026-11-20T10:00:00Z',
        tag: ['tender'],
        language: 'en',
        buyer: { id: 'b', name: 'Town' },
        tender: { id, title: `Road ${id}`, status: 'active', tenderPeriod: { endDate: '2027-01-20T10:00:00Z' } },
      })
      writeFileSync(
        join(folder, 'package.json'),
        JSON.stringify({ version: '1.1', publisher: { name: 'Town' }, releases: ['1', '2', '3'].map(release) }),
      )
      await run(store, 'ingest', [folder], {})
      const preview = async () => {
        const before = await contents(store)
        const { code, events } = await run(store, 'rebuild', [], dry)
        expect(code).toBe(0)
        expect(await contents(store)).toBe(before)
        return events[0]
      }
      expect(await preview()).toEqual({
        event: 'rebuildPreview',
        documents: 1,
        notices: 3,
        changed: 0,
        added: 0,
        gone: 0,
        records: 0,
      })
      // as if older parsers had read one notice differently, missed one, and found one too many
      await sql`update notice set content = replace(content, 'Road 1', 'Path 1')`.execute(store.db)
      await sql`delete from notice where content like '%Road 2%'`.execute(store.db)
      await sql`
        insert into notice (notice_id, document_id, pointer, notice_key, publisher, source_id, form_type, publication_ms, content, is_consolidated)
        select document_id || '#/elsewhere', document_id, '/elsewhere', notice_key, publisher, source_id, form_type, publication_ms,
          content, is_consolidated from notice where content like '%Road 3%'`.execute(store.db)
      expect(await preview()).toMatchObject({ documents: 1, notices: 3, changed: 1, added: 1, gone: 1, records: 1 })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

test.skipIf(testDatabaseUrl === undefined)(
  'database export: what would be copied, and whether the target is empty',
  async () => {
    await using store = await openTestStore('embedded')
    await using target = await openEmptyDatabase()
    await run(store, 'organization create', ['Acme'], { 'requests-per-minute': 60 })
    const before = await contents(store)
    const { code, events } = await run(store, 'database export', [target.url], dry)
    expect({ code, events }).toMatchObject({
      code: 0,
      events: [{ event: 'exportPreview', usedTable: null, tables: { organization: 1, audit_entry: 1 } }],
    })
    expect(await contents(store)).toBe(before)
    // no table was made there
    const again = await run(store, 'database export', [target.url], dry)
    expect(again.events).toEqual(events)
    // a running service would go on writing to the stock that was copied
    await expect(run(store, 'database export', [target.url], {}, { rounds: () => undefined })).rejects.toThrow(
      /A service runs on this stock: stop it/,
    )
    const { events: copied } = await run(store, 'database export', [target.url], {})
    expect(copied).toMatchObject([{ event: 'exported' }])
    expect(await run(store, 'database export', [target.url], dry)).toMatchObject({
      code: 1,
      events: [{ usedTable: expect.any(String) }],
    })
  },
)
