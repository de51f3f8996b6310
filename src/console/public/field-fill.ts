// How often each member is filled, overall and by publisher, and a value of each.
import type { TenderLot, TenderOrganization, TenderRecord } from '../../domain/tender.ts'
import { type MemberKind, memberKinds, memberNames } from './record-members.ts'

/** Longest example in characters. */
const longestExample = 80
/** Members about people, of which no example is shown. */
const personal: ReadonlySet<string> = new Set(['organization.contactName', 'organization.email', 'organization.phone'])

/** Objects of one kind, and how many of them have each member. */
type KindCount = { objects: number; readonly filled: { [member: string]: number } }
type FillCount = { readonly [kind in MemberKind]: KindCount }

export class FieldFill {
  readonly #bySource = new Map<string, FillCount>([['', emptyCount()]])
  readonly #examples = new Map<string, string>()

  /** By publisher of a notice of the record; `''` for all records. */
  get bySource(): ReadonlyMap<string, FillCount> {
    return this.#bySource
  }

  /** A value of the edition by `kind.member`. */
  get examples(): ReadonlyMap<string, string> {
    return this.#examples
  }

  add(record: TenderRecord): void {
    countRecord(record, this.#bySource, this.#examples)
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

/** Notes the first value that is short enough to be shown in full. */
function noteExamples(kind: MemberKind, object: Plain, examples: Map<string, string>): void {
  for (const [name, value] of Object.entries(object)) {
    const key = `${kind}.${name}`
    if (examples.has(key) || personal.has(key) || !isFilled(value)) continue
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    if (text.length <= longestExample) examples.set(key, text)
  }
}

/** Whether a member has no examples because it is about people. */
export const isPersonal = (kind: MemberKind, name: string): boolean => personal.has(`${kind}.${name}`)
