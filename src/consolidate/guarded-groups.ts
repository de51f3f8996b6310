// Which groups of notices may become one: the guards. Groups only grow: a union-find over the units, where each group
// knows what the guards ask of it (buyers, procedures, calls, results).
import { wordsOverlap } from '../domain/name-words.ts'
import type { Notice } from '../domain/notice.ts'
import { dayMs } from '../domain/time.ts'
import {
  type BuyerIdentity,
  buyerIdentity,
  buyersConflict,
  countriesConflict,
  disjoint,
  mayBeOtherBodies,
  unitedBuyers,
} from './buyer-identity.ts'
import { cleanReferenceNumber, procedureScope, type TitleWords, titleWords } from './link-keys.ts'
import { maxWeakHolders } from './match/thresholds.ts'
import { isFirstCall, namedCallsOf, namesOtherCall, publicationDay } from './named-calls.ts'
import { noticeDate, type Unit } from './notice-units.ts'

/** What the guards know about a component. */
type Group = {
  readonly members: readonly number[]
  readonly buyers: BuyerIdentity
  /** Procedure id by the scope in which it is unique. */
  readonly procedures: ReadonlyMap<string, string>
  /** Publishers whose own, first call for competition is in it, with its day. */
  readonly calls: ReadonlyMap<string, number>
  readonly firstCallMs: number | undefined
  readonly resultMs: readonly number[]
  /** Days of its announcements of a direct award. */
  readonly intentionMs: readonly number[]
  readonly firstMs: number
}

/**
 * How far the key that two groups share is trusted, from most to least; the less it is, the more the guard asks.
 * `same-notice`: versions of one notice; `strong`: one names the other; `procedure`: both have the id of one procedure;
 * `constant`: an id that calls for other things have, too; `absent-target`: both name a third notice that is missing;
 * `weak`: a number that the buyer may use for several tenders.
 */
export type Guard = 'same-notice' | 'strong' | 'procedure' | 'constant' | 'absent-target' | 'weak'

/** The groups of units; each unit is alone at first. A group is named by the index of its first unit, its root. */
export class GuardedGroups {
  readonly #units: readonly Unit[]
  readonly #groups: Group[]
  readonly #parents: number[]
  readonly #titles = new Map<number, TitleWords>()
  readonly #onJoin: (left: Unit, right: Unit) => void

  /** `onJoin` is called with the two units whose key joined two groups. */
  constructor(units: readonly Unit[], onJoin: (left: Unit, right: Unit) => void) {
    this.#units = units
    this.#groups = units.map((unit, index) => groupOf(index, unit))
    this.#parents = units.map((_, index) => index)
    this.#onJoin = onJoin
  }

  root(index: number): number {
    const parents = this.#parents
    while (parents[index] !== index) {
      parents[index] = parents[parents[index]!]!
      index = parents[index]!
    }
    return index
  }

  /** The units of the group with this root. */
  membersOf(root: number): readonly Unit[] {
    return this.#groups[root]!.members.map((member) => this.#units[member]!)
  }

  /** Makes the groups of two units one unless the guard forbids it; returns whether they are one now. */
  join(first: number, second: number, guard: Guard): boolean {
    const [a, b] = [this.root(first), this.root(second)]
    if (a === b) return true
    if (!this.#mayJoin(a, b, guard)) return false
    const [low, high] = a < b ? [a, b] : [b, a]
    this.#onJoin(this.#units[first]!, this.#units[second]!)
    this.#parents[high] = low
    this.#groups[low] = unitedGroup(this.#groups[low]!, this.#groups[high]!)
    return true
  }

  /** Each member joins the first group among those before it that has nothing against it. */
  joinInTurn(members: readonly number[], guard: Guard): void {
    members.forEach((member, turn) => {
      const before = new Map(members.slice(0, turn).map((other) => [this.root(other), other]))
      for (const other of before.values()) if (this.join(other, member, guard)) return
    })
  }

  /** Joins the members if no two of their groups have anything against each other. */
  joinWhenAllAgree(members: readonly number[]): void {
    const roots = [...new Set(members.map((member) => this.root(member)))]
    if (roots.length < 2 || roots.length > maxWeakHolders) return
    const agree = roots.every((a, turn) => roots.slice(turn + 1).every((b) => this.#mayJoin(a, b, 'weak')))
    if (agree) for (const other of roots.slice(1)) this.join(roots[0]!, other, 'weak')
  }

  #mayJoin(first: number, second: number, guard: Guard): boolean {
    const [a, b] = [this.#groups[first]!, this.#groups[second]!]
    if (proceduresConflict(a, b)) return false
    if (guard === 'same-notice') return true
    if (countriesConflict(a.buyers, b.buyers) || buyersConflict(a.buyers, b.buyers)) return false
    if (guard === 'strong') return true
    if (guard === 'procedure') return !mayBeOtherBodies(a.buyers, b.buyers) || this.#shareNumberOrTitle(a, b)
    if (guard === 'constant') return this.#shareNumberOrTitle(a, b)
    if (bothCall(a, b)) return false
    if (guard === 'absent-target') return !this.#noticesContradict(a, b)
    return !(timesConflict(a, b) || this.#titlesConflict(a, b) || this.#nameOtherCalls(a, b))
  }

  /**
   * Whether an id of a procedure is the constant of some software: two of the calls that have it share neither number
   * nor title nor CPV division, or three of them neither number nor title. Calls that name each other count as one.
   */
  isConstant(members: readonly number[]): boolean {
    const groups = [...new Set(members.map((member) => this.root(member)))].map((root) => this.#groups[root]!)
    const strangers: Group[] = []
    for (const group of groups) {
      if (group.firstCallMs === undefined) continue
      const others = strangers.filter((stranger) => !this.#shareNumberOrTitle(stranger, group))
      if (others.some((other) => divisionsDiffer(this.#noticesOf(other), this.#noticesOf(group)))) return true
      if (others.length === strangers.length) strangers.push(group)
      if (strangers.length === 3) return true
    }
    return false
  }

  /** Titles without a common language may be one. */
  #shareNumberOrTitle(a: Group, b: Group): boolean {
    return a.members.some((one) =>
      b.members.some(
        (other) =>
          shareNumber(this.#units[one]!.notice, this.#units[other]!.notice) ||
          mayShareTitle(this.#titlesOf(one), this.#titlesOf(other)),
      ),
    )
  }

  /** A notice that names a missing notice may be one of several contracts under it, each a separate tender. */
  #noticesContradict(a: Group, b: Group): boolean {
    return this.#noticesOf(a).some((one) => this.#noticesOf(b).some((other) => concernDifferentContracts(one, other)))
  }

  /**
   * One building project has one number and many trades: titles that each have a word that the other lacks are
   * unrelated.
   */
  #titlesConflict(a: Group, b: Group): boolean {
    return a.members.some((one) => b.members.some((other) => titlesDiffer(this.#titlesOf(one), this.#titlesOf(other))))
  }

  #nameOtherCalls(a: Group, b: Group): boolean {
    return namesOtherCall(namedCallsOf(this.#noticesOf(a)), namedCallsOf(this.#noticesOf(b))) !== undefined
  }

  #noticesOf(group: Group): Notice[] {
    return group.members.map((index) => this.#units[index]!.notice)
  }

  #titlesOf(index: number): TitleWords {
    const found = this.#titles.get(index) ?? titleWords(this.#units[index]!.notice)
    this.#titles.set(index, found)
    return found
  }
}

function groupOf(index: number, { notice }: Unit): Group {
  const procedure = procedureScope(notice)
  const day = Date.parse(noticeDate(notice))
  const callMs = isFirstCall(notice) ? day : undefined
  return {
    members: [index],
    buyers: buyerIdentity(notice.contractingAuthorities),
    procedures: new Map(procedure ? [[procedure.scope, procedure.id]] : []),
    calls: new Map(callMs === undefined ? [] : [[notice.publisher, callMs]]),
    firstCallMs: callMs,
    resultMs: notice.formType === 'result' ? [day] : [],
    intentionMs: notice.formType === 'dir-awa-pre' ? [day] : [],
    firstMs: day,
  }
}

function unitedGroup(a: Group, b: Group): Group {
  const firstCalls = [a.firstCallMs, b.firstCallMs].filter((ms) => ms !== undefined)
  return {
    members: [...a.members, ...b.members],
    buyers: unitedBuyers(a.buyers, b.buyers),
    procedures: new Map([...a.procedures, ...b.procedures]),
    calls: new Map([...a.calls, ...b.calls]),
    firstCallMs: firstCalls.length > 0 ? Math.min(...firstCalls) : undefined,
    resultMs: [...a.resultMs, ...b.resultMs],
    intentionMs: [...a.intentionMs, ...b.intentionMs],
    firstMs: Math.min(a.firstMs, b.firstMs),
  }
}

function proceduresConflict(a: Group, b: Group): boolean {
  for (const [scope, id] of a.procedures) {
    const other = b.procedures.get(scope)
    if (other !== undefined && other !== id) return true
  }
  return false
}

function bothCall(a: Group, b: Group): boolean {
  for (const publisher of a.calls.keys()) if (b.calls.has(publisher)) return true
  return false
}

/** Whether a result of `a` was published on the day of the call of `b` or before: then `b` is a new call. */
function isDecidedBefore(a: Group, b: Group): boolean {
  const { firstCallMs } = b
  return firstCallMs !== undefined && a.resultMs.some((ms) => publicationDay(ms) <= publicationDay(firstCallMs))
}

/**
 * Calls at most 60 days apart, a result from the day after a call to 720 days after it, the nearest results and the
 * nearest announcements of a direct award at most 45 days apart, no result older than what has neither (V8).
 */
function timesConflict(a: Group, b: Group): boolean {
  if (isDecidedBefore(a, b) || isDecidedBefore(b, a)) return true
  if (a.firstCallMs !== undefined && b.firstCallMs !== undefined)
    return Math.abs(a.firstCallMs - b.firstCallMs) > 60 * dayMs
  const callMs = a.firstCallMs ?? b.firstCallMs
  if (callMs !== undefined) {
    const results = a.firstCallMs === undefined ? a.resultMs : b.resultMs
    return results.some((ms) => ms - callMs > 720 * dayMs)
  }
  if (a.resultMs.length > 0 && b.resultMs.length > 0) return areApart(a.resultMs, b.resultMs)
  if (a.resultMs.length > 0 || b.resultMs.length > 0) {
    const [decided, undecided] = a.resultMs.length > 0 ? [a, b] : [b, a]
    return decided.resultMs.some((ms) => ms < undecided.firstMs)
  }
  return areApart(a.intentionMs, b.intentionMs)
}

/** Whether no two of them, one of each side, lie within 45 days; false if a side has none. */
function areApart(days: readonly number[], others: readonly number[]): boolean {
  if (days.length === 0 || others.length === 0) return false
  return days.every((ms) => others.every((other) => Math.abs(ms - other) > 45 * dayMs))
}

function holdsAll(words: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  for (const word of others) if (!words.has(word)) return false
  return true
}

/**
 * Whether, in every language, neither title holds all words of the other; titles without a common language cannot be
 * compared and differ.
 */
function titlesDiffer(a: TitleWords, b: TitleWords): boolean {
  for (const [language, words] of a) {
    const others = b.get(language)
    if (others && (holdsAll(words, others) || holdsAll(others, words))) return false
  }
  return true
}

/**
 * Notices that name the same third one report different contracts: the authority gave them different numbers, or,
 * without a common number, each title has a word that the other lacks in every language that they share. Numbers of
 * lots do not count.
 */
function concernDifferentContracts(a: Notice, b: Notice): boolean {
  const [number, other] = [cleanReferenceNumber(a.internalReference), cleanReferenceNumber(b.internalReference)]
  if (number !== undefined && other !== undefined) return !number.includes(other) && !other.includes(number)
  const [titles, others] = [titleWords(a), titleWords(b)]
  const shared = [...titles].filter(([language]) => others.has(language))
  return shared.length > 0 && shared.every(([language, words]) => haveOwnWords(words, others.get(language)!))
}

function shareNumber(a: Notice, b: Notice): boolean {
  const [number, other] = [cleanReferenceNumber(a.internalReference), cleanReferenceNumber(b.internalReference)]
  return number !== undefined && other !== undefined && (number.includes(other) || other.includes(number))
}

/** Whether the titles have half of their words in common in a language, or no common language. */
function mayShareTitle(a: TitleWords, b: TitleWords): boolean {
  const shared = [...a].filter(([language]) => b.has(language))
  return (
    shared.length === 0 || shared.some(([language, words]) => wordsOverlap(telling(words), telling(b.get(language)!)))
  )
}

const telling = (words: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...words].filter((word) => word.length > 3 || /\d/.test(word)))

/** Whether both have CPV codes, but none of a common division. */
function divisionsDiffer(some: readonly Notice[], others: readonly Notice[]): boolean {
  const [a, b] = [divisionsOf(some), divisionsOf(others)]
  return a.size > 0 && b.size > 0 && disjoint(a, b)
}

const divisionsOf = (notices: readonly Notice[]): ReadonlySet<string> =>
  new Set(
    notices
      .flatMap(({ cpvCodes, lots }) => [...cpvCodes, ...lots.flatMap((lot) => lot.cpvCodes)])
      .map((code) => code.slice(0, 2)),
  )

function haveOwnWords(words: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  const hasOwn = (some: ReadonlySet<string>, more: ReadonlySet<string>): boolean =>
    [...some].some((word) => word.length > 2 && !/^\d/.test(word) && !more.has(word))
  return hasOwn(words, others) && hasOwn(others, words)
}
