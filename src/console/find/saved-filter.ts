// The saved search that finds what the page shows, and what of the question no search can hold.

import { type SearchStatus, searchStatuses } from '../../hits/read-input.ts'
import { hasAnchor, type SearchFilter } from '../../hits/saved-search.ts'
import type { Asked } from './asked.ts'
import type { Lost } from './find-texts.ts'

export type Saveable =
  | { readonly kind: 'saveable'; readonly filter: SearchFilter; readonly lost: readonly Lost[] }
  /** `nothing`: it would match nearly everything. `past`: only what is over is asked for. */
  | { readonly kind: 'refused'; readonly why: 'nothing' | 'past' }

export function saveableOf(asked: Asked): Saveable {
  const { words, cpv, nuts, authorities, min, max, due, month } = asked
  const statuses: readonly SearchStatus[] = searchStatuses.filter(
    (status) => asked.statuses === undefined || asked.statuses.includes(status),
  )
  if (statuses.length === 0) return { kind: 'refused', why: 'past' }
  const list = (items: readonly string[]) => (items.length === 0 ? undefined : [...items].sort())
  const members = {
    allWords: list(words),
    cpv: list(cpv),
    nuts: list(nuts),
    authorities: list(authorities),
    valueMin: min,
    valueMax: max,
    status: [...statuses].sort(),
  }
  const filter = Object.fromEntries(
    Object.entries(members).filter(([, member]) => member !== undefined),
  ) as SearchFilter
  if (!hasAnchor(filter)) return { kind: 'refused', why: 'nothing' }
  const isPastLost = asked.statuses === undefined || asked.statuses.some((each) => !isSaved(each))
  return {
    kind: 'saveable',
    filter,
    lost: [
      ...(due === undefined ? [] : (['due'] as const)),
      ...(month === undefined ? [] : (['month'] as const)),
      ...(isPastLost ? (['statuses'] as const) : []),
    ],
  }
}

const isSaved = (status: string): boolean => searchStatuses.some((each) => each === status)
