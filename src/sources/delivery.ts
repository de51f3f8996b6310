// The ways in which portals deliver, as data: what is asked, where the entries stand in the answer, how it goes on.
import type { Fetch, Json } from './fetch.ts'

/**
 * A request with placeholders in braces, filled and encoded by the adapter: `{from}` and `{to}` of the slot (`to` is
 * exclusive; `{last}` is the last instant or day inside it), `{page}`, `{offset}`, `{limit}`, `{cursor}`, `{key}`, `{id}`.
 * Dates take a pattern: `{from:yyyy-MM-dd}`, `{to:dd/MM/yyyy HH:mm}`, `{from:iso}` (UTC instant), `{from:epochMs}`, and are
 * written in the source's zone. In `json`, a string that is one placeholder alone becomes a number where the value is one.
 * Paged lists fill both `{page}` and `{offset}`, and numbers take a sum: `{offset+1}` to `{offset+100}` are rows 1 to 100.
 */
export type Template = {
  readonly url: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: { readonly [name: string]: string }
  readonly json?: Json
  readonly form?: { readonly [name: string]: string }
}

/**
 * Further placeholders: the whole delivery is read once for every value, one after the other (notice types, systems,
 * buyers), and the checkpoint tells which. Values are given, or stand in an answer: `at` is a pointer into each entry of
 * `entries`, and `next` (an address in the answer) goes on where that list has pages. The same value counts once.
 */
export type Each =
  | { readonly name: string; readonly values: readonly (string | number)[] }
  | {
      readonly name: string
      readonly list: Template
      readonly entries: Entries
      readonly at: string
      readonly next?: string
    }

/** What an answer holds. A document is one entry, as its bytes stand in the answer, so that the same entry is the same document. */
export type Entries =
  /** `at` is a JSON pointer to a list (or to one object); `*` stands for every member; `` for the whole answer. */
  | {
      readonly format: 'json'
      readonly at: string
      /** The portal leaves the list out where it has nothing; otherwise an answer without the list is a refusal. */
      readonly isOptional?: boolean
    }
  | { readonly format: 'json-lines' }
  /** One document per row: the header line and the row. */
  | { readonly format: 'csv'; readonly delimiter?: string; readonly encoding?: 'utf-8' | 'windows-1252' }
  /** One document per element of this local name (`*`: per child of the root), wrapped in the start tag of the root so that namespaces hold. */
  | { readonly format: 'xml'; readonly element: string }
  /** The answer is one document. */
  | { readonly format: 'document' }
  /** zip, tar, gzip and one in another, told by content; `inside` says what each member holds (default: one document). */
  | { readonly format: 'archive'; readonly members?: RegExp; readonly inside?: Entries }
  /**
   * Only for lists with a `detail`: every match of the pattern in a page is an entry, a JSON list of its groups, so that
   * pointers are `/0`, `/1`. Entities of HTML in them are decoded.
   */
  | { readonly format: 'html'; readonly link: RegExp }

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

type List = {
  readonly request: Template
  readonly entries: Entries
  /** Pointer to the announced total. */
  readonly total?: string
  readonly detail?: Detail
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
   * An index that lists files or notices (CKAN, XML index, RSS, HTML with links): each is fetched once per version.
   * `links` finds the addresses: a pointer into each entry (`/url`), or a pattern over the text of an HTML page.
   */
  | {
      readonly kind: 'index'
      readonly index: Template
      readonly entries: Entries | { readonly format: 'html'; readonly link: RegExp }
      /** Pointer (JSON) or element path (XML, `loc`) to the address; relative ones are resolved. */
      readonly url?: string
      readonly version?: string
      /** Only addresses or names that fit. */
      readonly only?: RegExp
      /** What a listed file holds. Absent: the entry of the index itself is the document (RSS without details). */
      readonly files?: Entries
      readonly each?: Each
    }
  /** Anything else: TED, DÖE. `like`: the delivery in data that the fetch wraps (a token, a longer walk), for whoever simulates it. */
  | { readonly kind: 'own'; readonly fetch: Fetch; readonly like?: Delivery }
