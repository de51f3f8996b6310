// Documents are returned as they were received.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { engines, openTestStore } from '../../../test/world.ts'
import type { Notice } from '../../domain/notice.ts'
import type { Store } from '../database/database.ts'
import { insertDocuments, insertNotices, listParsableDocuments, packDocument } from './documents.ts'
import { listNotices } from './notices.ts'

const idOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const row = (bytes: Uint8Array) => ({
  documentId: idOf(bytes),
  sourceId: 's',
  address: 'a',
  receivedAt: 1,
  byteSize: bytes.length,
  packed: packDocument(bytes),
  parserVersion: 1,
})

async function keptBytes(store: Store): Promise<Map<string, string>> {
  const kept = await listParsableDocuments(store.db, { after: '', limit: 10_000 })
  return new Map(kept.map(({ documentId, bytes }) => [documentId, Buffer.from(bytes).toString('latin1')]))
}

describe.each(engines)('documents in the database (%s)', (engine) => {
  test('are kept byte for byte, for any bytes and any number at once (seed 12)', async () => {
    await using store = await openTestStore(engine)
    const samples = fc.sample(fc.uint8Array({ maxLength: 3000 }), { numRuns: 60, seed: 12 })
    const documents = [new Uint8Array(0), Buffer.alloc(3_000_000, 'made up '), ...samples]
    const byId = new Map(documents.map((bytes) => [idOf(bytes), Buffer.from(bytes).toString('latin1')]))
    const rows = [...byId.values()].map((text) => row(Buffer.from(text, 'latin1')))
    expect((await insertDocuments(store.db, rows.slice(0, 30))).size).toBe(30)
    expect((await insertDocuments(store.db, rows)).size).toBe(rows.length - 30)
    expect(await keptBytes(store)).toEqual(byId)
  })

  test('that are damaged cause an error instead of being returned changed', async () => {
    await using store = await openTestStore(engine)
    const bytes = Buffer.from('made up '.repeat(500))
    const damaged = row(bytes)
    damaged.packed[damaged.packed.length - 1]! ^= 1
    await insertDocuments(store.db, [damaged])
    await expect(keptBytes(store)).rejects.toThrow(/checksum|corrupt/i)
  })

  test('and notices with every kind of character are returned unchanged', async () => {
    await using store = await openTestStore(engine)
    const texts = ['', 'ä€🂡', '"\\\n\t', '\0', '\ud800', "';{}(),$1", 'x'.repeat(100_000)]
    const bytes = Buffer.from('d')
    await insertDocuments(store.db, [row(bytes)])
    const notices = texts.map((title, index) => ({
      documentId: idOf(bytes),
      pointer: `/${index}`,
      sourceId: 's',
      notice: {
        noticeKey: `k:${index}`,
        publisher: 'p',
        formType: 'competition',
        title: { en: title },
      } as unknown as Notice,
    }))
    await insertNotices(store.db, notices)
    await insertNotices(store.db, notices)
    const found = await listNotices(store.db, '', 100)
    expect(found.map(({ notice }) => notice)).toEqual(notices.map(({ notice }) => notice))
  })
})
