// Where the bytes of documents are stored outside the database: a folder or a bucket, with one interface.

/** A document as stored: `packed` is the result of `packDocument` in documents.ts. */
export type PackedDocument = { readonly documentId: string; readonly packed: Buffer }

/**
 * Storage outside the database. A document's row has no content then. Documents are never changed: the same ID means
 * the same bytes, so writing it again is harmless, and one whose row was not committed only takes space.
 */
export type DocumentStore = {
  /**
   * Returns when all of them are durable. Throws Retryable when the storage does not answer, OperatorError when it is
   * wrong.
   */
  readonly put: (documents: readonly PackedDocument[]) => Promise<void>
  /** Undefined when there is none of this id. */
  readonly get: (documentId: string) => Promise<Buffer | undefined>
  /** Returns when none of them exists any more. */
  readonly remove: (documentIds: readonly string[]) => Promise<void>
}

/** A store that holds connections until it is closed. */
export type OpenDocumentStore = DocumentStore & { readonly close: () => Promise<void> }
