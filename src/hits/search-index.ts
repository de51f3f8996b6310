// Finds which of many searches a record matches: every search is filed under the two rarest of its clauses, and checked
// where both occur.
import { firstDeadline } from '#flat/record/first-deadline'
import { buyersOf } from '../domain/buyers.ts'
import { cpvRange } from '../domain/cpv.ts'
import { toNutsCode } from '../domain/nuts.ts'
import { identifierOf } from '../domain/organization-identity.ts'
import type { TenderOrganization, TenderRecord } from '../domain/tender.ts'
import { dayMs } from '../domain/time.ts'
import { openTokenTable, type TokenTable } from '../domain/token-table.ts'
import { affixLength, authorityKey, spellingsOf } from '../domain/words.ts'
import type { SearchFilter } from './saved-search.ts'

/**
 * An atom is one thing that a clause can require: a code with those below it, a spelling, an authority. Each has a
 * number.
 */
type Atoms = {
  /** By the code as the filter has it, a number of eight digits. */
  readonly cpv: Map<number, number>
  readonly nuts: Map<string, number>
  readonly spellings: Map<string, number>
  readonly authorities: Map<string, number>
  readonly natures: Map<string, number>
  readonly procedures: Map<string, number>
  readonly statuses: Map<string, number>
}

type Program = {
  /** One atom of each clause must occur; a search can be filed only under one of the first `anchors` clauses. */
  readonly clauses: readonly (readonly number[])[]
  readonly anchors: number
  readonly excluded: readonly number[]
  readonly valueMin: number
  readonly valueMax: number
  readonly minMs: number
}

export type SearchIndex = {
  /** Numbers of the filters that match, in no order. `at`: time of the record's edition, epoch ms. */
  readonly match: (record: TenderRecord, at: number) => number[]
}

/**
 * The programs filed under one atom. Those that need one further atom are a group: in `groups` that atom or -1, then
 * where in `words` its filters start that need nothing more, where these end, and where its other programs end. Each of
 * those is its end, filter, condition or -1, number of clauses, then each clause as its length and atoms, then the
 * excluded atoms. A filter that is filed several times is negative: its complement.
 */
type Filed = { readonly groups: Int32Array; readonly words: Int32Array }

/** `sample`: some records like those to come; they show which clause of each filter is the rarest. */
export function indexSearches(filters: readonly SearchFilter[], sample: readonly TenderRecord[]): SearchIndex {
  const atoms: Atoms = {
    cpv: new Map(),
    nuts: new Map(),
    spellings: new Map(),
    authorities: new Map(),
    natures: new Map(),
    procedures: new Map(),
    statuses: new Map(),
  }
  let atomCount = 0
  const numberIn = <K>(map: Map<K, number>, key: K): number => {
    const known = map.get(key)
    if (known !== undefined) return known
    map.set(key, atomCount)
    return atomCount++
  }
  const programs = filters.map((filter) => programOf(filter, atoms, numberIn))
  const reader = openAtomScanner(atoms, atomCount)
  const counts = new Uint32Array(atomCount)
  for (const record of sample) {
    reader.read(record)
    for (let index = 0; index < reader.presentCount(); index++) counts[reader.present[index]!]!++
  }
  const conditions: number[] = []
  const filed = fileAll(programs, counts, conditions)
  /** The round in which each filter was found that is filed several times. */
  const foundIn = new Int32Array(filters.length)

  return {
    match: (record, at) => {
      const found: number[] = []
      if (record.archiveReason !== undefined) return found
      const round = reader.read(record)
      const { marks, present } = reader
      const meets = conditionsOf(record, at, conditions)
      const add = (filed: number): void => {
        if (filed < 0) {
          if (foundIn[~filed] === round) return
          foundIn[~filed] = round
        }
        found.push(filed < 0 ? ~filed : filed)
      }
      for (let index = reader.presentCount() - 1; index >= 0; index--) {
        const list = filed[present[index]!]
        if (list === undefined) continue
        const { groups, words } = list
        for (let group = 0; group < groups.length; group += 4) {
          if (groups[group] !== noSecond && marks[groups[group]!] !== round) continue
          let position = groups[group + 1]!
          for (const end = groups[group + 2]!; position < end; position++) add(words[position]!)
          for (const end = groups[group + 3]!; position < end; position = words[position]!)
            if (holds(words, position, marks, round) && meets(words[position + 2]!)) add(words[position + 1]!)
        }
      }
      return found
    },
  }
}

/** Whether the numbers of a record meet a condition, which is read only where one is asked for. */
function conditionsOf(record: TenderRecord, at: number, conditions: readonly number[]): (condition: number) => boolean {
  const amount = record.contractAmount
  const value = amount !== null && amount.currency === 'EUR' ? amount.value : Number.NaN
  let left: number | undefined
  return (condition) => {
    if (condition < 0) return true
    const [valueMin, valueMax, minMs] = [conditions[condition]!, conditions[condition + 1]!, conditions[condition + 2]!]
    if ((valueMin !== -Infinity && !(value >= valueMin)) || (valueMax !== Infinity && !(value <= valueMax)))
      return false
    if (minMs === -Infinity) return true
    left ??= Date.parse(firstDeadline(record)?.at ?? '') - at
    return left >= minMs
  }
}

/** Whether one atom of every clause at this position is marked, and none of the excluded ones. */
function holds(words: Int32Array, position: number, marks: Int32Array, round: number): boolean {
  let at = position + 4
  for (let clauses = words[position + 3]!; clauses > 0; clauses--) {
    const end = at + 1 + words[at]!
    let isMarked = false
    for (at++; at < end; at++)
      if (marks[words[at]!] === round) {
        isMarked = true
        break
      }
    if (!isMarked) return false
    at = end
  }
  for (const end = words[position]!; at < end; at++) if (marks[words[at]!] === round) return false
  return true
}

function programOf(filter: SearchFilter, atoms: Atoms, number: <K>(map: Map<K, number>, key: K) => number): Program {
  const cpv = (codes: readonly string[]) => codes.map((code) => number(atoms.cpv, cpvRange(code).from))
  const nuts = (codes: readonly string[]) => codes.map((code) => number(atoms.nuts, code))
  const words = (list: readonly string[]) => list.flatMap(spellingsOf).map((text) => number(atoms.spellings, text))
  const authorities = (list: readonly string[]) => list.map((text) => number(atoms.authorities, authorityKey(text)))
  const anchors = [
    ...(filter.cpv ? [cpv(filter.cpv)] : []),
    ...(filter.nuts ? [nuts(filter.nuts)] : []),
    ...(filter.words ? [words(filter.words)] : []),
    ...(filter.allWords ?? []).map((word) => words([word])),
    ...(filter.authorities ? [authorities(filter.authorities)] : []),
  ]
  const { excluded } = filter
  return {
    clauses: [
      ...anchors,
      ...(filter.contractNatures ? [filter.contractNatures.map((nature) => number(atoms.natures, nature))] : []),
      ...(filter.procedures ? [filter.procedures.map((code) => number(atoms.procedures, code))] : []),
      ...(filter.status ? [filter.status.map((status) => number(atoms.statuses, status))] : []),
    ],
    anchors: anchors.length,
    excluded: [
      ...cpv(excluded?.cpv ?? []),
      ...nuts(excluded?.nuts ?? []),
      ...words(excluded?.words ?? []),
      ...authorities(excluded?.authorities ?? []),
    ],
    valueMin: filter.valueMin ?? -Infinity,
    valueMax: filter.valueMax ?? Infinity,
    minMs: filter.minDaysToDeadline === undefined ? -Infinity : filter.minDaysToDeadline * dayMs,
  }
}

/** Maximum number of pairs of atoms under which one program is filed. */
const maxPairs = 64
/** Maximum numbers that the programs of one search have under all pairs, so that long lists are not repeated. */
const maxRepeated = 1024
/** Stands for the second atom of a program that needs none, or has too many. */
const noSecond = -1

/** The programs filed under a pair of atoms: those that need nothing more, and the others one after the other. */
type Group = { readonly bare: number[]; readonly bodies: number[][] }

/**
 * Files every program under each atom of its rarest clause, and there under each of its second rarest; the conditions
 * on numbers are added to `conditions`.
 */
function fileAll(programs: readonly Program[], counts: Uint32Array, conditions: number[]): (Filed | undefined)[] {
  const lists: (Map<number, Group> | undefined)[] = []
  programs.forEach((program, number) => {
    const anchor = rarestClause(program, counts)
    // the rarest clauses fail first
    const others = program.clauses.filter((_, index) => index !== anchor)
    others.sort((a, b) => occurrences(a, counts) - occurrences(b, counts))
    const atoms = new Set(program.clauses[anchor]!)
    let seconds = new Set([noSecond])
    const pairs = atoms.size * (others[0]?.length ?? 0)
    const rest = [...others.slice(1), program.excluded].reduce((sum, clause) => sum + clause.length, 0)
    if (pairs > 0 && pairs <= maxPairs && pairs * rest <= maxRepeated) seconds = new Set(others.shift())
    const filter = atoms.size * seconds.size > 1 ? ~number : number
    const condition = conditionOf(program, conditions)
    const body = [filter, condition, others.length, ...others.flatMap((clause) => [clause.length, ...clause])]
    body.push(...program.excluded)
    const isBare = condition < 0 && body.length === 3
    for (const atom of atoms) {
      lists[atom] ??= new Map()
      for (const second of seconds) {
        const group = lists[atom].get(second) ?? { bare: [], bodies: [] }
        lists[atom].set(second, group)
        if (isBare) group.bare.push(filter)
        else group.bodies.push(body)
      }
    }
  })
  return lists.map((groups) => groups && filedOf(groups))
}

function filedOf(lists: ReadonlyMap<number, Group>): Filed {
  const groups: number[] = []
  const words: number[] = []
  for (const [second, { bare, bodies }] of lists) {
    groups.push(second, words.length)
    for (const filter of bare) words.push(filter)
    groups.push(words.length)
    for (const body of bodies) {
      words.push(words.length + 1 + body.length)
      for (const word of body) words.push(word)
    }
    groups.push(words.length)
  }
  return { groups: Int32Array.from(groups), words: Int32Array.from(words) }
}

const occurrences = (clause: readonly number[], counts: Uint32Array): number =>
  clause.reduce((sum, atom) => sum + counts[atom]!, 0)

/** Only clauses that must hold are considered: a search is never filed under what it excludes. */
function rarestClause({ clauses, anchors }: Program, counts: Uint32Array): number {
  let rarest = 0
  for (let index = 1; index < anchors; index++)
    if (occurrences(clauses[index]!, counts) < occurrences(clauses[rarest]!, counts)) rarest = index
  return rarest
}

function conditionOf({ valueMin, valueMax, minMs }: Program, conditions: number[]): number {
  if (valueMin === -Infinity && valueMax === Infinity && minMs === -Infinity) return -1
  return conditions.push(valueMin, valueMax, minMs) - 3
}

/** The atoms of one record after the other, each marked with the round of the record. */
type AtomScanner = {
  /** Returns the round. */
  readonly read: (record: TenderRecord) => number
  readonly marks: Int32Array
  /** The atoms of the record that was read, each once, as many as `presentCount` says. */
  readonly present: Int32Array
  readonly presentCount: () => number
}

function openAtomScanner(atoms: Atoms, atomCount: number): AtomScanner {
  const marks = new Int32Array(atomCount)
  const present = new Int32Array(atomCount)
  let round = 0
  let count = 0
  const mark = (atom: number): void => {
    if (marks[atom] === round) return
    marks[atom] = round
    present[count++] = atom
  }
  const markPart = (all: Int32Array, start: number, end: number): void => {
    for (let index = start; index < end; index++) mark(all[index]!)
  }
  const markAll = (found: Int32Array): void => markPart(found, 0, found.length)
  const markIfAny = (atom: number | undefined): void => {
    if (atom !== undefined) mark(atom)
  }
  const table: TokenTable = openTokenTable((token) => atomsOfToken(token, atoms.spellings))
  const cpvAtoms = remembered((code) => atomsOfCpv(code, atoms.cpv))
  const nutsAtoms = remembered((code) => atomsOfNuts(code, atoms.nuts))
  const authorityAtoms = remembered((text) => {
    const atom = atoms.authorities.get(authorityKey(text))
    return Int32Array.from(atom === undefined ? [] : [atom])
  })

  const atomsOfId = (buyer: TenderOrganization): Int32Array => {
    const found = authorityAtoms(buyer.nationalId!)
    return found.length === 0 || identifierOf(buyer) !== undefined ? found : new Int32Array(0)
  }
  const readText = (text: string | undefined): void => {
    if (text !== undefined) table.read(text, markPart)
  }
  /** Many lots repeat a text of their tender. */
  const readLotText = (text: string | undefined, { title, description }: TenderRecord): void => {
    if (text !== title && text !== description) readText(text)
  }
  return {
    marks,
    present,
    presentCount: () => count,
    read: (record) => {
      round++
      count = 0
      for (const code of record.cpvCodes) markAll(cpvAtoms(code))
      for (const code of record.nutsCodes) markAll(nutsAtoms(code))
      markIfAny(atoms.natures.get(record.contractNature ?? ''))
      markIfAny(atoms.procedures.get(record.procedureType ?? ''))
      markIfAny(atoms.statuses.get(record.status))
      for (const lot of record.lots) {
        for (const code of lot.cpvCodes) markAll(cpvAtoms(code))
        markIfAny(atoms.natures.get(lot.contractNature ?? ''))
        readLotText(lot.title, record)
        readLotText(lot.description, record)
      }
      if (atoms.authorities.size > 0)
        for (const buyer of buyersOf(record)) {
          markAll(authorityAtoms(buyer.name))
          if (buyer.nationalId !== undefined) markAll(atomsOfId(buyer))
        }
      readText(record.title)
      readText(record.description)
      for (const language in record.translations) {
        readText(record.translations[language]!.title)
        readText(record.translations[language]!.description)
      }
      return round
    },
  }
}

/** Maximum number of texts whose atoms are remembered. */
const maxRemembered = 50_000

function remembered(atomsOf: (text: string) => Int32Array): (text: string) => Int32Array {
  const known = new Map<string, Int32Array>()
  return (text) => {
    let found = known.get(text)
    if (found === undefined) {
      found = atomsOf(text)
      if (known.size === maxRemembered) known.clear()
      known.set(text, found)
    }
    return found
  }
}

/** The codes that cover this one are its own digits up to some place, then zeros. */
function atomsOfCpv(code: string, cpv: ReadonlyMap<number, number>): Int32Array {
  if (!/^\d{8}$/.test(code)) return new Int32Array(0)
  const found = new Set<number>()
  for (let digits = 2; digits <= 8; digits++) {
    const atom = cpv.get(Number(code.slice(0, digits).padEnd(8, '0')))
    if (atom !== undefined) found.add(atom)
  }
  return Int32Array.from(found)
}

function atomsOfNuts(text: string, nuts: ReadonlyMap<string, number>): Int32Array {
  const code = toNutsCode(text)
  const found: number[] = []
  for (let length = 2; code !== undefined && length <= code.length; length++) {
    const atom = nuts.get(code.slice(0, length))
    if (atom !== undefined) found.push(atom)
  }
  return Int32Array.from(found)
}

/** The token itself, and from five letters on its beginnings and ends. */
function atomsOfToken(token: string, spellings: ReadonlyMap<string, number>): Int32Array {
  const found: number[] = []
  const add = (part: string): void => {
    const atom = spellings.get(part)
    if (atom !== undefined) found.push(atom)
  }
  add(token)
  for (let length = affixLength; length < token.length; length++) {
    add(token.slice(0, length))
    add(token.slice(-length))
  }
  return Int32Array.from(found)
}
