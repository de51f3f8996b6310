// Input and output of reading a source's slot: requests, steps, how it ended.
import type { Instant } from '../domain/time.ts'
import type { ReceivedDocument } from './files.ts'

/** A value of JSON, as parsed. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/** A span of time: `from` inclusive, `to` exclusive. Absent on `feed` and `whole`. */
export type Slot = {
  /** `2026-11-20`, `2026-11`, `2026-W47`, `2026`, `2026-11-20T06`, `feed`, `whole`. */
  readonly key: string
  readonly from?: Instant
  readonly to?: Instant
}

/**
 * A thing that a portal lists, and which state of it was read: a file with its date, an URL with its ETag, an id with
 * its version.
 */
export type Item = { readonly key: string; readonly version: string }

/**
 * The result of one request (or one part of an archive). Documents, items and checkpoint of a step are stored in one
 * transaction: a process that reads the checkpoint back has the documents of every step before it.
 */
export type Step = {
  readonly documents: readonly ReceivedDocument[]
  /** Where to continue after this step; a killed run continues from the newest. */
  readonly checkpoint?: Json
  /** Number of entries that the whole slot has according to the portal. */
  readonly announced?: number
  /** Entries that this step delivered, documents known before included; default: the number of documents. */
  readonly entries?: number
  readonly items?: readonly Item[]
}

/** How the reading of a slot ended. */
export type SlotEnd =
  | { readonly kind: 'complete' }
  /** Not published yet (404 of a coming package): requested again at the next time. */
  | { readonly kind: 'notYet' }
  /** The portal says that nothing changed since the last complete reading (304). */
  | { readonly kind: 'unchanged' }
  /** There will never be data: no issue on this day, or a month before the portal began. */
  | { readonly kind: 'empty' }
  /** It was read to its end, but according to the portal's own count something is missing. */
  | { readonly kind: 'short'; readonly missing: string }

/**
 * Reads one slot. Throws `Retryable` (or its subclass `Refused`) when the portal does not deliver; never for bad data.
 */
export type Fetch = (context: FetchContext) => AsyncGenerator<Step, SlotEnd, void>

/** What a fetch may use. The runner provides it; tests provide another. */
export type FetchContext = {
  readonly slot: Slot
  /** The checkpoint of the newest stored step of this slot; undefined at its beginning. */
  readonly checkpoint: Json | undefined
  /**
   * One request: waits for its turn, identifies itself, follows redirects to public hosts, tries again what is worth
   * it.
   */
  readonly send: (request: SourceRequest) => Promise<SourceReply>
  /** Versions under which these items were stored; absent for unknown ones. */
  readonly knownVersions: (keys: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /** The key of a source that needs one. */
  readonly key: string | undefined
  readonly zone: string
  /**
   * Share by which announced totals may differ from the number received, as stated by the card; default 0, `null`:
   * they are estimates.
   */
  readonly totalTolerance?: number | null
  /**
   * Why a single document cannot be read, according to its parser; undefined if it can. Such a document is requested
   * again, because answers are truncated and portals send errors with status 200. Absent: documents count unchanged.
   */
  readonly unreadableBecause?: (bytes: Uint8Array) => string | undefined
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Folder for archives that must be read from their end (zip); emptied by the runner. */
  readonly scratchFolder: string
  readonly signal: AbortSignal
}

export type SourceRequest = {
  readonly url: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
  /** Version (ETag or Last-Modified) of what is kept: the reply may be 304. Only ever for this very URL. */
  readonly ifChangedFrom?: string
  /** Maximum bytes of the body; default 64 MiB. A larger one is cut with an error, never silently. */
  readonly maxBytes?: number
  /**
   * Statuses besides 200 that the caller wants to see; all others throw. Default: 304 when `ifChangedFrom` is given.
   */
  readonly accept?: readonly number[]
  /**
   * What a good answer is. `data` (default): a page for people in its place is a refusal. `page`: HTML is what is
   * wanted (lists of links); only a firewall's challenge is a refusal then.
   */
  readonly expects?: 'data' | 'page'
}

export type SourceReply = {
  readonly status: number
  readonly headers: { readonly [name: string]: string | undefined }
  /** ETag, else Last-Modified; to be kept as the version of the URL. */
  readonly version: string | undefined
  /** The whole body, decoded from its content coding. */
  readonly bytes: () => Promise<Uint8Array>
  /**
   * The body as it comes, for large files. Throws Retryable where it breaks off or is shorter than its Content-Length.
   * It holds a connection of its host until it ends: a host with one connection answers nothing else meanwhile.
   */
  readonly chunks: () => AsyncIterable<Uint8Array>
}
