// Stores notices in a stock as if they had been received, each in its own document.
import { createHash } from 'node:crypto'
import type { Notice } from '../src/domain/notice.ts'
import type { Store } from '../src/store/database/database.ts'
import { insertDocuments, insertNotices, packDocument } from '../src/store/received/documents.ts'

const receivedAt = Date.UTC(2026, 0, 1)

/** Receives notices from a source; the same notice again changes nothing. Nothing is consolidated. */
export async function receiveNotices(store: Store, notices: readonly Notice[], sourceId = 'made-up'): Promise<void> {
  const byId = new Map(
    notices.map((notice) => {
      const bytes = Buffer.from(JSON.stringify(notice))
      const documentId = createHash('sha256').update(bytes).digest('hex')
      return [documentId, { notice, bytes, documentId }]
    }),
  )
  const received = [...byId.values()]
  await insertDocuments(
    store.db,
    received.map(({ documentId, bytes }) => ({
      documentId,
      sourceId,
      address: documentId,
      receivedAt,
      byteSize: bytes.length,
      packed: packDocument(bytes),
      parserVersion: 1,
    })),
  )
  await insertNotices(
    store.db,
    received.map(({ documentId, notice }) => ({ documentId, pointer: '', sourceId, notice })),
  )
}
