import { createHash } from 'node:crypto'
import { type KyselyPlugin, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { recordBody } from '../../test/record-body.ts'
import { engines, openTestStore } from '../../test/world.ts'
import { canonicalJson } from '../consolidate/canonical.ts'
import type { TenderContent } from '../domain/tender.ts'
import { dayMs, hourMs } from '../domain/time.ts'
import { readSerials } from '../store/change-signal.ts'
import { openStore, type Store } from '../store/database.ts'
import { deleteUnpublishedTenders, upsertTenders } from '../store/tenders.ts'
import { type PublishOptions, type PublishOutcome, prune, publish } from './publish.ts'

const start = Date.UTC(2026, 0, 1)

function uuidOf(number: number): string {
  return `${number.toString(16).padStart(8, '0')}-7d3e-8b64-9a10-5c2e7f4b9d31`
}

function tenderOf(number: number, members: Partial<TenderContent> = {}): TenderContent {
  return {
    contractAmount: null,
    cpvCodes: ['45000000'],
    id: uuidOf(number),
    lots: [],
    nutsCodes: [],
    originalSources: [],
    status: 'open',
    title: `Tender ${number}`,
    ...members,
  }
}

/** Writes tenders as the consolidation does, many at once, each statement a thousand. */
async function putAll(store: Store, tenders: readonly TenderContent[], sources = ['ted']): Promise<void> {
  for (let from = 0; from < tenders.length; from += 1000) {
    const rows = tenders.slice(from, from + 1000).map((tender) => {
      const content = canonicalJson(tender)
      return {
        tenderId: tender.id,
        foundingKey: tender.id,
        content,
        contentHash: createHash('sha256').update(content).digest('hex'),
        nextTransitionMs: null,
        mergedInto: tender.mergedInto ?? null,
        sources: JSON.stringify(sources),
      }
    })
    await upsertTenders(store.db, rows)
  }
}

const put = (store: Store, tender: TenderContent, sources?: string[]): Promise<void> => putAll(store, [tender], sources)

const numbers = (from: number, to: number, step = 1): number[] =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => from + index * step)

async function check(store: Store, sourceId: string, checkedAt: number): Promise<void> {
  const row = { source_id: sourceId, checked_at: checkedAt }
  await store.db
    .insertInto('source_check')
    .values(row)
    .onConflict((conflict) => conflict.column('source_id').doUpdateSet(row))
    .execute()
}

const cut = (store: Store, now: number, options: Partial<PublishOptions> = {}): Promise<PublishOutcome> =>
  publish(store, { now, minIntervalMs: hourMs, ...options })

type Entry = { edition: number; lastModified: number; id: string; supersededBy: number | null; body: string }

async function entriesOf(store: Store): Promise<Entry[]> {
  const rows = await store.db
    .selectFrom('edition_entry')
    .leftJoin('replaced_entry', 'replaced_entry.last_modified', 'edition_entry.last_modified')
    .selectAll('edition_entry')
    .select('superseded_by')
    .orderBy('edition_entry.last_modified')
    .execute()
  return rows.map((row) => ({
    edition: row.edition,
    lastModified: row.last_modified,
    id: row.tender_id,
    supersededBy: row.superseded_by,
    body: row.body,
  }))
}

async function wholeStock(store: Store): Promise<unknown> {
  const tables = [
    'tender',
    'tender_change',
    'published_tender',
    'edition',
    'edition_entry',
    'replaced_entry',
    'change_signal',
    'setting',
    'edition_hold',
  ] as const
  const rows: unknown[] = []
  for (const table of tables)
    rows.push((await sql`select * from ${sql.table(table)} order by 1`.execute(store.db)).rows)
  return rows
}

describe.each(engines)('publishing (%s)', (engine) => {
  test('P1 P4 editions are numbered without gaps; every change has a millisecond of its own, not ahead of the clock', async () => {
    await using store = await openTestStore(engine)
    for (let number = 0; number < 5; number++) await put(store, tenderOf(number))
    expect(await cut(store, start)).toMatchObject({
      kind: 'published',
      edition: 1,
      records: 5,
      changes: 5,
      lastModified: start - 1,
    })
    expect((await entriesOf(store)).map(({ lastModified }) => lastModified)).toEqual(
      [5, 4, 3, 2, 1].map((back) => start - back),
    )
    await put(store, tenderOf(2, { title: 'changed' }))
    expect(await cut(store, start + hourMs)).toMatchObject({
      edition: 2,
      records: 5,
      changes: 1,
      lastModified: start + hourMs - 1,
    })
    expect((await readSerials(store.db)).edition).toBe(2)
  })

  test('P4 when W is ahead of the clock, stamps go on above W', async () => {
    await using store = await openTestStore(engine)
    await put(store, tenderOf(1))
    await cut(store, start)
    await store.db
      .updateTable('edition')
      .set({ last_modified: start + 2 * hourMs })
      .execute()
    await put(store, tenderOf(2))
    expect(await cut(store, start + hourMs)).toMatchObject({ lastModified: start + 2 * hourMs + 1 })
  })

  test('P2 P3 C23 C24 C25 changed records get a higher lastModified, others keep their bytes', async () => {
    await using store = await openTestStore(engine)
    for (let number = 0; number < 3; number++) await put(store, tenderOf(number))
    await cut(store, start)
    const before = await entriesOf(store)
    await put(store, tenderOf(1, { title: 'other' }))
    await put(store, tenderOf(1))
    await put(store, tenderOf(2, { status: 'cancelled', archiveReason: 'cancelled' }))
    await cut(store, start + hourMs)
    const after = await entriesOf(store)
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2))
    expect(after[2]).toEqual({ ...before[2], supersededBy: 2 })
    expect(after).toHaveLength(4)
    expect(after[3]).toMatchObject({ edition: 2, id: uuidOf(2), supersededBy: null })
    expect(after[3]!.lastModified).toBeGreaterThan(before[2]!.lastModified)
    expect(JSON.parse(after[3]!.body)).toMatchObject({
      archiveReason: 'cancelled',
      lastModified: new Date(after[3]!.lastModified).toISOString(),
    })
  })

  test('P7 C5 an edition within the interval is refused, an override too', async () => {
    await using store = await openTestStore(engine)
    await put(store, tenderOf(1))
    await cut(store, start)
    await put(store, tenderOf(2))
    expect(await cut(store, start + hourMs - 1, { overrideGate: true })).toEqual({
      kind: 'tooEarly',
      allowedAt: start + hourMs,
    })
    expect(await cut(store, start - dayMs)).toEqual({ kind: 'tooEarly', allowedAt: start + hourMs })
    expect((await cut(store, start + hourMs)).kind).toBe('published')
  })

  test('P7 the interval counts from the end of writing, not from its start', async () => {
    await using store = await openTestStore(engine)
    await put(store, tenderOf(1))
    expect(await cut(store, start, { clock: () => start + 5000 })).toMatchObject({ publishedAt: start + 5000 })
    await put(store, tenderOf(2))
    expect(await cut(store, start + hourMs)).toEqual({ kind: 'tooEarly', allowedAt: start + hourMs + 5000 })
  })

  test('C7 C26 nothing new makes no edition; a check alone makes one without changes, W stays', async () => {
    await using store = await openTestStore(engine)
    expect(await cut(store, start)).toEqual({ kind: 'nothingNew' })
    await check(store, 'ted', start - 5)
    expect(await cut(store, start)).toEqual({ kind: 'nothingNew' })
    await put(store, tenderOf(1))
    await cut(store, start)
    expect(await cut(store, start + hourMs)).toEqual({ kind: 'nothingNew' })
    await put(store, tenderOf(1))
    expect(await store.db.selectFrom('tender_change').selectAll().execute()).toEqual([])
    await put(store, tenderOf(2))
    await deleteUnpublishedTenders(store.db, [uuidOf(1), uuidOf(2)])
    expect(await store.db.selectFrom('tender_change').selectAll().execute()).toEqual([])
    expect(await cut(store, start + hourMs)).toEqual({ kind: 'nothingNew' })
    await check(store, 'ted', start + 5)
    expect(await cut(store, start + hourMs)).toMatchObject({
      edition: 2,
      changes: 0,
      records: 1,
      lastModified: start - 1,
    })
    await check(store, 'ted', start)
    expect(await cut(store, start + 2 * hourMs)).toEqual({ kind: 'nothingNew' })
    const editions = await store.db.selectFrom('edition').select('checks').orderBy('edition').execute()
    expect(editions.map(({ checks }) => JSON.parse(checks))).toEqual([{ ted: start - 5 }, { ted: start + 5 }])
  })

  test('P1 two publishers at once make one edition', async () => {
    await using store = await openTestStore(engine)
    for (let number = 0; number < 20; number++) await put(store, tenderOf(number))
    const second = engine === 'server' ? await openStore(store.options) : store
    const outcomes = await Promise.all([cut(store, start), cut(second, start), cut(store, start), cut(second, start)])
    if (second !== store) await second.close()
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['published', 'tooEarly', 'tooEarly', 'tooEarly'])
    expect(await store.db.selectFrom('edition').select('edition').execute()).toEqual([{ edition: 1 }])
    expect(await entriesOf(store)).toHaveLength(20)
  })

  test('C33 C34 D37 a merged record comes with its survivor; a merge that leads nowhere stops the publication', async () => {
    await using store = await openTestStore(engine)
    await put(store, tenderOf(1))
    await put(store, tenderOf(2))
    await cut(store, start)
    await put(store, tenderOf(2, { status: 'merged', archiveReason: 'merged', mergedInto: uuidOf(1) }))
    await put(store, tenderOf(1, { title: 'holds both' }))
    expect(await cut(store, start + hourMs)).toMatchObject({ edition: 2, changes: 2 })
    await put(store, tenderOf(1, { status: 'merged', archiveReason: 'merged', mergedInto: uuidOf(9) }))
    await expect(cut(store, start + 2 * hourMs)).rejects.toThrow('D37')
    await put(store, tenderOf(1, { status: 'merged', archiveReason: 'merged', mergedInto: uuidOf(2) }))
    await expect(cut(store, start + 2 * hourMs)).rejects.toThrow('D37')
  })

  test('P3 a published id that vanished from the stock stops the publication', async () => {
    await using store = await openTestStore(engine)
    await put(store, tenderOf(1))
    await put(store, tenderOf(2))
    await cut(store, start)
    await put(store, tenderOf(3))
    await store.db.deleteFrom('tender').where('tender_id', '=', uuidOf(3)).execute()
    await put(store, tenderOf(4))
    expect(await cut(store, start + hourMs)).toMatchObject({ records: 3 })
    await expect(store.db.deleteFrom('tender').where('tender_id', '=', uuidOf(2)).execute()).rejects.toThrow(
      'published_tender',
    )
    await store.db.deleteFrom('published_tender').where('tender_id', '=', uuidOf(2)).execute()
    await put(store, tenderOf(5))
    await expect(cut(store, start + 2 * hourMs)).rejects.toThrow('P3')
  })

  test('the gate holds an edition back, says why, and yields to an operator', async () => {
    await using store = await openTestStore(engine)
    await putAll(
      store,
      numbers(0, 300).map((number) => tenderOf(number)),
    )
    await cut(store, start)
    await putAll(
      store,
      numbers(0, 150).map((number) => tenderOf(number, { status: 'cancelled', archiveReason: 'cancelled' })),
    )
    const outcome = await cut(store, start + hourMs)
    expect(outcome).toEqual({ kind: 'held', reasons: [expect.stringContaining('150 of 300 live records')] })
    const holds = await store.db.selectFrom('edition_hold').selectAll().execute()
    expect(holds).toEqual([
      { held_at: start + hourMs, reasons: JSON.stringify(outcome.kind === 'held' && outcome.reasons) },
    ])
    expect(await store.db.selectFrom('edition').select('edition').execute()).toHaveLength(1)
    expect(await cut(store, start + hourMs, { overrideGate: true })).toMatchObject({ kind: 'published', changes: 150 })
    const counts = await store.db.selectFrom('edition').select('counts').orderBy('edition').execute()
    expect(counts.map((row) => JSON.parse(row.counts))).toEqual([
      { live: 300, bySource: { ted: 300 } },
      { live: 150, bySource: { ted: 300 } },
    ])
  })

  test('the gate sees rejected documents, but not those of other formats', async () => {
    await using store = await openTestStore(engine)
    await put(store, tenderOf(1))
    await cut(store, start)
    const receive = async (count: number, prefix: string, reason: string | undefined) => {
      for (let index = 0; index < count; index++) {
        const document_id = `${prefix}${index}`
        const document = {
          document_id,
          source_id: 'ted',
          address: 'a',
          received_at: start + 1,
          byte_size: 1,
          content: '',
          parser_version: 1,
        }
        await store.db.insertInto('source_document').values(document).execute()
        const rejection = { document_id, pointer: '', path: '', detail: '', rejected_at: start + 1 }
        if (reason)
          await store.db
            .insertInto('rejection')
            .values({ ...rejection, reason })
            .execute()
      }
    }
    await receive(54, 'good', undefined)
    await receive(60, 'csv', 'unsupported-format')
    await receive(6, 'bad', 'malformed')
    await put(store, tenderOf(2))
    expect(await cut(store, start + hourMs)).toMatchObject({ kind: 'published' })
    await sql`update source_document set received_at = ${start + 2 * hourMs}`.execute(store.db)
    await receive(1, 'worse', 'malformed')
    await sql`update source_document set received_at = ${start + 2 * hourMs}`.execute(store.db)
    await put(store, tenderOf(3))
    expect(await cut(store, start + 2 * hourMs)).toMatchObject({
      kind: 'held',
      reasons: [expect.stringContaining('7 of 61 documents')],
    })
  })

  test('R4 replaced entries stay 25 hours and more, then go; editions stay', async () => {
    await using store = await openTestStore(engine)
    await put(store, tenderOf(1))
    await cut(store, start)
    await put(store, tenderOf(1, { title: 'second' }))
    await cut(store, start + hourMs)
    expect(await prune(store, start + hourMs + 25 * hourMs)).toBe(0)
    expect(await prune(store, start + hourMs + 26 * hourMs + 1)).toBe(1)
    expect((await entriesOf(store)).map(({ edition }) => edition)).toEqual([2])
    expect(await store.db.selectFrom('edition').select('edition').execute()).toHaveLength(2)
  })

  test('a publication that fails at any step leaves the last edition as it was, and the next one goes on', async () => {
    await using store = await openTestStore(engine)
    await putAll(
      store,
      numbers(0, 2100).map((number) => tenderOf(number)),
    )
    await cut(store, start)
    await putAll(
      store,
      numbers(0, 2100, 2).map((number) => tenderOf(number, { title: 'second' })),
    )
    await putAll(
      store,
      numbers(2100, 3200).map((number) => tenderOf(number)),
    )
    const before = await wholeStock(store)
    let steps = 0
    for (let failAt = 1; ; failAt++) {
      let step = 0
      const onProgress = () => {
        steps++
        if (++step === failAt) throw new Error('power cut')
      }
      const outcome = await cut(store, start + hourMs, { onProgress }).catch((error: Error) => error.message)
      if (outcome !== 'power cut') {
        expect(outcome).toMatchObject({ kind: 'published', edition: 2, records: 3200, changes: 2150 })
        break
      }
      expect(await wholeStock(store)).toEqual(before)
    }
    expect(steps).toBeGreaterThan(4)
    const entries = await entriesOf(store)
    expect(entries.filter(({ supersededBy }) => supersededBy === null)).toHaveLength(3200)
    expect(new Set(entries.map(({ lastModified }) => lastModified)).size).toBe(2100 + 2150)
  })

  test('a publication that fails at any statement leaves the last edition as it was', async () => {
    await using store = await openTestStore(engine)
    await put(store, tenderOf(1))
    await put(store, tenderOf(2))
    await cut(store, start)
    await put(store, tenderOf(2, { title: 'second' }))
    await put(store, tenderOf(3))
    await check(store, 'ted', start)
    const before = await wholeStock(store)
    for (let failAt = 1; ; failAt++) {
      let statement = 0
      const plugin: KyselyPlugin = {
        transformQuery: ({ node }) => {
          if (++statement === failAt) throw new Error('connection lost')
          return node
        },
        transformResult: async ({ result }) => result,
      }
      const failing = { db: store.db.withPlugin(plugin) }
      const outcome = await publish(failing, { now: start + hourMs, minIntervalMs: hourMs }).catch(
        (error: Error) => error.message,
      )
      if (outcome === 'connection lost') {
        const after = await wholeStock(store)
        // The last statement removes old entries, after the edition is there.
        if (JSON.stringify(after) !== JSON.stringify(before)) break
        continue
      }
      throw new Error(`no statement failed: ${JSON.stringify(outcome)}`)
    }
    expect(await cut(store, start + hourMs)).toMatchObject({ kind: 'tooEarly' })
    expect((await entriesOf(store)).filter(({ edition }) => edition === 2)).toHaveLength(2)
  })

  test('C23 a body is the content with its lastModified after the id, whatever the text and the time', async () => {
    await using store = await openTestStore(engine)
    const texts = ['plain', 'Ä 💶 日本', '"id":"x","lastModified":"', '\\ \n \u0001 {} %s $1', "it's", '']
    const tenders = texts.map((title, number) =>
      tenderOf(number, {
        title,
        language: 'de',
        ...(number % 2 === 1 && { status: 'closed', archiveReason: 'expired' }),
      }),
    )
    await putAll(store, tenders)
    for (const now of [start + 7, start + 2 * hourMs + 999, Date.UTC(2999, 11, 31, 23, 59, 59, 999)]) {
      await cut(store, now)
      const entries = (await entriesOf(store)).filter(({ supersededBy }) => supersededBy === null)
      expect(entries.map(({ lastModified, body }) => ({ lastModified, body }))).toEqual(
        tenders.map((tender, index) => {
          const lastModified = now - texts.length + index
          return { lastModified, body: recordBody(tender, lastModified) }
        }),
      )
      await sql`update published_tender set content_hash = ''`.execute(store.db)
      await putAll(store, tenders)
    }
  })

  test('a content that does not begin with the id of its tender stops the publication', async () => {
    await using store = await openTestStore(engine)
    await put(store, tenderOf(1))
    await put(store, tenderOf(2))
    await sql`update tender set content = replace(content, ${uuidOf(2)}, ${uuidOf(3)})`.execute(store.db)
    await expect(cut(store, start)).rejects.toThrow('"body"')
    expect(await store.db.selectFrom('edition').selectAll().execute()).toEqual([])
  })
})
