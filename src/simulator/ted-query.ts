// The expert query language of TED's search: field, operator, value, AND, OR, NOT, SORT BY.
import { dayMs } from '../domain/time.ts'

/** A syntax error with its position, or a field that does not exist: each has its own code in the answer. */
export class TedQueryError extends Error {
  readonly code: 'QUERY_SYNTAX_ERROR' | 'QUERY_UNKNOWN_FIELD' | 'QUERY_UNSUPPORTED_FIELD_VALUE'
  readonly column: number

  constructor(code: TedQueryError['code'], message: string, column: number) {
    super(message)
    this.name = 'TedQueryError'
    this.code = code
    this.column = column
  }
}

/** Values of a notice by field; dates as `YYYYMMDD`. */
export type TedFields = { readonly [field: string]: string | undefined }

export type TedQuery = {
  readonly matches: (fields: TedFields) => boolean
  /** The field to sort by, descending: the only order that exists. Without it the oldest come first. */
  readonly sortBy?: string
}

const aliases: { readonly [short: string]: string } = {
  PD: 'publication-date',
  ND: 'publication-number',
  OJ: 'ojs-number',
  TY: 'notice-type',
  CY: 'buyer-country',
  PC: 'classification-cpv',
}
const dateFields = new Set(['publication-date'])

type Token = { readonly text: string; readonly column: number }
type Match = TedQuery['matches']

/** `known`: the fields that may be queried. `now`: for `today()`. Throws TedQueryError. */
export function readTedQuery(text: string, known: ReadonlySet<string>, now: number): TedQuery {
  const tokens: Token[] = [...text.matchAll(/"[^"]*"|<>|>=|<=|!=|[=~<>()]|[^\s=~<>()!]+/g)].map((match) => ({
    text: match[0],
    column: match.index + 1,
  }))
  let at = 0
  const fail = (message: string): never => {
    throw new TedQueryError('QUERY_SYNTAX_ERROR', message, tokens[at]?.column ?? text.length + 1)
  }
  const next = () => tokens[at]?.text
  const isWord = (word: string) => next()?.toUpperCase() === word
  const take = () => tokens[at++]?.text ?? fail('unexpected end of the query')
  const expect = (sign: string) => (next() === sign ? take() : fail(`expected ${sign}`))

  const alternatives = (): Match => {
    const parts = [conjunction()]
    while (isWord('OR')) {
      take()
      parts.push(conjunction())
    }
    return (fields) => parts.some((part) => part(fields))
  }
  const conjunction = (): Match => {
    const parts = [negation()]
    while (isWord('AND')) {
      take()
      parts.push(negation())
    }
    return (fields) => parts.every((part) => part(fields))
  }
  const negation = (): Match => {
    if (!isWord('NOT')) return primary()
    take()
    const inner = negation()
    return (fields) => !inner(fields)
  }
  const primary = (): Match => {
    if (next() !== '(') return comparison()
    take()
    const inner = alternatives()
    expect(')')
    return inner
  }
  const value = (field: string): string => {
    const written = take().replace(/^"|"$/g, '')
    if (/^today$/i.test(written)) {
      expect('(')
      const days = next() === ')' ? 0 : Number(take())
      expect(')')
      return new Date(now + days * dayMs).toISOString().slice(0, 10).replaceAll('-', '')
    }
    // `2023` and `220/2023` are one token, and so is a date; a malformed one is no error, but matches nothing
    return dateFields.has(field) ? written.replaceAll('-', '') : written
  }
  const comparison = (): Match => {
    const column = tokens[at]?.column ?? 0
    const name = take()
    const field = aliases[name] ?? name
    if (!known.has(field)) throw new TedQueryError('QUERY_UNKNOWN_FIELD', `unknown field ${name}`, column)
    const operator = take().toUpperCase()
    if (operator === 'IN') {
      expect('(')
      const values: string[] = []
      while (next() !== ')') values.push(value(field))
      take()
      return (fields) => values.some((each) => fits(fields[field], each))
    }
    if (operator === '=' && next() === '(') {
      take()
      const low = value(field)
      expect('<>')
      const high = value(field)
      expect(')')
      return (fields) => isBetween(fields[field], low, high, dateFields.has(field))
    }
    if (operator === '~' && next() === '(') {
      take()
      const words: string[] = []
      while (next() !== ')') words.push(take().toLowerCase())
      take()
      return (fields) => words.every((word) => fields[field]?.toLowerCase().includes(word))
    }
    if (!['=', '!=', '>=', '<=', '>', '<', '~'].includes(operator)) {
      at -= 1
      fail(`unexpected ${operator}`)
    }
    const wanted = value(field)
    if (dateFields.has(field) && !/^\d{8}$/.test(wanted)) return () => false
    return (fields) => {
      const given = fields[field]
      if (given === undefined) return false
      switch (operator) {
        case '=':
        case '~':
          return fits(given, wanted)
        case '!=':
          return !fits(given, wanted)
        case '>=':
          return given >= wanted
        case '<=':
          return given <= wanted
        case '>':
          return given > wanted
        default:
          return given < wanted
      }
    }
  }

  const matches = isWord('SORT') ? () => true : alternatives()
  if (at === tokens.length) return { matches }
  if (!isWord('SORT')) fail(`unexpected ${next()}`)
  take()
  if (!isWord('BY')) fail('expected BY')
  take()
  const sortName = take()
  const sortBy = aliases[sortName] ?? sortName
  if (!isWord('DESC')) fail('expected DESC')
  take()
  if (at < tokens.length) fail(`unexpected ${next()}`)
  return { matches, sortBy }
}

function fits(given: string | undefined, wanted: string): boolean {
  if (given === undefined) return false
  return wanted.endsWith('*') ? given.startsWith(wanted.slice(0, -1)) : given.toLowerCase() === wanted.toLowerCase()
}

function isBetween(given: string | undefined, low: string, high: string, isDate: boolean): boolean {
  if (given === undefined || (isDate && !(/^\d{8}$/.test(low) && /^\d{8}$/.test(high)))) return false
  return given >= low && given <= high
}
