// Stores a batch of received documents with what is read from them: they are read outside the transaction and written
// inside one.
import type { ParsedPart } from '../domain/notice.ts'
import type { ReceivedDocument } from '../sources/files.ts'
import { parserVersion } from '../sources/parser-version.ts'
import type { Executor, Store } from '../store/database/database.ts'
import type { DocumentStore } from '../store/files/document-store.ts'
import {
  findKnownDocuments,
  insertDocuments,
  insertNotices,
  insertRejections,
  packDocument,
  unparsedVersion,
} from '../store/received/documents.ts'
import type { ExpectedFill } from './fill-rates.ts'
import { noteFill } from './note-fill.ts'
import { noteNames } from './note-names.ts'
import { documentIdOf, type Parse, type ReadDocument, readDocument } from './read-document.ts'

/**
 * Maximum number of documents, and of bytes, in a batch: large enough to make a commit cheap, small enough to hold a
 * few in memory.
 */
export const batchDocuments = 200
export const batchBytes = 8 * 1024 * 1024

/** Documents by their ids. */
export type Batch = Map<string, ReceivedDocument>

/** Puts a document into a batch. False when it is already in it. */
export function addToBatch(batch: Batch, document: ReceivedDocument): boolean {
  const documentId = documentIdOf(document)
  if (batch.has(documentId)) return false
  batch.set(documentId, document)
  return true
}

export type ReceiveOptions = {
  readonly sourceId: string
  readonly parse: Parse
  /** Where the bytes are stored; absent: in the database. */
  readonly documentStore?: DocumentStore
  /** What the card says about fields; absent: they are not watched, because the documents come from files. */
  readonly expectedFill?: ExpectedFill
}

/** A batch that was read and is ready to be written. */
export type ReadBatch = {
  readonly options: ReceiveOptions
  /** Documents that were not stored yet when the batch was read. */
  readonly read: readonly ReadDocument[]
  /** Their packed bytes, in the same order. */
  readonly packed: readonly Buffer[]
}

/** Reads what is not stored yet; bytes stored outside the database are durable when this returns. */
export async function readBatch(store: Pick<Store, 'db'>, options: ReceiveOptions, batch: Batch): Promise<ReadBatch> {
  const known = await findKnownDocuments(store.db, [...batch.keys()])
  const read: ReadDocument[] = []
  const packed: Buffer[] = []
  for (const [documentId, document] of batch) {
    if (known.has(documentId)) continue
    packed.push(packDocument(document.bytes))
    read.push(readDocument(documentId, document, options.parse))
    await turn()
  }
  if (options.documentStore && read.length > 0)
    await options.documentStore.put(read.map(({ documentId }, index) => ({ documentId, packed: packed[index]! })))
  return { options, read, packed }
}

/**
 * Writes a batch; returns what is new. Another process may have received the same bytes meanwhile: its rows are kept.
 */
export async function writeBatch(
  trx: Executor,
  { options, read, packed }: ReadBatch,
  receivedAt: number,
): Promise<readonly ReadDocument[]> {
  if (read.length === 0) return []
  const { sourceId } = options
  const inserted = await insertDocuments(
    trx,
    read.map(({ documentId, address, bytes, isParsed }, index) => ({
      documentId,
      address,
      byteSize: bytes.length,
      packed: options.documentStore ? null : packed[index]!,
      receivedAt,
      sourceId,
      parserVersion: isParsed ? parserVersion : unparsedVersion,
    })),
  )
  const added = read.filter(({ documentId }) => inserted.has(documentId))
  await writeParts(
    trx,
    added.map((each) => ({ ...each, sourceId })),
    receivedAt,
  )
  await noteNames(trx, sourceId, added, receivedAt)
  if (options.expectedFill) await noteFill(trx, sourceId, added, { now: receivedAt, expected: options.expectedFill })
  return added
}

export type DocumentParts = Pick<ReadDocument, 'documentId' | 'parts'> & { readonly sourceId: string }

/** Writes what was read from documents: notices, and rejections with the time. */
export async function writeParts(trx: Executor, documents: readonly DocumentParts[], at: number): Promise<void> {
  await insertNotices(
    trx,
    documents.flatMap(({ documentId, sourceId, parts }) =>
      parts.flatMap((part) =>
        'notice' in part ? [{ documentId, sourceId, pointer: part.pointer, notice: part.notice }] : [],
      ),
    ),
  )
  await insertRejections(
    trx,
    documents.flatMap(({ documentId, parts }) =>
      parts.flatMap((part) =>
        'rejection' in part ? [{ documentId, pointer: part.pointer, rejection: part.rejection, rejectedAt: at }] : [],
      ),
    ),
  )
}

/** Counts the notices and rejections among the parts. */
export function countParts(parts: readonly ParsedPart[]): { notices: number; rejections: number } {
  const notices = parts.filter((part) => 'notice' in part).length
  return { notices, rejections: parts.length - notices }
}

/** Parsing shares its thread with the API: lets requests run between two documents. */
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
