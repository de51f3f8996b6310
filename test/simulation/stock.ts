// The publishing side of the simulated world: a small stock, the publication rule P1 to P4, and what each edition
// holds.
//
// Real: the stamps (firstStamp) of src/publish. Modeled: the database that makes bodies and editions; that the model
// publishes what publish() publishes is held by cross-check.system.test.ts.
import type { TenderContent } from '../../src/domain/tender.ts'
import { toInstant } from '../../src/domain/time.ts'
import type { NewEdition } from '../../src/edition/write/log-state.ts'
import type { NewEntry } from '../../src/edition/write/pack-entries.ts'
import { firstStamp } from '../../src/publish/first-stamp.ts'
import { recordBody } from '../record-body.ts'
import type { Random } from '../testing/generate/random.ts'

/** One version of a record as published. */
export type Version = {
  readonly id: string
  readonly lastModified: number
  /** The edition that added it. */
  readonly edition: number
  /** The edition that replaced it; 0 while it is the newest version. */
  supersededBy: number
  readonly content: TenderContent
  /** As served. */
  readonly body: string
  /** As it should be served: it differs only in a publisher with a planted fault. */
  readonly trueBody: string
  readonly sources: readonly string[]
  readonly isArchived: boolean
}

export type SimulatedEdition = { readonly info: NewEdition; readonly versions: readonly Version[] }

/** How a faulty publisher differs; tests plant it. */
export type PublisherFaults = {
  /** Replaces the true first stamp. */
  readonly stampOf?: (stamp: number, before: number, index: number, random: Random) => number
  /** Replaces the true body. */
  readonly body?: (body: string, previous: Version | undefined) => string
}

/** When every simulated run begins. */
export const startMs = Date.UTC(2026, 10, 2, 8)

const cpvCodes = [
  '30000000',
  '30200000',
  '31000000',
  '39130000',
  '45000000',
  '45210000',
  '45214210',
  '71000000',
] as const
const nutsCodes = ['DE', 'DE2', 'DE21', 'DE212', 'AT', 'AT33', 'FRB0'] as const
const sourceIds = ['ted', 'doe', 'dtvp'] as const
const procedures = ['open', 'restricted', 'neg-w-call'] as const
const closedStatus = { expired: 'closed', cancelled: 'cancelled', awarded: 'awarded' } as const
export type CloseReason = keyof typeof closedStatus

function some<T>(random: Random, items: readonly T[], atMost: number): T[] {
  const count = random.integer(0, atMost)
  return [...new Set(Array.from({ length: count }, () => random.pick(items)))]
}

export class Stock {
  readonly editions: SimulatedEdition[] = []
  /** All versions ever published, in the order of the list. */
  readonly versions: Version[] = []
  readonly newestOf = new Map<string, Version>()
  readonly #contents = new Map<string, TenderContent>()
  readonly #changed = new Set<string>()
  readonly #checks: { [sourceId: string]: number } = {}
  readonly #random: Random
  readonly #startMs: number
  readonly #hasTies: boolean
  readonly #faults: PublisherFaults
  #changeCount = 0

  constructor(options: {
    readonly random: Random
    readonly startMs: number
    /** Several records of an edition may share a millisecond, as the specification allows. */
    readonly hasTies: boolean
    readonly faults?: PublisherFaults | undefined
  }) {
    this.#random = options.random
    this.#startMs = options.startMs
    this.#hasTies = options.hasTies
    this.#faults = options.faults ?? {}
  }

  get newest(): NewEdition | undefined {
    return this.editions.at(-1)?.info
  }

  edition(number: number): SimulatedEdition | undefined {
    return this.editions[number - 1]
  }

  /** The changes of the next edition. */
  get changed(): readonly TenderContent[] {
    return [...this.#changed].map((id) => this.#contents.get(id)!)
  }

  #put(content: TenderContent): void {
    this.#contents.set(content.id, content)
    this.#changed.add(content.id)
  }

  #pickWhere(accept: (content: TenderContent) => boolean): TenderContent | undefined {
    const found = [...this.#contents.values()].filter(accept)
    return found.length === 0 ? undefined : this.#random.pick(found)
  }

  create(): string {
    const random = this.#random
    const word = (digits: number): string =>
      random
        .integer(0, 16 ** digits - 1)
        .toString(16)
        .padStart(digits, '0')
    const id = `${word(8)}-${word(4)}-8${word(3)}-a${word(3)}-${word(6)}${word(6)}`
    const sources = some(random, sourceIds, 2)
    this.#put({
      id,
      status: random.chance(0.1) ? 'planned' : 'open',
      title: `Tender ${this.#contents.size + 1}`,
      contractAmount: random.chance(0.3) ? null : this.#amount(),
      cpvCodes: some(random, cpvCodes, 2),
      nutsCodes: some(random, nutsCodes, 2),
      lots: random.chance(0.3)
        ? [{ lotId: 'LOT-0001', status: 'open', cpvCodes: some(random, cpvCodes, 1), nutsCodes: [] }]
        : [],
      originalSources: (sources.length === 0 ? ['ted'] : sources).map((publisher) => ({
        publisher,
        format: 'eforms',
        formType: 'competition',
        noticeType: 'cn-standard',
      })),
      ...(random.chance(0.8) && { publicationDate: this.#day(-20, 0) }),
      ...(random.chance(0.8) && { submissionDate: this.#day(1, 40) }),
      ...(random.chance(0.8) && { procedureType: random.pick(procedures) }),
    })
    return id
  }

  #amount(): TenderContent['contractAmount'] {
    const random = this.#random
    return {
      value: random.integer(1, 40) * 50_000,
      currency: random.chance(0.85) ? 'EUR' : 'CHF',
      estimated: random.chance(0.3),
    }
  }

  #day(from: number, to: number): string {
    return toInstant(this.#startMs + this.#random.integer(from, to) * 86_400_000)
  }

  /** A change in content, archived records included. */
  change(): string | undefined {
    const found = this.#pickWhere(() => true)
    if (!found) return undefined
    const title = `Tender, change ${++this.#changeCount}`
    this.#put(
      this.#random.weighted<TenderContent>([
        [3, { ...found, title }],
        [1, { ...found, title, contractAmount: this.#amount() }],
        [1, { ...found, title, cpvCodes: some(this.#random, cpvCodes, 2) }],
        [1, { ...found, title, submissionDate: this.#day(1, 60) }],
      ]),
    )
    return found.id
  }

  changeRegion(): string | undefined {
    const found = this.#pickWhere(({ archiveReason }) => archiveReason === undefined)
    if (!found) return undefined
    this.#put({ ...found, nutsCodes: some(this.#random, nutsCodes, 2) })
    return found.id
  }

  archive(reason: CloseReason): string | undefined {
    const found = this.#pickWhere(({ archiveReason }) => archiveReason === undefined)
    if (!found) return undefined
    this.#put({ ...found, status: closedStatus[reason], archiveReason: reason })
    return found.id
  }

  /** Closes nearly all at once, as after a long time in which the clock was not read; returns how many. */
  archiveMany(reason: CloseReason): number {
    const open = [...this.#contents.values()].filter(({ archiveReason }) => archiveReason === undefined)
    const archived = open.slice(this.#random.integer(0, 3))
    for (const content of archived) this.#put({ ...content, status: closedStatus[reason], archiveReason: reason })
    return archived.length
  }

  /** A record that was closed is open again (a corrected deadline, a withdrawn cancellation, a split duplicate). */
  reopen(): string | undefined {
    const found = this.#pickWhere(
      ({ id, archiveReason }) => archiveReason !== undefined && (archiveReason !== 'merged' || !this.#isPointedTo(id)),
    )
    if (!found) return undefined
    const { archiveReason: _reason, mergedInto: _into, ...rest } = found
    this.#put({ ...rest, status: 'open' })
    return found.id
  }

  #isPointedTo(id: string): boolean {
    return [...this.#contents.values()].some(({ mergedInto }) => mergedInto === id)
  }

  /** Two records are merged; records that pointed to the loser now point to the survivor (D37). */
  merge(): string | undefined {
    const gone = this.#pickWhere(({ archiveReason }) => archiveReason !== 'merged')
    const kept = gone && this.#pickWhere(({ id, archiveReason }) => archiveReason !== 'merged' && id !== gone.id)
    if (!kept) return undefined
    for (const content of [...this.#contents.values()])
      if (content.id === gone.id || content.mergedInto === gone.id)
        this.#put({ ...content, status: 'merged', archiveReason: 'merged', mergedInto: kept.id })
    return `${gone.id} into ${kept.id}`
  }

  /** Every merge leads to the same record, one after the other, so that chains are re-pointed. */
  mergeChain(): string {
    return Array.from({ length: this.#random.integer(2, 3) }, () => this.merge() ?? 'none').join(', ')
  }

  /** A source was checked; a clock that was set back never moves a check back. */
  check(now: number): string {
    const source = this.#random.pick(sourceIds)
    this.#checks[source] = Math.max(this.#checks[source] ?? Number.NEGATIVE_INFINITY, now)
    return source
  }

  /**
   * Returns the next edition as it would be committed; `commit` does that. Undefined if there is nothing to publish.
   */
  cut(now: number): SimulatedEdition | undefined {
    const previous = this.newest
    const isChecked = JSON.stringify(this.#checks) !== JSON.stringify(previous?.checks ?? {})
    const ids = [...this.#changed].filter((id) => this.#isNew(id)).sort()
    if (ids.length === 0 && (previous === undefined || !isChecked)) return undefined
    const edition = (previous?.edition ?? 0) + 1
    const offsets: number[] = []
    for (const index of ids.keys())
      offsets.push(index === 0 ? 0 : offsets[index - 1]! + (this.#hasTies && this.#random.chance(0.5) ? 0 : 1))
    const distinct = ids.length === 0 ? 0 : offsets.at(-1)! + 1
    const first = firstStamp(previous?.lastModified, distinct, now)
    const { stampOf, body: bodyOf } = this.#faults
    const versions = ids.map((id, index): Version => {
      const content = this.#contents.get(id)!
      const stamp = first + offsets[index]!
      const lastModified = stampOf && previous ? stampOf(stamp, previous.lastModified, index, this.#random) : stamp
      const body = recordBody(content, lastModified)
      return {
        id,
        lastModified,
        edition,
        supersededBy: 0,
        content,
        trueBody: body,
        body: bodyOf ? bodyOf(body, this.newestOf.get(id)) : body,
        sources: [...new Set(content.originalSources.map(({ publisher }) => publisher))].sort(),
        isArchived: content.archiveReason !== undefined,
      }
    })
    const info: NewEdition = {
      edition,
      lastModified: Math.max(previous?.lastModified ?? 0, ...versions.map(({ lastModified }) => lastModified)),
      publishedAt: Math.max(now, previous?.publishedAt ?? now),
      records: this.newestOf.size + ids.filter((id) => !this.newestOf.has(id)).length,
      changes: ids.length,
      checks: { ...this.#checks },
    }
    return { info, versions: versions.sort((a, b) => a.lastModified - b.lastModified || (a.id < b.id ? -1 : 1)) }
  }

  /** What was changed and changed back is no change. */
  #isNew(id: string): boolean {
    const before = this.newestOf.get(id)
    return before === undefined || recordBody(before.content, 0) !== recordBody(this.#contents.get(id)!, 0)
  }

  commit(edition: SimulatedEdition): void {
    for (const version of edition.versions) {
      const before = this.newestOf.get(version.id)
      if (before) before.supersededBy = edition.info.edition
      this.newestOf.set(version.id, version)
      this.versions.push(version)
    }
    this.editions.push(edition)
    this.#changed.clear()
  }

  /** The record as the API must deliver it in an edition: `checkedAt` after the id. */
  wire(version: Version, edition: number): string {
    const { checks } = this.edition(edition)!.info
    const times = version.sources.flatMap((source) => checks[source] ?? [])
    const checkedAt = times.length === 0 ? version.lastModified : Math.max(...times)
    return `${version.body.slice(0, 45)}"checkedAt":"${toInstant(checkedAt)}",${version.body.slice(45)}`
  }
}

export const isVisible = (version: Version, edition: number): boolean =>
  version.edition <= edition && (version.supersededBy === 0 || version.supersededBy > edition)

export const entryOf = ({ lastModified, body, sources }: Version): NewEntry => ({
  lastModified,
  body,
  sources: JSON.stringify(sources),
})
