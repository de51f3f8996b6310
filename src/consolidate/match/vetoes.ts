// Vetoes V1 to V8: evidence against one tender that no score may override.
import type { Contradiction } from '../../domain/contradiction.ts'
import { namesOtherCall } from '../named-calls.ts'
import type { Comparison } from './comparison.ts'
import type { Discriminators, MatchRecord } from './match-record.ts'
import {
  maxDaysOfDeadlines,
  maxDaysOfOneStage,
  maxDaysOfResults,
  resultDays,
  sameNoticeDays,
  shortSubstitutionWeight,
  substitutionWeight,
} from './thresholds.ts'

type VetoName =
  | 'country'
  | 'procedure'
  | 'named-call'
  | 'stage'
  | 'discriminator'
  | 'substitution'
  | 'numbers'
  | 'buyer'
  | 'cpv'
  | 'reference'
  | 'copy'
  | 'short-description'
  | 'time'

export type Veto = { readonly name: VetoName; readonly why: Contradiction }

const disjoint = (a: readonly string[], b: readonly string[]): boolean => !a.some((value) => b.includes(value))

/** Types of marks that both carry, without a common value. */
export function discriminatorConflict(a: Discriminators, b: Discriminators): Contradiction | undefined {
  for (const [type, values] of Object.entries(a)) {
    const others = b[type]
    if (others && disjoint(values, others)) return { code: 'marks', values: { type, left: values, right: others } }
  }
  return undefined
}

/**
 * One carries a mark of a type that the other lacks: a part and the whole, or a portal that leaves the number out. A
 * mark in the description alone says nothing against a record that has no description.
 */
export function hasLoneDiscriminator(a: MatchRecord, b: MatchRecord): boolean {
  const isLone = (record: MatchRecord, other: MatchRecord): boolean =>
    (record.isMarkedInTitle || other.descriptionLength > 0) &&
    Object.keys(record.discriminators).some((type) => other.discriminators[type] === undefined)
  return isLone(a, b) || isLone(b, a)
}

/** Shape of a number: letters and digits as classes, so that numbers of one numbering are recognized. */
const shapeOf = (number: string): string => number.replace(/\p{L}/gu, 'A').replace(/\p{N}/gu, '9')

/** Whether both state numbers of one numbering, and none of one is in any of the other's. */
export function numbersConflict(a: readonly string[], b: readonly string[]): boolean {
  if (a.some((first) => b.some((second) => first.includes(second) || second.includes(first)))) return false
  return a.some((first) => b.some((second) => shapeOf(first) === shapeOf(second)))
}

/** A result of `a` was published on the day of the call of `b` or before, so `b` is a new call. */
const isDecidedBefore = (a: MatchRecord, b: MatchRecord): boolean =>
  a.resultDay !== undefined && b.callDay !== undefined && a.resultDay - b.callDay < resultDays.least

/** Days between two records that no tender spans (V8). `areTooFarApart` says the same of what is in the index. */
function timeVeto(a: MatchRecord, b: MatchRecord): Contradiction | undefined {
  if (a.stage === 'result' && b.stage === 'result') {
    const days = Math.abs((a.resultDay ?? 0) - (b.resultDay ?? 0))
    return a.resultDay !== undefined && b.resultDay !== undefined && days > maxDaysOfResults
      ? { code: 'results-apart', values: { days } }
      : undefined
  }
  const [call, result] = a.stage === 'call' ? [a, b] : [b, a]
  if (call.stage === 'call' && result.stage === 'result') {
    if (call.firstDay === undefined || result.resultDay === undefined) return undefined
    const days = result.resultDay - call.firstDay
    if (isDecidedBefore(result, call)) return { code: 'result-as-old', values: {} }
    return days < resultDays.least || days > resultDays.most ? { code: 'result-after', values: { days } } : undefined
  }
  if (isDecidedBefore(a, b) || isDecidedBefore(b, a)) return { code: 'result-as-old-as-other', values: {} }
  if (a.firstDay !== undefined && b.firstDay !== undefined) {
    const days = Math.abs(a.firstDay - b.firstDay)
    if (days > maxDaysOfOneStage) return { code: 'published-apart', values: { days } }
  }
  if (a.deadlines.length > 0 && b.deadlines.length > 0) {
    const days = Math.min(
      ...a.deadlines.flatMap((first) => b.deadlines.map((second) => Math.abs(first.day - second.day))),
    )
    if (days > maxDaysOfDeadlines) return { code: 'deadlines-apart', values: { days } }
  }
  return undefined
}

function stagesConflict(a: MatchRecord, b: MatchRecord): boolean {
  if (a.stage === b.stage) return false
  const stages = [a.stage, b.stage]
  return stages.includes('planning') || stages.includes('contract')
}

/** Two portals publish the same notice at the same time, and one of them names a different type of form. */
function isMisnamedForm(comparison: Comparison): boolean {
  const { title, buyer, cpv, description, publishedDaysApart, isSameSource } = comparison
  if (isSameSource || publishedDaysApart === undefined || publishedDaysApart > sameNoticeDays) return false
  if (!title || title.jaccard < 0.9) return false
  if ((description ?? 0) >= 0.8) return true
  return title.isEqual && title.shared > 18 && buyer === 'equal' && cpv === 'same' && publishedDaysApart <= 5
}

const municipalities = [
  'stadt|gemeinde|markt|ortsgemeinde|verbandsgemeinde|samtgemeinde|landkreis|kreis|amt|ville|commune|mairie|comune',
  'ayuntamiento|concello|gmina|miasto|obec|mesto|kommune|gemeente|municipio',
  'stadtwerke|gemeindewerke|kreiswerke|kreiskrankenhaus|kreisklinik',
]
const municipality = new RegExp(`^(?:${municipalities.join('|')})\\b`)

/**
 * V4's exception: only the organization differs, because a portal named the ministry, the review body or the engineers
 * as the buyer. Never for two municipalities: neighbors buy the same with the same words.
 */
function isSamePurchaseOfOtherBuyer(a: MatchRecord, b: MatchRecord, comparison: Comparison): boolean {
  const { title, place, deadline, cpv, description, publishedDaysApart } = comparison
  if (!title || title.smallerRest > 0 || title.jaccard < 0.8) return false
  if (place === 'conflict' || place === 'other-region' || place === 'same-region') return false
  const isMunicipal = (record: MatchRecord): boolean => record.buyers.some(({ name }) => municipality.test(name))
  if (isMunicipal(a) && isMunicipal(b) && title.shared < 30) return false
  const isSameText = (description ?? 0) >= 0.95
  if (title.shared < 12) {
    const numbers = a.descriptionNumbers.filter((number) => b.descriptionNumbers.includes(number)).length
    return isSameText && cpv === 'same' && numbers >= 3 && (publishedDaysApart ?? 99) <= 10
  }
  if (deadline === 'minute' && title.shared > 18 && (cpv === 'same' || isSameText)) return true
  if (
    deadline === 'minute' &&
    title.isEqual &&
    title.shared > (publishedDaysApart !== undefined && publishedDaysApart <= 3 ? 22 : 30) &&
    (cpv === 'ancestor' || cpv === 'unknown')
  )
    return true
  return isSameText && cpv === 'same' && publishedDaysApart !== undefined && publishedDaysApart <= 30
}

/** The first veto against joining the two; undefined when there is none. Symmetric. */
export function vetoOf(a: MatchRecord, b: MatchRecord, comparison: Comparison): Veto | undefined {
  const { title, sharedReference } = comparison
  if (a.countries.length > 0 && b.countries.length > 0 && disjoint(a.countries, b.countries))
    return { name: 'country', why: { code: 'countries', values: { left: a.countries, right: b.countries } } }
  for (const { scope, id } of a.procedures)
    for (const other of b.procedures)
      if (other.scope === scope && other.id !== id)
        return { name: 'procedure', why: { code: 'procedure-ids', values: { scope } } }
  const named = namesOtherCall(a.calls, b.calls)
  if (named !== undefined) return { name: 'named-call', why: { code: 'named-call', values: { keys: named } } }
  if (stagesConflict(a, b) && !isMisnamedForm(comparison)) {
    const stages = a.stage < b.stage ? ([a.stage, b.stage] as const) : ([b.stage, a.stage] as const)
    return { name: 'stage', why: { code: 'stages', values: { stages } } }
  }
  const marks = discriminatorConflict(a.discriminators, b.discriminators)
  if (marks !== undefined) return { name: 'discriminator', why: marks }
  if (a.isCopy !== b.isCopy) return { name: 'copy', why: { code: 'copy', values: {} } }
  if (!sharedReference && numbersConflict(a.references, b.references))
    return { name: 'reference', why: { code: 'numbering', values: {} } }
  const late = timeVeto(a, b)
  if (late !== undefined) return { name: 'time', why: late }
  const aloneA = a.numbers.filter((number) => !b.numbers.includes(number))
  const aloneB = b.numbers.filter((number) => !a.numbers.includes(number))
  if (aloneA.length > 0 && aloneB.length > 0 && !title?.isBeginning)
    return { name: 'numbers', why: { code: 'numbers', values: { left: aloneA, right: aloneB } } }
  if (title && title.smallerRest > substitutionWeight)
    return { name: 'substitution', why: { code: 'title-words', values: { weight: title.smallerRest } } }
  if (comparison.buyer === 'conflict' && !sharedReference && !isSamePurchaseOfOtherBuyer(a, b, comparison))
    return { name: 'buyer', why: { code: 'buyers', values: {} } }
  if (comparison.cpv === 'conflict' && !sharedReference) return { name: 'cpv', why: { code: 'cpv', values: {} } }
  if (comparison.descriptionRest > shortSubstitutionWeight && comparison.cpv !== 'same' && !sharedReference)
    return { name: 'short-description', why: { code: 'descriptions', values: {} } }
  return undefined
}
