// What a source is: a card of data, the channels through which its portal delivers, and how its documents are read.

import type { ParsedPart } from '../domain/notice.ts'
import type { Instant } from '../domain/time.ts'
import type { Delivery } from './delivery.ts'
import type { ReceivedDocument } from './files.ts'

/** A value of JSON, as parsed. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/**
 * One portal. The file that holds it exports it as `source`; files below `portals/` are found by being there
 * (`<country>/<name>.ts` has the id `<country>-<name>`).
 */
export type Source = {
  /** Stable for ever, it stands in the store and in the records: `gb-find-a-tender`, `ted`, `doe`. */
  readonly id: string
  /** The portal's own name. */
  readonly title: string
  /** Who publishes. */
  readonly publisher: string
  /** ISO 3166-1 alpha-2 in capitals; `EU` for the Union, `ZZ` for international bodies, `XK` for Kosovo. */
  readonly country: string
  readonly homepage: string
  /** Where the interface is described, when anywhere. */
  readonly documentation?: string
  /** Name as the publisher states it; `not stated` where nothing is stated. */
  readonly licence: { readonly name: string; readonly url?: string; readonly attribution?: string }
  /** IANA zone in which the portal counts its days and writes times without an offset. */
  readonly zone: string
  readonly channels: readonly [Channel, ...Channel[]]
  /**
   * Reads one document as notices or rejections. Pure, never throws for bad data, the same bytes give the same parts.
   * Absent where the content tells its format itself (eForms, TED_EXPORT, OCDS): `parse-document.ts` reads those.
   */
  readonly parse?: (bytes: Uint8Array) => ParsedPart[]
  readonly access: Access
  readonly politeness: Politeness
  readonly expects: Expectations
  /** What whoever runs or reads this source should know: one sentence each. */
  readonly caveats: readonly string[]
  /** Why the source is not run unless it is named (`robots`, terms, a copy of another source …); absent for most. */
  readonly offBecause?: string
  /** Made-up documents of this portal's shape; absent where eForms, TED_EXPORT or OCDS writers of the simulator fit. */
  readonly writeSample?: (notice: PortalSample) => string
}

/** `key`: without the setting of this name (environment `TENDERSTOCK_<setting>`), the source is off and says where to get one. */
export type Access =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'key'
      /** Name of the setting in capitals, `SAM_API_KEY`; templates write it as `{key}`. */
      readonly setting: string
      readonly getItAt: string
    }

export type Politeness = {
  /** At most so many requests in any minute; default 60. */
  readonly requestsPerMinute?: number
  /** Least time between the starts of two requests, milliseconds; default 0. */
  readonly pauseMs?: number
  /** Connections to one host at once; default 1. */
  readonly connections?: number
  /** How long to rest after a 429 or 403 that names no time, milliseconds; default 5 minutes. */
  readonly restMs?: number
  /** `obey` (default) reads robots.txt; anything else is the reason why it does not bind this documented interface. */
  readonly robots?: 'obey' | { readonly exempt: string }
  /** User agent where the portal refuses ours; it must still name us and carry the contact as `{contact}`. */
  readonly userAgent?: string
}

export type Expectations = {
  /** Entries on a usual working day: fewer than the first number or more than the second is told of. */
  readonly perDay?: readonly [number, number]
  /** Without anything new for so many days the source counts as silent. */
  readonly silentAfterDays: number
  /** Share of entries by which an announced total may differ from what was delivered; default 0. `null`: totals are estimates. */
  readonly totalTolerance?: number | null
  /** JSON pointers (`/releases/0/ocid`) or element names that an answer of the live check must hold. */
  readonly shape: readonly string[]
}

/** One way through which a portal delivers. Most have one; TED has daily packages, monthly packages and a search. */
export type Channel = {
  /** Unique in its source: `daily`, `search`. */
  readonly name: string
  readonly slots: Slots
  readonly delivery: Delivery
  /** croner pattern in the source's zone, default every hour at a minute made from the source's id. */
  readonly timetable?: string
  /**
   * `current` (default) is read first; `backfill` fills the past within a budget; `control` only compares totals;
   * `spare` is not read unless it is named.
   */
  readonly role?: 'current' | 'backfill' | 'control' | 'spare'
}

/**
 * The pieces in which a channel is read and in which its progress is kept. A slot is done when its fetch came to its end.
 * - `feed`: one piece without an end, read on from its checkpoint (change feeds, cursors that live for ever).
 * - `whole`: one piece that is read from its start every time (a dump, an index, the newest items of an RSS).
 * - spans of time: each is read once it lies `delayMs` back, and again after each of `rereadDays` (late and moved records).
 *   The newest span, still running, is read as well when `isOpenRead`.
 */
export type Slots =
  | { readonly kind: 'feed' }
  | { readonly kind: 'whole' }
  | {
      readonly kind: 'year' | 'month' | 'week' | 'day' | 'hours'
      /** Only for `hours`: length of the span. Divides a day. */
      readonly hours?: number
      /** First day, `YYYY-MM-DD`; nothing before is asked for. */
      readonly since: string
      /** After the end of a span, milliseconds; default 0. */
      readonly delayMs?: number
      /** Days after its end on which a span is read again; default none. */
      readonly rereadDays?: readonly number[]
      /** Whether the span that has not ended is read at every turn; default false. */
      readonly isOpenRead?: boolean
    }

/** A span of time: `from` inclusive, `to` exclusive. Absent on `feed` and `whole`. */
export type Slot = {
  /** `2026-11-20`, `2026-11`, `2026-W47`, `2026`, `2026-11-20T06`, `feed`, `whole`. */
  readonly key: string
  readonly from?: Instant
  readonly to?: Instant
}

/** A thing that a portal lists, and which state of it was read: a file with its date, an URL with its ETag, an id with its version. */
export type Item = { readonly key: string; readonly version: string }

/**
 * What one request (or one part of an archive) brought. Documents, items and checkpoint of a step are stored in one
 * transaction: whoever reads the checkpoint back has the documents of every step before it.
 */
export type Step = {
  readonly documents: readonly ReceivedDocument[]
  /** Where to go on after this step; a run that dies goes on from the newest. */
  readonly checkpoint?: Json
  /** How many entries the portal says that the whole slot has. */
  readonly announced?: number
  /** Entries that this step delivered, documents known before included; default: the number of documents. */
  readonly entries?: number
  readonly items?: readonly Item[]
}

/** How the reading of a slot ended. */
export type SlotEnd =
  | { readonly kind: 'complete' }
  /** Not published yet (404 of a package to come): asked again at the next turn, and no gap until `lateAfter`. */
  | { readonly kind: 'notYet' }
  /** The portal says that nothing changed since the last complete reading (304). */
  | { readonly kind: 'unchanged' }
  /** Nothing will ever be there: no issue on this day, a month before the portal began. */
  | { readonly kind: 'empty' }
  /** Came to its end, and the portal's own count says that something is missing. */
  | { readonly kind: 'short'; readonly missing: string }

/** Reads one slot. Throws `Retryable` (or its subclass `Refused`) when the portal does not deliver; never for bad data. */
export type Fetch = (context: FetchContext) => AsyncGenerator<Step, SlotEnd, void>

/** What a fetch may use. The runner provides it; tests provide another. */
export type FetchContext = {
  readonly slot: Slot
  /** The checkpoint of the newest stored step of this slot; undefined at its beginning. */
  readonly checkpoint: Json | undefined
  /** One request: waits for its turn, identifies itself, follows redirects to public hosts, tries again what is worth it. */
  readonly send: (request: SourceRequest) => Promise<SourceReply>
  /** Versions under which these items were stored; absent for unknown ones. */
  readonly knownVersions: (keys: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /** The key of a source that needs one. */
  readonly key: string | undefined
  readonly zone: string
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
  /** Most bytes of the body; default 64 MiB. A larger one is cut with an error, never silently. */
  readonly maxBytes?: number
  /** Statuses besides 200 that the caller wants to see; all others throw. Default: 304 when `ifChangedFrom` is given. */
  readonly accept?: readonly number[]
}

export type SourceReply = {
  readonly status: number
  readonly headers: { readonly [name: string]: string | undefined }
  /** ETag, else Last-Modified; to be kept as the version of the URL. */
  readonly version: string | undefined
  /** The whole body, decoded from its content coding. */
  readonly bytes: () => Promise<Uint8Array>
  /** The body as it comes, for large files. Throws Retryable where it breaks off or is shorter than its Content-Length. */
  readonly chunks: () => AsyncIterable<Uint8Array>
}

/** A made-up announcement, from which the simulator's portals write their own shapes. */
export type PortalSample = {
  readonly kind: 'planning' | 'call' | 'change' | 'cancellation' | 'award'
  /** UUID of the announcement. */
  readonly id: string
  /** From 1, raised with each new version of the same announcement. */
  readonly version: number
  /** Stays the same over all announcements of one procedure. */
  readonly procedureId: string
  /** A whole number that is unique on the portal, for portals that count. */
  readonly number: number
  readonly reference: string
  readonly publishedAt: Instant
  readonly deadline?: Instant
  readonly title: string
  readonly description: string
  /** ISO 639-1. */
  readonly language: string
  readonly buyer: {
    readonly name: string
    readonly nationalId: string
    readonly town: string
    readonly postalCode: string
    readonly country: string
    readonly nuts: string
    readonly email: string
    readonly url: string
  }
  /** Eight digits. */
  readonly cpv: string
  readonly nature: 'works' | 'supplies' | 'services'
  readonly procedureType: 'open' | 'restricted' | 'neg-w-call'
  readonly value?: { readonly amount: number; readonly currency: string }
  readonly lots: readonly {
    readonly id: string
    readonly title: string
    readonly cpv: string
    readonly amount: number
  }[]
  /** On awards. */
  readonly winners: readonly { readonly lotId: string; readonly name: string; readonly amount: number }[]
  readonly url: string
}
