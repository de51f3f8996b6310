// What is kept for a set time is gone after it, and what has no such setting stays forever.
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { engines, openTestStore, type TestStore } from '../../../test/world.ts'
import { dayMs } from '../../domain/time.ts'
import { Retryable } from '../../platform/http.ts'
import { systemRandom } from '../../platform/random.ts'
import { addAuditEntry, listAuditEntries, pruneAuditEntries } from '../people/audit.ts'
import { createOrganization, createToken } from '../people/organizations.ts'
import { findDocument, insertDocuments, listParsableDocuments, packDocument } from '../received/documents.ts'
import { listMaintenances } from '../screens/maintenances.ts'
import { pruneInvitations, pruneKept } from './retention.ts'

let store: TestStore | undefined
afterEach(async () => {
  await store?.[Symbol.asyncDispose]()
  store = undefined
})

const start = Date.UTC(2026, 0, 1)
const day = (number: number) => start + number * dayMs

describe.each(engines)('retention (%s)', (engine) => {
  test('removes bytes of documents, rejections and the address of a last use after their retention period', async () => {
    store = await openTestStore(engine)
    const { db } = store
    const bytes = Buffer.from('<notice/>')
    const documentOf = (documentId: string, receivedAt: number) => ({
      documentId,
      sourceId: 's',
      address: 'a',
      receivedAt,
      byteSize: bytes.length,
      packed: packDocument(bytes),
      parserVersion: 1,
    })
    await insertDocuments(db, [documentOf('old', day(0)), documentOf('new', day(20)), documentOf('refused', day(20))])
    await sql`
      insert into rejection (document_id, pointer, reason, path, detail, rejected_at)
      values ('refused', '', 'malformed', '', 'near jane', ${day(20)})`.execute(db)
    const circumstances = { now: start, random: systemRandom }
    const { organization } = await createOrganization(db, { name: 'Acme' }, circumstances)
    await createToken({ db }, { organizationId: organization.organizationId, name: 'x' }, circumstances)
    await sql`update api_token set last_used_at = ${day(0)}, last_used_from = '192.0.2.0/24', last_used_agent = 'curl'`.execute(
      db,
    )
    const counts = async () => ({
      parsable: (await listParsableDocuments(db, { after: '', limit: 9 })).map(({ documentId }) => documentId),
      old: (await findDocument(db, 'old')) !== undefined,
      refused: (await findDocument(db, 'refused')) !== undefined,
      rejections: (await sql`select from rejection`.execute(db)).rows.length,
      uses: (
        await sql`select from api_token where last_used_from is not null or last_used_agent is not null`.execute(db)
      ).rows.length,
    })
    const all = { parsable: ['new', 'old', 'refused'], old: true, refused: true, rejections: 1, uses: 1 }
    const keep = { documentsMs: 30 * dayMs, rejectionsMs: 40 * dayMs, lastUseMs: 60 * dayMs }
    await pruneKept(db, day(99_999), {}, 9)
    await pruneKept(db, day(30), keep, 9)
    expect(await counts()).toEqual(all)
    expect(await pruneKept(db, day(30) + 1, keep, 1)).toBe(true)
    expect(await pruneKept(db, day(30) + 1, keep, 1)).toBe(false)
    expect(await counts()).toEqual({ ...all, parsable: ['new', 'refused'], old: false })
    // still known: the portal's copy is not stored again
    expect(await insertDocuments(db, [documentOf('old', day(31))])).toEqual(new Set())
    await pruneKept(db, day(60) + 1, { rejectionsMs: keep.rejectionsMs, lastUseMs: keep.lastUseMs }, 9)
    expect(await counts()).toEqual({ parsable: ['new'], old: false, refused: false, rejections: 0, uses: 0 })
  })

  test('keeps what is still needed: documents that were read, later uses, and accepted invitations', async () => {
    store = await openTestStore(engine)
    const { db } = store
    await sql`
      insert into source_document (document_id, source_id, address, received_at, byte_size, parser_version, packed)
      values ('read', 's', 'a', ${day(0)}, 1, 1, 'x'), ('elsewhere', 's', 'a', ${day(0)}, 1, 1, null),
        ('whole', 's', 'a', ${day(0)}, 1, 1, null)`.execute(db)
    await sql`
      insert into notice (notice_id, document_id, pointer, notice_key, publisher, source_id, form_type, content, is_consolidated)
      values ('n', 'read', '/1', 'k', 's', 's', 'competition', '{}', true)`.execute(db)
    await sql`
      insert into rejection (document_id, pointer, reason, path, detail, rejected_at)
      select document_id, '/2', 'malformed', '', '', ${day(0)} from source_document where document_id <> 'whole'`.execute(
      db,
    )
    const circumstances = { now: start, random: systemRandom }
    const { organization } = await createOrganization(db, { name: 'Acme' }, circumstances)
    for (const name of ['early', 'late'])
      await createToken({ db }, { organizationId: organization.organizationId, name }, circumstances)
    await sql`
      update api_token set last_used_agent = 'curl', last_used_at = case name when 'late' then ${day(2)}::bigint else ${day(0)} end`.execute(
      db,
    )
    await sql`
      insert into invitation (invitation_id, organization_id, mail, role, invited_by, created_at, until_ms, used_at)
      values ('i', ${organization.organizationId}, 'b@b.c', 'member', 'a@b.c', ${day(0)}, ${day(7)}, ${day(1)})`.execute(
      db,
    )
    await pruneKept(db, day(40) + 1, { rejectionsMs: 40 * dayMs, lastUseMs: 40 * dayMs }, 9)
    await pruneInvitations(db, day(999))
    const packed = async () =>
      (await sql`select document_id as id, length(packed) as length from source_document order by 1`.execute(db)).rows
    expect((await sql`select from rejection`.execute(db)).rows).toEqual([])
    expect(await packed()).toEqual([
      { id: 'elsewhere', length: null },
      { id: 'read', length: 1 },
      { id: 'whole', length: null },
    ])
    const { rows: used } = await sql`select name from api_token where last_used_agent is not null`.execute(db)
    expect(used).toEqual([{ name: 'late' }])
    expect((await sql`select from invitation`.execute(db)).rows).toHaveLength(1)
    await pruneKept(db, day(40) + 1, { documentsMs: 40 * dayMs }, 9)
    // the row still says that there are bytes elsewhere
    expect(await packed()).toEqual([
      { id: 'elsewhere', length: null },
      { id: 'read', length: 0 },
      { id: 'whole', length: null },
    ])
  })

  test('removes documents outside the database, also when the storage failed before', async () => {
    store = await openTestStore(engine)
    const { db } = store
    await sql`
      insert into source_document (document_id, source_id, address, received_at, byte_size, parser_version, packed)
      values ('old', 's', 'a', ${day(0)}, 1, 1, null), ('unread', 's', 'a', ${day(0)}, 1, 0, null),
        ('refused', 's', 'a', ${day(20)}, 1, 1, null), ('new', 's', 'a', ${day(20)}, 1, 1, null),
        ('inside', 's', 'a', ${day(0)}, 1, 1, 'x')`.execute(db)
    await sql`
      insert into rejection (document_id, pointer, reason, path, detail, rejected_at)
      values ('refused', '', 'malformed', '', '', ${day(20)})`.execute(db)
    const kept = new Set(['old', 'unread', 'refused', 'new'])
    let isDown = true
    const outside = {
      remove: async (ids: readonly string[]) => {
        if (isDown) throw new Retryable('the bucket does not answer')
        for (const id of ids) kept.delete(id)
      },
    }
    const states = async () => {
      const { rows } = await sql<{ id: string; version: number; length: number | null }>`
        select document_id as id, parser_version as version, length(packed) as length from source_document`.execute(db)
      return Object.fromEntries(rows.map(({ id, version, length }) => [id, [version, length]]))
    }
    const keep = { documentsMs: 30 * dayMs }
    await expect(pruneKept(db, day(30) + 1, keep, 9, outside)).rejects.toThrow(Retryable)
    // nobody reads them meanwhile, and the row says that they still exist
    expect(await states()).toMatchObject({ old: [0, null], unread: [0, null], refused: [1, null], new: [1, null] })
    isDown = false
    expect(await pruneKept(db, day(30) + 1, keep, 1, outside)).toBe(true)
    expect(await pruneKept(db, day(30) + 1, keep, 9, outside)).toBe(false)
    expect([...kept]).toEqual(['refused', 'new'])
    expect(await states()).toEqual({
      old: [0, 0],
      unread: [0, 0],
      inside: [0, 0],
      refused: [1, null],
      new: [1, null],
    })
    const rejected = { rejectionsMs: 40 * dayMs }
    isDown = true
    await expect(pruneKept(db, day(60) + 1, rejected, 9, outside)).rejects.toThrow(Retryable)
    expect((await sql`select from rejection`.execute(db)).rows).toHaveLength(1)
    isDown = false
    await pruneKept(db, day(60) + 1, rejected, 9, outside)
    expect((await sql`select from rejection`.execute(db)).rows).toEqual([])
    expect([...kept]).toEqual(['new'])
    expect(await states()).toMatchObject({ refused: [0, 0], new: [1, null] })
  })

  test('removes audit entries after the configured time, and invitations a month after their end', async () => {
    store = await openTestStore(engine)
    const { db } = store
    const entry = {
      actor: 'a@b.c',
      organizationId: undefined,
      action: 'stock.rebuild',
      subject: 's',
      detail: {},
    } as const
    await addAuditEntry(db, { ...entry, at: day(0), addressPrefix: '' })
    await pruneAuditEntries(db, day(730), undefined)
    await pruneAuditEntries(db, day(30), 30 * dayMs)
    expect(await listAuditEntries(db, { limit: 9 })).toHaveLength(1)
    await pruneAuditEntries(db, day(30) + 1, 30 * dayMs)
    expect(await listAuditEntries(db, { limit: 9 })).toEqual([])
    await addAuditEntry(db, { ...entry, at: day(0), addressPrefix: '' })
    await pruneAuditEntries(db, day(730) + 1, undefined)
    expect(await listAuditEntries(db, { limit: 9 })).toEqual([])
    // the status page shows a maintenance of up to seven days from its entry
    const until = new Date(day(7)).toISOString()
    await addAuditEntry(db, { ...entry, action: 'maintenance.on', detail: { until }, at: day(0), addressPrefix: '' })
    await addAuditEntry(db, { ...entry, at: day(0), addressPrefix: '' })
    await pruneAuditEntries(db, day(7), dayMs)
    expect(await listMaintenances(db, 0, 9)).toMatchObject([{ startedAt: day(0), until: day(7) }])
    expect(await listAuditEntries(db, { limit: 9 })).toHaveLength(1)
    await pruneAuditEntries(db, day(7) + 1, dayMs)
    expect(await listMaintenances(db, 0, 9)).toEqual([])

    const { organization } = await createOrganization(db, { name: 'Acme' }, { now: start, random: systemRandom })
    await sql`
      insert into invitation (invitation_id, organization_id, mail, role, invited_by, created_at, until_ms)
      values ('i', ${organization.organizationId}, 'b@b.c', 'member', 'a@b.c', ${day(0)}, ${day(7)})`.execute(db)
    const left = async () => (await sql`select from invitation`.execute(db)).rows.length
    await pruneInvitations(db, day(37))
    expect(await left()).toBe(1)
    await pruneInvitations(db, day(37) + 1)
    expect(await left()).toBe(0)
  })
})
