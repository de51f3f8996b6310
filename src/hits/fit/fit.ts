// The fit score of a tender for a company, 0 to 100: parts that add up, rules, and a published table
// (docs/hits/score.md).
import type { fitParts } from '../../domain/hit-event.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import { fewWords } from '../../domain/token-table.ts'
import { hasPastAuthority } from '../authorities.ts'
import { coveredCpv, wordIn } from '../plain-match.ts'
import { defaultThreshold } from '../saved-search.ts'
import type { CalibratedKind, FitModel, FitWeights } from './fit-model.ts'
import { type FitRule, type PartReason, partLine, ruleLine } from './fit-reason.ts'
import {
  type CpvLikeness,
  countOf,
  cpvLikeness,
  estimatedShare,
  keywordLikeness,
  type RecordToFit,
  type RegionLikeness,
  recordToFit,
  regionLikeness,
  sharedDigits,
  significant,
  valueLikeness,
  type WinLikeness,
  winLikeness,
} from './likeness.ts'
import { openPreparer, type PreparedProfile, type ProfileToFit } from './prepare-profile.ts'
import { openTermCounters, type TermCounter, type TermCounters } from './term-counter.ts'

type FitPart = {
  readonly part: (typeof fitParts)[number]
  /** Rounded to a tenth; null if it is not known: then the others count more. */
  readonly points: number | null
  /** Maximum points that this part can give here. */
  readonly of: number
  readonly text?: string
  readonly terms?: readonly string[]
}

/**
 * How a score came about: `parts` add up to `sum`, `rules` in their order turn it into `raw`, and the calibration turns
 * that into the score.
 */
export type Fit = {
  readonly calibration: string
  readonly sum: number
  readonly raw: number
  /** Null: derived from the search. */
  readonly profile: string | null
  /** The lot whose code fits best; null if the tender's own code does. */
  readonly lot: string | null
  readonly parts: readonly FitPart[]
  /** `past-authority +4`, `nothing to compare: 60`, `excluded: cleaning`. */
  readonly rules: readonly string[]
}

/** Why: of each part in their order, null where the part has `terms`; and of each rule. */
export type FitReasons = { readonly parts: readonly (PartReason | null)[]; readonly rules: readonly FitRule[] }

/** `fitScore` is a whole number from 0 to 100; hits with 0 are not sent. `fit` has the English lines of `reasons`. */
export type Scored = { readonly fitScore: number; readonly fit: Fit; readonly reasons: FitReasons }

/** Scores one record after the other for profiles, which it names by their number. */
export type Scorer = {
  readonly read: (record: TenderRecord) => void
  /**
   * Returns the score of the record that was read; undefined if it is below `least`, which the codes alone mostly show.
   */
  readonly score: (profile: number, least: number) => Scored | undefined
}

/** Points for a profile that names nothing to compare: its search names only authorities. */
const pointsOfNothing = 60
/** Maximum number of terms that a reason names. */
const maxTermsNamed = 5

/** `maxWords`: see the token table. */
export function openScorer(profiles: readonly ProfileToFit[], model: FitModel, maxWords?: number): Scorer {
  const readers = openTermCounters(model, maxWords)
  const prepared = profiles.map(openPreparer(readers, model))
  readers.ready()
  let current: RecordToFit | undefined
  return {
    read: (record) => {
      readers.read(record)
      current = recordToFit(record)
    },
    score: (profile, least) => scoreOf(least, prepared[profile]!, current!, readers, model),
  }
}

/** The score of one tender for one profile. */
export function fitOf(profile: ProfileToFit, record: TenderRecord, model: FitModel): Scored {
  const scorer = openScorer([profile], model, fewWords)
  scorer.read(record)
  return scorer.score(0, 0)!
}

/** The parts that need no text. */
type CheapParts = {
  readonly cpv: CpvLikeness | undefined
  readonly region: RegionLikeness | undefined
  readonly value: number | undefined
  readonly isPastAuthority: boolean
  /** Why the score is 0 without comparing texts. */
  readonly refusal: FitRule | undefined
}

function cheapParts(profile: PreparedProfile, current: RecordToFit, model: FitModel): CheapParts {
  // whatever matches a search lies in its regions and its range: that ranks nothing
  const isBySearch = profile.profileId === null
  return {
    cpv: cpvLikeness(profile, current, model),
    region: isBySearch ? undefined : regionLikeness(profile, current),
    value: isBySearch ? undefined : valueLikeness(profile, current),
    isPastAuthority: hasPastAuthority(profile.pastAuthorities, current.buyers),
    refusal: refusalOf(profile, current.record),
  }
}

function refusalOf(profile: PreparedProfile, record: TenderRecord): FitRule | undefined {
  const covered = profile.excludedCpv && coveredCpv(profile.excludedCpv, record)
  if (covered) return { code: 'excluded-code', values: covered.values }
  const country = record.contractingAuthority?.country ?? record.realizedLocation?.country
  if (profile.countries && country !== undefined && !profile.countries.includes(country))
    return { code: 'other-country', values: { country } }
  const natures = [record.contractNature, ...record.lots.map(({ contractNature }) => contractNature)].filter(
    (nature) => nature !== undefined,
  )
  if (
    profile.contractNatures &&
    natures.length > 0 &&
    !natures.some((nature) => profile.contractNatures!.includes(nature))
  )
    return { code: 'other-nature', values: { nature: natures[0]! } }
  return undefined
}

/** The points of a part: undefined if it is not known and the others count more. */
type Likenesses = {
  readonly cpv: CpvLikeness | undefined
  readonly keywords: number | undefined
  readonly pastWins: WinLikeness | undefined
  readonly region: number | undefined
  readonly value: number | undefined
}

type Shares = { readonly [part in Exclude<keyof FitWeights, 'pastAuthority'>]: number }

/** How much more the region counts where the profile names regions than where past wins only suggest them. */
const namedRegionFactor = 3

/** Weights of the parts that are known, which add up to 100; an estimated value and a code by the title count half. */
function sharesOf(
  likenesses: Likenesses,
  { namedNuts }: PreparedProfile,
  { record }: RecordToFit,
  weights: FitWeights,
): Shares {
  const isEstimated = record.contractAmount?.estimated ?? false
  const region = weights.region * (namedNuts.size > 0 ? namedRegionFactor : 1)
  const ofCpv = likenesses.cpv === undefined ? 0 : likenesses.cpv.isByTitle ? estimatedShare : 1
  const shares = {
    cpv: weights.cpv * ofCpv,
    cpvRarity: weights.cpvRarity * ofCpv,
    keywords: likenesses.keywords === undefined ? 0 : weights.keywords,
    pastWins: likenesses.pastWins === undefined ? 0 : weights.pastWins,
    winTitles: likenesses.pastWins === undefined ? 0 : weights.winTitles,
    winAuthorities: likenesses.pastWins === undefined ? 0 : weights.winAuthorities,
    region: likenesses.region === undefined ? 0 : region,
    value: likenesses.value === undefined ? 0 : weights.value * (isEstimated ? estimatedShare : 1),
  }
  const sum = Object.values(shares).reduce((total, share) => total + share, 0)
  const scale = sum === 0 ? 0 : 100 / sum
  return {
    cpv: shares.cpv * scale,
    cpvRarity: shares.cpvRarity * scale,
    keywords: shares.keywords * scale,
    pastWins: shares.pastWins * scale,
    winTitles: shares.winTitles * scale,
    winAuthorities: shares.winAuthorities * scale,
    region: shares.region * scale,
    value: shares.value * scale,
  }
}

const tenth = (points: number): number => Math.round(points * 10) / 10

const sumOf = (points: readonly (number | null)[]): number =>
  tenth(points.reduce<number>((total, each) => total + (each ?? 0), 0))

/** In the order of the payload: cpv, keywords, pastWins, region, value. */
function partPoints({ cpv, keywords, pastWins, region, value }: Likenesses, shares: Shares): (number | null)[] {
  return [
    cpv === undefined ? null : tenth(shares.cpv * cpv.depth + shares.cpvRarity * cpv.rarity),
    keywords === undefined ? null : tenth(shares.keywords * keywords),
    pastWins === undefined
      ? null
      : tenth(
          shares.pastWins * pastWins.texts +
            shares.winTitles * pastWins.titles +
            shares.winAuthorities * pastWins.authority,
        ),
    region === undefined ? null : tenth(shares.region * region),
    value === undefined ? null : tenth(shares.value * value),
  ]
}

function ruled(
  sum: number,
  { cpv, keywords, pastWins, region, value }: Likenesses,
  isPastAuthority: boolean,
  { weights: { pastAuthority } }: FitModel,
): { readonly raw: number; readonly rules: FitRule[] } {
  const rules: FitRule[] = []
  let raw = sum
  if ([cpv, keywords, pastWins, region, value].every((part) => part === undefined)) {
    raw = pointsOfNothing
    rules.push({ code: 'nothing-to-compare', values: { points: pointsOfNothing } })
  }
  if (isPastAuthority) {
    raw = tenth(raw + pastAuthority)
    rules.push({ code: 'past-authority', values: { points: pastAuthority } })
  }
  return { raw: Math.min(100, raw), rules }
}

/** What a score was computed with: a kind of profile, or the search alone. */
type ProfileKind = CalibratedKind | 'search'

function kindOf({ profileId, wins, namedNuts }: PreparedProfile): ProfileKind {
  if (profileId === null) return 'search'
  const kind = wins.length > 0 ? 'wins' : 'noWins'
  return namedNuts.size > 0 ? `${kind}Home` : kind
}

/** By the search alone: whatever matches it reaches the default threshold, and the score ranks the matches. */
const pointsBySearch: FitModel['calibration']['points'][CalibratedKind] = [
  [0, defaultThreshold],
  [100, 100],
]

/** The published table, one for each kind of profile: straight lines between its points. */
export function calibrated(raw: number, kind: ProfileKind, { calibration }: Pick<FitModel, 'calibration'>): number {
  const points = kind === 'search' ? pointsBySearch : calibration.points[kind]
  let [fromRaw, fromScore] = points[0]!
  for (const [toRaw, toScore] of points) {
    if (raw <= toRaw) {
      const share = toRaw === fromRaw ? 1 : (raw - fromRaw) / (toRaw - fromRaw)
      return Math.round(fromScore + share * (toScore - fromScore))
    }
    ;[fromRaw, fromScore] = [toRaw, toScore]
  }
  return Math.round(fromScore)
}

/** Part after part: the slow ones are compared only where the score could still reach `least`. */
function scoreOf(
  least: number,
  profile: PreparedProfile,
  current: RecordToFit,
  readers: TermCounters,
  model: FitModel,
): Scored | undefined {
  const cheap = cheapParts(profile, current, model)
  const most: Likenesses = {
    cpv: cheap.cpv,
    keywords: profile.terms.length > 0 ? 1 : undefined,
    pastWins: profile.wins.length > 0 ? { texts: 1, titles: 1, authority: 1 } : undefined,
    region: cheap.region?.likeness,
    value: cheap.value,
  }
  // they depend only on which parts are known
  const shares = sharesOf(most, profile, current, model.weights)
  const isBelow = (likenesses: Likenesses): boolean => {
    if (cheap.refusal !== undefined) return least > 0
    if (least <= calibrated(0, kindOf(profile), model)) return false
    const { raw } = ruled(sumOf(partPoints(likenesses, shares)), likenesses, cheap.isPastAuthority, model)
    return calibrated(raw, kindOf(profile), model) < least
  }
  if (isBelow(most)) return undefined
  const withWords = { ...most, keywords: keywordLikeness(profile, readers.words, model) }
  if (isBelow(withWords)) return undefined
  const likenesses = { ...withWords, pastWins: winLikeness(profile, cheap.cpv, current, readers) }
  if (isBelow(likenesses)) return undefined
  const scored = explained(likenesses, shares, profile, current, cheap, readers, model)
  return scored.fitScore < least ? undefined : scored
}

function explained(
  likenesses: Likenesses,
  shares: Shares,
  profile: PreparedProfile,
  current: RecordToFit,
  cheap: CheapParts,
  readers: TermCounters,
  model: FitModel,
): Scored {
  const { record, value } = current
  const [cpv, keywords, pastWins, region, valued] = partPoints(likenesses, shares)
  const bySearch = profile.profileId === null ? said('same-for-all') : undefined
  const reasons = {
    cpv: cpvReason(cheap.cpv),
    keywords: keywords === null ? said('no-words') : null,
    pastWins: said(pastWins === null ? 'no-wins' : 'nearest-wins'),
    region: bySearch ?? regionReason(cheap.region),
    value:
      bySearch ??
      (valued === null ? said('unknown') : ({ code: 'euros', values: { value: Math.round(value!) } } as const)),
  }
  const partOf = (part: FitPart['part'], points: number | null, of: number): FitPart => {
    const reason = reasons[part]
    const why = reason === null ? { terms: termsFound(profile, readers.words) } : { text: partLine(reason) }
    return { part, points, of: tenth(of), ...why }
  }
  const parts = [
    partOf('cpv', cpv!, shares.cpv + shares.cpvRarity),
    partOf('keywords', keywords!, shares.keywords),
    partOf('pastWins', pastWins!, shares.pastWins + shares.winTitles + shares.winAuthorities),
    partOf('region', region!, shares.region),
    partOf('value', valued!, shares.value),
  ]
  const sum = sumOf(parts.map(({ points }) => points))
  const word = profile.excludedWords && wordIn(profile.excludedWords, record)
  const refusal: FitRule | undefined = cheap.refusal ?? (word && { code: 'excluded-word', values: word.values })
  const { raw, rules } =
    refusal === undefined ? ruled(sum, likenesses, cheap.isPastAuthority, model) : { raw: 0, rules: [refusal] }
  const lot =
    cheap.cpv === undefined || cheap.cpv.depth === 0 || record.cpvCodes.includes(cheap.cpv.code)
      ? undefined
      : record.lots.find(({ cpvCodes }) => cpvCodes.includes(cheap.cpv!.code))
  const { version } = model.calibration
  return {
    fitScore: refusal === undefined ? calibrated(raw, kindOf(profile), model) : 0,
    fit: {
      calibration: `${version} ${kindOf(profile)}`,
      sum,
      raw,
      profile: profile.profileId,
      lot: lot?.lotId ?? null,
      parts,
      rules: rules.map(ruleLine),
    },
    reasons: { parts: parts.map(({ part }) => reasons[part]), rules },
  }
}

/** A reason without values. */
const said = (code: 'unknown' | 'same-for-all' | 'no-words' | 'no-wins' | 'nearest-wins'): PartReason => ({
  code,
  values: {},
})

function cpvReason(cpv: CpvLikeness | undefined): PartReason {
  if (cpv === undefined) return said('unknown')
  const { code, own, depth, isByTitle } = cpv
  if (isByTitle)
    return depth === 0 ? { code: 'title-other', values: { code } } : { code: 'title-like', values: { code, own } }
  if (depth === 0) return { code: 'other-sector', values: { code } }
  if (code === own) return { code: 'own-code', values: { code } }
  const shared = sharedDigits(code, own)
  if (shared >= significant(own)) return { code: 'below-own-code', values: { code, own } }
  return shared >= significant(code)
    ? { code: 'above-own-code', values: { code, own } }
    : { code: 'shared-beginning', values: { code, own, shared: code.slice(0, shared) } }
}

function regionReason(region: RegionLikeness | undefined): PartReason {
  if (region === undefined) return said('unknown')
  const { code, own, likeness } = region
  if (likeness === 0) return { code: 'other-region', values: { code } }
  if (code === own) return { code: 'own-region', values: { code } }
  if (code.startsWith(own)) return { code: 'in-own-region', values: { code, own } }
  return { code: own.startsWith(code) ? 'around-own-region' : 'near-own-region', values: { code, own } }
}

/** The terms that contributed most, as they are compared: beginnings of words, and ends with `~` before them. */
function termsFound(profile: PreparedProfile, reader: TermCounter): string[] {
  const found = profile.terms.filter(({ numbers }) => countOf(numbers, reader) > 0)
  return found
    .sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1))
    .slice(0, maxTermsNamed)
    .map(({ name }) => name)
}
