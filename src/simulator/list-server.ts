// A list of a portal: its window of dates, its order, its pages in every manner of paging, and the details of its
// entries.
import type { Delivery } from '../sources/delivery.ts'
import type { Json } from '../sources/fetch.ts'
import type { Channel } from '../sources/source.ts'
import type { PointerValue } from './answer-shape.ts'
import { belongs, type Visible, writtenAnswer } from './card-answer.ts'
import { spanEnd } from './date-pattern.ts'
import { fittingText, usualValues } from './fitting-text.ts'
import { halvesOf, idInAddress, type ListedValue, valueAt, writeListing } from './listing.ts'
import { type Asked, jsonAnswer, type PortalAnswer, textAnswer } from './portal-answer.ts'
import type { Quirks } from './quirks.ts'
import { type Filled, filledText } from './request-pattern.ts'
import type { ShelfEntry } from './shelf.ts'
import type { SimulatedSource } from './simulated-source.ts'
import { documentsOf } from './write-entry.ts'

/** Number of entries on a page if the card leaves it to the portal. */
const usualPage = 10
/** Maximum members of a page of a portal that caps its pages. */
const cappedPage = 3
/** Members that every OCDS package has. */
const ocdsHead = new Set(['/uri', '/version', '/publishedDate', '/publisher', '/license', '/releases', '/records'])
/** Number of files into which a list of files puts its entries. */
const filesOfList = 4
/** The base address of the documents of a list with complete addresses. */
export const detailPath = '/notices/'

export type ListDelivery = Exclude<Delivery, { kind: 'own' } | { kind: 'index' }>

export const hostOfTemplate = (template: string): string => URL.parse(template.replace(/\{[^}]*\}/g, '0'))?.host ?? ''

/** A member of the list: one entry, or the newest of those that one file holds. */
type ListedEntry = {
  readonly entry: ShelfEntry
  readonly text: string
  readonly id: string
  readonly others?: readonly ShelfEntry[]
}

/** A page of the entries with its totals and links, or a refusal. */
type Walked =
  | { readonly rows: readonly ListedEntry[]; readonly pointerValues: readonly PointerValue[] }
  | { readonly answer: PortalAnswer }

/** A list with its pages and its details. */
export class ListServer {
  readonly #source: SimulatedSource
  readonly #channel: Channel
  readonly #delivery: ListDelivery
  readonly #visible: Visible
  readonly #quirks: Quirks
  readonly #rows = new Map<ShelfEntry, ListedEntry>()

  constructor(source: SimulatedSource, channel: Channel, delivery: ListDelivery, visible: Visible, own: Quirks) {
    this.#source = source
    this.#channel = channel
    this.#delivery = delivery
    this.#visible = visible
    this.#quirks = own
  }

  shown(now: number): readonly ShelfEntry[] {
    const delivery = this.#delivery
    const { slots } = this.#channel
    const entries = this.#shown(now).flatMap(({ entry, others }) => others ?? [entry])
    // a span's file is published when the span is over
    if (delivery.kind !== 'single' || !this.#isAfterSpan()) return entries
    return entries.filter(({ publishedAt }) => spanEnd(slots, this.#source.zone, publishedAt) <= now)
  }

  #isAfterSpan(): boolean {
    const { slots } = this.#channel
    const delivery = this.#delivery
    return (
      delivery.kind === 'single' &&
      delivery.notFound === 'notYet' &&
      slots.kind !== 'feed' &&
      slots.kind !== 'whole' &&
      slots.isOpenRead !== true
    )
  }

  /** Newest state of everything that the list shows, oldest first. */
  #shown(now: number): readonly ListedEntry[] {
    const rows = this.#visible(now).map((entry) => this.#row(entry))
    if (!this.#delivery.detail)
      return isOfRecords(this.#delivery) ? newest(rows, ({ entry }) => entry.procedureId) : rows
    if (!this.#isOfFiles()) return newest(rows, ({ id }) => id)
    const files = new Map<string, ListedEntry>()
    for (const row of rows) {
      const others = [...(files.get(row.id)?.others ?? []), row.entry]
      files.delete(row.id)
      files.set(row.id, { ...this.#made(row.entry), others })
    }
    return [...files.values()]
  }

  /** Ids that must fit a pattern of names are those of files, which hold several entries. */
  #isOfFiles(): boolean {
    const { where, detail } = this.#delivery
    return where !== undefined && detail !== undefined && where.at === detail.id
  }

  /** A value by which the card recognizes the entries of its own. */
  #fitting(key: string): string {
    const { fits, sample } = this.#delivery.where!
    return fittingText(fits, [sample, ...usualValues], key)
  }

  #row(entry: ShelfEntry): ListedEntry {
    let row = this.#rows.get(entry)
    if (!row) {
      row = this.#made(entry)
      this.#rows.set(entry, row)
    }
    return row
  }

  #made(entry: ShelfEntry): ListedEntry {
    const { detail, entries } = this.#delivery
    if (!detail) return { entry, text: entry.text(), id: entry.id }
    if (detail.withEntry) {
      const { entry: text } = halvesOf(entry.text())
      return { entry, text, id: valueAt(entries, text, detail.id) ?? entry.id }
    }
    const document = entry.text()
    const publishedAt = new Date(entry.publishedAt).toISOString()
    const isJson = document.trimStart().startsWith('{')
    const inDocument = (at: string) =>
      isJson && at.startsWith('/') ? valueAt({ format: 'json', at: '' }, document, at) : undefined
    const isAddress = /^\{\w+\}$/.test(detail.request.url)
    const fileName = this.#isOfFiles() ? this.#fitting(String(entry.number % filesOfList)) : undefined
    const usualId = detail.version === undefined ? entry.id : (inDocument(detail.id) ?? entry.noticeId)
    const id = isAddress
      ? `https://${hostOfTemplate(this.#delivery.request.url)}${detailPath}${entry.id}${isJson ? '.json' : '.xml'}`
      : (fileName ?? usualId)
    const values: ListedValue[] = [{ at: detail.id, value: id }]
    const put = (at: string | undefined, value: Json) => {
      if (at !== undefined && !values.some((each) => each.at === at)) values.push({ at, value })
    }
    put(detail.id2, String(entry.version))
    // an entry whose bytes are its version changes somewhere
    if (detail.version === '')
      put(entries.format === 'csv' || entries.format === 'xml' ? 'updated' : '/updated', publishedAt)
    else put(detail.version, inDocument(detail.version ?? '') ?? publishedAt)
    put(this.#delivery.dateOf, publishedAt)
    put(this.#delivery.ordered?.at, publishedAt)
    if (this.#delivery.kind === 'keyset') put(this.#delivery.keyOf, `${publishedAt}|${entry.number}`)
    if (this.#delivery.where) put(this.#delivery.where.at, fileName ?? this.#fitting(entry.id))
    if (entries.format === 'json') {
      const start = `${entries.at}/0`
      for (const each of this.#source.expects.shape)
        if (each.startsWith(`${start}/`)) put(each.slice(start.length), 'sample')
    }
    const text = writeListing(entries, values, entry.id)
    return { entry, text, id: valueAt(entries, text, detail.id) ?? id }
  }

  async detail(asked: Asked, filled: Filled): Promise<PortalAnswer> {
    const { detail } = this.#delivery
    if (!detail) return textAnswer(404, 'not found')
    const given = filled.texts.get('id')
    const row = this.#shown(asked.now).findLast(({ id }) => idInAddress(detail, id) === given || id === given)
    if (!row) return textAnswer(404, 'not found')
    const documents = (row.others ?? [row.entry]).map((entry) =>
      detail.withEntry ? halvesOf(entry.text()).detail : entry.text(),
    )
    const answer = await writtenAnswer(
      detail.entries ?? { format: 'document' },
      documents,
      asked.request.url.href,
      undefined,
      [],
      { isOne: documents.length === 1, isBare: !this.#source.writeSample },
    )
    return { ...answer, modifiedAt: row.entry.publishedAt }
  }

  async page(asked: Asked, filled: Filled): Promise<PortalAnswer> {
    const delivery = this.#delivery
    const { request } = asked
    let span = this.#span(filled)
    if (span && this.#quirks.widestMs !== undefined && span.to - span.from > this.#quirks.widestMs)
      return jsonAnswer(400, { message: 'the window is too wide' })
    if (span && this.#quirks.clampMs !== undefined && span.to - span.from > this.#quirks.clampMs)
      span = { from: span.to - this.#quirks.clampMs, to: span.to }
    if (span && asked.happens('clamped-window')) span = { from: span.from + (span.to - span.from) / 2, to: span.to }
    if (span && asked.happens('ignored-parameters')) span = undefined
    if (this.#quirks.refusesUnknown) {
      const known = new URL(delivery.request.url.replace(/\{[^}]*\}/g, '0')).searchParams
      const unknown = [...request.url.searchParams.keys()].find((name) => !known.has(name) && name !== 'cursor')
      if (unknown !== undefined) return jsonAnswer(400, { message: `unknown parameter ${unknown}` })
    }
    const all = this.#shown(asked.now).filter(
      ({ entry }) =>
        belongs(delivery, filled, entry) && (!span || (entry.publishedAt >= span.from && entry.publishedAt < span.to)),
    )
    const rows = this.#isNewestFirst() ? all.toReversed() : all
    const walked = this.#walk(asked, filled, rows)
    if ('answer' in walked) return walked.answer
    if (delivery.kind === 'single' && rows.length === 0 && delivery.notFound !== undefined)
      return textAnswer(404, 'not found')
    if (this.#isAfterSpan() && span && span.to > asked.now) return textAnswer(404, 'not yet')
    const pointerValues: PointerValue[] = [...this.#expectedTotal(rows.length), ...walked.pointerValues]
    if (delivery.total !== undefined) {
      const lie = asked.happens('total-more') ? 3 : asked.happens('total-less') ? -1 : 0
      pointerValues.push({ at: delivery.total, value: Math.max(0, rows.length + lie) })
    }
    let shown = walked.rows
    if (this.#quirks.hasLossyCursor) {
      const skipped = Number(
        Buffer.from(request.url.searchParams.get('cursor') ?? '', 'base64url')
          .toString()
          .split('|')[2] ?? 0,
      )
      const size = this.#quirks.largestPage ?? usualPage
      // every further page begins later than it should
      shown = shown.slice(skipped > 0 ? skipped + Math.ceil(size / 4) : 0)
      if (skipped + size < rows.length) {
        const next = new URL(request.url)
        const window = [next.searchParams.get('updatedFrom'), next.searchParams.get('updatedTo'), skipped + size]
        next.searchParams.set('cursor', Buffer.from(window.join('|')).toString('base64url'))
        pointerValues.push({ at: '/links/next', value: next.href })
      }
    }
    if (delivery.most !== undefined) shown = shown.slice(0, delivery.most)
    if (this.#quirks.largestPage !== undefined) shown = shown.slice(0, this.#quirks.largestPage)
    const last = shown.at(-1)
    if (last && asked.happens('duplicates')) shown = [...shown, last]
    return writtenAnswer(
      delivery.entries,
      shown.map(({ text }) => text),
      request.url.href,
      asked,
      pointerValues,
      { isBare: !this.#source.writeSample, head: this.#shown(asked.now)[0]?.text.split('\n', 1)[0] },
    )
  }

  /** The other values that the card expects besides the entries: mostly counts. */
  #expectedTotal(count: number): PointerValue[] {
    const { entries } = this.#delivery
    if (entries.format !== 'json' || entries.at === '') return []
    const top = entries.at.split('/')[1]
    return this.#source.expects.shape
      .filter((each) => each.startsWith('/') && !each.split('/').some((name) => /^\d+$/.test(name)))
      .filter((each) => each.split('/')[1] !== top && !ocdsHead.has(each))
      .map((at) => ({ at, value: count }))
  }

  #isNewestFirst(): boolean {
    const { ordered } = this.#delivery
    if (ordered) return ordered.direction === 'descending'
    return this.#delivery.kind === 'link-next' && this.#delivery.firstNext !== undefined
  }

  /** The requested window; undefined if the request names none. */
  #span(filled: Filled): { readonly from: number; readonly to: number } | undefined {
    const [from, to, last, before] = ['from', 'to', 'last', 'before'].map((name) => filled.dates.get(name))
    const start = from?.from ?? (before && before.from + 1)
    if (start === undefined && !to && !last) return undefined
    const end = to?.from ?? last?.next ?? (from && this.#spanEnd(from.from, from.next)) ?? Number.POSITIVE_INFINITY
    return { from: start ?? 0, to: end }
  }

  /** If only the start is requested, the span is that of the slots, or everything since. */
  #spanEnd(from: number, next: number): number {
    const { slots } = this.#channel
    if (slots.kind === 'feed' || slots.kind === 'whole') return Number.POSITIVE_INFINITY
    return Math.max(next, spanEnd(slots, this.#source.zone, from))
  }

  #walk(asked: Asked, filled: Filled, rows: readonly ListedEntry[]): Walked {
    const delivery = this.#delivery
    switch (delivery.kind) {
      case 'single':
        return { rows, pointerValues: [] }
      case 'page':
      case 'offset': {
        const size = this.#size(asked, filled, delivery.pageSize)
        const given = (name: string) => {
          const number = Number(filled.texts.get(name))
          return filled.texts.has(name) && Number.isInteger(number) ? number : undefined
        }
        const page = given('page')
        const offset = given('offset')
        const start =
          delivery.kind === 'page'
            ? page === undefined
              ? (offset ?? 0)
              : (page - (delivery.firstPage ?? 1)) * size
            : offset === undefined
              ? (page ?? 0) * size
              : offset
        return this.#paged(asked, rows, start, size)
      }
      case 'link-next':
        return this.#linked(asked, rows)
      case 'cursor':
        return this.#byCursor(asked, filled, rows)
      case 'keyset':
        return this.#byKey(asked, filled, rows)
    }
  }

  #size(asked: Asked, filled: Filled, otherwise: number): number {
    const given = Number(filled.texts.get('limit') ?? otherwise)
    const size = Number.isInteger(given) && given > 0 ? given : otherwise
    return this.#capped(asked, Math.min(size, this.#quirks.largestPage ?? size))
  }

  #capped(asked: Asked, size: number): number {
    return asked.happens('capped-pages') ? Math.min(size, cappedPage) : size
  }

  #paged(asked: Asked, rows: readonly ListedEntry[], given: number, size: number): Walked {
    const delivery = this.#delivery as Extract<ListDelivery, { kind: 'page' | 'offset' }>
    const { end } = delivery
    let offset = this.#quirks.ignoresPage ? 0 : Math.max(0, given)
    if (this.#quirks.reach !== undefined && offset + size > this.#quirks.reach)
      return { answer: jsonAnswer(400, { message: `nothing is reached behind ${this.#quirks.reach}` }) }
    if (
      delivery.kind === 'page' &&
      delivery.lastPage !== undefined &&
      offset / size > delivery.lastPage - (delivery.firstPage ?? 1)
    )
      return { answer: jsonAnswer(400, { message: 'there is no such page' }) }
    if (end.when === 'not-found' && offset > 0 && offset >= rows.length) return { answer: textAnswer(404, 'not found') }
    if (rows.length > 0 && offset >= rows.length && asked.happens('last-page-again'))
      offset = Math.floor((rows.length - 1) / size) * size
    if (offset > 0 && asked.happens('moving-pages')) offset -= 1
    let shown = rows.slice(offset, offset + size)
    if (shown.length > 1 && offset + size < rows.length && asked.happens('early-short-page')) shown = shown.slice(0, -1)
    const pointerValues: PointerValue[] = []
    if (end.when === 'pages') pointerValues.push({ at: end.at, value: Math.ceil(rows.length / size) })
    if (end.when === 'flag')
      pointerValues.push({ at: end.at, value: offset + size >= rows.length ? end.isLast : !end.isLast })
    return { rows: shown, pointerValues }
  }

  #linked(asked: Asked, rows: readonly ListedEntry[]): Walked {
    const delivery = this.#delivery as Extract<ListDelivery, { kind: 'link-next' }>
    const { request } = asked
    const size = this.#capped(asked, Math.min(Number(request.url.searchParams.get('limit')) || usualPage, usualPage))
    const isFeed = this.#channel.slots.kind === 'feed'
    const name = /offset/.test(delivery.next) || isFeed ? 'offset' : 'cursor'
    const written = request.url.searchParams.get(name)
    const isForward = request.url.searchParams.get('direction') === 'forward'
    const ordered = isForward ? rows.toReversed() : rows
    const start = written === null ? 0 : behind(ordered, written, this.#isNewestFirst() && !isForward)
    let from = start
    // a feed that loses entries would lose them for every reader, and none is known to
    if (!isFeed && written !== null && from < ordered.length - 1 && asked.happens('dropped-rows')) from += 1
    if (written !== null && from > 0 && asked.happens('moving-pages')) from -= 1
    const shown = ordered.slice(from, from + size)
    const last = shown.at(-1)
    const link = (token: string, forward: boolean) => {
      const url = new URL(request.url)
      url.searchParams.set(name, token)
      if (forward) {
        url.searchParams.set('direction', 'forward')
        url.searchParams.delete('descending')
      }
      return url.href
    }
    const pointerValues: PointerValue[] = []
    const isMore = last !== undefined && from + size < ordered.length
    const again = written ?? tokenOf(undefined)
    if (isFeed) pointerValues.push({ at: delivery.next, value: link(last ? tokenOf(last) : again, isForward) })
    else if (isMore || (last && asked.happens('token-after-end')))
      pointerValues.push({ at: delivery.next, value: link(tokenOf(last), isForward) })
    if (delivery.firstNext !== undefined && !isForward)
      pointerValues.push({ at: delivery.firstNext, value: link(tokenOf(shown[0] ?? rows[0]), true) })
    return { rows: shown, pointerValues }
  }

  #byCursor(asked: Asked, filled: Filled, rows: readonly ListedEntry[]): Walked {
    const delivery = this.#delivery as Extract<ListDelivery, { kind: 'cursor' }>
    const size = Math.min(this.#size(asked, filled, usualPage), usualPage)
    const given = filled.texts.get('cursor')
    const isByTime = /\{(?:from|before)/.test(delivery.firstCursor ?? '')
    let from = 0
    if (given !== undefined && given !== '') {
      const first =
        delivery.firstCursor !== undefined
          ? filledText(delivery.firstCursor, given, this.#source.zone)?.dates
          : undefined
      const at = first?.get('from')?.from ?? first?.get('before')?.from
      if (given === delivery.firstCursor) from = 0
      else if (isByTime) {
        const moment = at ?? Date.parse(given)
        from = rows.findIndex(({ entry }) => entry.publishedAt >= moment)
        if (from < 0) from = rows.length
      } else from = behind(rows, given, this.#isNewestFirst())
      const isFeed = this.#channel.slots.kind === 'feed'
      if (!isFeed && from > 0 && from < rows.length - 1 && asked.happens('dropped-rows')) from += 1
      if (from > 0 && asked.happens('moving-pages')) from -= 1
    }
    const shown = rows.slice(from, from + size)
    const last = shown.at(-1)
    const isMore = from + size < rows.length
    const pointerValues: PointerValue[] = []
    const isAlways = this.#channel.slots.kind === 'feed' || isByTime
    const token = (row: ListedEntry | undefined) =>
      isByTime
        ? row
          ? new Date(row.entry.publishedAt).toISOString()
          : (given ?? '')
        : row
          ? tokenOf(row)
          : (given ?? tokenOf(undefined))
    if (isMore || (isAlways && last) || (last && asked.happens('token-after-end')))
      pointerValues.push({ at: delivery.cursor, value: token(last) })
    else if (isAlways && this.#channel.slots.kind === 'feed')
      pointerValues.push({ at: delivery.cursor, value: token(undefined) })
    return { rows: shown, pointerValues }
  }

  #byKey(asked: Asked, filled: Filled, rows: readonly ListedEntry[]): Walked {
    const delivery = this.#delivery as Extract<ListDelivery, { kind: 'keyset' }>
    const size = this.#size(asked, filled, delivery.pageSize)
    const given = filled.texts.get('cursor')
    const keyOf = (row: ListedEntry) => valueAt(delivery.entries, row.text, delivery.keyOf) ?? ''
    let from = 0
    if (given !== undefined && given !== '') {
      const same = rows.filter((row) => keyOf(row) === given)
      if (same.length > 0) from = same.length > 1 ? rows.indexOf(same[0]!) : rows.indexOf(same[0]!) + 1
      else {
        const dates =
          delivery.firstKey !== undefined ? filledText(delivery.firstKey, given, this.#source.zone)?.dates : undefined
        const at = dates?.get('from')?.from ?? dates?.get('before')?.from
        from = rows.findIndex((row) => (at !== undefined ? row.entry.publishedAt >= at : keyOf(row) > given))
        if (from < 0) from = rows.length
      }
    }
    return { rows: rows.slice(from, from + size), pointerValues: [] }
  }
}

/** A cursor that stays valid when entries are added: the last entry that was shown. */
function tokenOf(row: ListedEntry | undefined): string {
  return row ? Buffer.from(`${row.entry.publishedAt}|${row.entry.id}`).toString('base64url') : 'MHw'
}

/** Index of the first entry after the one of the token. */
function behind(rows: readonly ListedEntry[], token: string, isDescending: boolean): number {
  const [at, id] = Buffer.from(token, 'base64url').toString().split('|', 2) as [string, string]
  const index = rows.findIndex(({ entry }) => {
    const order = entry.publishedAt - Number(at) || (entry.id < id ? -1 : entry.id > id ? 1 : 0)
    return isDescending ? order < 0 : order > 0
  })
  return index < 0 ? rows.length : index
}

/** The last of each group, at its place in time. */
function newest(rows: readonly ListedEntry[], groupOf: (row: ListedEntry) => string): readonly ListedEntry[] {
  const last = new Map<string, ListedEntry>()
  for (const row of rows) {
    last.delete(groupOf(row))
    last.set(groupOf(row), row)
  }
  return [...last.values()]
}

function isOfRecords(delivery: Delivery): boolean {
  const entries = documentsOf(delivery)
  const inner = entries?.format === 'archive' ? entries.inside : entries
  return inner?.format === 'json' && /\/records(?:\/\*)?$/.test(inner.at)
}
