// Lot numbers as people write them, and the join of awards to lots.
import type { LotResult, Money } from '../../domain/notice.ts'
import { lotsWithin, mergeResults, type SumOfContracts, sharedResult } from '../results.ts'
import type { FormAward, FormLot } from './form-content.ts'

/**
 * Id of the only lot of a notice that is not divided and names no number; the same in calls and awards, so that they
 * join.
 */
export const onlyLotId = '1'

/**
 * A lot number in the form that notices of one procedure share: trimmed, without leading zeros or a word for `lot`
 * before a number (`Lot 01`, `Los Nr. 1`, `01` are `1`). Other texts are as published. Undefined if empty.
 */
export function toLotId(text: string | undefined): string | undefined {
  const trimmed = text?.normalize('NFC').replace(/\s+/g, ' ').trim().slice(0, 100)
  if (!trimmed) return undefined
  const number = /^(?:\p{L}{2,15}[\s.:-]+(?:(?:nr|no|n[º°]|№)[\s.:]*)?)?0*(\d+)[\s.:)-]*$/iu.exec(trimmed)
  return number ? number[1]! : trimmed
}

const separators = /\s*(?:[,;/+&]|\s(?:and|und|et|e|y|i|og|och|en|ir|un|ja|și|si|a|és|in|и|και)\s)\s*/iu

/** The lots that a correction names, if nothing else is known about them: a list of numbers, or else one text. */
export function lotIdsIn(text: string | undefined): string[] {
  const whole = toLotId(text)
  if (whole === undefined) return []
  const pieces = whole.split(separators).map(toLotId)
  return pieces.every((piece) => piece !== undefined && /^\d+$/.test(piece))
    ? [...new Set(pieces as string[])]
    : [whole]
}

/** The lots that an award's number names: one unchanged, else a list or range of known numbers. */
function lotsNamed(text: string, known: ReadonlySet<string>, alikeOf: (lead: string) => readonly string[]): string[] {
  const whole = toLotId(text)
  if (whole === undefined) return []
  if (known.has(whole)) return [whole]
  const range = /^(?:\p{L}{2,15}[\s.:]+)?(\d{1,4})\s*[-–—]\s*(\d{1,4})$/u.exec(whole)
  if (range) {
    const [from, to] = [Number(range[1]), Number(range[2])]
    if (from < to && to - from < 1000) {
      const all = Array.from({ length: to - from + 1 }, (_, index) => String(from + index))
      if (all.every((id) => known.has(id))) return all
    }
  }
  const pieces = whole.split(separators).map(toLotId)
  if (pieces.length > 1 && pieces.every((id) => id !== undefined && known.has(id)))
    return [...new Set(pieces as string[])]
  // `1: Shell works` in the description and `1` in the award, or the other way round.
  const lead = leadingNumber(whole)
  const alike = lead === undefined ? [] : alikeOf(lead)
  return alike.length === 1 ? [...alike] : [whole]
}

/**
 * The number with which a lot's text begins, before a sign that divides it from words: `1: Shell`, `1/ Second in line`.
 */
function leadingNumber(text: string): string | undefined {
  return /^(?:\p{L}{2,15}[\s.:]+)?0*(\d+)(?:$|[.:)/]?\s|[:)]|[/–-](?=\p{L}{2}))/u.exec(text)?.[1]
}

/**
 * Lots with the results of the awards. An award that names an unknown lot adds it: award notices of one lot often do
 * not describe it. Awards without a number belong to the whole, hence to every lot that no award names. `total`: what
 * the notice says that all contracts are worth.
 */
export function joinAwards(lots: readonly FormLot[], awards: readonly FormAward[], total?: Money): FormLot[] {
  return awards.length === 0 ? [...lots] : lotsWithin(total, (sum) => joinWith(lots, awards, sum))
}

/** The estimate of a lot that all its awards name: estimates that differ are those of single contracts. */
function agreed(estimates: readonly (Money | undefined)[]): Money | undefined {
  const [first] = estimates
  const isSame = estimates.every((other) => other?.value === first?.value && other?.currency === first?.currency)
  return isSame ? first : undefined
}

function joinWith(lots: readonly FormLot[], awards: readonly FormAward[], sum: SumOfContracts): FormLot[] {
  let described = [...lots]
  const named = [...new Set(awards.map((award) => toLotId(award.lotNumber)).filter((id) => id !== undefined))]
  // A notice on one lot of a divided procedure: the description has no number, the award has.
  const only = described.length === 1 ? described[0]! : undefined
  if (only && only.lotId === onlyLotId && named.length > 0 && !named.includes(onlyLotId)) {
    described = named.length === 1 ? [{ ...only, lotId: named[0]! }] : []
  }
  const known = new Set(described.map((lot) => lot.lotId))
  const leads = new Map<string, string[]>()
  for (const id of known) {
    const lead = leadingNumber(id)
    if (lead !== undefined) leads.set(lead, [...(leads.get(lead) ?? []), id].slice(0, 2))
  }
  // If one lot is described and one is named, they are the same, even if they are written differently.
  const sole = described.length === 1 && named.length === 1 ? described[0]!.lotId : undefined
  const byLot = new Map<string, LotResult[]>()
  const titles = new Map<string, string>()
  const estimates = new Map<string, (Money | undefined)[]>()
  const whole: LotResult[] = []
  for (const award of awards) {
    const ids =
      award.lotNumber === undefined
        ? []
        : sole !== undefined
          ? [sole]
          : lotsNamed(award.lotNumber, known, (lead) => leads.get(lead) ?? [])
    if (ids.length === 0) whole.push(award.result)
    // The estimate of an award for several lots is that of all of them.
    const estimated = ids.length === 0 && described.length === 1 ? described[0]!.lotId : ids[0]
    if (ids.length < 2 && estimated !== undefined)
      estimates.set(estimated, [...(estimates.get(estimated) ?? []), award.estimatedValue])
    for (const id of ids) {
      const results = byLot.get(id)
      if (results) results.push(ids.length > 1 ? sharedResult(award.result) : award.result)
      else byLot.set(id, [ids.length > 1 ? sharedResult(award.result) : award.result])
      if (award.title !== undefined && !titles.has(id)) titles.set(id, award.title)
    }
  }
  const estimateOf = (lotId: string): { estimatedValue?: Money } => {
    const estimatedValue = agreed(estimates.get(lotId) ?? [])
    return estimatedValue ? { estimatedValue } : {}
  }
  const joined = described.map((given): FormLot => {
    const lot = given.estimatedValue ? given : { ...given, ...estimateOf(given.lotId) }
    const own = byLot.get(lot.lotId)
    if (own) return { ...lot, result: mergeResults(own, sum) }
    if (whole.length === 0) return lot
    const result = mergeResults(whole, sum)
    return { ...lot, result: described.length > 1 ? sharedResult(result) : result }
  })
  for (const [lotId, results] of byLot) {
    if (known.has(lotId)) continue
    joined.push({
      lotId,
      ...(titles.has(lotId) ? { title: titles.get(lotId)! } : {}),
      cpvCodes: [],
      nutsCodes: [],
      ...estimateOf(lotId),
      result: mergeResults(results, sum),
    })
  }
  if (joined.length === 0 && whole.length > 0) {
    joined.push({ lotId: onlyLotId, cpvCodes: [], nutsCodes: [], result: mergeResults(whole, sum) })
  }
  return joined
}

/** Lot IDs made unique: a second lot of the same number receives its position, so that no lot hides another. */
export function distinctLots(lots: readonly FormLot[]): FormLot[] {
  const seen = new Set<string>()
  return lots.map((lot, index) => {
    let lotId = lot.lotId
    if (seen.has(lotId)) lotId = `${lot.lotId}#${index + 1}`
    seen.add(lotId)
    return lotId === lot.lotId ? lot : { ...lot, lotId }
  })
}
