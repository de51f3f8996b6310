// Documents that no parser can read, enough for the gate to hold back the next edition.
import { insertDocuments, insertRejections, packDocument } from '../../src/store/received/documents.ts'
import type { TestStore } from '../world.ts'

const count = 60

/** Puts them into the stock as received at `receivedAt`. `mark`: a digit that distinguishes them from others. */
export async function putRejections({ db }: Pick<TestStore, 'db'>, receivedAt: number, mark: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => `${mark}${index.toString(16)}`.padStart(64, 'b'))
  await insertDocuments(
    db,
    ids.map((documentId) => ({
      documentId,
      sourceId: 'doe',
      address: documentId,
      receivedAt,
      byteSize: 8,
      packed: packDocument(Buffer.from('<p>x</p>')),
      parserVersion: 1,
    })),
  )
  await insertRejections(
    db,
    ids.map((documentId) => ({
      documentId,
      pointer: '',
      rejection: { reason: 'malformed', path: '', detail: '' },
      rejectedAt: receivedAt,
    })),
  )
}
