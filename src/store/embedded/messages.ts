// Messages between the embedded engine's thread and the program.

/** How the thread is started. */
export type WorkerOptions = {
  /** The database's folder (`PGDATA`). */
  readonly folder: string
  /** Create an empty database in `folder`, shut it down and end, instead of serving it. */
  readonly isFirstRun: boolean
  /** Number of bytes of write-ahead log after which a checkpoint is made. */
  readonly checkpointBytes: number
}

/** One statement; `close` shuts the database down cleanly. */
export type Request =
  | { readonly id: number; readonly sql: string; readonly parameters: readonly unknown[] }
  | { readonly id: number; readonly close: true }

/** The fields of a PostgreSQL error (protocol, "Error and Notice Message Fields") that callers may read. */
export type ErrorFields = {
  readonly message: string
  readonly code?: string
  readonly detail?: string
  readonly hint?: string
  readonly table?: string
  readonly column?: string
  readonly constraint?: string
}

/** Counters since the thread started. */
export type Written = {
  /** Bytes of write-ahead log. */
  readonly walBytes: number
  /** Calls of fsync on the files below the folder. */
  readonly syncs: number
}

export type Reply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'closed' }
  | {
      readonly kind: 'result'
      readonly id: number
      readonly rows: readonly unknown[]
      readonly affectedRows: number | undefined
      readonly command: string | undefined
      readonly written: Written
    }
  | { readonly kind: 'error'; readonly id: number; readonly error: ErrorFields }
  /** The engine can no longer be trusted, or could not start; the thread ends. */
  | { readonly kind: 'fatal'; readonly message: string }
