// Where the bytes of documents are kept when not in the database: a folder, a bucket. One interface.

/** A document as stored: `packed` is the result of `packDocument` in documents.ts. */
export type PackedDocument = { readonly documentId: string; readonly packed: Buffer }

/**
 * Storage outside the database. A document's row has no content then. Documents are never changed: the same id is the
 * same bytes, so writing it again is harmless, and one that was written before its row was not committed is only space.
 */
export type DocumentStore = {
  /**
   * Returns when all of them are durable. Throws Retryable when the storage does not answer, OperatorError when it is
   * wrong.
   */
  readonly put: (documents: readonly PackedDocument[]) => Promise<void>
  /** Undefined when there is none of this id. */
  readonly get: (documentId: string) => Promise<Buffer | undefined>
  /** Returns when none of them is there any more. */
  readonly remove: (documentIds: readonly string[]) => Promise<void>
}

/** A store that holds connections until it is closed. */
export type OpenDocumentStore = DocumentStore & { readonly close: () => Promise<void> }
