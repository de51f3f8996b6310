// An index of a portal (CKAN, XML, RSS, a page of links) and the files that it lists.
import type { Delivery, Entries } from '../sources/delivery.ts'
import { belongs, type Visible, writtenAnswer } from './card-answer.ts'
import { type ListedValue, valueAt, writeListing } from './listing.ts'
import type { Asked, PortalAnswer } from './portal-answer.ts'
import { sampleOf } from './regexp-sample.ts'
import type { Filled } from './request-pattern.ts'
import type { ShelfEntry } from './shelf.ts'
import type { SimulatedSource } from './simulated-source.ts'

export type IndexDelivery = Extract<Delivery, { kind: 'index' }>

/** An index and the files that it lists. */
export class IndexServer {
  readonly #source: SimulatedSource
  readonly #delivery: IndexDelivery
  readonly #visible: Visible
  readonly #seed: string
  readonly #addresses = new Map<string, string>()
  /** What the address of a key is drawn from. */
  readonly #draws = new Map<string, string>()

  constructor(source: SimulatedSource, delivery: IndexDelivery, visible: Visible, seed: string) {
    this.#source = source
    this.#delivery = delivery
    this.#visible = visible
    this.#seed = seed
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

  #address(key: string, filled?: Filled): string {
    const base = this.#delivery.index.url.replace(
      /\{(\w+)[^}]*\}/g,
      (_, name: string) => filled?.texts.get(name) ?? '0',
    )
    const held = this.#addresses.get(key)
    if (held) return held
    for (let attempt = 0; attempt < 100; attempt++) {
      this.#draws.set(key, `${this.#seed}|${key}${attempt === 0 ? '' : `|redraw ${attempt}`}`)
      const address = this.#found(key, base)
      if ([...this.#addresses.values()].some((taken) => isSameAddress(taken, address))) continue
      this.#addresses.set(key, address)
      return address
    }
    throw new Error(`${this.#source.id}: the pattern of its index leaves too few addresses for its files`)
  }

  #found(key: string, base: string): string {
    const { only, files, entries } = this.#delivery
    const origin = new URL(base).origin
    const fits = (address: string) => !only || new RegExp(only.source, only.flags.replace(/[gy]/g, '')).test(address)
    const endings =
      files?.format === 'archive'
        ? ['.zip', '.tar.gz', '.gz']
        : files?.format === 'csv'
          ? ['.csv']
          : files?.format === 'xml'
            ? ['.xml']
            : files?.format === 'json-lines'
              ? ['.jsonl', '.jsonl.gz']
              : ['.json', '.xml']
    if (entries.format === 'html') {
      for (const wanted of [...endings, '.zip', '.json'].map((ending) => `${origin}/files/${key}${ending}`)) {
        const address = new URL(this.#linked(key, wanted), base).href
        if (address === wanted && fits(address)) return address
      }
      const address = new URL(this.#linked(key, undefined), base).href
      if (!fits(address)) throw new Error(`${this.#source.id}: no link was found that fits both patterns of its index`)
      return address
    }
    const names = ['.zip', '.json', '.csv', '.xml', '.jsonl', '.gz']
    for (const ending of [...endings, ...names]) {
      // Two sources may share a host.
      const address = `${origin}/files/${this.#source.id}/${key}${ending}`
      if (fits(address)) return address
    }
    for (let attempt = 0; attempt < 20; attempt++) {
      const sample = sampleOf(only!, `${this.#draws.get(key)}|${attempt}`)
      for (const candidate of [
        sample,
        `${origin}/${sample.replace(/^\//, '')}`,
        `${origin}/files/${key}/${sample.replace(/^\//, '')}`,
      ]) {
        const url = URL.parse(candidate)
        if (
          url &&
          (url.protocol === 'https:' || url.protocol === 'http:') &&
          url.host === new URL(origin).host &&
          fits(url.href)
        )
          return url.href
      }
    }
    throw new Error(`${this.#source.id}: no address was found that fits ${String(only)}`)
  }

  /** What the pattern of a page of links finds in the link to the file. */
  #linked(key: string, wanted: string | undefined): string {
    const { entries, url } = this.#delivery
    const text = this.#link(key, wanted)
    return valueAt(entries, text, url ?? '/0') ?? text
  }

  #link(key: string, wanted: string | undefined): string {
    const { entries } = this.#delivery
    return writeListing(entries, wanted === undefined ? [] : [{ at: '/0', value: wanted }], this.#draws.get(key)!)
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
      const address = this.#address(key, filled)
      if (entries.format === 'html') {
        documents.push(this.#link(key, address.startsWith(`${new URL(address).origin}/files/`) ? address : undefined))
        continue
      }
      const values: ListedValue[] = [{ at: url ?? '', value: address }]
      if (version !== undefined && version !== '')
        values.push({
          at: version,
          value: new Date(Math.max(...held.map(({ publishedAt }) => publishedAt))).toISOString(),
        })
      if (where) values.push({ at: where.at, value: sampleOf(where.fits, key) })
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
      const address = this.#addresses.get(key)
      if (address === undefined || !isSameAddress(address, asked.request.url.href)) continue
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
