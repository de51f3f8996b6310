// What the page of tenders is asked, read from its address, and the address that asks it. Everything that it says comes
// from outside: what cannot be read becomes a sentence, never an error.
import { findCodes, toCode } from '../../domain/code-labels.ts'
import { searchWordsOf } from '../../domain/words.ts'
import { type FoundStatus, maxOffset, type TenderOrder } from '../../edition/read/tender-question.ts'
import { HitInputError, maxItems, readAuthority, readWord } from '../../hits/read-input.ts'
import type { Language } from '../frame/languages.ts'
import { findTexts } from './find-texts.ts'
import { regionsCalled } from './regions-called.ts'

/** In the order in which people see them. */
export const foundStatuses = ['open', 'planned', 'awardIntended', 'closed', 'awarded', 'cancelled'] as const
foundStatuses satisfies readonly FoundStatus[]
export const tenderOrders: readonly TenderOrder[] = ['relevance', 'deadline', 'value', 'newest']
/** Tenders on one page. */
export const pageSize = 20
/** Maximum number of a page, so that the last tender can still be asked for. */
const maxPage = maxOffset / pageSize
/** Spans of the deadline that a facet offers, in days. */
export const dueSpans = [7, 14, 28, 42] as const
/** Statuses that the address leaves out: what people look for who say nothing else. */
export const usualStatuses: readonly FoundStatus[] = ['open']
/** Maximum letters of what is typed. */
const longestTyped = 200

/** A question to the stock as its address says it. Lists are unique, in the order of the address. */
export type Asked = {
  /** As searches read them; all must occur. */
  readonly words: readonly string[]
  readonly cpv: readonly string[]
  readonly nuts: readonly string[]
  /** Undefined: any. */
  readonly statuses: readonly FoundStatus[] | undefined
  /** Whole euros, inclusive. */
  readonly min: number | undefined
  readonly max: number | undefined
  /** The deadline is at most so many days away. */
  readonly due: number | undefined
  /** Month of publication in UTC, `2026-11`. */
  readonly month: string | undefined
  /** Names or national ids of authorities. */
  readonly authorities: readonly string[]
  /** Undefined: by relevance where there are words, else by deadline. */
  readonly order: TenderOrder | undefined
  /** From 1. */
  readonly page: number
}

export const orderOf = ({ order, words }: Asked): TenderOrder => order ?? (words.length > 0 ? 'relevance' : 'deadline')

export type Field = 'words' | 'place' | 'value' | 'other'
/** A sentence about something that was not understood, at the field that it is about. */
type Fault = { readonly field: Field; readonly text: string }

export type ReadAddress = {
  readonly asked: Asked
  readonly faults: readonly Fault[]
  /** Remarks about what was left out of the question without harm. */
  readonly remarks: readonly string[]
  /** Whether a region was typed by name: its code belongs into the address. */
  readonly hasPlace: boolean
  /** Regions of the typed name, if it has several. */
  readonly places: readonly string[]
  /** As typed, for the form. */
  readonly typed: { readonly words: string; readonly place: string; readonly min: string; readonly max: string }
}

export function readAddress(query: URLSearchParams, language: Language): ReadAddress {
  const texts = findTexts[language]
  const faults: Fault[] = []
  const remarks: string[] = []
  const fault = (field: Field, text: string) => void faults.push({ field, text })
  const typedOf = (name: string) => (query.get(name) ?? '').trim().slice(0, longestTyped)
  const typed = {
    words: query.getAll('words').join(' ').trim().slice(0, longestTyped),
    place: typedOf('place'),
    min: typedOf('min'),
    max: typedOf('max'),
  }
  const listOf = (name: string) => [...new Set(query.getAll(name).map((text) => text.trim()))].filter(Boolean)

  const words = wordsOf(typed.words, fault, remarks, language)
  const codes = (kind: 'cpv' | 'nuts') => {
    const found = listOf(kind).flatMap((text) => {
      const code = toCode(kind, text)
      if (code === undefined) fault('other', texts.badCode[kind](shortened(text)))
      return code ?? []
    })
    return [...new Set(found)]
  }
  const cpv = codes('cpv')
  const nuts = codes('nuts')
  const { found, choices } = placesOf(typed.place, fault, language)
  const whole = (name: 'min' | 'max') => {
    const digits = typed[name].replace(/[.,'’\s]/g, '')
    if (typed[name] === '') return undefined
    if (/^\d{1,15}$/.test(digits)) return Number(digits)
    fault('value', texts.badValue(shortened(typed[name])))
    return undefined
  }
  const [min, max] = [whole('min'), whole('max')]
  if (min !== undefined && max !== undefined && min > max) fault('value', texts.emptyValue)
  const due = typedOf('due') === '' ? undefined : Number(typedOf('due'))
  const isDue = due === undefined || dueSpans.some((span) => span === due)
  if (!isDue) fault('other', texts.badDue)
  const month = typedOf('month') === '' ? undefined : typedOf('month')
  const isMonth = month === undefined || /^(?:19|20)\d\d-(?:0[1-9]|1[0-2])$/.test(month)
  if (!isMonth) fault('other', texts.badMonth)
  const asked: Asked = {
    words,
    cpv,
    nuts: [...new Set([...nuts, ...found])],
    statuses: statusesOf(listOf('status'), fault, language),
    min,
    max,
    due: isDue ? due : undefined,
    month: isMonth ? month : undefined,
    authorities: listOf('buyer').flatMap((text) => {
      try {
        return readAuthority(text)
      } catch (error) {
        if (!(error instanceof HitInputError)) throw error
        fault('other', texts.badBuyer(shortened(text)))
        return []
      }
    }),
    order: orderIn(typedOf('order'), fault, language),
    page: pageIn(typedOf('page'), fault, language),
  }
  for (const list of [asked.words, asked.cpv, asked.nuts, asked.authorities])
    if (list.length > maxItems) fault('other', texts.tooMany(list.length, maxItems))
  return { asked, faults, remarks, hasPlace: found.length > 0, places: choices, typed }
}

type Report = (field: Field, text: string) => void

function wordsOf(typed: string, fault: Report, remarks: string[], language: Language): string[] {
  const texts = findTexts[language]
  const pattern = /[*?]/.exec(typed)
  if (pattern) fault('words', texts.noWildcards)
  const words: string[] = []
  const short: string[] = []
  for (const word of searchWordsOf(typed))
    try {
      words.push(readWord(word))
    } catch (error) {
      if (!(error instanceof HitInputError)) throw error
      if (word.length > 1) fault('words', texts.badWord(shortened(word)))
      else short.push(word)
    }
  if (short.length > 0 && !pattern) remarks.push(texts.shortWords(short.join(', ')))
  return [...new Set(words)]
}

function placesOf(typed: string, fault: Report, language: Language): { found: string[]; choices: string[] } {
  if (typed === '') return { found: [], choices: [] }
  const called = regionsCalled(typed)
  if (called.length === 1) return { found: called, choices: [] }
  const choices = called.length > 0 ? called : findCodes('nuts', typed, 8)
  if (choices.length === 1) return { found: choices, choices: [] }
  const texts = findTexts[language]
  fault('place', choices.length === 0 ? texts.noPlace(shortened(typed)) : texts.whichPlace(shortened(typed)))
  return { found: [], choices }
}

function statusesOf(given: readonly string[], fault: Report, language: Language): readonly FoundStatus[] | undefined {
  if (given.length === 0) return usualStatuses
  if (given.includes('any')) return undefined
  const known = foundStatuses.filter((status) => given.includes(status))
  const unknown = given.find((text) => !foundStatuses.some((status) => status === text))
  if (unknown !== undefined) fault('other', findTexts[language].badStatus(shortened(unknown)))
  return known.length === 0 ? usualStatuses : known
}

function orderIn(text: string, fault: Report, language: Language): TenderOrder | undefined {
  const order = tenderOrders.find((each) => each === text)
  if (text !== '' && order === undefined) fault('other', findTexts[language].badOrder)
  return order
}

function pageIn(text: string, fault: Report, language: Language): number {
  if (text === '') return 1
  const page = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (page >= 1 && page <= maxPage) return page
  fault('other', findTexts[language].badPage(maxPage))
  return 1
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text)

/** The parameters that ask this, without those that say what is usual. */
function parametersOf(asked: Asked): URLSearchParams {
  const { words, cpv, nuts, statuses, min, max, due, month, authorities, order, page } = asked
  const parameters = new URLSearchParams()
  const add = (name: string, value: string | number | undefined) => {
    if (value !== undefined) parameters.append(name, String(value))
  }
  if (words.length > 0) add('words', words.join(' '))
  for (const code of cpv) add('cpv', code)
  for (const code of nuts) add('nuts', code)
  if (statuses === undefined) add('status', 'any')
  else if (statuses.join() !== usualStatuses.join()) for (const status of statuses) add('status', status)
  add('min', min)
  add('max', max)
  add('due', due)
  add('month', month)
  for (const name of authorities) add('buyer', name)
  add('order', order)
  if (page > 1) add('page', page)
  return parameters
}

/** The address of `path` that asks this. A change of the question returns to its first page. */
export function addressOf(asked: Asked, change: Partial<Asked> = {}, path = '/tenders'): string {
  const query = parametersOf({ ...asked, page: 1, ...change }).toString()
  return query === '' ? path : `${path}?${query}`
}

/** The list with an item added, or without it if it is there. */
export const toggled = <Item>(list: readonly Item[], item: Item): Item[] =>
  list.includes(item) ? list.filter((each) => each !== item) : [...list, item]
