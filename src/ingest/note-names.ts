// Counts names that a source's documents did not use before, so that a changed schema is noticed before it costs
// records.
import { namesInDocument } from '../sources/names-in-document.ts'
import type { Executor } from '../store/database/database.ts'
import { addNames, knownNames, lookedAt } from '../store/sources/source-health.ts'
import type { ReadDocument } from './read-document.ts'

/** Number of a source's first documents whose names count as usual. */
const learnedDocuments = 300
/**
 * Afterwards one document in sixteen is examined: the first digit of its hash decides, so the choice is always the
 * same.
 */
const isSampled = (documentId: string): boolean => documentId.startsWith('0')
/** Maximum number of names of a source; a source with more uses data as names. */
const maxNames = 5_000
/** Marks a name that is usual. */
const usual = -1

/** Notes the names in newly stored documents, in the transaction that stores them. */
export async function noteNames(
  trx: Executor,
  sourceId: string,
  documents: readonly Pick<ReadDocument, 'documentId' | 'bytes' | 'isParsed'>[],
  now: number,
): Promise<void> {
  if (documents.length === 0) return
  const known = await knownNames(trx, sourceId)
  const before = known.get(lookedAt) ?? 0
  let looked = before
  const found = new Map<string, number>()
  for (const { documentId, bytes, isParsed } of documents) {
    const isLearning = looked < learnedDocuments
    if (!isParsed || !(isLearning || isSampled(documentId))) continue
    looked += 1
    for (const name of namesInDocument(bytes)) {
      const count = known.get(name) ?? found.get(name)
      if (count === usual || (count === undefined && known.size + found.size >= maxNames)) continue
      found.set(name, isLearning ? usual : (found.get(name) ?? 0) + 1)
    }
  }
  if (looked > before) found.set(lookedAt, looked - before)
  await addNames(trx, sourceId, found, now)
}
