// Which notices belong together: components of the notices that share exact keys, under guards. Pure; independent of
// the order of arrival.
import type { Notice } from '../domain/notice.ts'
import { dayMs } from '../domain/time.ts'
import { type BuyerIdentity, buyerIdentity, buyersConflict, countriesConflict, unitedBuyers } from './buyer-identity.ts'
import {
  cleanReferenceNumber,
  isPlanning,
  type LinkKey,
  linkKeys,
  linkKinds,
  procedureScope,
  type TitleWords,
  titleWords,
  versionNumber,
} from './link-keys.ts'
import { maxWeakHolders } from './match/thresholds.ts'
import { isFirstCall, namedCallsOf, namesOtherCall, publicationDay } from './named-calls.ts'

/** One stored notice; `rowId` (hash of its document and pointer) decides between copies that are otherwise equal. */
export type StoredNotice = { readonly rowId: string; readonly sourceId: string; readonly notice: Notice }

/** A notice with all its copies: `notice` is the copy that counts. */
export type Unit = {
  readonly notice: Notice
  readonly rowIds: readonly string[]
  readonly sourceIds: readonly string[]
}

/** Notices of one tender, oldest first. `isSucceeded`: announced only, and a notice of another tender refers to it. */
export type Component = { readonly units: readonly Unit[]; readonly isSucceeded: boolean }

/** Two notices, by key, that a key joined: `kind` says how far it is trusted. */
export type Join = {
  readonly left: string
  readonly right: string
  readonly kind: LinkKey['kind'] | 'follower'
  readonly key: string
}

/** When a notice was published, for ordering: its publication, else its dispatch; notices without either come last. */
export function noticeDate(notice: Notice): string {
  return notice.publicationDate ?? notice.dispatchDate ?? '9999'
}

/** Whether nothing in it can be bid on yet. */
export function isAnnouncedOnly(units: readonly Unit[]): boolean {
  return units.every(({ notice }) => isPlanning(notice) || notice.formType === 'change')
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** By date, then key: the order in which the founding notice is the first. */
export function compareNotices(a: Notice, b: Notice): number {
  return compareText(noticeDate(a), noticeDate(b)) || compareText(a.noticeKey, b.noticeKey)
}

/** A portal's own format, such as a table row, holds less than a document in a standard format. */
const isOwnShape = ({ notice }: StoredNotice): number => Number(notice.format === 'portal')

/**
 * Combines copies of one notice; a document in a standard format takes precedence over a portal's own format (the XML
 * of the German service before its tables, which lack the deadline), then the last dispatched, of the highest version,
 * by hash.
 */
export function uniteCopies(notices: readonly StoredNotice[]): Unit[] {
  const byKey = new Map<string, StoredNotice[]>()
  for (const stored of notices) {
    const copies = byKey.get(stored.notice.noticeKey)
    if (copies) copies.push(stored)
    else byKey.set(stored.notice.noticeKey, [stored])
  }
  const units = [...byKey.values()].map((copies) => {
    copies.sort(
      (a, b) =>
        isOwnShape(a) - isOwnShape(b) ||
        compareText(b.notice.dispatchDate ?? '', a.notice.dispatchDate ?? '') ||
        versionNumber(b.notice.noticeVersion) - versionNumber(a.notice.noticeVersion) ||
        compareText(b.rowId, a.rowId),
    )
    return {
      notice: copies[0]!.notice,
      rowIds: copies.map((copy) => copy.rowId).sort(),
      sourceIds: [...new Set(copies.map((copy) => copy.sourceId))].sort(),
    }
  })
  return units.sort((a, b) => compareNotices(a.notice, b.notice))
}

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
}

type Guard = 'same-notice' | 'strong' | 'absent-target' | 'weak'

/** A standing list of qualified suppliers: procedures are run under it, its renewals are the same list. */
function isQualificationSystem(notice: Notice): boolean {
  return notice.noticeType === 'qu-sy'
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
 * Calls at most 60 days apart, a result from the day after a call to 720 days after it, results at most 45 days apart
 * (V8).
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
  return a.resultMs.some((ms) => b.resultMs.every((other) => Math.abs(ms - other) > 45 * dayMs))
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

function haveOwnWords(words: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  const hasOwn = (some: ReadonlySet<string>, more: ReadonlySet<string>): boolean =>
    [...some].some((word) => word.length > 2 && !/^\d/.test(word) && !more.has(word))
  return hasOwn(words, others) && hasOwn(others, words)
}

/**
 * Components of a closure: of all notices that are connected through keys, none left out. `ignoredKeys` are keys held
 * by too many notices. The result depends only on the set of notices.
 */
export function resolve(
  notices: readonly StoredNotice[],
  ignoredKeys: ReadonlySet<string> = new Set(),
  onJoin: (join: Join) => void = () => {},
): Component[] {
  const units = uniteCopies(notices)
  const groups: Group[] = units.map((unit, index) => groupOf(index, unit))
  const ownBuyers = groups.map((group) => group.buyers)
  const parents = units.map((_, index) => index)
  const root = (index: number): number => {
    while (parents[index] !== index) {
      parents[index] = parents[parents[index]!]!
      index = parents[index]!
    }
    return index
  }
  const titles = new Map<number, TitleWords>()
  const titlesOf = (index: number): TitleWords => {
    const found = titles.get(index) ?? titleWords(units[index]!.notice)
    titles.set(index, found)
    return found
  }
  // One building project has one number and many trades: titles that each have a word that the other lacks are
  // unrelated.
  const titlesConflict = (a: Group, b: Group): boolean =>
    a.members.some((first) => b.members.some((second) => titlesDiffer(titlesOf(first), titlesOf(second))))
  const noticesOf = (group: Group): Notice[] => group.members.map((index) => units[index]!.notice)
  const nameOtherCalls = (a: Group, b: Group): boolean =>
    namesOtherCall(namedCallsOf(noticesOf(a)), namedCallsOf(noticesOf(b))) !== undefined
  // A notice that names a missing notice may be one of several contracts under it, each a separate tender.
  const noticesContradict = (a: Group, b: Group): boolean =>
    noticesOf(a).some((first) => noticesOf(b).some((second) => concernDifferentContracts(first, second)))
  const mayJoin = (first: number, second: number, guard: Guard): boolean => {
    const [a, b] = [groups[first]!, groups[second]!]
    if (proceduresConflict(a, b)) return false
    if (guard === 'same-notice') return true
    if (countriesConflict(a.buyers, b.buyers) || buyersConflict(a.buyers, b.buyers)) return false
    if (guard === 'strong') return true
    if (bothCall(a, b)) return false
    if (guard === 'absent-target') return !noticesContradict(a, b)
    return !(timesConflict(a, b) || titlesConflict(a, b) || nameOtherCalls(a, b))
  }
  let joining: Pick<Join, 'kind' | 'key'> = { kind: 'follower', key: '' }
  const join = (first: number, second: number, guard: Guard): boolean => {
    const [a, b] = [root(first), root(second)]
    if (a === b) return true
    if (!mayJoin(a, b, guard)) return false
    const [low, high] = a < b ? [a, b] : [b, a]
    onJoin({ ...joining, left: units[first]!.notice.noticeKey, right: units[second]!.notice.noticeKey })
    parents[high] = low
    groups[low] = unitedGroup(groups[low]!, groups[high]!)
    return true
  }
  /** Each member joins the first component among those before it that has nothing against it. */
  const joinInTurn = (members: readonly number[], guard: Guard): void => {
    members.forEach((member, turn) => {
      const before = new Map(members.slice(0, turn).map((other) => [root(other), other]))
      for (const other of before.values()) if (join(other, member, guard)) return
    })
  }

  const keys = keysOf(units, ignoredKeys)
  const followings: Following[] = []
  for (const { key, kind, holders } of keys) {
    joining = { kind, key }
    const selves = holders.filter((holder) => holder.roles.has('self')).map((holder) => holder.index)
    if (kind === 'version') {
      joinInTurn(selves, 'same-notice')
    } else if (kind === 'notice' || kind === 'publication') {
      joinInTurn(selves, 'strong')
      const changes = holders.filter((holder) => holder.roles.has('changes')).map((holder) => holder.index)
      joinInTurn([...selves, ...changes], 'strong')
      const others = holders.filter((holder) => !holder.roles.has('self') && !holder.roles.has('changes'))
      const isKnown = selves.length > 0
      const isPlanned = isKnown && selves.every((index) => isPlanning(units[index]!.notice))
      const isSystemAt = (index: number): boolean => isQualificationSystem(units[index]!.notice)
      // A missing list is recognized by its renewals, which name it.
      const isSystem = isKnown ? selves.every(isSystemAt) : holders.some(({ index }) => isSystemAt(index))
      // Several procedures may follow one announcement, or be run under one qualification system.
      const isFollower = ({ index, roles }: Holder): boolean => {
        const { notice } = units[index]!
        if (isPlanned) return true
        if (isSystem) return !isQualificationSystem(notice)
        return isPlanning(notice) || (!isKnown && !(roles.has('previous') || roles.has('modifies')))
      }
      const followers = others.filter(isFollower).map((holder) => holder.index)
      if (isPlanned || isSystem) followings.push({ targets: selves, referrers: followers })
      const members = others.filter((holder) => !isFollower(holder)).map((holder) => holder.index)
      joinInTurn([...selves, ...changes, ...members], isKnown ? 'strong' : 'absent-target')
    } else if (kind === 'procedure') {
      if (!hasThreeStrangers(selves.map((index) => ownBuyers[index]!))) joinInTurn(selves, 'strong')
    } else {
      joinWhenAllAgree(selves)
    }
  }

  function joinWhenAllAgree(members: readonly number[]): void {
    const roots = [...new Set(members.map(root))]
    if (roots.length < 2 || roots.length > maxWeakHolders) return
    const agree = roots.every((a, turn) => roots.slice(turn + 1).every((b) => mayJoin(a, b, 'weak')))
    if (agree) for (const other of roots.slice(1)) join(roots[0]!, other, 'weak')
  }

  joining = { kind: 'follower', key: '' }
  const succeeded = joinFollowers(followings, root, join)
  const componentRoots = [...new Set(units.map((_, index) => root(index)))]
  return componentRoots.map((index) => {
    const members = groups[index]!.members.map((member) => units[member]!)
    members.sort((a, b) => compareNotices(a.notice, b.notice))
    return { units: members, isSucceeded: succeeded.has(index) && isAnnouncedOnly(members) }
  })
}

/** An announcement or qualification system, and the notices that refer to it. */
type Following = { readonly targets: readonly number[]; readonly referrers: readonly number[] }

/**
 * An announcement, or a qualification system, belongs to the one procedure that refers to it. If several do, it stays
 * alone. Returns the roots of those that stayed alone.
 */
function joinFollowers(
  followings: readonly Following[],
  root: (index: number) => number,
  join: (first: number, second: number, guard: Guard) => boolean,
): ReadonlySet<number> {
  const referrersByRoot = new Map<number, Set<number>>()
  for (const { targets: selves, referrers } of followings) {
    for (const self of new Set(selves.map(root))) {
      const known = referrersByRoot.get(self) ?? new Set()
      for (const referrer of referrers) if (root(referrer) !== self) known.add(root(referrer))
      referrersByRoot.set(self, known)
    }
  }
  const alone: number[] = []
  for (const [target, referrers] of [...referrersByRoot].sort(([a], [b]) => a - b)) {
    const [only] = referrers
    if (only === undefined) continue
    if (referrers.size > 1 || !join(only, target, 'strong')) alone.push(target)
  }
  return new Set(alone.map(root))
}

type Holder = { readonly index: number; readonly roles: ReadonlySet<LinkKey['role']> }

function keysOf(units: readonly Unit[], ignoredKeys: ReadonlySet<string>) {
  const found = new Map<string, { readonly kind: LinkKey['kind']; readonly roles: Map<number, Set<LinkKey['role']>> }>()
  units.forEach(({ notice }, index) => {
    for (const { key, kind, role } of linkKeys(notice)) {
      if (kind === 'copy' || ignoredKeys.has(key)) continue
      const entry = found.get(key) ?? { kind, roles: new Map() }
      found.set(key, entry)
      entry.roles.set(index, (entry.roles.get(index) ?? new Set()).add(role))
    }
  })
  return [...found]
    .filter(([, { roles }]) => roles.size > 1)
    .sort(
      ([a, { kind: kindA }], [b, { kind: kindB }]) =>
        linkKinds.indexOf(kindA) - linkKinds.indexOf(kindB) || compareText(a, b),
    )
    .map(([key, { kind, roles }]) => {
      const holders: Holder[] = [...roles].map(([index, set]) => ({ index, roles: set }))
      return { key, kind, holders }
    })
}

/**
 * Whether three buyers have nothing in common: then the id was copied from somewhere (five notices of four Swiss buyers
 * share one).
 */
function hasThreeStrangers(buyers: readonly BuyerIdentity[]): boolean {
  const strangers: BuyerIdentity[] = []
  for (const buyer of buyers) {
    if (buyer.names.length === 0) continue
    if (strangers.every((stranger) => buyersConflict(stranger, buyer))) strangers.push(buyer)
    if (strangers.length === 3) return true
  }
  return false
}
