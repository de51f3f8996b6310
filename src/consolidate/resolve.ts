// Which notices belong together: components of the notices that share exact keys. Keys are tried from the most to the
// least trusted kind, and each join has to pass the guard of its kind (guarded-groups.ts). Announcements and
// qualification systems come last, as several procedures may refer to one. Pure; independent of the order of arrival.
import type { Notice } from '../domain/notice.ts'
import { type BuyerIdentity, buyerIdentity, buyersConflict } from './buyer-identity.ts'
import { GuardedGroups } from './guarded-groups.ts'
import { isPlanning, type LinkKey, linkKeys, linkKinds, uniqueProcedurePrefix } from './link-keys.ts'
import { compareNotices, compareText, type StoredNotice, type Unit, uniteCopies } from './notice-units.ts'

/** Notices of one tender, oldest first. `isSucceeded`: announced only, and a notice of another tender refers to it. */
export type Component = { readonly units: readonly Unit[]; readonly isSucceeded: boolean }

/** Two notices, by key, that a key joined: `kind` says how far it is trusted. */
export type Join = {
  readonly left: string
  readonly right: string
  readonly kind: LinkKey['kind'] | 'follower'
  readonly key: string
}

/** Whether nothing in it can be bid on yet. */
export function isAnnouncedOnly(units: readonly Unit[]): boolean {
  return units.every(({ notice }) => isPlanning(notice) || notice.formType === 'change')
}

/** A standing list of qualified suppliers: procedures are run under it, its renewals are the same list. */
function isQualificationSystem(notice: Notice): boolean {
  return notice.noticeType === 'qu-sy'
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
  const ownBuyers = units.map(({ notice }) => buyerIdentity(notice.contractingAuthorities))
  let joining: Pick<Join, 'kind' | 'key'> = { kind: 'follower', key: '' }
  const groups = new GuardedGroups(units, (left, right) =>
    onJoin({ ...joining, left: left.notice.noticeKey, right: right.notice.noticeKey }),
  )
  const keys = keysOf(units, ignoredKeys)
  const followings: Following[] = []
  for (const { key, kind, holders } of keys) {
    joining = { kind, key }
    const selves = holders.filter((holder) => holder.roles.has('self')).map((holder) => holder.index)
    if (kind === 'version') {
      groups.joinInTurn(selves, 'same-notice')
    } else if (kind === 'notice' || kind === 'publication') {
      groups.joinInTurn(selves, 'strong')
      const changes = holders.filter((holder) => holder.roles.has('changes')).map((holder) => holder.index)
      groups.joinInTurn([...selves, ...changes], 'strong')
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
      groups.joinInTurn([...selves, ...changes, ...members], isKnown ? 'strong' : 'absent-target')
    } else if (kind === 'procedure') {
      const isCopied = hasThreeStrangers(selves.map((index) => ownBuyers[index]!))
      // An OCID is the portal's own, and its releases may rename what is bought.
      const isConstant = key.startsWith(uniqueProcedurePrefix) && groups.isConstant(selves)
      if (!isCopied) groups.joinInTurn(selves, isConstant ? 'constant' : 'procedure')
    } else {
      groups.joinWhenAllAgree(selves)
    }
  }

  joining = { kind: 'follower', key: '' }
  const succeeded = joinFollowers(followings, groups)
  const componentRoots = [...new Set(units.map((_, index) => groups.root(index)))]
  return componentRoots.map((index) => {
    const members = [...groups.membersOf(index)].sort((a, b) => compareNotices(a.notice, b.notice))
    return { units: members, isSucceeded: succeeded.has(index) && isAnnouncedOnly(members) }
  })
}

/** An announcement or qualification system, and the notices that refer to it. */
type Following = { readonly targets: readonly number[]; readonly referrers: readonly number[] }

/**
 * An announcement, or a qualification system, belongs to the one procedure that refers to it. If several do, it stays
 * alone. Returns the roots of those that stayed alone.
 */
function joinFollowers(followings: readonly Following[], groups: GuardedGroups): ReadonlySet<number> {
  const referrersByRoot = new Map<number, Set<number>>()
  for (const { targets: selves, referrers } of followings) {
    for (const self of new Set(selves.map((self) => groups.root(self)))) {
      const known = referrersByRoot.get(self) ?? new Set()
      for (const referrer of referrers) if (groups.root(referrer) !== self) known.add(groups.root(referrer))
      referrersByRoot.set(self, known)
    }
  }
  const alone: number[] = []
  for (const [target, referrers] of [...referrersByRoot].sort(([a], [b]) => a - b)) {
    const [only] = referrers
    if (only === undefined) continue
    if (referrers.size > 1 || !groups.join(only, target, 'strong')) alone.push(target)
  }
  return new Set(alone.map((index) => groups.root(index)))
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
