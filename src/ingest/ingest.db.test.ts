// The receiving stage on both engines.
import { describe, expect, test } from 'vitest'
import { engines, openTestStore } from '../../test/world.ts'
import { sampleDocuments } from '../simulator/samples/sample-documents.ts'
import type { ReceivedDocument } from '../sources/files.ts'
import { openStore, type Store } from '../store/database/database.ts'
import { countReceived, listParsableDocuments, listRejections } from '../store/received/documents.ts'
import { helpReparse, ingest, reparse } from './ingest.ts'

const epoch = Date.UTC(2026, 10, 21, 5)
const clock = () => epoch
const samples: ReceivedDocument[] = (['ted', 'doe', 'gb-find-a-tender'] as const).flatMap((portal) =>
  sampleDocuments(epoch, portal, epoch)
    .slice(-60)
    .map((each) => ({ address: `${portal}/${each.path}`, bytes: Buffer.from(each.write()) })),
)

async function* stream(documents: readonly ReceivedDocument[], breakAfter = Number.POSITIVE_INFINITY) {
  let count = 0
  for (const document of documents) {
    if (count++ === breakAfter) throw new Error('the line went dead')
    yield document
  }
}

/** Everything received, as text, to compare two stocks by. */
async function contentOf({ db }: Store): Promise<string> {
  const documents = await db.selectFrom('source_document').selectAll().orderBy('document_id').execute()
  const notices = await db.selectFrom('notice').selectAll().orderBy('notice_id').execute()
  const rejections = await db.selectFrom('rejection').selectAll().orderBy('document_id').orderBy('pointer').execute()
  return JSON.stringify({ documents, notices, rejections })
}

describe.each(engines)('receiving (%s)', (engine) => {
  test('every document becomes notices or a stored rejection, and its bytes are kept as received', async () => {
    await using store = await openTestStore(engine)
    const seen: number[] = []
    const summary = await ingest(store, {
      sourceId: 'samples',
      documents: stream(samples),
      clock,
      onProgress: (sums) => seen.push(sums.documents),
    })
    expect(summary.documents).toBe(samples.length)
    expect(summary.known).toBe(0)
    expect(seen.at(-1)).toBe(samples.length)
    const counts = await countReceived(store.db, 1)
    expect(counts.documents).toBe(samples.length)
    expect(counts.notices).toBe(summary.notices)
    expect(counts.waiting).toBe(summary.notices)
    expect(counts.rejections).toEqual(summary.rejections)
    expect(counts.sources.samples?.checkedAt).toBe(epoch)
    const kept = await listParsableDocuments(store.db, { after: '', limit: 1000 })
    expect(new Set(kept.map(({ bytes }) => Buffer.from(bytes).toString()))).toEqual(
      new Set(samples.map(({ bytes }) => Buffer.from(bytes).toString())),
    )
    const { rows } = { rows: await store.db.selectFrom('source_document').select('document_id').execute() }
    const withParts = new Set([
      ...(await store.db.selectFrom('notice').select('document_id').execute()).map((row) => row.document_id),
      ...(await store.db.selectFrom('rejection').select('document_id').execute()).map((row) => row.document_id),
    ])
    expect(rows.filter((row) => !withParts.has(row.document_id))).toEqual([])
  })

  test('the same bytes received again change nothing, for any address and source', async () => {
    await using store = await openTestStore(engine)
    await ingest(store, { sourceId: 'one', documents: stream(samples), clock })
    const before = await contentOf(store)
    const again = samples.map((each) => ({ ...each, address: `elsewhere/${each.address}` }))
    const summary = await ingest(store, {
      sourceId: 'two',
      documents: stream([...again, ...again]),
      clock: () => epoch + 5000,
    })
    expect(summary).toEqual({ documents: 2 * samples.length, known: 2 * samples.length, notices: 0, rejections: {} })
    expect(await contentOf(store)).toBe(before)
  })

  test('an interrupted run keeps whole documents, does not move the check, and reaches the same end', async () => {
    await using broken = await openTestStore(engine)
    await using whole = await openTestStore(engine)
    const many = Array.from({ length: 3 }, (_, copy) =>
      samples.map((each) => ({
        ...each,
        bytes: Buffer.concat([Buffer.from(each.bytes), Buffer.from(' '.repeat(copy))]),
      })),
    ).flat()
    await expect(ingest(broken, { sourceId: 's', documents: stream(many, 301), clock })).rejects.toThrow(
      'the line went dead',
    )
    const halfway = await countReceived(broken.db, 1)
    expect(halfway.documents).toBeGreaterThan(0)
    expect(halfway.documents).toBeLessThan(many.length)
    expect(halfway.sources.s?.checkedAt).toBeNull()
    await ingest(broken, { sourceId: 's', documents: stream(many), clock })
    await ingest(whole, { sourceId: 's', documents: stream([...many].reverse()), clock })
    expect(JSON.parse(await contentOf(broken)).notices).toEqual(JSON.parse(await contentOf(whole)).notices)
  })

  test('documents that cannot be received are stored separately with their reasons, even with the same bytes', async () => {
    await using store = await openTestStore(engine)
    const unreadable = (address: string): ReceivedDocument => ({
      address,
      bytes: new Uint8Array(0),
      unreadable: { reason: 'too-large', path: '', detail: `from ${address}\0` },
    })
    const summary = await ingest(store, {
      sourceId: 's',
      documents: stream([unreadable('a.zip!1'), unreadable('a.zip!2'), unreadable('a.zip!1')]),
      clock,
    })
    expect(summary).toEqual({ documents: 3, known: 1, notices: 0, rejections: { 'too-large': 2 } })
    expect((await listRejections(store.db, 10)).map(({ address, reason }) => [address, reason])).toEqual([
      ['a.zip!1', 'too-large'],
      ['a.zip!2', 'too-large'],
    ])
    await reparse(store, { clock })
    expect((await countReceived(store.db, 1)).rejections).toEqual({ 'too-large': 2 })
  })

  test('hostile bytes are rejections, and NUL bytes come back unchanged', async () => {
    await using store = await openTestStore(engine)
    const hostile = [
      '',
      '\0\0\0',
      '<a>\0</a>',
      '{"ocid":"\ud800"}',
      '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
      '<a>'.repeat(100_000),
      '[1,',
      '\u{feff}',
    ]
    const documents = hostile.map((text, index) => ({ address: `h${index}`, bytes: Buffer.from(text) }))
    const summary = await ingest(store, { sourceId: 's', documents: stream(documents), clock })
    expect(summary.notices).toBe(0)
    expect(Object.values(summary.rejections).reduce((a, b) => a + b, 0)).toBe(hostile.length)
    const kept = await listParsableDocuments(store.db, { after: '', limit: 100 })
    expect(kept.map(({ bytes }) => Buffer.from(bytes).toString('hex')).sort()).toEqual(
      documents.map(({ bytes }) => bytes.toString('hex')).sort(),
    )
  })

  test('parsing stored documents again changes nothing with the same parsers, and replaces the results of older ones', async () => {
    await using store = await openTestStore(engine)
    await ingest(store, { sourceId: 's', documents: stream(samples), clock })
    await store.db.updateTable('notice').set({ is_consolidated: true }).execute()
    const before = await contentOf(store)
    await reparse(store, { clock: () => epoch + 1000 })
    expect(await contentOf(store)).toBe(before)

    // as if an older parser had read one notice differently, missed another one, and rejected what it did not know
    const [first, second, third] = await store.db
      .selectFrom('notice')
      .selectAll()
      .orderBy('notice_id')
      .limit(3)
      .execute()
    await store.db
      .updateTable('notice')
      .set({ content: '{"old":true}' })
      .where('notice_id', '=', first!.notice_id)
      .execute()
    await store.db.deleteFrom('notice').where('notice_id', '=', second!.notice_id).execute()
    await store.db
      .insertInto('rejection')
      .values({
        document_id: third!.document_id,
        pointer: '/old',
        reason: 'malformed',
        path: '',
        detail: '',
        rejected_at: 1,
      })
      .execute()
    await reparse(store, { clock })
    const changed = new Set([first!.notice_id, second!.notice_id])
    const reread = JSON.parse(await contentOf(store)) as { notices: { notice_id: string; is_consolidated: boolean }[] }
    expect(
      reread.notices
        .filter((row) => !row.is_consolidated)
        .map((row) => row.notice_id)
        .sort(),
    ).toEqual([...changed].sort())
    expect(
      JSON.stringify({ ...reread, notices: reread.notices.map((row) => ({ ...row, is_consolidated: true })) }),
    ).toBe(before)
  })
})

describe.runIf(engines.includes('server'))('several processes', () => {
  test('read stored documents again together, each once, and the first ends last', async () => {
    await using store = await openTestStore('server')
    await ingest(store, { sourceId: 's', documents: stream(samples), clock })
    const before = await contentOf(store)
    await store.db.updateTable('notice').set({ content: '{"old":true}' }).execute()
    const helpers = await Promise.all(Array.from({ length: 3 }, () => openStore(store.options)))
    let byHelpers = 0
    let helped: Promise<unknown> | undefined
    const onProgress = () => {
      helped ??= Promise.all(
        helpers.map((helper) => helpReparse(helper, { clock, pageSize: 7, onProgress: () => byHelpers++ })),
      )
    }
    const { documents } = await reparse(store, { clock, pageSize: 7, onProgress })
    expect(documents).toBe(samples.length)
    const after = await contentOf(store)
    await helped
    expect(byHelpers).toBeGreaterThan(0)
    expect(after.replaceAll('"is_consolidated":false', '')).toBe(before.replaceAll('"is_consolidated":false', ''))
    expect(await contentOf(store)).toBe(after)
    await Promise.all(helpers.map((helper) => helper.close()))
  })
})
