// Documents in a bucket of an S3-compatible store: one object each.
import type { BucketLocation } from '../../platform/config.ts'
import { type BucketOptions, openBucket } from './bucket.ts'
import { documentPath } from './document-path.ts'
import type { OpenDocumentStore } from './document-store.ts'
import { inParallel } from './in-parallel.ts'

const maxRequests = 8

export function openBucketDocuments(
  location: BucketLocation,
  options: Omit<BucketOptions, 'named'>,
): OpenDocumentStore {
  const bucket = openBucket(location, { ...options, named: 'the address in TENDERSTOCK_DOCUMENTS' })
  return {
    put: async (documents) => {
      await inParallel(documents, maxRequests, ({ documentId, packed }) => bucket.put(documentPath(documentId), packed))
    },
    get: async (documentId) => bucket.get(documentPath(documentId)),
    remove: async (documentIds) => {
      await inParallel(documentIds, maxRequests, (documentId) => bucket.remove(documentPath(documentId)))
    },
    close: bucket.close,
  }
}
