// What a source is: a card of data, the channels through which its portal delivers, and how its documents are read.

import type { ParsedPart } from '../domain/notice.ts'
import { zoneOf } from '../domain/time.ts'
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
  /** Where the interface is documented, if anywhere. */
  readonly documentation?: string
  /**
   * Public programs of others that read the same interface, and with which the card was compared: addresses of their
   * files. Each is of another owner; two of one owner are one witness.
   */
  readonly clients?: readonly string[]
  /** Real answers of the portal in public repositories of others, which the card's parser was found to read right. */
  readonly recordings?: readonly string[]
  /** How many more such programs agree in address and parameters, without a known address of their own. */
  readonly unnamedClients?: number
  /** Name as the publisher states it; `not stated` where nothing is stated. */
  readonly license: { readonly name: string; readonly url?: string; readonly attribution?: string }
  /** IANA zone in which the portal counts its days and writes times without an offset. */
  readonly zone: string
  readonly channels: readonly [Channel, ...Channel[]]
  /**
   * Parses one document into notices or rejections. Pure, never throws for bad data, the same bytes give the same
   * parts. Absent if the content shows its format (eForms, TED_EXPORT, OCDS): `parse-document.ts` parses those.
   */
  readonly parse?: (bytes: Uint8Array) => ParsedPart[]
  /** It is read before all others, and the first edition waits for it. */
  readonly leads?: true
  readonly access: Access
  readonly politeness: Politeness
  readonly expects: Expectations
  /** What operators and readers of this source should know: one sentence each. */
  readonly caveats: readonly string[]
  /** Why the source is not run unless it is named (`robots`, terms, a copy of another source …); absent for most. */
  readonly offBecause?: string
}

/** As a card writes it: members that follow from its id, or that most cards share, may be left out. */
type LeftOut = 'country' | 'license' | 'zone' | 'access' | 'politeness'
export type CardChannel = Omit<Channel, 'slots'> & Partial<Pick<Channel, 'slots'>>
type Card = Omit<Source, LeftOut | 'channels'> &
  Partial<Pick<Source, LeftOut>> & { readonly channels: readonly [CardChannel, ...CardChannel[]] }

const readWhole = (channel: CardChannel): Channel => ({ slots: { kind: 'whole' }, ...channel })

/**
 * The source of a card. Where it says nothing else: in the country with which its id begins, in the zone of that
 * country, open, without a stated license, with 60 requests a minute, and each channel is read whole.
 */
export function sourceOf(card: Card): Source {
  const country = card.id.slice(0, 2).toUpperCase()
  const [first, ...others] = card.channels
  return {
    country,
    license: { name: 'not stated' },
    zone: zoneOf(country),
    access: { kind: 'open' },
    politeness: { requestsPerMinute: 60 },
    ...card,
    channels: [readWhole(first), ...others.map(readWhole)],
  }
}

/**
 * `key`: without the setting of this name (environment `TENDERSTOCK_<setting>`), the source is off and says where to
 * get a key.
 */
type Access =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'key'
      /** Name of the setting in capitals, `SAM_API_KEY`; templates write it as `{key}`. */
      readonly setting: string
      readonly getItAt: string
    }

export type Politeness = {
  /** Maximum requests in any minute; default 60. */
  readonly requestsPerMinute?: number
  /** Minimum time between the starts of two requests, milliseconds; default 0. */
  readonly pauseMs?: number
  /** Maximum number of simultaneous connections to one host; default 1. */
  readonly connections?: number
  /** How long to rest after a 429 or 403 that names no time, milliseconds; default 5 minutes. */
  readonly restMs?: number
  /** `obey` (default) reads robots.txt; anything else is the reason why it does not bind this documented interface. */
  readonly robots?: 'obey' | { readonly exempt: string }
  /**
   * User agent where the portal refuses ours; it must still name us, `Tenderstock/{version}`, and carry the contact as
   * `{contact}`.
   */
  readonly userAgent?: string
}

type Expectations = {
  /**
   * Shares (0 to 1) of its calls that have a field, for the first days, when the source has no past to compare with.
   */
  readonly fill?: { readonly [field in 'deadline' | 'cpv' | 'value' | 'authority' | 'region']?: number }
  /** Entries on a usual working day: fewer than the first number or more than the second are reported. */
  readonly perDay?: readonly [number, number]
  /** Number of days without new entries after which the source counts as silent. */
  readonly silentAfterDays: number
  /**
   * Share of entries by which an announced total may differ from what was delivered; default 0. `null`: totals are
   * estimates.
   */
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
 * The pieces in which a channel is read and in which its progress is stored. A slot is done when its fetch reached its
 * end.
 *
 * - `feed`: one piece without an end, which continues from its checkpoint (change feeds, cursors that never expire).
 * - `whole`: one piece that is read from its start every time (a dump, an index, the newest items of an RSS).
 * - spans of time: each is read once it is `delayMs` old, and again after each of `rereadDays` (late and moved
 *   records). The newest span, not over yet, is read as well with `isOpenRead`.
 */
export type Slots =
  | { readonly kind: 'feed' }
  | { readonly kind: 'whole' }
  | {
      readonly kind: 'year' | 'month' | 'week' | 'day' | 'hours'
      /** Only for `hours`: length of the span. Divides a day. */
      readonly hours?: number
      /** First day, `YYYY-MM-DD`; nothing before it is requested. */
      readonly since: string
      /** First day that is not requested any more, `YYYY-MM-DD`, for archives that ended; default none. */
      readonly until?: string
      /** How long after the end of a span it is read, milliseconds; default 0. */
      readonly delayMs?: number
      /** Days after its end on which a span is read again; default none. */
      readonly rereadDays?: readonly number[]
      /** Whether the current span is read on every run; default false. */
      readonly isOpenRead?: boolean
    }
