// What a source is: a card of data, the channels through which its portal delivers, and how its documents are read.

import type { ParsedPart } from '../domain/notice.ts'
import type { Instant } from '../domain/time.ts'
import type { Delivery } from './delivery.ts'

/**
 * One portal. The file that holds it exports it as `source`; files below `portals/` are found by being there
 * (`<country>/<name>.ts` has the id `<country>-<name>`).
 */
export type Source = {
  /** Stable forever, it is in the store and in the records: `gb-find-a-tender`, `ted`, `doe`. */
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
type Access =
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
  /** User agent where the portal refuses ours; it must still name us, `Tenderstock/{version}`, and carry the contact as `{contact}`. */
  readonly userAgent?: string
}

type Expectations = {
  /** Entries on a usual working day: fewer than the first number or more than the second are reported. */
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
 * - `feed`: one piece without an end, read on from its checkpoint (change feeds, cursors that live forever).
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
