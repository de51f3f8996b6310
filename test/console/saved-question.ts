// Questions of the page of tenders, and the saved search that its button makes of them.
import { expect } from 'vitest'
import { type Asked, dueSpans, foundStatuses } from '../../src/console/find/asked.ts'
import { formOfAddress, readSearchForm, searchFormAddress } from '../../src/console/hits/search-form.ts'
import type { TenderRecord } from '../../src/domain/tender.ts'
import { searchStatuses } from '../../src/hits/read-input.ts'
import type { SearchFilter } from '../../src/hits/saved-search.ts'
import type { Random } from '../testing/generate/random.ts'
import { generateFilter } from '../testing/generate/searches.ts'

/** A question as people ask it: its codes, words and names are drawn from records. */
export function madeUpQuestion(records: readonly TenderRecord[], random: Random): Asked {
  const drawn = generateFilter(records, random, 'mixed')
  const statuses = foundStatuses.filter(() => random.chance(0.4))
  return {
    words: drawn.allWords ?? (random.chance(0.3) ? (drawn.words ?? []).slice(0, 2) : []),
    cpv: drawn.cpv ?? [],
    nuts: drawn.nuts ?? [],
    statuses: statuses.length === 0 || random.chance(0.2) ? undefined : statuses,
    min: drawn.valueMin,
    max: drawn.valueMax,
    due: random.chance(0.2) ? random.pick(dueSpans) : undefined,
    month: random.chance(0.1) ? '2026-11' : undefined,
    authorities: drawn.authorities ?? [],
    order: undefined,
    page: 1,
  }
}

/** The filter that the button saves, after the form was opened from its address and sent. */
export function savedFilter(filter: SearchFilter): SearchFilter {
  const form = formOfAddress(new URLSearchParams(searchFormAddress(filter, 'As asked')))
  const read = readSearchForm(form, [], 'en')
  if (read.kind === 'wrong') throw new Error(`the form refuses it: ${[...read.errors.values()].join(' ')}`)
  expect([read.name, read.threshold, read.profile]).toEqual(['As asked', 50, undefined])
  return read.filter
}

/** What of a question a saved search can hold. */
export const savedPart = (asked: Asked): Asked => ({
  ...asked,
  due: undefined,
  month: undefined,
  statuses: searchStatuses.filter((each) => asked.statuses?.includes(each) ?? true),
})
