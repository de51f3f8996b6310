// The ways in which portals deliver, as data: what is asked, where the entries stand in the answer, how it goes on.
import type { Fetch, Json } from './fetch.ts'

/**
 * A request with placeholders in braces, filled and encoded by the adapter: `{from}` and `{to}` of the slot (`to` is
 * exclusive; `{last}` is the last millisecond inside it, so `{last:yyyy-MM-dd}` is the last day; `{before}` the one before
 * `from`, for portals whose start is exclusive), `{page}`, `{offset}`, `{limit}`, `{cursor}`, `{key}`, `{token}`, the names
 * in `each`, and in details `{id}` and `{id2}`. An unknown name is a fault of the card and throws when it is built.
 *
 * Dates take a pattern and are written in the source's zone: `yyyy yy MMMM MMM MM M dd d HH H mm ss SSS` (months in English),
 * `XXX` the offset (`+01:00`), `bbbb` the Buddhist year, all else as it stands (`{from:yyyy-MM-ddTHH:mm:ss}`,
 * `{from:dd/MM/yyyy HH:mm}`). Without a pattern: `yyyy-MM-dd`. In UTC: `iso` (`2026-11-20T00:00:00.000Z`), `isoSeconds`
 * (`2026-11-20T00:00:00Z`), `epochMs`, `epochS`, or `utc ` before a pattern.
 *
 * What is filled in is percent-encoded in an url, apart from the `/` of a date pattern in a path; a template that is
 * `{id}` or `{cursor}` from its first sign holds a whole address, which is taken as it is. A query parameter, header, form
 * field or member of `json` that is one placeholder alone is left out while that has no value (the first `{cursor}`); in
 * `json` it becomes a number where the value is one.
 */
export type Template = {
  readonly url: string
  /** Default: POST with a body, else GET. */
  readonly method?: 'GET' | 'POST'
  readonly headers?: { readonly [name: string]: string }
  readonly json?: Json
  readonly form?: { readonly [name: string]: string }
  /** multipart/form-data; a part that is no string is sent as application/json. */
  readonly multipart?: { readonly [name: string]: Json }
}

/** What an answer holds. A document is one entry, as its bytes stand in the answer, so that the same entry is the same document. */
export type Entries =
  | {
      readonly format: 'json'
      /**
       * JSON pointer to a list, whose members are the entries, or to one value, which is the entry; `*` stands for every
       * member; `` for the whole answer (a list at the root gives its members). An answer without it is a fault of the
       * portal and asked again, never an empty page.
       */
      readonly at: string
      /** For portals that leave the list out (or write null) when it is empty: such an answer must hold this pointer (`/uri`). */
      readonly absentIfEmpty?: string
      /** The entry is a string that holds the document: its text, or base64 of it. */
      readonly holds?: 'text' | 'base64'
    }
  | { readonly format: 'json-lines' }
  /** One document per row: the header line and the row, both as they stand. Default: comma, utf-8. */
  | { readonly format: 'csv'; readonly delimiter?: string; readonly encoding?: 'utf-8' | 'windows-1252' }
  /**
   * One document per outermost element of this local name, wrapped in the start tag of the root so that namespaces hold. With
   * `root` (local name) another root is a fault of the portal, not an empty page.
   */
  | { readonly format: 'xml'; readonly element: string; readonly root?: string }
  /** Addresses in a page for people: what the first group (else all) of the pattern finds, resolved. Only to be followed. */
  | { readonly format: 'html'; readonly link: RegExp }
  /** The answer is one document. */
  | { readonly format: 'document' }
  /** zip, tar, gzip and one in another, told by content; `inside` says what each member holds (default: one document). */
  | { readonly format: 'archive'; readonly members?: RegExp; readonly inside?: Entries }

/** An entry of a list that stands for a document of its own: it is fetched when its version is not the one that is kept. */
export type Detail = {
  /**
   * All placeholders of the list count here too. An address that is one placeholder alone (`{id}`) takes the value as it
   * stands, not encoded, and a relative one is resolved against the address of the list.
   */
  readonly request: Template
  /** Pointer in the entry to what fills `{id}`. Several, joined by `/`, where the address needs more (`{id}`, `{id2}`). */
  readonly id: string
  readonly id2?: string
  /** Pointer to what changes when the entry changes (a date, a version); absent: fetched once. */
  readonly version?: string
  readonly entries?: Entries
  /**
   * The list says what the detail does not repeat: the document is `{"entry":…,"detail":…}`, both as their bytes stand in
   * their answers. Only for details in JSON that are one entry.
   */
  readonly withEntry?: boolean
}

/** How a list says that it has come to its end. A total that is announced as well is compared with what came. */
export type PageEnd =
  | { readonly when: 'short-page' }
  | { readonly when: 'empty-page' }
  | { readonly when: 'total' }
  | { readonly when: 'pages'; readonly at: string }
  /** A boolean in the answer; `isLast` tells which value ends it. */
  | { readonly when: 'flag'; readonly at: string; readonly isLast: boolean }
  | { readonly when: 'not-found' }

/**
 * Where a value stands in an answer (totals, next links, cursors): a JSON pointer; `header[x-total-count]` a header;
 * `link[next]` the `link` element of that relation (Atom) or the Link header; anything else is the local name of an XML
 * element (outside the entries) whose text it is.
 */
export type Place = string

export type List = {
  readonly request: Template
  readonly entries: Entries
  /** Where the announced total stands. Not for estimates. */
  readonly total?: Place
  readonly detail?: Detail
  /**
   * Asked anew for every value (every combination, where there are several): `{ type: ['1', '2'] }` fills `{type}`. The
   * totals of all are added. Not for feeds.
   */
  readonly each?: { readonly [placeholder: string]: readonly (string | number)[] }
  readonly token?: Token
  /** Where in an entry its date stands. Entries more than two days outside the slot show that the portal ignored the window. */
  readonly dateOf?: string
  /**
   * The list cannot be filtered by date and stands newest first (by `dateOf`): the walk ends behind a page on which all are
   * older than the slot, or in slots without a span older than so many days.
   */
  readonly newestFirst?: { readonly days?: number }
  /**
   * Where the portal gives no more than so many entries for one question: the slot is halved until it answers with fewer.
   * Only for slots that are spans of time.
   */
  readonly most?: number
  /**
   * Where a list runs in the order of time and cannot be told where to stop: pointer to the time in each entry. Ascending,
   * the reading ends with the first page that reaches `to`; descending, with the first that lies wholly before `from`.
   * Entries outside of the span are passed over. Only for slots that are spans of time.
   */
  readonly ordered?: { readonly at: string; readonly direction: 'ascending' | 'descending' }
  readonly each?: Each
  /** Only entries in which this value fits: the format of a resource, the name of a system. Others are passed over. */
  readonly where?: { readonly at: string; readonly fits: RegExp }
  /** Answers that are errors though their status is 200: those in which something stands here (with this text). Tried again. */
  readonly fault?: { readonly at: string; readonly is?: string }
}

/** Status 204 is an answer without entries. */
export type Delivery =
  /** Whole answers, one request a slot: a date window, a dump, a bulk file, a zip, a CSV. 404 is `notFound`. */
  | (List & { readonly kind: 'single'; readonly notFound?: 'empty' | 'notYet' })
  /** The answer names the next address (`/links/next`, `/next_page/uri`, `@odata.nextLink`, Atom's rel=next as `link[next]`). */
  | (List & {
      readonly kind: 'link-next'
      /**
       * On a `feed`, an answer without entries ends the turn and the address that gave it is the checkpoint: it is asked
       * again at the next turn. Elsewhere the end is an answer without the address, or with one that was asked already.
       */
      readonly next: string
      /** Where the very first answer of a feed (asked newest first) holds the address of its news to come. */
      readonly firstNext?: string
    })
  | (List & {
      readonly kind: 'page'
      readonly firstPage: 0 | 1
      readonly pageSize: number
      readonly end: PageEnd
      /** The portal answers no page behind this one. */
      readonly lastPage?: number
    })
  | (List & {
      readonly kind: 'offset'
      readonly pageSize: number
      readonly end: PageEnd
      readonly firstOffset?: number
    })
  /**
   * A token out of the answer goes into the next request; the end is no token, an empty page, or the total reached.
   * `firstCursor` may hold placeholders (`{from:iso}`).
   */
  | (List & { readonly kind: 'cursor'; readonly cursor: string; readonly firstCursor?: string })
  /** A value of the last entry goes into the next request. Entries that are met twice are told apart by their bytes. */
  | (List & { readonly kind: 'keyset'; readonly keyOf: string; readonly firstKey?: string; readonly pageSize: number })
  /**
   * An index that lists files or notices (CKAN, XML index, RSS, HTML with links): each is fetched once per version. Without
   * `version` a file is asked for with the ETag of the last time, or anew where there is none; with `isOnce` never again.
   * Where the address is made of several fields, use `single` with a `detail`.
   */
  | {
      readonly kind: 'index'
      readonly index: Template
      readonly entries: Entries
      /** Where in an entry the address stands, as `id` in a detail; relative ones are resolved. Default: the entry itself. */
      readonly url?: string
      readonly version?: string
      readonly isOnce?: boolean
      /** Only addresses that fit. */
      readonly only?: RegExp
      /** Only entries whose value at `at` fits. */
      readonly where?: { readonly at: string; readonly fits: RegExp }
      readonly each?: { readonly [placeholder: string]: readonly (string | number)[] }
      readonly token?: Token
      /** What a listed file holds. Absent: the entry of the index itself is the document (RSS without details). */
      readonly files?: Entries
      /** Sent with the request for a file; placeholders as in templates. */
      readonly fileHeaders?: { readonly [name: string]: string }
      /** A 404 of the index itself. */
      readonly notFound?: 'empty' | 'notYet'
    }
  /** Anything else: TED, DÖE. `like`: the delivery in data that the fetch wraps (a token, a longer walk), for whoever simulates it. */
  | { readonly kind: 'own'; readonly fetch: Fetch; readonly like?: Delivery }
