// An index of a portal (CKAN, XML, RSS, a page of links) and the files that it lists.
import type { Delivery, Entries } from '../sources/delivery.ts'
import { belongs, type Visible, writtenAnswer } from './card-answer.ts'
import { fittingText, usualValues } from './fitting-text.ts'
import { type ListedValue, valueAt, writeListing } from './listing.ts'
import type { Asked, PortalAnswer } from './portal-answer.ts'
import type { Filled } from './request-pattern.ts'
import type { ShelfEntry } from './shelf.ts'
import type { SimulatedSource } from './simulated-source.ts'

export type IndexDelivery = Extract<Delivery, { kind: 'index' }>

const usualEndings = ['.json', '.xml', '.zip', '.csv', '.jsonl', '.gz']
/** Endings of the files of a format, before the usual ones. */
const endingsOf: { readonly [format: string]: readonly string[] } = {
  archive: ['.zip', '.tar.gz', '.gz'],
  csv: ['.csv'],
  xml: ['.xml'],
  'json-lines': ['.jsonl', '.jsonl.gz'],
}

/** An index and the files that it lists. */
export class IndexServer {
  readonly #source: SimulatedSource
  readonly #delivery: IndexDelivery
  readonly #visible: Visible

  constructor(source: SimulatedSource, delivery: IndexDelivery, visible: Visible) {
    this.#source = source
    this.#delivery = delivery
    this.#visible = visible
  }

  shown(now: number): readonly ShelfEntry[] {
    return [...this.#files(now).values()].flat()
  }

  /** What is listed: one file for every month, or one for every entry; keys are stable. */
  #files(now: number): ReadonlyMap<string, readonly ShelfEntry[]> {
    const { files } = this.#delivery
    const entries = this.#visible(now)
    const found = new Map<string, ShelfEntry[]>()
    const isSingle = !files || files.format === 'document' || isOneValue(files)
    for (const entry of entries) {
      const key = isSingle
        ? this.#delivery.version === undefined && !files
          ? entry.id
          : entry.noticeId
        : new Date(entry.publishedAt).toISOString().slice(0, 7)
      if (isSingle) found.set(key, [entry])
      else {
        const list = found.get(key)
        if (list) list.push(entry)
        else found.set(key, [entry])
      }
    }
    return found
  }

  /** Two sources may share a host. */
  #paths(): readonly string[] {
    const { files } = this.#delivery
    const wanted = files && endingsOf[files.format]
    return [...(wanted ?? []), ...usualEndings].map((ending) => `/files/${this.#source.id}/{key}${ending}`)
  }

  #address(key: string): string {
    const { entries, index, only, sample, url } = this.#delivery
    const { origin, href } = new URL(index.url.replace(/\{[^}]*\}/g, '0'))
    if (entries.format === 'html') {
      const text = this.#link(key)
      return new URL(valueAt(entries, text, url ?? '/0') ?? text, href).href
    }
    const paths = sample === undefined ? this.#paths() : [sample]
    return fittingText(
      only ?? /^/,
      paths.map((path) => `${origin}${path}`),
      key,
    )
  }

  /** The link to a file in a page for people. */
  #link(key: string): string {
    const { entries } = this.#delivery
    if (entries.format !== 'html') throw new Error(`${this.#source.id}: its index has no links`)
    const links = this.#paths().map((path) => `<a href="${path}">`)
    return fittingText(entries.link, entries.sample === undefined ? links : [entries.sample], key)
  }

  async index(asked: Asked, filled: Filled): Promise<PortalAnswer> {
    const { entries, version, where, url, files } = this.#delivery
    const documents: string[] = []
    for (const [key, held] of this.#files(asked.now)) {
      if (!held.some((entry) => belongs(this.#delivery, filled, entry)) && isSingleKey(held)) continue
      if (!files) {
        documents.push(...held.map((entry) => entry.text()))
        continue
      }
      if (entries.format === 'html') {
        documents.push(this.#link(key))
        continue
      }
      const values: ListedValue[] = [{ at: url ?? '', value: this.#address(key) }]
      if (version !== undefined && version !== '')
        values.push({
          at: version,
          value: new Date(Math.max(...held.map(({ publishedAt }) => publishedAt))).toISOString(),
        })
      if (where) values.push({ at: where.at, value: fittingText(where.fits, [where.sample, ...usualValues], key) })
      documents.push(writeListing(entries, values, key))
    }
    return writtenAnswer(entries, documents, asked.request.url.href, files ? undefined : asked, [], {
      isBare: !this.#source.writeSample,
    })
  }

  /** Undefined when the address does not name a file of this index. */
  file(asked: Asked): Promise<PortalAnswer> | undefined {
    const { files } = this.#delivery
    if (!files) return undefined
    for (const [key, entries] of this.#files(asked.now)) {
      if (!isSameAddress(this.#address(key), asked.request.url.href)) continue
      return writtenAnswer(
        files,
        entries.map((entry) => entry.text()),
        asked.request.url.href,
        asked,
        [],
        { isOne: files.format === 'document' || isOneValue(files), isBare: !this.#source.writeSample },
      ).then((answer) => ({ ...answer, modifiedAt: Math.max(...entries.map(({ publishedAt }) => publishedAt)) }))
    }
    return undefined
  }
}

/** The scheme does not reach the simulator. */
const isSameAddress = (one: string, other: string): boolean =>
  one.replace(/^https?:/, '') === other.replace(/^https?:/, '')

const isSingleKey = (held: readonly ShelfEntry[]): boolean => held.length === 1
const isOneValue = (entries: Entries): boolean => entries.format === 'json' && entries.at === ''
