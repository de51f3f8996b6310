// Made-up saved searches: each is drawn from some records, so that it sometimes matches, and part of it from others, so
// that it mostly does not.

import { procedureTypes } from '../../../src/domain/codes.ts'
import { toNutsCode } from '../../../src/domain/nuts.ts'
import type { TenderContent } from '../../../src/domain/tender.ts'
import { tokensOf } from '../../../src/domain/words.ts'
import { contractNatures, searchStatuses } from '../../../src/hits/read-input.ts'
import { parseSearchFilter, type Search, type SearchFilter } from '../../../src/hits/saved-search.ts'
import { type Random, randomOf } from './random.ts'

/**
 * `narrow`: what people save, matching about 1 record in 1,000. `mixed`: every member, and broad ones, to compare two
 * matchers.
 */
export type SearchStyle = 'narrow' | 'mixed'

/** One filter; `records` are those from which it is drawn. */
export function generateFilter(records: readonly TenderContent[], random: Random, style: SearchStyle): SearchFilter {
  for (;;) {
    try {
      return parseSearchFilter(style === 'narrow' ? narrow(records, random) : mixed(records, random))
    } catch {
      // it had nothing to search for, so it was drawn again
    }
  }
}

export function generateSearches(
  records: readonly TenderContent[],
  options: { readonly seed: number; readonly count: number; readonly style: SearchStyle; readonly threshold: number },
): Search[] {
  const random = randomOf(options.seed, 77)
  return Array.from({ length: options.count }, (_, index) => ({
    searchNo: index + 1,
    version: 1,
    filter: generateFilter(records, random, options.style),
    profileId: null,
    threshold: options.threshold,
  }))
}

const some = <T>(random: Random, most: number, one: () => T | undefined): T[] =>
  Array.from({ length: random.integer(1, most) }, one).filter((item) => item !== undefined)

function cpvOf(record: TenderContent, random: Random): string | undefined {
  const codes = [...record.cpvCodes, ...record.lots.flatMap((lot) => lot.cpvCodes)]
  return codes.length === 0 ? undefined : random.pick(codes).slice(0, random.integer(2, 8))
}

function nutsOf(record: TenderContent, random: Random): string | undefined {
  const code = record.nutsCodes.length === 0 ? undefined : toNutsCode(random.pick(record.nutsCodes))
  return code?.slice(0, random.integer(2, 5))
}

/** A word of the record, or the beginning or end of one. */
function wordOf(record: TenderContent, random: Random): string | undefined {
  const lot = record.lots.length > 0 ? random.pick(record.lots) : undefined
  const text = random.pick([record.title, record.description, lot?.title, lot?.description])
  const tokens = tokensOf((text ?? record.title).slice(0, 600)).filter(({ length }) => length >= 2 && length <= 60)
  if (tokens.length === 0) return undefined
  const token = random.pick(tokens)
  const length = random.integer(Math.min(4, token.length), token.length)
  const part = random.chance(0.5) ? token.slice(0, length) : token.slice(token.length - length)
  return random.chance(0.6) ? token : part
}

function authorityOf(record: TenderContent, random: Random): string | undefined {
  const buyer = record.contractingAuthority
  return random.chance(0.5) ? buyer?.name : (buyer?.nationalId ?? buyer?.name)
}

function narrow(records: readonly TenderContent[], random: Random): object {
  const record = random.pick(records)
  const other = () => random.pick(records)
  const cpv = record.cpvCodes[0]?.slice(0, random.integer(3, 5))
  const nuts = nutsOf(record, random)
  // it would be broad: nothing is returned, and another record is drawn
  if (cpv === undefined || nuts === undefined) return {}
  return {
    cpv: [cpv, ...(random.chance(0.5) ? some(random, 2, () => cpvOf(other(), random)) : [])],
    nuts: [nuts],
    ...(random.chance(0.2) && { words: some(random, 6, () => wordOf(random.chance(0.5) ? record : other(), random)) }),
    ...(random.chance(0.15) && { valueMin: 50_000 }),
    ...(random.chance(0.15) && { excluded: { words: some(random, 2, () => wordOf(other(), random)) } }),
  }
}

function mixed(records: readonly TenderContent[], random: Random): object {
  const record = random.pick(records)
  const from = () => (random.chance(0.7) ? record : random.pick(records))
  const other = () => random.pick(records)
  const excluded = {
    ...(random.chance(0.4) && { cpv: some(random, 2, () => cpvOf(other(), random)) }),
    ...(random.chance(0.3) && { nuts: some(random, 2, () => nutsOf(other(), random)) }),
    ...(random.chance(0.4) && { words: some(random, 2, () => wordOf(other(), random)) }),
    ...(random.chance(0.2) && { authorities: some(random, 1, () => authorityOf(other(), random)) }),
  }
  return {
    ...(random.chance(0.5) && { cpv: some(random, 4, () => cpvOf(from(), random)) }),
    ...(random.chance(0.4) && { nuts: some(random, 3, () => nutsOf(from(), random)) }),
    ...(random.chance(0.5) && { words: some(random, 4, () => wordOf(from(), random)) }),
    ...(random.chance(0.15) && { allWords: some(random, 2, () => wordOf(from(), random)) }),
    ...(random.chance(0.1) && { authorities: some(random, 3, () => authorityOf(from(), random)) }),
    ...(random.chance(0.2) && { status: some(random, 2, () => random.pick(searchStatuses)) }),
    ...(random.chance(0.2) && { contractNatures: [random.pick(contractNatures)] }),
    ...(random.chance(0.2) && { procedures: some(random, 3, () => random.pick(procedureTypes)) }),
    ...(random.chance(0.15) && { valueMin: random.integer(0, 1_000_000) }),
    ...(random.chance(0.1) && { valueMax: random.integer(1_000_000, 90_000_000) }),
    ...(random.chance(0.15) && { minDaysToDeadline: random.integer(0, 40) }),
    ...(random.chance(0.3) && { excluded }),
  }
}
