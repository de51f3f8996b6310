// How often each member is filled in the newest edition: counted record by record, in slices between which others have their turn.
import { setTimeout as pause } from 'node:timers/promises'
import type { TenderLot, TenderOrganization, TenderRecord } from '../../domain/tender.ts'
import type { EditionInfo, EditionView, RecordKey } from '../../edition/read/edition-view.ts'
import { type MemberKind, memberKinds, memberNames } from './record-members.ts'

/** Records between two pauses: one to three milliseconds of work. */
const sliceRecords = 25
/** Milliseconds of pause for each of work. */
const pauseShare = 2
/** Longest example in characters. */
const longestExample = 80
/** Members that tell of people: no example is taken. */
const personal: ReadonlySet<string> = new Set(['organization.contactName', 'organization.email', 'organization.phone'])

/** Objects of one kind, and how many of them have each member. */
type KindCount = { objects: number; readonly filled: { [member: string]: number } }
type FillCount = { readonly [kind in MemberKind]: KindCount }

export type FieldFill = {
  readonly edition: EditionInfo
  /** By publisher of a notice of the record; `''` for all records. */
  readonly bySource: ReadonlyMap<string, FillCount>
  /** A value of the edition by `kind.member`. */
  readonly examples: ReadonlyMap<string, string>
}

export class FieldCounter {
  readonly #editions: EditionView
  #latest: FieldFill | undefined
  #running: Promise<void> | undefined
  #done = 0

  constructor(editions: EditionView) {
    this.#editions = editions
  }

  /** The newest complete count; undefined before the first. */
  get latest(): FieldFill | undefined {
    return this.#latest
  }

  /** Records counted so far by the count under way. */
  get done(): number {
    return this.#done
  }

  /** Counts the newest edition where that was not done yet, and waits for it at most this long. */
  async refresh(waitMs: number): Promise<void> {
    const { newest } = this.#editions
    if (!newest || this.#latest?.edition.edition === newest.edition) return
    this.#running ??= this.#count(newest).finally(() => {
      this.#running = undefined
    })
    await Promise.race([this.#running, pause(waitMs, undefined, { ref: false })])
  }

  async #count(edition: EditionInfo): Promise<void> {
    this.#done = 0
    const bySource = new Map<string, FillCount>([['', emptyCount()]])
    const examples = new Map<string, string>()
    let after: RecordKey | undefined
    try {
      for (;;) {
        const startedAt = performance.now()
        const page = this.#slice(edition.edition, after)
        for (const record of page.records) countRecord(record, bySource, examples)
        this.#done += page.records.length
        if (page.next === null) break
        after = page.next
        await pause((performance.now() - startedAt) * pauseShare, undefined, { ref: false })
      }
    } catch {
      // the log was closed or is being rebuilt: whoever asks next begins again
      return
    }
    this.#latest = { edition, bySource, examples }
  }

  /** Nothing may come between the list and its bytes. */
  #slice(edition: number, after: RecordKey | undefined) {
    const filter = { archived: true }
    const query = { filter, edition, limit: sliceRecords, ...(after && { after }) }
    const { positions, next } = this.#editions.list(query)
    const records = positions.map((position) => {
      const { bytes, release } = this.#editions.record(position, 'identity')
      const record = JSON.parse(bytes.toString()) as TenderRecord
      release?.()
      return record
    })
    return { records, next }
  }
}

const emptyCount = (): FillCount =>
  Object.fromEntries(
    memberKinds.map((kind) => [
      kind,
      { objects: 0, filled: Object.fromEntries(memberNames(kind).map((name) => [name, 0])) },
    ]),
  ) as FillCount

function countRecord(record: TenderRecord, bySource: Map<string, FillCount>, examples: Map<string, string>): void {
  const publishers = new Set(record.originalSources.map(({ publisher }) => publisher))
  const counts = ['', ...publishers].map((source) => {
    let count = bySource.get(source)
    if (!count) {
      count = emptyCount()
      bySource.set(source, count)
    }
    return count
  })
  const objects = objectsOf(record)
  for (const kind of memberKinds)
    for (const each of objects[kind]) {
      for (const count of counts) countObject(count[kind], each)
      if (kind !== 'organization' || each === record.contractingAuthority) noteExamples(kind, each, examples)
    }
}

type Plain = { readonly [member: string]: unknown }

/** The objects of a record by kind. */
function objectsOf(record: TenderRecord): { readonly [kind in MemberKind]: readonly Plain[] } {
  const { lots, contractingAuthority, jointAuthorities = [], realizedLocation, contractAmount } = record
  const present = <T>(values: readonly (T | null | undefined)[]): T[] =>
    values.filter((value) => value !== undefined && value !== null) as T[]
  return {
    record: [record],
    organization: present<TenderOrganization>([
      contractingAuthority,
      ...jointAuthorities,
      ...lots.flatMap(({ winners = [] }) => winners),
    ]),
    lot: lots satisfies readonly TenderLot[],
    location: present([realizedLocation, ...lots.map((lot) => lot.realizedLocation)]),
    amount: present([contractAmount]),
    duration: present(lots.map(({ duration }) => duration)),
    notice: record.originalSources,
  }
}

function countObject(count: KindCount, object: Plain): void {
  count.objects++
  for (const [name, value] of Object.entries(object))
    if (count.filled[name] !== undefined && isFilled(value)) count.filled[name]++
}

/** Null, empty texts and empty lists hold nothing. */
const isFilled = (value: unknown): boolean =>
  value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)

/** The first value that is short enough to be shown whole. */
function noteExamples(kind: MemberKind, object: Plain, examples: Map<string, string>): void {
  for (const [name, value] of Object.entries(object)) {
    const key = `${kind}.${name}`
    if (examples.has(key) || personal.has(key) || !isFilled(value)) continue
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    if (text.length <= longestExample) examples.set(key, text)
  }
}

/** Whether examples of a member are left out because they tell of people. */
export const isPersonal = (kind: MemberKind, name: string): boolean => personal.has(`${kind}.${name}`)
