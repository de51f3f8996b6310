// Records as an assistant reads them: short in a list, cut to a bounded size as a whole, and without characters that
// nobody sees. What is cut is said. Pure.
import { type DeadlineKind, firstDeadline } from '../sinks/record/first-deadline.ts'
import type { TenderRecord } from '../types.ts'
import { ToolError } from './tool-error.ts'

/** A tender in a list of results. What is not known is absent. */
export type ShortTender = {
  readonly id: string
  readonly status: string
  readonly title: string
  readonly buyer?: string
  /** ISO 3166-1 alpha-2. */
  readonly country?: string
  /** ISO 8601, UTC: the one that a bidder meets first. */
  readonly deadline?: string
  readonly deadlineKind?: DeadlineKind
  /** IANA zone of the authority. */
  readonly timeZone?: string
  readonly value?: { readonly amount: number; readonly currency: string; readonly estimated: boolean }
  readonly cpv?: readonly string[]
  readonly nuts?: readonly string[]
  /** Number of lots. */
  readonly lots?: number
}

export type CutRecord = {
  readonly tender: { readonly [member: string]: unknown }
  /** What was left out, a sentence each. */
  readonly cut: readonly string[]
  /** Where to continue with the lots; null after the last one. */
  readonly nextLots: number | null
}

/** Letters of a title and of a name, the first pair with which a list fits. */
const listLevels = [
  { title: 160, name: 80 },
  { title: 110, name: 60 },
  { title: 70, name: 40 },
] as const
/** What a result may take of a list on the average: 20 are 3,000 tokens. A letter that is not Latin counts twice. */
const resultSize = 440
const shownCodes = 3
/** Characters of a whole answer as JSON: about 8,000 tokens at most in the languages of the notices. */
const budget = 18_000
/** Maximum letters of texts and items of lists, the first pair with which the answer fits. */
const levels = [
  { description: 4000, text: 800, items: 20 },
  { description: 2000, text: 300, items: 8 },
  { description: 800, text: 120, items: 3 },
  { description: 200, text: 40, items: 1 },
] as const
type Level = (typeof levels)[number]

/** Controls, marks of direction, zero-width characters, tags, private ones and halves of pairs. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}]/gu

/** The text without what no reader sees; lines and tabs stay. */
export const cleanText = (text: string): string =>
  text.replace(unseen, (character) => (character === '\n' || character === '\t' ? character : ''))

/** At most so many UTF-16 units, with an ellipsis in place of the rest; never half a pair. */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  const start = text.slice(0, most - 1)
  return `${/[\ud800-\udbff]$/.test(start) ? start.slice(0, -1) : start}…`
}

const oneLine = (text: string, most: number): string => shortened(cleanText(text).replace(/\s+/g, ' ').trim(), most)

/** The tenders of a list, with titles and names so short that the list stays small. */
export function shortTenders(records: readonly TenderRecord[]): ShortTender[] {
  const lists = listLevels.map((level) => () => records.map((record) => shortTender(record, level)))
  for (const list of lists.slice(0, -1)) {
    const short = list()
    if (sizeOf(JSON.stringify(short)) <= resultSize * Math.max(10, records.length)) return short
  }
  return lists.at(-1)!()
}

const sizeOf = (text: string): number => text.length + text.replace(/[\0-\u02ff\u2010-\u2030]/g, '').length

function shortTender(record: TenderRecord, { title, name }: (typeof listLevels)[number]): ShortTender {
  const { id, status, contractingAuthority: buyer, contractAmount, cpvCodes, nutsCodes, timeZone, lots } = record
  const deadline = firstDeadline(record)
  return {
    id,
    status,
    title: oneLine(record.displayTitle ?? record.title, title),
    ...(buyer && { buyer: oneLine(buyer.name, name) }),
    ...(buyer?.country !== undefined && { country: oneLine(buyer.country, 2) }),
    ...(deadline && { deadline: toMinute(deadline.at), deadlineKind: deadline.kind }),
    ...(deadline && timeZone !== undefined && { timeZone: oneLine(timeZone, 40) }),
    ...(contractAmount && {
      value: {
        amount: contractAmount.value,
        currency: oneLine(contractAmount.currency, 3),
        estimated: contractAmount.estimated,
      },
    }),
    ...(cpvCodes.length > 0 && { cpv: cpvCodes.slice(0, shownCodes).map((code) => oneLine(code, 8)) }),
    ...(nutsCodes.length > 0 && { nuts: nutsCodes.slice(0, shownCodes).map((code) => oneLine(code, 5)) }),
    ...(lots.length > 1 && { lots: lots.length }),
  }
}

const toMinute = (instant: string): string => instant.replace(/:\d\d\.\d{3}Z$/, 'Z')

/**
 * The record with at most `budget` characters, from a lot on. Only the first part has all members; the others name the
 * tender. Throws ToolError for a lot that is not there.
 */
export function cutRecord(record: TenderRecord, lotsFrom: number): CutRecord {
  const { lots, translations, ...head } = record
  if (lotsFrom > 0 && lotsFrom >= lots.length)
    throw new ToolError(`The tender has ${lots.length} lots: call again with lots_from below ${lots.length}.`)
  const members = lotsFrom === 0 ? head : { id: record.id, status: record.status, title: record.title }
  for (const level of levels) {
    const cutter = new Cutter(level)
    const tender = cutter.cut(members, '') as { [member: string]: unknown }
    const shown: unknown[] = []
    let size = JSON.stringify(tender).length
    for (const lot of lots.slice(lotsFrom)) {
      const next = cutter.cut(lot, 'lots')
      size += JSON.stringify(next).length + 1
      if (size > budget) break
      shown.push(next)
    }
    const isLast = level === levels.at(-1)
    if (!isLast && ((size > budget && shown.length === 0) || JSON.stringify(tender).length > budget)) continue
    const until = lotsFrom + shown.length
    const cut = cutter.said()
    const languages = Object.keys(translations ?? {}).length
    if (lotsFrom === 0 && languages > 0)
      cut.push(`titles and descriptions in ${languages} other languages are left out`)
    if (until < lots.length)
      cut.push(`lots ${lotsFrom} to ${until - 1} of ${lots.length} are here; continue with lots_from=${until}`)
    return { tender: { ...tender, lots: shown }, cut, nextLots: until < lots.length ? until : null }
  }
  throw new Error('the last level accepts every record')
}

/** Members that lead somewhere: a part of one leads nowhere, or elsewhere. */
const isWhole = (member: string): boolean => /(?:url|email)$/i.test(member)

/** Cuts texts and lists, and counts what it cut. */
class Cutter {
  readonly #level: Level
  #texts = 0
  #links = 0
  readonly #lists = new Set<string>()

  constructor(level: Level) {
    this.#level = level
  }

  cut(value: unknown, name: string): unknown {
    if (typeof value === 'string') {
      const clean = cleanText(value)
      const most = name === 'description' ? this.#level.description : this.#level.text
      if (clean.length > most) this.#texts++
      return shortened(clean, most)
    }
    if (Array.isArray(value)) {
      const { items } = this.#level
      if (value.length > items) this.#lists.add(`${name} shows ${items} of up to ${value.length} items`)
      // of the notices, the newest say most
      const kept = name === 'originalSources' ? value.slice(-items) : value.slice(0, items)
      return kept.map((item) => this.cut(item, name))
    }
    if (value === null || typeof value !== 'object') return value
    const whole = Object.entries(value).filter((entry) => !this.#isLongLink(...entry))
    // the description of a lot is one of many
    return Object.fromEntries(
      whole.map(([member, inner]) => [
        cleanText(member),
        this.cut(inner, name === 'lots' && member === 'description' ? 'text' : member),
      ]),
    )
  }

  #isLongLink(member: string, value: unknown): boolean {
    const isLong = isWhole(member) && typeof value === 'string' && cleanText(value).length > this.#level.text
    if (isLong) this.#links++
    return isLong
  }

  said(): string[] {
    const texts = this.#texts === 0 ? [] : [`${this.#texts} long ${this.#texts === 1 ? 'text is' : 'texts are'} cut`]
    const links = this.#links === 0 ? [] : [`long links and mail addresses are left out, ${this.#links} in all`]
    return [...texts, ...links, ...[...this.#lists].slice(0, 5)]
  }
}
