// Runs the receiving stage: stores raw documents and what the parsers read from them, each document together with its
// parts.
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../platform/clock.ts'
import type { ReceivedDocument } from '../sources/files.ts'
import { parseDocument, parserOf } from '../sources/parse-document.ts'
import { parserVersion } from '../sources/parser-version.ts'
import { inTransaction, type Store } from '../store/database/database.ts'
import { lookAgainMs } from '../store/editions/publication.ts'
import type { DocumentStore } from '../store/files/document-store.ts'
import {
  deletePartsExcept,
  keptNotices,
  listParsableDocuments,
  setParserVersion,
  setSourceCheck,
} from '../store/received/documents.ts'
import {
  beginReread,
  endReread,
  finishRereadPage,
  type RereadCounts,
  takeRereadPage,
} from '../store/received/reread.ts'
import { type Parse, readParts } from './read-document.ts'
import {
  addToBatch,
  type Batch,
  batchBytes,
  batchDocuments,
  type DocumentParts,
  readBatch,
  turn,
  writeBatch,
  writeParts,
} from './receive-batch.ts'

/** What one run did. `documents` were received, `known` of them were already stored; the rest counts what was new. */
export type IngestSummary = {
  readonly documents: number
  readonly known: number
  readonly notices: number
  readonly rejections: { readonly [reason: string]: number }
}

export type IngestOptions = {
  /** The source whose check time is updated when all its documents are received. */
  readonly sourceId: string
  readonly documents: AsyncIterable<ReceivedDocument>
  readonly clock: Clock
  /** Where the bytes are stored; absent: in the database. */
  readonly documentStore?: DocumentStore
  /** Called after each batch with the totals so far; what they count is stored. */
  readonly onProgress?: (summary: IngestSummary) => void
  /** Ends the run after the batch that is being written; the source's check time is not updated then. */
  readonly signal?: AbortSignal
}

const usualPageSize = 100

/**
 * Receives documents: stores the raw bytes, and their notices or rejections, in one transaction per batch. Bytes that
 * were received before change nothing, so an interrupted run is simply run again. Throws only what the store or the
 * iteration throws: bad data is stored as a rejection.
 */
export async function ingest(store: Store, options: IngestOptions): Promise<IngestSummary> {
  const total = { documents: 0, known: 0, notices: 0, rejections: {} as Record<string, number> }
  const receive = {
    sourceId: options.sourceId,
    parse: parseDocument,
    ...(options.documentStore && { documentStore: options.documentStore }),
  }
  const write = async (batch: Batch) => {
    const read = await readBatch(store, receive, batch)
    const added =
      read.read.length === 0 ? [] : await inTransaction(store, (trx) => writeBatch(trx, read, options.clock()))
    total.known += batch.size - added.length
    for (const { parts } of added) {
      for (const part of parts) {
        if ('notice' in part) total.notices += 1
        else total.rejections[part.rejection.reason] = (total.rejections[part.rejection.reason] ?? 0) + 1
      }
    }
    options.onProgress?.(snapshot(total))
  }

  let batch: Batch = new Map()
  let bytes = 0
  for await (const document of options.documents) {
    if (options.signal?.aborted) break
    total.documents += 1
    if (!addToBatch(batch, document)) {
      total.known += 1
      continue
    }
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

export type ReparseOptions = {
  readonly clock: Clock
  /** The sources, with their parsers and countries; documents of any other source are read by their content. */
  readonly sources?: ReadonlyMap<string, { readonly country?: string; readonly parse?: Parse }>
  /** Where bytes outside the database are. */
  readonly documentStore?: DocumentStore
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: { readonly documents: number }) => void
  /** Documents that are read again in one transaction. */
  readonly pageSize?: number
}

/**
 * Reads all stored documents again with the current parsers and replaces what was read from them; the stock has to be
 * rebuilt afterwards. Documents that could not be received keep their rejection. If interrupted, it is simply run
 * again. Other processes may help.
 */
export async function reparse(store: Store, options: ReparseOptions): Promise<RereadCounts> {
  await beginReread(store.db, parserVersion)
  while ((await reparsePages(store, options)) === 'wait') await delay(lookAgainMs)
  return endReread(store.db)
}

/** Reads a part of what another process has to read in `reparse`. Returns when nothing is left to take. */
export async function helpReparse(store: Store, options: ReparseOptions): Promise<void> {
  await reparsePages(store, options)
}

/** Reads page after page until others read the last ones, or all are read. */
async function reparsePages(store: Store, options: ReparseOptions): Promise<'wait' | 'none'> {
  for (;;) {
    options.signal?.throwIfAborted()
    const page = await takeRereadPage(store, { parserVersion, limit: options.pageSize ?? usualPageSize })
    if (typeof page === 'string') return page
    const read: DocumentParts[] = []
    for (const { documentId, sourceId, bytes } of await listParsableDocuments(store.db, page, options.documentStore)) {
      read.push({ documentId, sourceId, parts: readParts(bytes, parserOf(options.sources?.get(sourceId) ?? {})) })
      await turn()
    }
    const idsOf = (kind: 'notice' | 'rejection') =>
      read.flatMap(({ documentId, parts }) =>
        parts.flatMap((part) => (kind in part ? [`${documentId}#${part.pointer}`] : [])),
      )
    const [noticeIds, rejectionIds] = [idsOf('notice'), idsOf('rejection')]
    const counts = { documents: read.length, notices: noticeIds.length, rejections: rejectionIds.length }
    const total = await inTransaction(store, async (trx) => {
      const reached = await finishRereadPage(trx, page, counts)
      if (reached === undefined) return undefined
      const ids = read.map(({ documentId }) => documentId)
      await deletePartsExcept(trx, ids, { noticeIds, rejectionIds })
      await writeParts(trx, read, options.clock())
      await setParserVersion(trx, ids, parserVersion)
      return reached
    })
    if (total) options.onProgress?.({ documents: total.documents })
  }
}

/** What `reparse` would change. */
export type ReparsePreview = {
  readonly documents: number
  readonly notices: number
  /** Number of notices that the current parsers read differently, for the first time, or no longer. */
  readonly changed: number
  readonly added: number
  readonly gone: number
  /** Number of records with a notice that is changed or gone. */
  readonly records: number
}

/** Reads all stored documents with the current parsers, compares, and writes nothing. */
export async function previewReparse(
  store: Pick<Store, 'db'>,
  options: Omit<ReparseOptions, 'clock'>,
): Promise<ReparsePreview> {
  const total = { documents: 0, notices: 0, changed: 0, added: 0, gone: 0 }
  const records = new Set<string>()
  let after = ''
  for (;;) {
    options.signal?.throwIfAborted()
    const documents = await listParsableDocuments(
      store.db,
      { after, limit: options.pageSize ?? usualPageSize },
      options.documentStore,
    )
    const last = documents.at(-1)
    if (!last) return { ...total, records: records.size }
    after = last.documentId
    const ids = documents.map(({ documentId }) => documentId)
    const kept = new Map((await keptNotices(store.db, ids)).map((each) => [each.noticeId, each]))
    for (const { documentId, sourceId, bytes } of documents) {
      for (const part of readParts(bytes, parserOf(options.sources?.get(sourceId) ?? {}))) {
        if (!('notice' in part)) continue
        total.notices += 1
        const noticeId = `${documentId}#${part.pointer}`
        const before = kept.get(noticeId)
        kept.delete(noticeId)
        if (before === undefined) total.added += 1
        else if (before.content !== JSON.stringify(part.notice)) {
          total.changed += 1
          if (before.tenderId !== null) records.add(before.tenderId)
        }
      }
      await turn()
    }
    total.gone += kept.size
    for (const { tenderId } of kept.values()) if (tenderId !== null) records.add(tenderId)
    total.documents += documents.length
    options.onProgress?.({ documents: total.documents })
  }
}

function snapshot(total: IngestSummary): IngestSummary {
  return { ...total, rejections: { ...total.rejections } }
}
