// What every answer of the API must agree with: the answers before it, and in the end the database.
import { DigestSum, isOpenRecord, webRecordHash } from '../../../client/src/sync/copy-digest.ts'
import type { TenderRecord } from '../../../client/src/types.ts'
import { queryOnce } from '../copies.ts'

export type Page = {
  readonly data: readonly TenderRecord[]
  readonly nextCursor: string | null
  readonly edition: number
  /** Of the edition, in epoch milliseconds. */
  readonly publishedAt: number
  readonly digest: string | null
}

type SeenEdition = {
  readonly publishedAt: number
  digest: string | undefined
  /** By lastModified: checkedAt. */
  readonly checked: Map<number, number>
}
/** What a request with `updated_since` delivered. */
type Delta = {
  readonly edition: number
  readonly since: number
  readonly found: readonly string[]
  readonly what: string
}

/** How far clocks that are right may differ. */
const toleratedMs = 15_000
/** How late an edition may be seen first. */
const toleratedAgeMs = 240_000
/** After a promotion stamps continue above those that may be lost, at most some minutes ahead. */
const toleratedStampMs = 15 * 60_000

export class AnswerJudge {
  readonly faults: string[] = []
  readonly counts = { answers: 0, records: 0, crawls: 0, deltas: 0 }
  readonly #editions = new Map<number, SeenEdition>()
  /** By lastModified: id and hash of the record. */
  readonly #stamps = new Map<number, string>()
  readonly #deltas: Delta[] = []
  #newest = 0
  #newestAt = Date.now()
  #longestWaitMs = 0

  tell(fault: string): void {
    if (this.faults.length < 200) this.faults.push(fault)
  }

  get newest(): number {
    return this.#newest
  }

  get editions(): number {
    return this.#editions.size
  }

  /** When the newest edition was first seen. */
  get newestAt(): number {
    return this.#newestAt
  }

  /** The longest time between two editions. */
  get longestWaitMs(): number {
    return this.#longestWaitMs
  }

  /** An edition that was seen, and its last stamp, as far as a crawl has found it. */
  #see(page: Page, what: string): SeenEdition {
    const { edition, publishedAt, digest } = page
    let seen = this.#editions.get(edition)
    if (!seen) {
      seen = { publishedAt, digest: digest ?? undefined, checked: new Map() }
      this.#editions.set(edition, seen)
      if (edition > this.#newest) {
        if (this.#newest > 0) {
          this.#longestWaitMs = Math.max(this.#longestWaitMs, Date.now() - this.#newestAt)
          if (publishedAt < Date.now() - toleratedAgeMs)
            this.tell(`${what}: edition ${edition} is new, and dated ${Date.now() - publishedAt} ms ago`)
        }
        this.#newest = edition
        this.#newestAt = Date.now()
        if (publishedAt > Date.now() + toleratedMs)
          this.tell(`${what}: edition ${edition} is dated ${publishedAt - Date.now()} ms in the future`)
      }
    }
    if (seen.publishedAt !== publishedAt)
      this.tell(`${what}: edition ${edition} was published at ${seen.publishedAt}, and at ${publishedAt}`)
    if (digest !== null) seen.digest ??= digest
    if (digest !== null && seen.digest !== digest)
      this.tell(`${what}: edition ${edition} is ${seen.digest}, and ${digest}`)
    return seen
  }

  /** Every page of a list: order, ages, and that a stamp never stands for two contents. */
  async page(page: Page, what: string): Promise<readonly string[]> {
    this.counts.answers++
    const seen = this.#see(page, what)
    const hashes: string[] = []
    let last = ''
    for (const record of page.data) {
      this.counts.records++
      const { id, lastModified, checkedAt } = record
      const stamp = Date.parse(lastModified)
      const age = Date.parse(checkedAt)
      const key = `${lastModified} ${id}`
      if (key <= last) this.tell(`${what}: ${key} follows ${last}`)
      last = key
      const hash = await webRecordHash(record)
      hashes.push(hash)
      const content = `${id} ${hash}`
      const before = this.#stamps.get(stamp)
      if (before !== undefined && before !== content) this.tell(`${what}: ${lastModified} is ${before}, and ${content}`)
      this.#stamps.set(stamp, content)
      const known = seen.checked.get(stamp)
      if (known !== undefined && known !== age)
        this.tell(`${what}: in edition ${page.edition}, ${id} was checked at ${known}, and at ${age}`)
      seen.checked.set(stamp, age)
      if (age > Date.now() + toleratedMs) this.tell(`${what}: ${id} was checked at ${checkedAt}, which is to come`)
      if (stamp > Date.now() + toleratedStampMs)
        this.tell(`${what}: ${id} has the stamp ${lastModified}, which is to come`)
    }
    return hashes
  }

  /** What a node says about the age of its edition. */
  age(edition: number, seconds: number, what: string): void {
    const seen = this.#editions.get(edition)
    const wrongMs = seen === undefined ? 0 : Math.abs(Date.now() - seen.publishedAt - seconds * 1000)
    if (wrongMs > toleratedMs)
      this.tell(`${what}: it says that edition ${edition} is ${seconds} s old, ${wrongMs} ms off`)
  }

  /** A whole list: its digest, and one edition on all pages. */
  async crawl(pages: readonly Page[], what: string): Promise<void> {
    const sum = new DigestSum()
    const [first] = pages
    for (const page of pages) {
      if (page.edition !== first!.edition || page.digest !== first!.digest)
        this.tell(`${what}: it began in edition ${first!.edition} and continues in ${page.edition}`)
      const hashes = await this.page(page, what)
      for (const [index, record] of page.data.entries())
        sum.add(hashes[index]!, isOpenRecord(record), record.lastModified)
    }
    this.#mustAscend(pages, what)
    this.counts.crawls++
    const { open, all } = sum.digest
    const read = `open=${open}, all=${all}`
    if (read !== first!.digest)
      this.tell(`${what}: edition ${first!.edition} was read as ${read}, not ${first!.digest}`)
  }

  /** A whole list with `updated_since`; compared with the database at the end. */
  async delta(pages: readonly Page[], since: number, what: string): Promise<void> {
    for (const page of pages) await this.page(page, what)
    this.#mustAscend(pages, what)
    this.counts.deltas++
    const found = pages.flatMap(({ data }) => data.map(({ id, lastModified }) => `${lastModified} ${id}`))
    this.#deltas.push({ edition: pages[0]!.edition, since, found, what })
  }

  #mustAscend(pages: readonly Page[], what: string): void {
    let last = ''
    for (const { lastModified, id } of pages.flatMap(({ data }) => data)) {
      const key = `${lastModified} ${id}`
      if (key <= last) this.tell(`${what}: over its pages, ${key} follows ${last}`)
      last = key
    }
  }

  /** A stamp of a record that was seen. */
  anyStamp(draw: (count: number) => number): number | undefined {
    if (this.#stamps.size === 0) return undefined
    return [...this.#stamps.keys()][draw(this.#stamps.size)]
  }

  /** Compares everything that was seen with the database. */
  async compare(url: string): Promise<void> {
    type Row = { edition: number; at: string; last: string; checks: string; checksum: string | null }
    const rows = await queryOnce<Row>(
      url,
      'select edition, published_at::text as at, last_modified::text as last, checks, checksum from edition',
    )
    type Entry = { stamp: string; id: string; sources: string }
    const entries = await queryOnce<Entry>(
      url,
      'select last_modified::text as stamp, tender_id as id, sources from edition_entry order by last_modified',
    )
    const entryAt = new Map(entries.map((entry) => [Number(entry.stamp), entry]))
    const published = new Map(rows.map((row) => [row.edition, row]))
    for (const [edition, { publishedAt, digest, checked }] of this.#editions) {
      const row = published.get(edition)
      if (!row) {
        this.tell(`edition ${edition} was seen, and is lost`)
        continue
      }
      if (digest !== undefined && row.checksum !== digest)
        this.tell(`edition ${edition} was seen as ${digest}, and is ${row.checksum}`)
      if (Number(row.at) !== publishedAt)
        this.tell(`edition ${edition} was seen as of ${publishedAt}, and is of ${row.at}`)
      const checks = JSON.parse(row.checks) as { readonly [source: string]: number }
      for (const [stamp, age] of checked) {
        const entry = entryAt.get(stamp)
        if (!entry) {
          this.tell(`the record of ${stamp} in edition ${edition} is lost`)
          continue
        }
        const known = (JSON.parse(entry.sources) as string[]).flatMap((source) => checks[source] ?? [])
        const wanted = known.length === 0 ? stamp : Math.max(...known)
        if (age !== wanted)
          this.tell(`in edition ${edition}, ${entry.id} was shown as checked at ${age}, and was at ${wanted}`)
      }
    }
    const wanted = new Map<number, ReadonlyMap<string, number>>()
    for (const { edition, since, found, what } of this.#deltas) {
      const last = Number(published.get(edition)?.last)
      let state = wanted.get(edition)
      if (!state) {
        state = new Map(
          entries.filter(({ stamp }) => Number(stamp) <= last).map(({ id, stamp }) => [id, Number(stamp)]),
        )
        wanted.set(edition, state)
      }
      const due = [...state]
        .filter(([, stamp]) => stamp >= since)
        .map(([id, stamp]) => `${new Date(stamp).toISOString()} ${id}`)
      const has = new Set(found)
      const missing = due.filter((key) => !has.has(key))
      const needed = new Set(due)
      const extra = found.filter((key) => !needed.has(key))
      if (missing.length + extra.length > 0)
        this.tell(
          `${what}: since ${new Date(since).toISOString()} in edition ${edition}, ${missing.length} are missing ` +
            `(${missing.slice(0, 3).join(', ')}) and ${extra.length} too many (${extra.slice(0, 3).join(', ')})`,
        )
    }
  }
}
