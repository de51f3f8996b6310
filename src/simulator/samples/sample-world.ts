// The made-up procurements of the sample portals, and what is announced about each at what time: a pure function of
// seed, epoch and now.
import { dayMs, hourMs, minuteMs, wallToEpochMs } from '../../domain/time.ts'
import { doubtfulPairs } from './doubtful-pairs.ts'
import { firstTasks } from './first-tasks.ts'
import { buyerIn, type SampleBuyer } from './sample-buyer.ts'
import type {
  SampleLot,
  SampleLotResult,
  SampleNotice,
  SampleNoticeKind,
  SamplePortal,
  SampleProcedure,
} from './sample-procedure.ts'
import { type Seeded, seeded, seededUuid } from './seeded.ts'
import { firms, type Region, regions, type SampleLanguage, type Subject, subjects, type Words } from './vocabulary.ts'

/**
 * The portals of the common world, by the ids of their sources. `doe` carries eForms-DE and the national
 * below-threshold encoding.
 */
export const samplePortals = [
  'ted',
  'doe',
  'no-doffin',
  'gb-find-a-tender',
  'gb-contracts-finder',
  'gb-public-contracts-scotland',
] as const
/** Which procurements there are, and where they are announced. */
export type WorldPlan = {
  /** Number of procurements that have begun at the epoch. */
  readonly base: number
  /** How often another procurement begins afterwards. */
  readonly arrivalMs: number
  readonly families: readonly [FamilyShare, ...FamilyShare[]]
  /** The first number, so that several worlds on one portal have different numbers; default 0. */
  readonly firstIndex?: number
  /** For the family `own`: the only portal that publishes them. */
  readonly portal?: SamplePortal
  /** Procurements besides those that are drawn; every one stays. */
  readonly planted?: (epoch: number, now: number) => readonly SampleProcedure[]
}

/**
 * All procurements that have begun at `now`. Notices of the future are among them: use `visibleNotices`. The same seed
 * and epoch give the same world at every later time, only longer: a caller may pass what was `made` before, which is
 * extended.
 */
export function sampleWorld(
  seed: string,
  epoch: number,
  now: number,
  plan: WorldPlan = commonWorld,
  made: SampleProcedure[] = [],
): SampleProcedure[] {
  const count = plan.base + Math.max(0, Math.floor((now - epoch) / plan.arrivalMs))
  for (let index = made.length; index < count; index++)
    made.push(procedure(seed, epoch, index + (plan.firstIndex ?? 0), plan))
  return [...made.slice(0, count), ...(plan.planted?.(epoch, now) ?? [])]
}

/** A copy of a notice on a portal, published at `at`. */
export type SampleCopy = {
  readonly portal: SamplePortal
  readonly procedure: SampleProcedure
  readonly notice: SampleNotice
  readonly at: number
}

/** What a portal shows at `now`, oldest first. Existing entries stay, in the same order. */
export function visibleCopies(world: readonly SampleProcedure[], portal: SamplePortal, now: number): SampleCopy[] {
  return world
    .flatMap((each) =>
      each.notices.flatMap((notice) =>
        notice.copies
          .filter((copy) => copy.portal === portal && notice.at + copy.delayMs <= now)
          .map((copy) => ({ portal, procedure: each, notice, at: notice.at + copy.delayMs })),
      ),
    )
    .sort(
      (a, b) =>
        a.at - b.at ||
        (a.notice.noticeId < b.notice.noticeId ? -1 : 1) ||
        (a.notice.version < b.notice.version ? -1 : 1),
    )
}

type Family = SampleProcedure['family']
type FamilyShare = { readonly family: Family; readonly share: number; readonly regions: readonly Region[] }

const { de, at, lu, fr, pl, no, gb, ie } = regions
const commonWorld: WorldPlan = {
  base: 300,
  arrivalMs: 20 * minuteMs,
  families: [
    { family: 'ted', share: 0.26, regions: [fr, pl, fr, pl, at, lu, ie] },
    { family: 'doe', share: 0.2, regions: [de] },
    { family: 'doe-national', share: 0.14, regions: [de] },
    { family: 'legacy', share: 0.1, regions: [de, fr, pl, at, ie] },
    { family: 'doffin', share: 0.1, regions: [no] },
    { family: 'uk', share: 0.1, regions: [gb] },
    { family: 'records', share: 0.04, regions: [gb] },
    { family: 'feed', share: 0.06, regions: [gb] },
  ],
  planted: (epoch, now) => [...doubtfulPairs(epoch), ...firstTasks(epoch, now)],
}

function familyOf(random: Seeded, families: WorldPlan['families'], isNew: boolean): FamilyShare {
  let rest = random.next()
  for (const each of families) {
    rest -= each.share
    // TED_EXPORT ended in 2024: nothing new comes in it
    if (rest < 0) return isNew && each.family === 'legacy' ? families[0] : each
  }
  return families[0]
}

function procedure(seed: string, epoch: number, index: number, plan: WorldPlan): SampleProcedure {
  const key = `${seed}|${index}`
  const random = seeded(key)
  const place = index - (plan.firstIndex ?? 0)
  const isNew = place >= plan.base
  const { family, regions: places } = familyOf(random, plan.families, isNew)
  const buyer = buyerOf(random, random.pick(places))
  const subject = random.pick(subjects)
  const lots = lotsOf(random, subject)
  const isPublishedValue = family !== 'doe-national' && random.chance(0.6)
  const base = {
    index,
    family,
    buyer,
    subject,
    lots,
    procedureId: seededUuid(`${key}|procedure`),
    reference: `${buyer.town.slice(0, 3).toUpperCase()}-${2020 + random.whole(3, 6)}-${String(index).padStart(4, '0')}`,
    languages: buyer.region.languages,
    procedureType: random.pick(['open', 'open', 'open', 'restricted', 'neg-w-call'] as const),
    value: isPublishedValue ? lots.reduce((sum, lot) => sum + lot.value, 0) : undefined,
    isFramework: random.chance(0.1),
  }
  const start = isNew ? epoch + (place - plan.base + 1) * plan.arrivalMs : undefined
  return { ...base, notices: timeline(random, key, base, epoch, start, plan.portal) }
}

function buyerOf(random: Seeded, region: Region): SampleBuyer {
  const town = random.pick(region.towns)
  return buyerIn(region, town, random.whole(0, region.authorities.length - 1))
}

function lotsOf(random: Seeded, subject: Subject): SampleLot[] {
  const total = random.whole(subject.thousands[0], subject.thousands[1]) * 1000
  const isDivided = subject.lots.length > 0 && random.chance(0.7)
  const parts = isDivided ? subject.lots : [{ cpv: subject.cpv, title: subject.title }]
  const each = Math.round(total / parts.length / 1000) * 1000
  return parts.map(({ cpv, title }, index) => ({
    lotId: `LOT-${String(index + 1).padStart(4, '0')}`,
    cpv,
    title,
    value: each + index * 5000,
  }))
}

type Scenario =
  | 'open'
  | 'changed'
  | 'planned'
  | 'planned-call'
  | 'awarded'
  | 'partly'
  | 'unsuccessful'
  | 'cancelled'
  | 'expired'
  | 'modified'
const pastScenarios: readonly Scenario[] = [
  'awarded',
  'awarded',
  'awarded',
  'partly',
  'unsuccessful',
  'expired',
  'modified',
]

function scenarioOf(random: Seeded, family: Family, isNew: boolean): Scenario {
  if (family === 'legacy')
    return random.pick(['awarded', 'awarded', 'changed', 'expired', 'planned-call', 'unsuccessful'] as const)
  if (isNew) return random.pick(['open', 'open', 'open', 'changed', 'planned-call', 'cancelled'] as const)
  const dice = random.next()
  if (dice < 0.4) return 'open'
  if (dice < 0.53) return 'changed'
  if (dice < 0.58) return 'planned'
  if (dice < 0.65) return 'planned-call'
  if (dice < 0.7) return 'cancelled'
  return random.pick(pastScenarios)
}

type Base = Omit<SampleProcedure, 'notices'>

function timeline(
  random: Seeded,
  key: string,
  base: Base,
  epoch: number,
  start: number | undefined,
  portal: SamplePortal | undefined,
): SampleNotice[] {
  const drawn = scenarioOf(random, base.family, start !== undefined)
  // the national encoding cannot express that a call is withdrawn
  const scenario = drawn === 'cancelled' && base.family === 'doe-national' ? 'changed' : drawn
  const zone = base.buyer.region.zone
  const isPast = pastScenarios.includes(scenario)
  const first =
    start ??
    (base.family === 'legacy'
      ? Date.UTC(2022, random.whole(0, 20), random.whole(1, 28), 8)
      : epoch - random.whole(isPast ? 70 : 1, isPast ? 130 : 24) * dayMs - random.whole(0, 23) * hourMs)
  const notices: SampleNotice[] = []
  const add = (
    kind: SampleNoticeKind,
    at: number,
    deadline: number | undefined,
    results: readonly SampleLotResult[] = [],
  ) => {
    const number = notices.length
    const previous = notices.at(-1)
    // a change is the next version of the same notice, or a separate notice: both occur
    const isChange = previous !== undefined && (kind === 'change' || kind === 'cancellation')
    const isNextVersion =
      isChange && base.family !== 'legacy' && (base.index % 2 === 0 || base.family === 'doe-national')
    const noticeId = isNextVersion
      ? previous.noticeId
      : base.family === 'doe-national'
        ? `${70_000_000 + base.index * 10 + number}`
        : seededUuid(`${key}|notice|${number}`)
    const version = isNextVersion ? String(Number(previous.version) + 1).padStart(2, '0') : '01'
    const year = new Date(at).getUTCFullYear()
    notices.push({
      kind,
      noticeId,
      version,
      at,
      deadline,
      previous,
      results,
      publicationNumber: `${100_000 + base.index * 8 + number}-${year}`,
      copies: portal === undefined ? copiesOf(base, number) : [{ portal, delayMs: 0 }],
    })
  }
  const newDeadline = (from: number, days: number) => localHour(from + days * dayMs, zone, random.pick([10, 11, 12]))

  if (scenario === 'planned') add('planning', first, undefined)
  const isPlanned = scenario === 'planned-call'
  if (isPlanned) add('planning', start === undefined ? first - 30 * dayMs : first, undefined)
  if (scenario === 'planned') return notices
  const deadline = newDeadline(first, isPast || base.family === 'legacy' ? 35 : random.whole(28, 70))
  add('call', isPlanned && start !== undefined ? first + 3 * hourMs : first, deadline)
  // short for new ones, so that the sample world changes while somebody watches
  const pause = start === undefined ? random.whole(8, 20) * hourMs : random.whole(2, 9) * hourMs
  if (scenario === 'changed') add('change', first + pause, newDeadline(deadline, random.whole(3, 14)))
  if (scenario === 'cancelled') {
    add('cancellation', first + pause, deadline)
    return notices
  }
  if (scenario === 'expired') return notices
  const awardAt = (notices.at(-1)?.deadline ?? deadline) + random.whole(10, 25) * dayMs
  add('award', awardAt, undefined, resultsOf(random, base, scenario))
  if (scenario === 'modified')
    add(
      'modification',
      awardAt + 6 * dayMs,
      undefined,
      notices.at(-1)!.results.map((each) => ({ ...each, value: each.value + 15_000 })),
    )
  return notices
}

function resultsOf(random: Seeded, base: Base, scenario: Scenario): SampleLotResult[] {
  return base.lots.map((lot, index) => {
    const isFailed = scenario === 'unsuccessful' || (scenario === 'partly' && index === 0 && base.lots.length > 1)
    return {
      lotId: lot.lotId,
      winner: isFailed ? undefined : random.pick(firms),
      value: Math.round(lot.value * (0.8 + random.next() * 0.3)),
      receivedTenders: isFailed ? 0 : random.whole(1, 9),
    }
  })
}

// The federal portal and Doffin forward what is above the threshold: the same notice id and version two days later on
// TED.
function copiesOf(base: Base, number: number): SampleNotice['copies'] {
  switch (base.family) {
    case 'ted':
    case 'legacy':
      return [{ portal: 'ted', delayMs: 0 }]
    case 'doe':
      return base.index % 4 === 3
        ? [{ portal: 'doe', delayMs: 0 }]
        : [
            { portal: 'doe', delayMs: 0 },
            { portal: 'ted', delayMs: (number % 2 ? 1 : 2) * dayMs },
          ]
    case 'doe-national':
      return [{ portal: 'doe', delayMs: 0 }]
    case 'doffin':
      return base.index % 2
        ? [{ portal: 'no-doffin', delayMs: 0 }]
        : [
            { portal: 'no-doffin', delayMs: 0 },
            { portal: 'ted', delayMs: dayMs },
          ]
    case 'uk':
      return [{ portal: 'gb-find-a-tender', delayMs: 0 }]
    case 'records':
      return [{ portal: 'gb-contracts-finder', delayMs: 0 }]
    case 'feed':
      return [{ portal: 'gb-public-contracts-scotland', delayMs: 0 }]
    case 'own':
      throw new Error('a portal with a world of its own needs a name')
  }
}

/** The given hour of that day on the clocks of the zone. */
function localHour(ms: number, zone: string, hour: number): number {
  return wallToEpochMs(Math.floor(ms / dayMs) * dayMs + hour * hourMs, zone)
}

/** Text in each language of the procedure. */
export function inLanguages(
  procedure: SampleProcedure,
  text: (language: SampleLanguage) => string,
): { readonly language: SampleLanguage; readonly text: string }[] {
  return procedure.languages.map((language) => ({ language, text: text(language) }))
}

const descriptionPatterns: Words = {
  de: '*. Gegenstand ist die vollständige Leistung einschließlich Lieferung, Ausführung und Dokumentation für § und Umgebung.',
  en: '*. The contract covers the complete work including delivery, execution and documentation for § and its surroundings.',
  fr: "*. Le marché porte sur l'ensemble des prestations, livraison, exécution et documentation comprises, pour § et ses environs.",
  pl: '*. Przedmiotem zamówienia jest kompletna realizacja wraz z dostawą, wykonaniem i dokumentacją dla § i okolic.',
  nb: '*. Kontrakten omfatter hele leveransen med utførelse og dokumentasjon for § og omegn.',
}

export function titleOf(procedure: SampleProcedure, language: SampleLanguage): string {
  return `${procedure.subject.title[language]} – ${procedure.buyer.town}`
}

export function descriptionOf(procedure: SampleProcedure, language: SampleLanguage): string {
  return descriptionPatterns[language]
    .replace('*', () => procedure.subject.title[language])
    .replace('§', () => procedure.buyer.town)
}

/** ISO 639-2/T as eForms writes languages. */
export const alpha3Languages: { readonly [language in SampleLanguage]: string } = {
  de: 'DEU',
  en: 'ENG',
  fr: 'FRA',
  pl: 'POL',
  nb: 'NOB',
}
