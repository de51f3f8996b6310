// The ways in which portals deliver, as data: what to request, where the entries are in the answer, how to continue.
import type { Fetch, Json } from './fetch.ts'

/**
 * A request with placeholders in braces, filled and encoded by the adapter: `{from}` and `{to}` of the slot (`to` is
 * exclusive; `{last}` is the last millisecond inside it, so `{last:yyyy-MM-dd}` is the last day; `{before}` the one
 * before `from`, for portals whose start is exclusive), `{page}`, `{offset}`, `{limit}`, `{cursor}`, `{key}`,
 * `{token}`, the names in `each`, and in details `{id}` and `{id2}`. An unknown name is an error of the card and throws
 * when the card is built. Paged lists fill both `{page}` and `{offset}`, and numbers take a sum: `{offset+1}` to
 * `{offset+100}` are rows 1 to 100.
 *
 * Dates take a pattern and are written in the source's zone: `yyyy yy MMMM MMM MM M dd d HH H mm ss SSS` (months in
 * English), `XXX` the offset (`+01:00`), `bbbb` the Buddhist year, everything else literally
 * (`{from:yyyy-MM-ddTHH:mm:ss}`, `{from:dd/MM/yyyy HH:mm}`). Without a pattern: `yyyy-MM-dd`. In UTC: `iso`
 * (`2026-11-20T00:00:00.000Z`), `isoSeconds` (`2026-11-20T00:00:00Z`), `epochMs`, `epochS`, or `utc ` before a pattern.
 *
 * Values are percent-encoded in a URL, apart from the `/` of a date pattern in a path; a URL that consists of one
 * placeholder (`{id}`) is a whole address, used unchanged. A query parameter, header, form field or member of `json`
 * that is one placeholder alone is left out while that has no value (the first `{cursor}`); in `json` it becomes a
 * number where the value is one.
 */
export type Template = {
  readonly url: string
  /** Default: POST with a body, else GET. */
  readonly method?: 'GET' | 'POST'
  readonly headers?: { readonly [name: string]: string }
  readonly json?: Json
  readonly form?: { readonly [name: string]: string }
  /** multipart/form-data; a part that is not a string is sent as application/json. */
  readonly multipart?: { readonly [name: string]: Json }
}

/**
 * Further placeholders: the whole delivery is read once for every value, one after the other (notice types, systems,
 * buyers), and the checkpoint names the value. Values are given, or are in an answer: `at` is a pointer into each
 * entry of `entries`. The same value counts once. Several of these are read in every combination. Not for feeds.
 */
export type Each =
  | { readonly name: string; readonly values: readonly (string | number)[] }
  | {
      readonly name: string
      readonly list: Template
      readonly entries: Entries
      readonly at: string
      /** Number of pages of the list, if its template counts them with `{page}` from 1. */
      readonly pages?: AnswerPointer
    }

/**
 * What an answer holds. A document is the unchanged bytes of one entry, so that the same entry is the same document.
 */
export type Entries =
  | {
      readonly format: 'json'
      /**
       * JSON pointer to a list, whose members are the entries, or to one value, which is the entry; `*` means every
       * member; `` the whole answer (a list at the root gives its members). An answer without it is an error of the
       * portal and is retried; it never counts as an empty page.
       */
      readonly at: string
      /**
       * The portal leaves the list out (or writes null) when it is empty; otherwise an answer without the list is a
       * refusal.
       */
      readonly isOptional?: boolean
    }
  | { readonly format: 'json-lines' }
  /**
   * One document per row: the header line and the row, both unchanged. Default: comma; of several (ASCII) delimiters,
   * the first that the header line has.
   */
  | { readonly format: 'csv'; readonly delimiter?: Delimiter }
  /**
   * One document per outermost element of this local name (`*`: per child of the root), wrapped in the start tag of the
   * root so that namespaces hold. With `root` (local name) any other root is an error of the portal, not an empty page.
   */
  | { readonly format: 'xml'; readonly element: string; readonly root?: string }
  /** The answer is one document. */
  | { readonly format: 'document' }
  /**
   * zip, tar, gzip and nested ones, detected by content; `inside` says what each member holds (default: one document).
   */
  | { readonly format: 'archive'; readonly members?: RegExp; readonly inside?: Entries }
  /**
   * Only for lists with a `detail`, and for indexes: every match of the pattern in a page is an entry, a JSON list of
   * its groups (of the match, where it has none), so that pointers are `/0`, `/1`. Entities of HTML in them are
   * decoded. `sample`, for the simulator: a text as the portal writes it in which the pattern finds `{key}`, or
   * `{digits}`, if `<a href="{key}">` does not fit.
   */
  | { readonly format: 'html'; readonly link: RegExp; readonly sample?: string }

export type Delimiter = string | readonly string[]

/**
 * Where a value is in an entry: a JSON pointer (`` the entry); in XML a path below it (`loc`, `a/b@attribute`); in CSV
 * a column.
 */
export type EntryPointer = string

/**
 * Recognizes entries by one of their values. `sample`, for the simulator: a value that fits (with `{key}` where entries
 * differ by it), if `json`, `csv`, `zip` and `ocds` do not.
 */
type Where = { readonly at: EntryPointer; readonly fits: RegExp; readonly sample?: string }

/** An entry of a list that leads to a separate document: it is fetched if its version is not the stored one. */
export type Detail = {
  /**
   * All placeholders of the list are available here too. An address that consists of one placeholder (`{id}`) takes the
   * value unchanged, not encoded, and a relative one is resolved against the address of the list.
   */
  readonly request: Template
  /** What fills `{id}` and, where the address needs more, `{id2}`. */
  readonly id: EntryPointer
  readonly id2?: EntryPointer
  /**
   * A value that changes when the entry changes (a date, a version); absent: fetched once. If a list has no such
   * value, `` means the whole entry: any change in its bytes makes a version. An entry without the value is also
   * identified by its bytes.
   */
  readonly version?: EntryPointer
  /** Default: the answer is one document. */
  readonly entries?: Entries
  /**
   * The list has data that the detail lacks: the document is `{"entry":…,"detail":…}`, both with unchanged bytes. Only
   * for details in JSON that are one entry.
   */
  readonly withEntry?: boolean
  /**
   * The detail is XML that lacks the ID by which the list names it: the ID follows the unchanged bytes as a processing
   * instruction, `<?listed-as 2024-106005?>`.
   */
  readonly withId?: boolean
  /** The address writes the ID differently (`/` as `_`): every `what` in it becomes `by`. */
  readonly replace?: { readonly what: string; readonly by: string }
}

/** A request sent first, whose answer has the value for `{token}` at `at`. Repeated when the portal answers 401. */
export type Token = { readonly request: Template; readonly at: AnswerPointer }

/**
 * How a list shows its end. An announced total is also compared with the number received. A page is short if it holds
 * fewer entries than the longest page of the walk: portals cap pages below the requested size. A repeated last page
 * ends every list by page or offset whose total is not announced.
 */
export type PageEnd =
  | { readonly when: 'short-page' }
  | { readonly when: 'empty-page' }
  | { readonly when: 'total' }
  | { readonly when: 'pages'; readonly at: AnswerPointer }
  /** A boolean in the answer; `isLast` says which value ends it. */
  | { readonly when: 'flag'; readonly at: AnswerPointer; readonly isLast: boolean }
  | { readonly when: 'not-found' }

/**
 * Where a value is in an answer (totals, next links, cursors): a JSON pointer; `header[x-total-count]` a header;
 * `link[next]` the `link` element of that relation (Atom) or the Link header; anything else is the local name of an XML
 * element (outside the entries) whose text it is.
 */
export type AnswerPointer = string

export type List = {
  readonly request: Template
  readonly entries: Entries
  /** The announced total. Not for estimates. */
  readonly total?: AnswerPointer
  readonly detail?: Detail
  readonly token?: Token
  /**
   * If the portal delivers no more than a number of entries for one query: the slot is halved until it answers with
   * fewer. Only for slots that are spans of time.
   */
  readonly most?: number
  /** The date of an entry. One that is more than two days outside the slot shows that the portal ignored the window. */
  readonly dateOf?: EntryPointer
  /**
   * For a list ordered by time that cannot be limited by the request: the time of each entry. Ascending, the reading
   * ends with the first page that reaches `to`; descending, with the first that is entirely before `from`. Entries
   * outside the span are skipped. In slots without a span, descending, the start of `days` before now is `from`.
   */
  readonly ordered?: {
    readonly at: EntryPointer
    readonly direction: 'ascending' | 'descending'
    readonly days?: number
  }
  readonly each?: Each | readonly Each[]
  /** Only entries in which this value matches: the format of a resource, the name of a system. Others are skipped. */
  readonly where?: Where
  /**
   * Answers that are errors although their status is 200: those with something at this position (with this text).
   * Retried.
   */
  readonly fault?: { readonly at: AnswerPointer; readonly is?: string }
}

/** Status 204 is an answer without entries. */
export type Delivery =
  /** Whole answers, one request per slot: a date window, a dump, a bulk file, a zip, a CSV. 404 is `notFound`. */
  | (List & { readonly kind: 'single'; readonly notFound?: 'empty' | 'notYet' })
  /**
   * The answer names the next address (`/links/next`, `/next_page/uri`, `/@odata.nextLink`, Atom's rel=next as
   * `link[next]`).
   */
  | (List & {
      readonly kind: 'link-next'
      /**
       * On a `feed`, an answer without entries ends the reading and its address is the checkpoint: it is requested
       * again the next time. Elsewhere the end is an answer without the address, or with the one that was just
       * requested.
       */
      readonly next: AnswerPointer
      /** Where the very first answer of a feed (requested newest first) holds the address of its future news. */
      readonly firstNext?: AnswerPointer
    })
  | (List & {
      readonly kind: 'page'
      /** Default 1. */
      readonly firstPage?: 0 | 1
      readonly pageSize: number
      readonly end: PageEnd
      /** The portal delivers no page after this one. */
      readonly lastPage?: number
    })
  | (List & {
      readonly kind: 'offset'
      readonly pageSize: number
      readonly end: PageEnd
    })
  /**
   * A token from the answer fills `{cursor}` of the next request; the end is a missing token, an empty page, or a short
   * page that reaches the total. `firstCursor` may hold placeholders (`{from:iso}`).
   */
  | (List & {
      readonly kind: 'cursor'
      readonly cursor: AnswerPointer
      readonly firstCursor?: string
    })
  /**
   * The value at `keyOf` of the last entry fills `{cursor}` of the next request. Repeated entries are recognized by
   * their bytes. `firstKey` may hold placeholders (`{from:iso}`).
   */
  | (List & {
      readonly kind: 'keyset'
      readonly keyOf: EntryPointer
      readonly firstKey?: string
      readonly pageSize: number
    })
  /**
   * An index that lists files or notices (CKAN, XML index, RSS, HTML with links): each is fetched once per version.
   * Without `version` a file is requested with the ETag of the last time, or again if there was none. If an address is
   * made of several fields, use `single` with a `detail`.
   */
  | {
      readonly kind: 'index'
      readonly index: Template
      readonly entries: Entries
      /** Pointer to the address in an entry; relative ones are resolved. Default: the entry itself, in HTML `/0`. */
      readonly url?: EntryPointer
      readonly version?: EntryPointer
      /** Only addresses that match. */
      readonly only?: RegExp
      /** For the simulator, if `/files/…/{key}.json`, `.zip` and the like do not match: a path that does. */
      readonly sample?: string
      /** Only entries whose value at `at` matches. */
      readonly where?: Where
      /** What a listed file contains. Absent: the entry of the index itself is the document (RSS without details). */
      readonly files?: Entries
      readonly each?: Each | readonly Each[]
      readonly token?: Token
      readonly fault?: { readonly at: AnswerPointer; readonly is?: string }
      /** What a 404 of the index itself means. */
      readonly notFound?: 'empty' | 'notYet'
    }
  /**
   * Anything else: TED, DÖE. `like`: the delivery in data that the fetch wraps (a token, a longer walk), for the
   * simulator.
   */
  | { readonly kind: 'own'; readonly fetch: Fetch; readonly like?: Delivery }
