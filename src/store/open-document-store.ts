// Opens the configured storage for raw documents.
import type { Clock, Sleep } from '../platform/clock.ts'
import type { DocumentLocation } from '../platform/config.ts'
import type { Random } from '../platform/random.ts'
import type { OpenDocumentStore } from './document-store.ts'
import { openFolderDocuments } from './folder-documents.ts'

export type DocumentStoreOptions = {
  /** The machine's clock, never a trial one: what is signed with another time is refused. */
  readonly clock: Clock
  readonly sleep: Sleep
  readonly random: Random
  readonly version: string
}

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
