// Addresses of the list of hits and of the pages of their tenders: which list somebody came from stays with them.
import {
  type HitKey,
  type HitOrder,
  type HitState,
  type HitTab,
  hitStates,
  type MarkedHit,
} from '../../store/hits/hit-lists.ts'

export const hitTabs = [...hitStates, 'closed'] as const
/** Maximum hits that one form changes. */
export const maxMarked = 200

/** The list as its address says. */
export type Asked = {
  readonly tab: HitTab
  readonly order: HitOrder
  readonly isClosing: boolean
  /** Its id; empty: all. */
  readonly search: string
  readonly after: HitKey | undefined
  readonly before: HitKey | undefined
  /** The number of the first hit on the page, from 1. */
  readonly first: number
}

export const isHitId = (text: string): boolean => /^[0-9a-f-]{36}$/.test(text)

export function askedOf(query: URLSearchParams): Asked {
  const first = Number(query.get('n') ?? 1)
  return {
    tab: hitTabs.find((each) => each === query.get('state')) ?? 'new',
    order: query.get('order') === 'deadline' ? 'deadline' : 'score',
    isClosing: query.get('closing') === '7',
    search: query.get('search') ?? '',
    after: keyOf(query.get('after')),
    before: keyOf(query.get('before')),
    first: Number.isSafeInteger(first) && first > 0 ? first : 1,
  }
}

/** `VALUE.HITID` of an address; undefined for anything else. */
function keyOf(text: string | null): HitKey | undefined {
  const match = /^(\d{1,16})\.([0-9a-f-]{36})$/.exec(text ?? '')
  const value = Number(match?.[1])
  return match && Number.isSafeInteger(value) ? { value, hitId: match[2]! } : undefined
}

/** The query of a list, without a question mark; empty for the usual one. */
export function queryOf(asked: Partial<Asked> & Pick<Asked, 'tab'>): string {
  const query = new URLSearchParams()
  if (asked.tab !== 'new') query.set('state', asked.tab)
  if (asked.search) query.set('search', asked.search)
  if (asked.order === 'deadline') query.set('order', 'deadline')
  if (asked.isClosing) query.set('closing', '7')
  if (asked.after) query.set('after', `${asked.after.value}.${asked.after.hitId}`)
  if (asked.before) query.set('before', `${asked.before.value}.${asked.before.hitId}`)
  if ((asked.after || asked.before) && asked.first !== undefined) query.set('n', String(asked.first))
  return query.toString()
}

const withQuery = (path: string, query: string): string => (query === '' ? path : `${path}?${query}`)

export const hitsAddress = (organizationId: string, query: string): string =>
  withQuery(`/o/${organizationId}/hits`, query)

/** The page of the tender of a hit, from a list. */
export function hitAddress({ tenderId, hitId }: { readonly tenderId: string; readonly hitId: string }, list: string) {
  const query = new URLSearchParams({ hit: hitId, ...(list !== '' && { list }) })
  return `/tenders/${tenderId}?${query}`
}

/** Leads to the page of the tender beside this hit in the list. */
export const stepAddress = (
  { organizationId, hitId }: { readonly organizationId: string; readonly hitId: string },
  to: 'next' | 'previous',
  list: string,
): string => withQuery(`/o/${organizationId}/hits/${hitId}/${to}`, list)

/** Hits with the state to which an undo returns them. */
export type Undo = { readonly state: HitState; readonly hitIds: readonly string[] }

/** `STATE.HITID.HITID`, from an address or a form; nothing for anything else. */
export const undosOf = (texts: readonly string[]): Undo[] =>
  texts.slice(0, hitStates.length).flatMap((text) => {
    const [wanted, ...ids] = text.split('.')
    const state = hitStates.find((each) => each === wanted)
    const hitIds = ids.filter(isHitId).slice(0, maxMarked)
    return state && hitIds.length > 0 ? [{ state, hitIds }] : []
  })

/** The path without what an earlier decision can undo, and with what this one can. */
export function withUndo(path: string, marked: readonly MarkedHit[]): string {
  const url = new URL(path, 'http://console.invalid')
  url.searchParams.delete('undo')
  for (const state of hitStates) {
    const ids = marked.filter(({ before }) => before === state).map(({ hitId }) => hitId)
    if (ids.length > 0) url.searchParams.append('undo', [state, ...ids].join('.'))
  }
  return url.pathname + url.search
}
