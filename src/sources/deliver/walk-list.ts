// Walks through a list to its end, whatever its way of paging: one step per answer, resumable at each, nothing lost
// silently.
//
// A walk goes through combinations of values (`each`), in each through spans of time, in each through pages, and after
// a page through the details of its entries. A span that is too full is halved; after that, how full each one was
// decides how long the next one is. Where it stands is in `WalkState` alone, which every step carries as its
// checkpoint; what is only needed to recognize circles and repeated entries (`#met`, `#positions`) is not, and a
// resumed walk knows its last page only. At the end of a span its sums are compared with what the portal announced
// (`#endSpan`): what is missing is said, never guessed.
import { hash } from 'node:crypto'
import { dayMs, epochMs, parseSourceDateTime } from '../../domain/time.ts'
import { Refused, Retryable } from '../../platform/http.ts'
import type { AnswerPointer, EntryPointer, List } from '../delivery.ts'
import type { Fetch, FetchContext, Item, Json, SlotEnd, Step } from '../fetch.ts'
import type { ReceivedDocument } from '../files.ts'
import { unexpected } from './answers/answer-documents.ts'
import { EntryValues } from './answers/entry-value.ts'
import { passOn } from './answers/pass-on.ts'
import { checkFault } from './answers/portal-fault.ts'
import { readEntries } from './answers/read-entries.ts'
import { type Answer, Asking, drain, headerValue } from './asking.ts'
import { type DetailsKept, type Following, readDetails, type Unread } from './details.ts'
import { type Combination, combinationFrom, combinationsOf, eachOf } from './each-values.ts'
import { fillText, finenessOf, type Values } from './fill-template.ts'
import { afterFull, afterRead, cutSpan, halveSpan, joinSpans, nextWidthMs, type Span } from './halve-span.ts'
import type { PageFacts, Pager, Position } from './pager.ts'
import { beginWalk, checkpointOf, note, stateFrom, type WalkState } from './walk-state.ts'

export type WalkOptions = List & {
  readonly pager: Pager
  readonly detail?: Following
  readonly notFound?: 'empty' | 'notYet'
  /** One answer holds everything: it is streamed, and requested with the version of the last time. */
  readonly isSingle?: boolean
}

/** Maximum number of pages of a list; one that seems to have more is repeating itself. */
const maxPages = 100_000
/**
 * Maximum number of consecutive empty pages: a filter may empty a page or two, but a portal that keeps going without
 * entries is at its end.
 */
const maxEmptyPages = 50
/** Maximum number of marks remembered beyond the last page, to recognize repeated entries. */
const maxMarks = 500_000
/** Maximum number of files of one index that a checkpoint remembers. */
const maxFiles = 5000
const maxFileBytes = 16 * 1024 ** 3
/** Maximum size of an index that is collected before its details are requested. */
const maxIndexBytes = 256 * 1024 ** 2
/** How far dates of entries may lie outside their slot: zones, and days that count from noon. */
const outsideMs = 2 * dayMs

/** Maximum number of entries of a feed whose details are still to be requested, and maximum number of attempts. */
const maxOwed = 200
const maxOwedTurns = 20

const nothingUnread: Unread = { failures: [], owed: [] }

const markOf = (bytes: Uint8Array): string => hash('sha1', bytes, 'base64url').slice(0, 10)

export function walkList(options: WalkOptions): Fetch {
  return (context) => new Walk(options, context).run()
}

type Page = {
  /** All documents, including those that do not count; none when they were streamed. */
  readonly documents: readonly ReceivedDocument[]
  readonly values: ReadonlyMap<AnswerPointer, Json>
  readonly answer: Answer
  readonly damage: string | undefined
}

class Walk {
  readonly #options: WalkOptions
  readonly #context: FetchContext
  readonly #asking: Asking
  readonly #state: WalkState
  readonly #isFeed: boolean
  /** Entries of the walk through one span; after a resumption only those of the last page. */
  #met = new Set<string>()
  #positions = new Set<string>()
  #emptyInSuccession = 0
  #items: Item[] = []
  readonly #keeping: DetailsKept = {
    isFetched: (key) => this.#state.files.includes(markOf(Buffer.from(key))),
    fetched: (key) => {
      if (this.#state.files.length < maxFiles) this.#state.files.push(markOf(Buffer.from(key)))
      return checkpointOf(this.#state)
    },
    isRefused: (key) => this.#state.refused === markOf(Buffer.from(key)),
    refused: (key) => {
      this.#state.refused = markOf(Buffer.from(key))
      return checkpointOf(this.#state)
    },
  }

  constructor(options: WalkOptions, context: FetchContext) {
    this.#options = options
    this.#context = context
    this.#asking = new Asking(context, options.token)
    this.#state = stateFrom(context.checkpoint)
    this.#isFeed = context.slot.key === 'feed'
    // The reading of a feed begins: what the last one lacked was already reported.
    if (this.#isFeed && this.#state.spans === null) this.#state.missing = []
    this.#met = new Set(this.#state.marks)
  }

  async *run(): AsyncGenerator<Step, SlotEnd> {
    const state = this.#state
    if (state.isOver) return this.#end()
    const each = eachOf(this.#options.each)
    const combinations = await combinationsOf(each, this.#asking, this.#context, this.#spanValues(this.#wholeSpan()))
    // a mistake in the card
    if (this.#isFeed && combinations.length > 1) throw new Error('a feed is read for one combination of values only')
    const first = state.combination === null ? 0 : combinationFrom(combinations, each, state.combination)
    for (let index = first; index < combinations.length; index++) {
      const combination = combinations[index]!
      if (state.combination !== combination.key) {
        if (state.combination !== null) this.#begin()
        state.spans = null
        state.combination = combination.key
      }
      yield* this.#readCombination(combination, combinations[index + 1])
    }
    if (!state.isOver && !this.#isFeed) {
      // No combination at all, or none after the one that no longer exists.
      state.isOver = true
      yield { documents: [], entries: 0, checkpoint: checkpointOf(state) }
    }
    return this.#end()
  }

  #wholeSpan(): Span | null {
    const { from, to } = this.#context.slot
    return from === undefined || to === undefined ? null : [epochMs(from), epochMs(to)]
  }

  #spanValues(span: Span | null): Values {
    return span ? { from: span[0], to: span[1], last: span[1] - 1, before: span[0] - 1 } : {}
  }

  #begin(): void {
    beginWalk(this.#state)
    this.#met = new Set()
    this.#positions = new Set()
  }

  async *#readCombination(combination: Combination, following: Combination | undefined): AsyncGenerator<Step, void> {
    const state = this.#state
    const whole = this.#wholeSpan()
    let spans: Span[] = state.spans ?? (whole ? [whole] : [])
    for (;;) {
      spans = this.#cut(spans)
      state.spans = spans
      const span = spans[0] ?? null
      const ended = yield* this.#readPages(combination, span)
      if (ended === 'halved') {
        spans = state.spans
        continue
      }
      spans = joinSpans(spans.slice(1))
      state.spans = spans
      const isDone = spans.length === 0
      if (isDone) {
        state.spans = null
        if (following) state.combination = following.key
        else if (!this.#isFeed) state.isOver = true
      }
      yield this.#step([], { items: this.#items })
      this.#items = []
      if (isDone) return
    }
  }

  /** The first span at the length that the last ones suggest, unless its reading has begun. */
  #cut(spans: Span[]): Span[] {
    const { volumes, position, pass, pages } = this.#state
    const { most } = this.#options
    const [first, ...others] = spans
    if (!first || !volumes || most === undefined || position !== null || pass !== 1 || pages > 0) return spans
    const widthMs = nextWidthMs(first, most, volumes)
    return [...cutSpan(first, widthMs, this.#finenessMs(), this.#context.zone), ...others]
  }

  #finenessMs(): number {
    return finenessOf(this.#options.request) ?? Number.POSITIVE_INFINITY
  }

  /** Reads the pages of one span to their end; the last step is left to the caller. */
  async *#readPages(combination: Combination, span: Span | null): AsyncGenerator<Step, 'ended' | 'halved'> {
    const state = this.#state
    const { pager, isSingle, detail, fault } = this.#options
    const values: Values = { ...combination.values, ...this.#spanValues(span) }
    const fill = (text: string): string => fillText(text, { ...values, key: this.#context.key }, this.#context.zone)
    const isStreamed = this.#isStreamed()
    yield* this.#readOwed(values)
    for (;;) {
      const position = await this.#revealed(state.position)
      const own = { ...values, ...pager.values(position, fill) }
      const answer = await this.#ask(own, pager.url?.(position))
      if (answer.reply.status === 304) state.unchanged++
      else if (answer.reply.status === 404 && this.#options.notFound) state[this.#options.notFound]++
      else state.read++
      const page = isStreamed ? yield* this.#streamed(answer) : yield* gathered(this.#pageOf(answer))
      const facts = this.#factsOf(page)
      if (page.damage !== undefined) note(state, [page.damage])
      // links are searched for in a page for people: without any it is another page, for maintenance or from a firewall
      const isFirstPage = position === null && facts.length === 0 && answer.reply.status === 200
      if (isFirstPage && span === null && this.#options.entries.format === 'html')
        throw new Refused(`${answer.address} answered with a page that holds none of the links`)
      if (answer.reply.status === 304 || (answer.reply.status === 404 && pager.accept === undefined))
        return this.#endSpan()

      const isFull = this.#isFull(facts)
      if (isFull && span) {
        const halves = halveSpan(span, this.#finenessMs(), this.#context.zone)
        if (halves) {
          state.spans!.splice(0, 1, ...halves.map(([from, to]): Span => [from, to]))
          state.volumes = afterFull(span, halves[0], this.#options.most!, state.volumes)
          this.#begin()
          yield this.#step([])
          return 'halved'
        }
      }
      if (isFull) state.isCapped = true
      const inSpan = this.#inSpan(page, span)
      const { failures, owed } = detail
        ? yield* readDetails(
            inSpan.kept,
            answer.url,
            { ...detail, ...(fault && { fault }) },
            this.#options.entries,
            this.#asking,
            this.#context,
            own,
            this.#keeping,
          )
        : nothingUnread
      note(state, failures)
      if (this.#isFeed) this.#owe(owed, answer)
      state.files = []
      state.refused = null
      const documents = detail || isStreamed ? [] : inSpan.kept
      if (isSingle && failures.length === 0 && page.damage === undefined) this.#remember(answer)

      const goesOn = this.#next(position, facts, inSpan.isBehind)
      this.#count(page, facts)
      if (goesOn === undefined) {
        if (yield* this.#again(documents, inSpan.isBehind)) continue
        if (documents.length > 0) yield { documents, entries: 0 }
        return this.#endSpan(position, facts, span)
      }
      state.position = this.#kept(goesOn)
      yield this.#step(documents)
    }
  }

  /** What a feed could not read is requested again later: the feed never delivers the same entries again. */
  #owe(entries: readonly ReceivedDocument[], { url }: Answer): void {
    const { owed } = this.#state
    for (const { bytes, address } of entries)
      owed.push({ entry: Buffer.from(bytes).toString('utf8'), address, url, turns: 0 })
    if (owed.length > maxOwed)
      throw new Retryable(`the details of ${owed.length} entries could not be read; the feed waits for them`)
  }

  /** Requests once more what a feed could not read before. */
  async *#readOwed(values: Values): AsyncGenerator<Step, void> {
    const state = this.#state
    const { detail, fault, entries } = this.#options
    if (!this.#isFeed || !detail) return
    let inSuccession = 0
    for (const one of [...state.owed]) {
      const { entry, address, url, turns } = one
      const { failures, owed } = yield* readDetails(
        [{ bytes: Buffer.from(entry), address }],
        url,
        { ...detail, ...(fault && { fault }) },
        entries,
        this.#asking,
        this.#context,
        values,
        this.#keeping,
      )
      inSuccession = owed.length > 0 ? inSuccession + 1 : 0
      const isGivenUp = turns + 1 >= maxOwedTurns
      if (owed.length > 0 && isGivenUp) note(state, failures)
      const keeps = owed.length > 0 && !isGivenUp
      state.owed = state.owed.flatMap((each) => (each !== one ? [each] : keeps ? [{ ...one, turns: turns + 1 }] : []))
      yield { documents: [], entries: 0, checkpoint: checkpointOf(state) }
      // not the fault of single notices: the others wait for the next reading
      if (inSuccession >= 3) return
    }
  }

  /** Whether entries count before the whole answer is known. */
  #isStreamed(): boolean {
    const { isSingle, detail, most, ordered } = this.#options
    return isSingle === true && !detail && most === undefined && !ordered
  }

  #kept(position: Position): Position {
    return typeof position === 'string' ? this.#asking.hide(position) : position
  }

  async #revealed(position: Position | null): Promise<Position | null> {
    return typeof position === 'string' ? await this.#asking.reveal(position) : position
  }

  async #ask(values: Values, url: string | undefined): Promise<Answer> {
    const { request, pager, notFound, isSingle, detail, entries } = this.#options
    let ifChangedFrom: string | undefined
    if (isSingle && !detail?.isConditional && request.json === undefined && !request.form && !request.multipart) {
      const key = this.#asking.addressOf(request, values, '')
      ifChangedFrom = (await this.#context.knownVersions([key])).get(key)
    }
    return this.#asking.ask(request, values, '', {
      accept: [204, ...(pager.accept ?? []), ...(notFound ? [404] : [])],
      ...(url !== undefined && { url }),
      ...(ifChangedFrom !== undefined && { ifChangedFrom }),
      ...(isSingle && { maxBytes: this.#isStreamed() ? maxFileBytes : maxIndexBytes }),
      ...(entries.format === 'html' && { expects: 'page' as const }),
    })
  }

  /** The version of a whole answer, kept so that the next reading can ask whether it changed. */
  #remember({ reply, address }: Answer): void {
    if (reply.version !== undefined && reply.status === 200 && !this.#options.detail?.isConditional)
      this.#items.push({ key: address, version: reply.version })
  }

  #pointers(): readonly AnswerPointer[] {
    const { total, fault, pager } = this.#options
    return [...pager.pointers, ...(total === undefined ? [] : [total]), ...(fault ? [fault.at] : [])]
  }

  async *#pageOf(answer: Answer): AsyncGenerator<readonly ReceivedDocument[], Page> {
    const { reply, address } = answer
    if (reply.status !== 200) {
      await drain(reply)
      return { documents: [], values: new Map(), answer, damage: undefined }
    }
    const { values, damage } = yield* readEntries(reply.chunks(), {
      address,
      entries: this.#options.entries,
      pointers: this.#pointers(),
      damage: 'throw',
      scratchFolder: this.#context.scratchFolder,
    })
    const page = { documents: [], values, answer, damage }
    this.#checkFault(page)
    return page
  }

  /** Streams a whole answer in steps that are counted at its end. */
  async *#streamed(answer: Answer): AsyncGenerator<Step, Page> {
    const span = this.#wholeSpan()
    let length = 0
    const page = yield* passOn(this.#pageOf(answer), (documents): Step[] => {
      length += documents.length
      this.#checkDates(documents, span, answer)
      return [{ documents: documents.filter((document) => this.#isWanted(document)), entries: 0 }]
    })
    // Only their number is needed from here on.
    this.#state.count += length
    this.#state.size = Math.max(this.#state.size, length)
    return page
  }

  #isWanted(document: ReceivedDocument): boolean {
    const { where, entries } = this.#options
    return !where || where.fits.test(new EntryValues(document, entries).textAt(where.at) ?? '')
  }

  #checkFault({ answer, values }: Page): void {
    const { fault } = this.#options
    if (fault) checkFault(fault, headerValue(answer.reply, fault.at) ?? values.get(fault.at), answer.address)
  }

  #factsOf(page: Page): PageFacts {
    const { total, entries } = this.#options
    const { documents, values, answer } = page
    const at = (pointer: AnswerPointer): Json | undefined => headerValue(answer.reply, pointer) ?? values.get(pointer)
    const announced = total === undefined ? undefined : at(total)
    const number = typeof announced === 'string' ? Number(announced.replace(/[\s.,'](?=\d{3}\b)/g, '')) : announced
    const fresh = new Set(documents.map(({ bytes }) => markOf(bytes)).filter((mark) => !this.#met.has(mark))).size
    const last = documents.at(-1)
    return {
      status: answer.reply.status,
      url: answer.url,
      address: answer.address,
      length: documents.length,
      fresh,
      count: this.#state.count + fresh,
      // -1 in some tables means that the total was not requested
      total: typeof number === 'number' && number >= 0 && number < Infinity && announced !== '' ? number : undefined,
      size: Math.max(this.#state.size, documents.length),
      isFeed: this.#isFeed,
      at,
      atLast: (pointer: EntryPointer) => last && new EntryValues(last, entries).textAt(pointer),
    }
  }

  /** The list has more than the portal delivers for one query. */
  #isFull(facts: PageFacts): boolean {
    const { most } = this.#options
    if (most === undefined) return false
    return facts.total === undefined ? facts.count >= most : facts.total > most
  }

  /** The entries of the slot, if the portal cannot select them; and whether the walk has passed it. */
  #inSpan(page: Page, span: Span | null): { readonly kept: readonly ReceivedDocument[]; readonly isBehind: boolean } {
    const { ordered } = this.#options
    if (!ordered) {
      this.#checkDates(page.documents, span, page.answer)
      return { kept: page.documents.filter((document) => this.#isWanted(document)), isBehind: false }
    }
    const from = span?.[0] ?? (ordered.days === undefined ? undefined : this.#context.now() - ordered.days * dayMs)
    const to = span?.[1]
    const dates = page.documents.map((document) => this.#dateOf(document, ordered.at))
    const isBefore = (date: number | undefined): boolean => date !== undefined && from !== undefined && date < from
    const isAfter = (date: number | undefined): boolean => date !== undefined && to !== undefined && date >= to
    this.#reach(dates)
    const isBehind =
      page.documents.length > 0 && (ordered.direction === 'ascending' ? dates.some(isAfter) : dates.every(isBefore))
    const kept = page.documents.filter(
      (document, index) => !isBefore(dates[index]) && !isAfter(dates[index]) && this.#isWanted(document),
    )
    return { kept, isBehind }
  }

  /** Records how far the walk along an ordered list has come. */
  #reach(dates: readonly (number | undefined)[]): void {
    const state = this.#state
    const isDescending = this.#options.ordered?.direction === 'descending'
    for (const date of dates) {
      if (date === undefined) continue
      const reached = state.reached ?? date
      state.reached = isDescending ? Math.min(reached, date) : Math.max(reached, date)
    }
  }

  /**
   * Reports that an ordered list ended before its span: a portal that delivers only the newest entries proves nothing
   * about older ones. A list without entries proves nothing either way, and a complete announced total proves that the
   * list is whole.
   */
  #unreached(span: Span | null): string | undefined {
    const { ordered } = this.#options
    const { reached, lastTotal, count } = this.#state
    if (!ordered || !span || reached === null || (lastTotal !== null && count >= lastTotal)) return undefined
    const [from, to] = span
    const isShort = ordered.direction === 'descending' ? reached >= to : reached < from && to <= this.#context.now()
    return isShort ? `the list ended at ${new Date(reached).toISOString()}, before it reached the span` : undefined
  }

  #dateOf(document: ReceivedDocument, pointer: EntryPointer): number | undefined {
    const text = new EntryValues(document, this.#options.entries).textAt(pointer)
    if (text === undefined) return undefined
    if (/^\d{12,14}$/.test(text) && Number(text) < 4e12) return Number(text)
    const instant = parseSourceDateTime(text, this.#context.zone, 'start-of-day')
    return instant === undefined ? undefined : epochMs(instant)
  }

  #checkDates(documents: readonly ReceivedDocument[], span: Span | null, answer: Answer): void {
    const { dateOf } = this.#options
    if (dateOf === undefined || !span) return
    for (const document of documents) {
      const date = this.#dateOf(document, dateOf)
      if (date !== undefined && (date < span[0] - outsideMs || date >= span[1] + outsideMs))
        throw unexpected(answer.address, `an entry of ${new Date(date).toISOString()} outside of the dates asked for`)
    }
  }

  /** Where the walk continues, or undefined. Throws Retryable if it would go in a circle. */
  #next(position: Position | null, facts: PageFacts, isBehind: boolean): Position | undefined {
    const state = this.#state
    const { pager, most } = this.#options
    if (isBehind) return undefined
    if (state.isCapped && most !== undefined && facts.count >= most) return undefined
    if (state.pageLimit !== null && state.pages + 1 >= state.pageLimit) return undefined
    const goesOn = pager.next(position, facts)
    if (goesOn === undefined) return undefined
    const isAllThere = facts.total !== undefined && facts.count >= facts.total
    // A list that grew by a page or more repeats entries: that is not a circle.
    const hasMoved = state.firstTotal !== null && facts.total !== undefined && facts.total !== state.firstTotal
    if (facts.length > 0 && facts.fresh === 0 && state.pages > 0 && state.pass === 1 && !hasMoved) {
      // The same page again: beyond the end of some lists; elsewhere the portal ignores a parameter.
      if (isAllThere || pager.mayRepeatItsLast?.(facts)) return undefined
      throw unexpected(facts.address, 'the page before again')
    }
    if (this.#positions.has(String(goesOn))) {
      if (isAllThere || facts.length === 0) return undefined
      throw unexpected(facts.address, 'it leads back to where the walk has been')
    }
    this.#positions.add(String(goesOn))
    this.#emptyInSuccession = facts.length === 0 ? this.#emptyInSuccession + 1 : 0
    if (this.#emptyInSuccession >= maxEmptyPages)
      throw unexpected(facts.address, `${maxEmptyPages} pages without entries in succession`)
    if (state.pages + 1 >= maxPages) throw unexpected(facts.address, `more than ${maxPages} pages`)
    return goesOn
  }

  #count(page: Page, facts: PageFacts): void {
    const state = this.#state
    state.pages++
    state.count = facts.count
    state.size = facts.size
    if (facts.total !== undefined) {
      state.firstTotal ??= facts.total
      state.lastTotal = facts.total
    }
    const marks = page.documents.map(({ bytes }) => markOf(bytes))
    state.marks = marks.slice(-1000)
    if (this.#met.size > maxMarks) this.#met = new Set()
    for (const mark of marks) this.#met.add(mark)
  }

  /**
   * In a list that grew or shrank during the walk, entries have moved across page boundaries. It is read again: its
   * beginning if it grew, the whole list if it shrank. True when that starts.
   */
  async *#again(documents: readonly ReceivedDocument[], isBehind: boolean): AsyncGenerator<Step, boolean> {
    const state = this.#state
    const { firstTotal, lastTotal, size } = state
    const isMoved = firstTotal !== null && lastTotal !== null && firstTotal !== lastTotal && state.pages > 1
    if (this.#isFeed || isBehind || this.#options.isSingle || this.#options.ordered || !isMoved || state.pass === 2)
      return false

    const grown = lastTotal - firstTotal
    state.pass = 2
    state.position = null
    state.marks = []
    this.#positions = new Set()
    state.pageLimit = grown > 0 ? Math.ceil(grown / Math.max(size, 1)) + 1 : null
    if (grown < 0) {
      state.count = 0
      this.#met = new Set()
    }
    state.pages = 0
    state.firstTotal = lastTotal
    yield this.#step(documents)
    return true
  }

  /** Adds up what the span delivered and what it lacks. */
  #endSpan(position: Position | null = null, facts?: PageFacts, span: Span | null = null): 'ended' {
    const state = this.#state
    const { pager, most, ordered } = this.#options
    if (facts) {
      const where = this.#whereOf(span)
      const missing = state.pageLimit === null ? pager.missing?.(position, facts) : undefined
      if (missing !== undefined) note(state, [`${where}${missing}`])
      const unreached = this.#unreached(span)
      if (unreached !== undefined) note(state, [`${where}${unreached}`])
      if (state.isCapped)
        note(state, [
          `${where}the portal gives no more than ${most} of ${state.lastTotal ?? 'its'} entries, and the span cannot be halved further`,
        ])
      else if (
        state.lastTotal !== null &&
        state.count < state.lastTotal &&
        !ordered &&
        !this.#isTolerated(state.count, state.lastTotal)
      )
        note(state, [`${where}the portal announced ${state.lastTotal} and delivered ${state.count}`])
      if (
        state.pass === 2 &&
        state.pageLimit === null &&
        state.firstTotal !== null &&
        (state.lastTotal ?? 0) < state.firstTotal
      )
        note(state, [`${where}the list shrank twice while it was read`])
    }
    if (state.volumes && span && most !== undefined)
      state.volumes = afterRead(span, state.lastTotal ?? state.count, most, state.volumes)
    state.done += state.count
    if (state.lastTotal !== null && !ordered) state.announced = (state.announced ?? 0) + state.lastTotal
    const again = facts && this.#isFeed ? (pager.again?.(position, facts) ?? position) : null
    this.#begin()
    if (again !== null && this.#isFeed) state.position = this.#kept(again)
    return 'ended'
  }

  #isTolerated(count: number, total: number): boolean {
    const { totalTolerance = 0 } = this.#context
    return totalTolerance === null || total - count <= totalTolerance * total
  }

  #whereOf(span: Span | null): string {
    const { combination } = this.#state
    const what = [
      ...(combination ? [combination.replaceAll('\u001f', ', ')] : []),
      ...(span ? [`${new Date(span[0]).toISOString()} to ${new Date(span[1]).toISOString()}`] : []),
    ]
    return what.length > 0 ? `${what.join(', ')}: ` : ''
  }

  #step(documents: readonly ReceivedDocument[], more: { readonly items?: readonly Item[] } = {}): Step {
    const state = this.#state
    const tally = state.done + state.count
    const entries = Math.max(0, tally - state.counted)
    state.counted += entries
    const announced = this.#options.ordered
      ? null
      : state.announced === null && state.lastTotal === null
        ? null
        : (state.announced ?? 0) + (state.lastTotal ?? 0)
    if (this.#isFeed && state.spans === null) {
      // The next walk counts again.
      state.done = 0
      state.counted = 0
      state.announced = null
    }
    return {
      documents,
      entries,
      checkpoint: checkpointOf(state),
      ...(announced !== null && { announced }),
      ...(more.items && more.items.length > 0 && { items: more.items }),
    }
  }

  #end(): SlotEnd {
    const { missing, notYet, unchanged, empty, read } = this.#state
    if (missing.length > 0) return { kind: 'short', missing: missing.join('; ') }
    if (notYet > 0) return { kind: 'notYet' }
    if (read === 0 && unchanged > 0) return { kind: 'unchanged' }
    if (read === 0 && empty > 0) return { kind: 'empty' }
    return { kind: 'complete' }
  }
}

/** Collects a page completely: only at its end is it known whether it counts. */
// biome-ignore lint/correctness/useYield: it is used where a generator of steps is required
async function* gathered(reading: AsyncGenerator<readonly ReceivedDocument[], Page>): AsyncGenerator<Step, Page> {
  const documents: ReceivedDocument[] = []
  for (;;) {
    const next = await reading.next()
    if (next.done) return { ...next.value, documents }
    documents.push(...next.value)
  }
}
