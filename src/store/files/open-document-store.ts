// Opens the configured storage for raw documents.
import type { DocumentLocation } from '../../platform/config.ts'
import type { BucketOptions } from './bucket.ts'
import type { OpenDocumentStore } from './document-store.ts'
import { openFolderDocuments } from './folder-documents.ts'

export type DocumentStoreOptions = Pick<BucketOptions, 'clock' | 'sleep' | 'random' | 'version'>

/**
 * Opens the configured storage outside the database; undefined if there is none and the database keeps the bytes.
 * Throws OperatorError if a folder cannot be created or written; a bucket is first used when something is stored.
 */
export async function openDocumentStore(
  location: DocumentLocation | undefined,
  options: DocumentStoreOptions,
): Promise<OpenDocumentStore | undefined> {
  if (location === undefined) return undefined
  if (location.kind === 'folder') return openFolderDocuments(location.path, options)
  const { openBucketDocuments } = await import('./bucket-documents.ts')
  return openBucketDocuments(location, options)
}
