// From one component of stage A to what the matcher compares: everything derived once.

import { distinguishingWords, wordsOf } from '../../domain/name-words.ts'
import type { MultilingualText, Notice, NoticeLot } from '../../domain/notice.ts'
import { identifierOf } from '../../domain/organization-identity.ts'
import { dayMs, epochMs, type Instant, minuteMs, offsetMsAt, zoneOf } from '../../domain/time.ts'
import { isPlanning, procedureScope } from '../link-keys.ts'
import { namedCallsOf, publicationDay } from '../named-calls.ts'
import type { Unit } from '../notice-units.ts'
import { sketchOf } from './description-sketch.ts'
import { discriminatorsOf, partsOf } from './discriminators.ts'
import { documentsOf } from './documents.ts'
import type { MatchBuyer, MatchDeadline, MatchRecord, MatchTitle } from './match-record.ts'
import { referenceNumbers } from './reference-numbers.ts'
import { textWordsOf } from './text-words.ts'
import { maxDeadlines, maxLotsRead, maxWordsOfTitle } from './thresholds.ts'
import { plainText, plainTitle } from './title-text.ts'
import { buyerWeight, titleWeight } from './word-weights.ts'
import { allWords, numbersOf, tellingWords } from './words.ts'

type Stage = MatchRecord['stage']

function stageOf(notice: Notice): Stage {
  if (isPlanning(notice)) return 'planning'
  if (notice.formType === 'competition' || notice.formType === 'change') return 'call'
  return notice.formType === 'result' || notice.formType === 'dir-awa-pre' ? 'result' : 'contract'
}

const stageOrder: readonly Stage[] = ['call', 'result', 'contract', 'planning']

/** The notice whose texts count: of the most significant stage, the latest that has a title. */
function headOf(notices: readonly Notice[], stage: Stage): Notice {
  const ofStage = notices.filter((notice) => stageOf(notice) === stage)
  return ofStage.findLast((notice) => notice.title !== undefined) ?? ofStage.at(-1) ?? notices.at(-1)!
}

/** Texts of a map, the notice's own language first, at most `most`. */
function textsOf(text: MultilingualText | undefined, own: string, most: number): [language: string, text: string][] {
  const entries = Object.entries(text ?? {})
  entries.sort(([a], [b]) => Number(b === own) - Number(a === own) || (a < b ? -1 : 1))
  return entries.slice(0, most)
}

function titleOf(language: string, text: string, isTruncated: boolean): MatchTitle {
  const words = allWords(text)
  const telling = tellingWords(words).slice(0, maxWordsOfTitle)
  return {
    language,
    words: telling,
    weights: telling.map((word) => round(titleWeight(language, word))),
    joined: words.join('').slice(0, 400),
    isTruncated,
  }
}

const round = (value: number): number => Math.round(value * 100) / 100

function buyerOf(name: string): MatchBuyer {
  const plain = plainText(name)
  const words = [...distinguishingWords(plain)].slice(0, 24)
  return { words, weights: words.map((word) => round(buyerWeight(word))), name: wordsOf(plain).join(' ').slice(0, 200) }
}

/** Midnight and the last minute appear where a portal had only a day, in the buyer's time zone or in UTC. */
function deadlineOf(instant: Instant, zone: string): MatchDeadline {
  const utcMs = epochMs(instant)
  const localMs = utcMs + offsetMsAt(zone, utcMs)
  const minuteOfDay = (ms: number): number => Math.floor((((ms % dayMs) + dayMs) % dayMs) / minuteMs)
  const isEdge = (ms: number): boolean => minuteOfDay(ms) === 0 || minuteOfDay(ms) === 1439
  const isLocalEdge = isEdge(localMs)
  const isUtcEdge = isEdge(utcMs)
  return {
    minute: Math.floor(utcMs / minuteMs),
    day: Math.floor((isUtcEdge && !isLocalEdge ? utcMs : localMs) / dayMs),
    isDateOnly: isLocalEdge || isUtcEdge,
  }
}

function deadlinesOf(notices: readonly Notice[], zone: string): MatchDeadline[] {
  const instants = new Set<Instant>()
  for (const notice of notices.toReversed())
    for (const holder of [notice, ...notice.lots.slice(0, maxLotsRead)])
      for (const instant of [holder.submissionDate, holder.participationDate]) if (instant) instants.add(instant)
  const deadlines = [...instants].slice(0, maxDeadlines).map((instant) => deadlineOf(instant, zone))
  return deadlines.sort((a, b) => a.minute - b.minute)
}

const significant = (code: string): string => code.replace(/0+$/, '').padEnd(2, '0')

function dayOf(instant: Instant | undefined): number | undefined {
  return instant === undefined ? undefined : publicationDay(epochMs(instant))
}

function unique<T>(values: readonly (T | undefined)[]): T[] {
  return [...new Set(values.filter((value) => value !== undefined))]
}

/** A component as the matcher sees it; `key` is the notice key of its first unit, `units` come oldest first. */
export function prepare(key: string, units: readonly Unit[]): MatchRecord {
  const notices = units.map(({ notice }) => notice)
  const stages = notices.map(stageOf)
  const stage = stageOrder.find((candidate) => stages.includes(candidate)) ?? 'call'
  const head = headOf(notices, stage)
  const buyers = head.contractingAuthorities.length > 0 ? head : notices.find(hasBuyers)
  const organizations = buyers?.contractingAuthorities.slice(0, 4) ?? []
  const country = organizations[0]?.country ?? head.place?.country
  const lots: readonly NoticeLot[] = head.lots.slice(0, maxLotsRead)

  const titles = titlesOf(head)
  const descriptions = textsOf(head.description, head.language, 1).map(([, text]) => text)
  const lotTexts = lots.flatMap((lot) => [
    ...textsOf(lot.title, head.language, 1).map(([, text]) => text),
    ...textsOf(lot.description, head.language, 1).map(([, text]) => text),
  ])
  const description = plainText([...descriptions, ...lotTexts].join('\n').slice(0, 8_000))
  const sketch = sketchOf(description, titles[0] ? allWords(titles[0].text) : [])
  const title = titles[0]?.text ?? ''
  const daysOf = (some: readonly Notice[]): number[] =>
    some.map((notice) => dayOf(notice.publicationDate ?? notice.dispatchDate)).filter((day) => day !== undefined)
  const days = daysOf(notices)
  const resultDays = daysOf(notices.filter((_, index) => stages[index] === 'result'))
  const procedures = new Map(
    notices.flatMap((notice) => {
      const found = procedureScope(notice)
      return found ? [[`${found.scope} ${found.id}`, found] as const] : []
    }),
  )
  const isOwnCall = (notice: Notice): boolean =>
    stageOf(notice) === 'call' && notice.formType === 'competition' && notice.changeReasons === undefined
  const callDays = daysOf(notices.filter(isOwnCall))
  const marks = discriminatorsOf(title, description)
  const record: MatchRecord = {
    key,
    publishers: unique(notices.map(({ publisher }) => publisher)).sort(),
    callPublishers: unique(notices.filter(isOwnCall).map(({ publisher }) => publisher)).sort(),
    ...(notices.every(({ format }) => format === 'portal') ? { isFromPages: true } : {}),
    procedures: [...procedures.keys()].sort().map((name) => procedures.get(name)!),
    stage,
    countries: unique(organizations.map((buyer) => buyer.country)).sort(),
    language: head.language,
    titles: titles.map(({ language, text, isTruncated }) => titleOf(language, text, isTruncated)),
    numbers: unique(titles.slice(0, 1).flatMap(({ text }) => numbersOf(allWords(text)))).sort(),
    discriminators: marks.discriminators,
    isMarkedInTitle: marks.isInTitle,
    isCopy: titles.some(({ isCopy }) => isCopy),
    buyers: organizations.map(({ name }) => buyerOf(name)),
    buyerIds: unique(organizations.map(identifierOf)).sort(),
    towns: unique([...organizations.map(({ city }) => city), head.place?.city].map(townOf)).slice(0, 2),
    deadlines: deadlinesOf(notices, zoneOf(country)),
    cpv: unique([...head.cpvCodes, ...lots.flatMap((lot) => lot.cpvCodes)].map(significant)).slice(0, 24),
    nuts: unique([...head.nutsCodes, head.place?.nutsCode, ...lots.flatMap((lot) => lot.nutsCodes)])
      .sort()
      .slice(0, 12),
    references: referenceNumbers(
      notices.map(({ internalReference }) => internalReference),
      [rawTitle(head), description],
    ),
    shingles: sketch.shingles,
    descriptionLength: sketch.words.length,
    descriptionWords: sketch.words.length <= 40 ? tellingWords(sketch.words) : [],
    descriptionNumbers: numbersOf(sketch.words)
      .filter((number) => number.length > 1)
      .slice(0, 40),
    textWords: textWordsOf(sketch.words),
    parts: partsOf(description),
    documents: documentsOf(
      notices.flatMap((notice) => [notice.documentsUrl, ...notice.lots.map((lot) => lot.documentsUrl)]),
      description,
    ),
    ...(days.length > 0 ? { firstDay: Math.min(...days), lastDay: Math.max(...days) } : {}),
    ...(callDays.length > 0 ? { callDay: Math.min(...callDays) } : {}),
    ...(resultDays.length > 0 ? { resultDay: Math.min(...resultDays) } : {}),
    calls: namedCallsOf(notices),
  }
  return record
}

const hasBuyers = ({ contractingAuthorities }: Notice): boolean => contractingAuthorities.length > 0

function rawTitle(notice: Notice): string {
  return textsOf(notice.title, notice.language, 1)[0]?.[1] ?? ''
}

/** Titles of the head notice, its own language first; the title of the only lot where the procedure has none. */
function titlesOf(head: Notice) {
  const own = textsOf(head.title, head.language, 4)
  const found =
    own.length > 0 ? own : textsOf(head.lots.length === 1 ? head.lots[0]!.title : undefined, head.language, 4)
  return found.map(([language, text]) => ({ language, ...plainTitle(text) }))
}

function townOf(city: string | undefined): string | undefined {
  const words = city === undefined ? [] : tellingWords(wordsOf(city)).filter((word) => /^\p{L}{3,}/u.test(word))
  return words.sort((a, b) => b.length - a.length || (a < b ? -1 : 1))[0]
}
