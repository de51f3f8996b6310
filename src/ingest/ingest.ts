// Runs the receiving stage: keeps raw documents and what the parsers read from them, a document and its parts together.
import type { Clock } from '../platform/clock.ts'
import type { ReceivedDocument } from '../sources/files.ts'
import { parserVersion } from '../sources/parse-document.ts'
import { inTransaction, type Store } from '../store/database.ts'
import {
  deletePartsExcept,
  findKnownDocuments,
  insertDocuments,
  insertNotices,
  insertRejections,
  listParsableDocuments,
  setParserVersion,
  setSourceCheck,
  unparsedVersion,
} from '../store/documents.ts'
import { documentIdOf, type ReadDocument, readDocument, readParts } from './read-document.ts'

/** What one run did. `documents` were received, `known` of them were kept before; the rest counts what was new. */
export type IngestSummary = {
  readonly documents: number
  readonly known: number
  readonly notices: number
  readonly rejections: { readonly [reason: string]: number }
}

export type IngestOptions = {
  /** The source whose check is moved when all its documents are received. */
  readonly sourceId: string
  readonly documents: AsyncIterable<ReceivedDocument>
  readonly clock: Clock
  /** Called after each batch with the sums so far; what it counts is stored. */
  readonly onProgress?: (summary: IngestSummary) => void
  /** Ends the run after the batch that is being written; the source's check does not move then. */
  readonly signal?: AbortSignal
}

// A batch ends at either limit: enough to make a commit cheap, small enough to hold a few in memory.
const batchDocuments = 200
const batchBytes = 8 * 1024 * 1024
const reparseDocuments = 100

/**
 * Receives documents: keeps the raw bytes, and their notices or rejections, in one transaction for each batch. Bytes that
 * were received before change nothing, so a run that was cut off is simply run again. Throws only what the store or the
 * iteration throws: bad data is stored as a rejection.
 */
export async function ingest(store: Store, options: IngestOptions): Promise<IngestSummary> {
  const total = { documents: 0, known: 0, notices: 0, rejections: {} as Record<string, number> }
  const write = async (batch: Map<string, ReceivedDocument>) => {
    const added = await receiveBatch(store, options, batch)
    total.known += batch.size - added.length
    for (const { parts } of added) {
      for (const part of parts) {
        if ('notice' in part) total.notices += 1
        else total.rejections[part.rejection.reason] = (total.rejections[part.rejection.reason] ?? 0) + 1
      }
    }
    options.onProgress?.(snapshot(total))
  }

  let batch = new Map<string, ReceivedDocument>()
  let bytes = 0
  for await (const document of options.documents) {
    if (options.signal?.aborted) break
    total.documents += 1
    const documentId = documentIdOf(document)
    if (batch.has(documentId)) {
      total.known += 1
      continue
    }
    batch.set(documentId, document)
    bytes += document.bytes.length
    if (batch.size >= batchDocuments || bytes >= batchBytes) {
      await write(batch)
      batch = new Map()
      bytes = 0
    }
  }
  if (batch.size > 0) await write(batch)
  if (!options.signal?.aborted) await setSourceCheck(store.db, options.sourceId, options.clock())
  return snapshot(total)
}

async function receiveBatch(
  store: Store,
  options: IngestOptions,
  batch: ReadonlyMap<string, ReceivedDocument>,
): Promise<ReadDocument[]> {
  const known = await findKnownDocuments(store.db, [...batch.keys()])
  const read: ReadDocument[] = []
  for (const [documentId, document] of batch) {
    if (known.has(documentId)) continue
    read.push(readDocument(documentId, document))
    await turn()
  }
  if (read.length === 0) return []
  const receivedAt = options.clock()
  return inTransaction(store, async (trx) => {
    const inserted = await insertDocuments(
      trx,
      read.map(({ documentId, address, bytes, isParsed }) => ({
        documentId,
        address,
        bytes,
        receivedAt,
        sourceId: options.sourceId,
        parserVersion: isParsed ? parserVersion : unparsedVersion,
      })),
    )
    // another process may have received the same bytes since: its parts stand there already
    const added = read.filter(({ documentId }) => inserted.has(documentId))
    await writeParts(
      trx,
      added.map((each) => ({ ...each, sourceId: options.sourceId })),
      receivedAt,
    )
    return added
  })
}

type Parts = Pick<ReadDocument, 'documentId' | 'parts'> & { readonly sourceId: string }

async function writeParts(
  trx: Parameters<typeof insertNotices>[0],
  documents: readonly Parts[],
  at: number,
): Promise<void> {
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

export type ReparseOptions = {
  readonly clock: Clock
  readonly onProgress?: (progress: { readonly documents: number }) => void
}

/**
 * Reads all kept documents again with the present parsers and replaces what was read from them; the stock has to be
 * rebuilt afterwards. Documents that could not be received keep their rejection. Cut off, it is simply run again.
 */
export async function reparse(
  store: Store,
  options: ReparseOptions,
): Promise<{ documents: number; notices: number; rejections: number }> {
  const total = { documents: 0, notices: 0, rejections: 0 }
  let after = ''
  for (;;) {
    const documents = await listParsableDocuments(store.db, after, reparseDocuments)
    const last = documents.at(-1)
    if (!last) return total
    after = last.documentId
    const read: Parts[] = []
    for (const { documentId, sourceId, bytes } of documents) {
      read.push({ documentId, sourceId, parts: readParts(bytes) })
      await turn()
    }
    const idsOf = (kind: 'notice' | 'rejection') =>
      read.flatMap(({ documentId, parts }) =>
        parts.flatMap((part) => (kind in part ? [`${documentId}#${part.pointer}`] : [])),
      )
    const [noticeIds, rejectionIds] = [idsOf('notice'), idsOf('rejection')]
    await inTransaction(store, async (trx) => {
      const ids = read.map(({ documentId }) => documentId)
      await deletePartsExcept(trx, ids, { noticeIds, rejectionIds })
      await writeParts(trx, read, options.clock())
      await setParserVersion(trx, ids, parserVersion)
    })
    total.documents += read.length
    total.notices += noticeIds.length
    total.rejections += rejectionIds.length
    options.onProgress?.({ documents: total.documents })
  }
}

// Parsing shares its thread with the API: let requests in between two documents.
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

function snapshot(total: IngestSummary): IngestSummary {
  return { ...total, rejections: { ...total.rejections } }
}
