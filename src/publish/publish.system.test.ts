import { createHash } from 'node:crypto'
import { type KyselyPlugin, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { proofCount } from '../../test/proof/proof-count.ts'
import { type Ask, publicationFaults, visibleEdition } from '../../test/publication-faults.ts'
import { recordBody } from '../../test/record-body.ts'
import { digestByPython, hasPython } from '../../test/state-digest.ts'
import { engines, openTestStore } from '../../test/world.ts'
import { canonicalJson } from '../consolidate/canonical.ts'
import type { TenderContent } from '../domain/tender.ts'
import { dayMs, hourMs } from '../domain/time.ts'
import { readSerials } from '../store/database/change-signal.ts'
import { inTransaction, openStore, type Store } from '../store/database/database.ts'
import { newestEdition } from '../store/editions/editions.ts'
import { inStockTransaction, LeaseLostError } from '../store/editions/publication.ts'
import { deleteUnpublishedTenders, upsertTenders } from '../store/stock/tenders.ts'
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

/** Writes tenders as the consolidation does, a thousand per statement. */
async function putAll(store: Store, tenders: readonly TenderContent[], sources = ['ted']): Promise<void> {
  for (let from = 0; from < tenders.length; from += 1000) {
    const rows = tenders.slice(from, from + 1000).map((tender) => {
      const content = canonicalJson(tender)
      return {
        tenderId: tender.id,
        foundingKey: tender.id,
        content,
        contentHash: createHash('sha256').update(content).digest('hex'),
        archiveReason: tender.archiveReason ?? null,
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
    rows.push((await sql`select * from ${sql.table(table)} as line order by line::text`.execute(store.db)).rows)
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

  test('P4 if W is ahead of the clock, stamps continue above W', async () => {
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

  test('P2 P3 C23 C24 C25 changed records receive a higher lastModified, others keep their bytes', async () => {
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
      {
        held_at: start + hourMs,
        reasons: JSON.stringify(outcome.kind === 'held' && outcome.reasons),
        causes: JSON.stringify([{ code: 'archiving', values: { live: 300, cancelled: 150, merged: 0, most: 0.05 } }]),
      },
    ])
    expect(await store.db.selectFrom('edition').select('edition').execute()).toHaveLength(1)
    expect(await cut(store, start + hourMs, { overrideGate: true })).toMatchObject({ kind: 'published', changes: 150 })
    const counts = await store.db.selectFrom('edition').select('counts').orderBy('edition').execute()
    expect(counts.map((row) => JSON.parse(row.counts))).toEqual([
      { live: 300, bySource: { ted: 300 } },
      { live: 150, bySource: { ted: 300 } },
    ])
  })

  test('the gate counts rejected documents, but not those of other formats', async () => {
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

  test('R4 replaced entries stay 25 hours and more, then they are removed; editions stay', async () => {
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

  test('a publication that dies at any statement leaves the last edition unchanged, and is undone or continued', async () => {
    await using store = await openTestStore(engine)
    const ask: Ask = (query) => sql.raw(query).execute(store.db)
    await putAll(
      store,
      numbers(0, 130).map((number) => tenderOf(number)),
    )
    await cut(store, start)
    let hour = 0
    const change = async () => {
      hour++
      const members = {
        title: `hour ${hour}`,
        ...(hour % 2 === 0 && { status: 'cancelled', archiveReason: 'cancelled' }),
      }
      await putAll(store, [
        ...numbers(0, 110).map((number) => tenderOf(number, members as Partial<TenderContent>)),
        ...numbers(0, 10).map((number) => tenderOf(1000 * hour + number)),
      ])
      await check(store, 'ted', start + hour)
    }
    /** All statements from this one on fail, as those of a killed process do; its lease is held until it expires. */
    const dyingAt = (failAt: number) => {
      let statement = 0
      const plugin: KyselyPlugin = {
        transformQuery: ({ node }) => {
          if (++statement >= failAt) throw new Error('connection lost')
          return node
        },
        transformResult: async ({ result }) => result,
      }
      return { engine, db: store.db.withPlugin(plugin) }
    }
    const expireLease = () => sql`update publication set until_ms = 1 where until_ms > 0`.execute(store.db)
    let deaths = 0
    const published: string[] = []
    // the embedded engine is slower, and runs the same statements
    const stride = engine === 'embedded' ? 4 : proofCount({ share: 3, full: 1 })
    for (let failAt = 1; ; failAt += stride) {
      await change()
      const before = await wholeStock(store)
      const visible = await visibleEdition(ask)
      const options = { now: start + hour * hourMs, minIntervalMs: hourMs, overrideGate: true }
      const outcome = await publish(dyingAt(failAt), options).catch((error: Error) => error.message)
      await expireLease()
      expect(await publicationFaults(ask, 'any'), `at statement ${failAt}`).toEqual([])
      const editions = await sql<{ count: number }>`select count(*)::integer as count from edition`.execute(store.db)
      if (editions.rows[0]!.count === hour + 1) {
        published.push(`${failAt}`)
        if (outcome !== 'connection lost') break
        continue
      }
      expect(outcome).toBe('connection lost')
      deaths++
      expect(await visibleEdition(ask)).toEqual(visible)
      if (deaths % 2 === 0) {
        // consolidation runs first, and the unfinished edition is undone completely
        await inStockTransaction(store, async () => {})
        expect(await wholeStock(store)).toEqual(before)
      }
      expect(await cut(store, start + hour * hourMs, { overrideGate: true })).toMatchObject({
        kind: 'published',
        changes: 120,
        records: 130 + 10 * hour,
      })
      expect(await publicationFaults(ask, 'published'), `after statement ${failAt}`).toEqual([])
      if (hasPython && deaths % 8 === 0)
        expect((await newestEdition(store.db))!.checksum).toBe(await digestByPython(store))
    }
    expect(deaths * stride).toBeGreaterThan(15)
    // the last statements only release the lease and remove old entries
    expect(published.length).toBeLessThan(5)
  }, 600_000)

  test('undoing can be interrupted at any statement too', async () => {
    await using store = await openTestStore(engine)
    const ask: Ask = (query) => sql.raw(query).execute(store.db)
    await putAll(
      store,
      numbers(0, 300).map((number) => tenderOf(number)),
    )
    await cut(store, start)
    await putAll(
      store,
      numbers(150, 450).map((number) => tenderOf(number, { title: 'second' })),
    )
    const before = await wholeStock(store)
    const visible = await visibleEdition(ask)
    for (let failAt = 1; ; failAt++) {
      let step = 0
      const onProgress = () => {
        if (++step === 2) throw new Error('power cut')
      }
      await expect(cut(store, start + hourMs, { onProgress })).rejects.toThrow('power cut')
      expect(await wholeStock(store)).not.toEqual(before)
      let statement = 0
      const plugin: KyselyPlugin = {
        transformQuery: ({ node }) => {
          if (++statement >= failAt) throw new Error('connection lost')
          return node
        },
        transformResult: async ({ result }) => result,
      }
      const outcome = await inStockTransaction({ engine, db: store.db.withPlugin(plugin) }, async () => 'free').catch(
        (error: Error) => error.message,
      )
      await sql`update publication set until_ms = 1 where until_ms > 0`.execute(store.db)
      expect(await visibleEdition(ask)).toEqual(visible)
      if (outcome === 'free') break
      expect(outcome).toBe('connection lost')
      if (failAt % 3 === 0) {
        // the next publisher undoes the rest and publishes all of it, rather than the consolidation
        await cut(store, start + hourMs)
        expect(await publicationFaults(ask, 'published'), `after statement ${failAt}`).toEqual([])
        await putAll(
          store,
          numbers(150, 450).map((number) => tenderOf(number, { title: `after ${failAt}` })),
        )
        return
      }
      await inStockTransaction(store, async () => {})
      expect(await wholeStock(store), `after statement ${failAt}`).toEqual(before)
    }
    throw new Error('no statement failed')
  })

  test('a publisher that lost its lease writes nothing more; its stamps are not reused after a clock that went back', async () => {
    await using store = await openTestStore(engine)
    const ask: Ask = (query) => sql.raw(query).execute(store.db)
    await putAll(
      store,
      numbers(0, 500).map((number) => tenderOf(number)),
    )
    const lose = () =>
      inTransaction(store, async (trx) => void (await sql`update publication set fence = fence + 1`.execute(trx)))
    let losing: Promise<void> | undefined
    const onProgress = () => {
      losing ??= lose()
    }
    await expect(cut(store, start, { onProgress })).rejects.toThrow(LeaseLostError)
    await losing
    expect(await publicationFaults(ask, 'any')).toEqual([])
    expect(await store.db.selectFrom('edition').selectAll().execute()).toEqual([])
    await sql`update publication set until_ms = 1`.execute(store.db)
    // two hours earlier: the staged entries would be ahead of this clock
    expect(await cut(store, start - 2 * hourMs)).toMatchObject({
      kind: 'published',
      changes: 500,
      lastModified: start - 2 * hourMs - 1,
    })
    expect(await publicationFaults(ask, 'published')).toEqual([])
  })

  test('the stock does not change while it is published: changes wait', async () => {
    await using store = await openTestStore(engine)
    await putAll(
      store,
      numbers(0, 800).map((number) => tenderOf(number)),
    )
    let late: Promise<unknown> | undefined
    let isPublished = false
    const change = async () => {
      await inStockTransaction(store, async (trx) => {
        const { rows } = await sql<{ count: number }>`select count(*)::integer as count from edition`.execute(trx)
        isPublished = rows[0]!.count === 1
      })
      await put(store, tenderOf(1, { title: 'late' }))
    }
    const onProgress = ({ done, total }: { done: number; total: number }) => {
      if (done < total) late ??= change()
    }
    expect(await cut(store, start, { onProgress })).toMatchObject({ changes: 800 })
    await late
    expect(isPublished).toBe(true)
    expect(await cut(store, start + hourMs)).toMatchObject({ changes: 1 })
    // an aborted wait ends
    await sql`update publication set until_ms = ${Number.MAX_SAFE_INTEGER}`.execute(store.db)
    expect(await inStockTransaction(store, async () => 'changed', AbortSignal.abort())).toBeUndefined()
  })

  test('an edition whose entries are not those that were counted is undone', async () => {
    await using store = await openTestStore(engine)
    const ask: Ask = (query) => sql.raw(query).execute(store.db)
    await putAll(
      store,
      numbers(0, 400).map((number) => tenderOf(number)),
    )
    let meddling: Promise<void> | undefined
    const onProgress = () => {
      // without the lock of the stock, before the publisher's position
      meddling ??= put(store, tenderOf(9000))
    }
    await expect(cut(store, start, { onProgress })).rejects.toThrow('401 entries for 400')
    await meddling
    expect(await store.db.selectFrom('edition').selectAll().execute()).toEqual([])
    expect(await cut(store, start)).toMatchObject({ kind: 'published', changes: 401 })
    expect(await publicationFaults(ask, 'published')).toEqual([])
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
