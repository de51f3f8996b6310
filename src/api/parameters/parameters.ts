// The parameters of the interface, each declared once: the declaration validates, documents and explains.
import { type TSchema, Type } from 'typebox'
import { isProcedureType, type ProcedureType, procedureTypes } from '../../domain/codes.ts'
import { officialCheckDigit } from '../../domain/cpv.ts'
import type { TenderFilter } from '../../domain/filter.ts'
import { toNutsCode } from '../../domain/nuts.ts'
import { editDistance } from '../../platform/nearest-word.ts'
import type { ParameterFault } from '../problems/problems.ts'
import { echo, type QueryValues } from './query-string.ts'
import { type Moment, parseTimestamp } from './timestamps.ts'

export const defaultLimit = 50
export const maxLimit = 100
/** Maximum number of items in a list parameter, after duplicates are removed (D18). */
export const maxListItems = 200
export const maxCursorLength = 512

/** What is wrong with one value or item. */
type Fault = { readonly code: string; readonly detail: string; readonly allowed?: readonly string[] }
type Parsed<T> = { readonly value: T } | { readonly fault: Fault }

export type Parameter<T = unknown> = {
  readonly name: string
  readonly description: string
  /** JSON Schema of the value as documented. */
  readonly schema: TSchema
  /** Examples by short name; the contract shows the first. */
  readonly examples: { readonly [name: string]: string }
  /** Whether the parameter takes several comma-separated items and may be repeated (D16). */
  readonly isList: boolean
  /** Reads one item of a list or the value of a scalar. */
  readonly parse: (text: string) => Parsed<T>
}

const failed = (code: string, detail: string, allowed?: readonly string[]): { fault: Fault } => ({
  fault: allowed === undefined ? { code, detail } : { code, detail, allowed },
})

function list<T>(parameter: Omit<Parameter<T>, 'isList'>): Parameter<T> {
  return { ...parameter, isList: true }
}

function scalar<T>(parameter: Omit<Parameter<T>, 'isList'>): Parameter<T> {
  return { ...parameter, isList: false }
}

function digitsOnly(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 48 || code > 57) return false
  }
  return text !== ''
}

function parseCpv(text: string): Parsed<string> {
  const code = text.length === 10 && text[8] === '-' ? text.slice(0, 8) : text
  const checkDigit = text.length === 10 && text[8] === '-' ? text.slice(9) : undefined
  if (digitsOnly(text) && text.length >= 2 && text.length < 8)
    return failed(
      'invalid-cpv',
      `CPV codes have eight digits: write ${text.padEnd(8, '0')} for ${text} and all codes below it.`,
    )
  if (code.length !== 8 || !digitsOnly(code) || (checkDigit !== undefined && !digitsOnly(checkDigit)))
    return failed(
      'invalid-cpv',
      'Is not a CPV code: eight digits such as 45000000, with or without check digit (45000000-7).',
    )
  if (code === '00000000') return failed('invalid-cpv', 'There is no CPV code 00000000; leave cpv out for all sectors.')
  const official = checkDigit === undefined ? undefined : officialCheckDigit(code)
  if (official !== undefined && official !== checkDigit)
    return failed(
      'cpv-check-digit',
      `The check digit of ${code} is ${official}, not ${checkDigit}; was the code mistyped?`,
    )
  return { value: code }
}

function parseNuts(text: string): Parsed<string> {
  const code = text.length <= 5 ? toNutsCode(text) : undefined
  if (code === undefined)
    return failed(
      'invalid-nuts',
      'Is not a NUTS code: two letters of a country and up to three letters or digits, such as DE212.',
    )
  // Notices use EL; the client is told so (D20).
  if (/^gr/i.test(text)) return failed('invalid-nuts', `NUTS codes of Greece begin with EL: write EL${code.slice(2)}.`)
  return { value: code }
}

function parseProcedure(text: string): Parsed<ProcedureType> {
  const code = text.toLowerCase()
  if (!isProcedureType(code)) return failed('invalid-procedure', 'Is not an eForms procedure type.', procedureTypes)
  return { value: code }
}

function parseMoment(text: string): Parsed<Moment> {
  const moment = text.length > 64 ? parseTimestamp('') : parseTimestamp(text)
  return 'floorMs' in moment ? { value: moment } : { fault: moment }
}

function parseEuros(text: string): Parsed<number> {
  if (!digitsOnly(text) || text.length > 15)
    return failed('invalid-value', 'Is not a whole number of euros: 1 to 15 digits without sign, point or exponent.')
  return { value: Number(text) }
}

function parseArchived(text: string): Parsed<boolean> {
  if (text === 'true') return { value: true }
  if (text === 'false') return { value: false }
  return failed('invalid-boolean', 'Must be true or false.', ['true', 'false'])
}

function parseLimit(text: string): Parsed<number> {
  const value = digitsOnly(text) && text.length <= 3 && text[0] !== '0' ? Number(text) : 0
  if (value < 1 || value > maxLimit) return failed('invalid-limit', `Must be a whole number from 1 to ${maxLimit}.`)
  return { value }
}

const timestamp = (description: string) => Type.String({ format: 'date-time', description })
const pageExample = '2026-11-02T08:00:00.000Z'

const cpvParameter = list<string>({
  name: 'cpv',
  description:
    'Sector: comma-separated CPV codes, any of which must match. A code with trailing zeros includes all ' +
    'codes below it; a code ending in six zeros covers the whole division. Codes of lots count. At most 200 ' +
    'codes.',
  schema: Type.Array(Type.String({ pattern: '^\\d{8}(-\\d)?$' }), { maxItems: maxListItems }),
  examples: { division: '45000000', several: '45210000,71000000' },
  parse: parseCpv,
})
const nutsParameter = list<string>({
  name: 'nuts',
  description:
    'Region: comma-separated NUTS codes, any of which must match. A code includes the areas below it. ' +
    'Tenders without a region are excluded. At most 200 codes.',
  schema: Type.Array(Type.String({ pattern: '^[A-Za-z]{2}[A-Za-z0-9]{0,3}$' }), { maxItems: maxListItems }),
  examples: { state: 'DE2', several: 'DE2,AT33' },
  parse: parseNuts,
})
const publishedSinceParameter = scalar<Moment>({
  name: 'published_since',
  description: 'Only tenders whose newest notice was published at or after this time (inclusive).',
  schema: timestamp('RFC 3339 with a zone; up to nine digits of a second are compared exactly.'),
  examples: { utc: '2026-11-01T00:00:00Z' },
  parse: parseMoment,
})
const updatedSinceParameter = scalar<Moment>({
  name: 'updated_since',
  description:
    'Only records whose `lastModified` is at or after this time (inclusive). Archived records are delivered too, whatever `archived` says.',
  schema: timestamp('RFC 3339 with a zone.'),
  examples: { state: pageExample },
  parse: parseMoment,
})
const deadlineAfterParameter = scalar<Moment>({
  name: 'deadline_after',
  description:
    'Only tenders whose submission deadline is after this time (exclusive). Tenders without a deadline are excluded.',
  schema: timestamp('RFC 3339 with a zone.'),
  examples: { offset: '2026-12-01T12:00:00%2B01:00', utc: '2026-12-01T11:00:00Z' },
  parse: parseMoment,
})
const euros = Type.Integer({ minimum: 0, maximum: 999_999_999_999_999 })
const valueMinParameter = scalar<number>({
  name: 'value_min',
  description:
    'Minimum contract value, in whole euros excluding VAT (inclusive). Estimated values count; other currencies and tenders without a value are excluded.',
  schema: euros,
  examples: { euros: '100000' },
  parse: parseEuros,
})
const valueMaxParameter = scalar<number>({
  name: 'value_max',
  description: 'Maximum contract value, in whole euros excluding VAT (inclusive); otherwise as `value_min`.',
  schema: euros,
  examples: { euros: '5000000' },
  parse: parseEuros,
})
const procedureParameter = list<ProcedureType>({
  name: 'procedure',
  description: 'Comma-separated eForms procedure types (BT-105), any of which must match.',
  schema: Type.Array(Type.Enum([...procedureTypes]), { maxItems: maxListItems }),
  examples: { open: 'open', several: 'open,restricted' },
  parse: parseProcedure,
})
const archivedParameter = scalar<boolean>({
  name: 'archived',
  description:
    '`true` includes archived tenders; the default leaves them out. Skipped, without an error, when `updated_since` is sent.',
  schema: Type.Boolean({ default: false }),
  examples: { include: 'true' },
  parse: parseArchived,
})
const limitParameter = scalar<number>({
  name: 'limit',
  description: 'Records per page. May change between the pages of a run.',
  schema: Type.Integer({ minimum: 1, maximum: maxLimit, default: defaultLimit }),
  examples: { full: '100' },
  parse: parseLimit,
})
const cursorParameter = scalar<string>({
  name: 'cursor',
  description:
    '`nextCursor` of the previous page, sent with the same filters. Valid for 24 hours. Its content must not be interpreted.',
  schema: Type.String({ minLength: 1, maxLength: maxCursorLength }),
  examples: { next: 'AQAAAAEjT1YzqJ3xW0m2v0Zc' },
  parse: (text) => ({ value: text }),
})

/** In the order in which the contract and the access page show them. */
export const listParameters: readonly Parameter[] = [
  cpvParameter,
  nutsParameter,
  publishedSinceParameter,
  updatedSinceParameter,
  deadlineAfterParameter,
  valueMinParameter,
  valueMaxParameter,
  procedureParameter,
  archivedParameter,
  limitParameter,
  cursorParameter,
]
const listParameterNames = listParameters.map(({ name }) => name)

/** Names that other interfaces use for the same thing. */
const otherNames: { readonly [name: string]: string } = {
  since: 'updated_since',
  modified_since: 'updated_since',
  changed_since: 'updated_since',
  page_size: 'limit',
  per_page: 'limit',
  size: 'limit',
  page: 'cursor',
  offset: 'cursor',
  next: 'cursor',
  region: 'nuts',
  sector: 'cpv',
}

/** The parameter that an unknown name probably means (D15); undefined when none is near. */
export function suggestParameter(name: string): string | undefined {
  if (name.length > 40) return undefined
  const plain = name.trim().toLowerCase().replace(/[-. ]/g, '_').replace(/\[\]$/, '')
  if (Object.hasOwn(otherNames, plain)) return otherNames[plain]
  let best: { name: string; distance: number } | undefined
  for (const candidate of listParameterNames) {
    const distance = editDistance(plain.replaceAll('_', ''), candidate.replaceAll('_', ''))
    if (distance <= Math.max(1, Math.floor(candidate.length / 4)) && (!best || distance < best.distance))
      best = { name: candidate, distance }
  }
  return best?.name
}

/** Maximum number of faults in one answer; a request with more is not a typo. */
const maxFaults = 100

export type ListQuery = { readonly filter: TenderFilter; readonly limit: number; readonly cursor: string | undefined }

class FaultList {
  readonly faults: ParameterFault[] = []
  add(parameter: string, fault: Fault, value?: string): void {
    if (this.faults.length >= maxFaults) return
    this.faults.push({
      parameter: echo(parameter),
      code: fault.code,
      detail: fault.detail,
      ...(value === undefined ? {} : { value: echo(value) }),
      ...(fault.allowed === undefined ? {} : { allowed: fault.allowed }),
    })
  }
}

const emptyValue: Fault = { code: 'empty-value', detail: 'Is empty; omit the parameter instead.' }

function readScalar<T>(parameter: Parameter<T>, values: QueryValues, faults: FaultList): T | undefined {
  const given = values.get(parameter.name)
  if (given === undefined) return undefined
  if (given.length > 1) {
    faults.add(parameter.name, { code: 'repeated-parameter', detail: `Was sent ${given.length} times; send it once.` })
    return undefined
  }
  const text = given[0]!
  if (text === '') {
    faults.add(parameter.name, emptyValue, text)
    return undefined
  }
  const parsed = parameter.parse(text)
  if ('value' in parsed) return parsed.value
  faults.add(parameter.name, parsed.fault, text)
  return undefined
}

function trimSpaces(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && text[start] === ' ') start++
  while (end > start && text[end - 1] === ' ') end--
  return text.slice(start, end)
}

/** Reads items, sorted and unique; undefined if the parameter was not sent or none of its items can be read. */
function readList<T extends string>(
  parameter: Parameter<T>,
  values: QueryValues,
  faults: FaultList,
): readonly T[] | undefined {
  const given = values.get(parameter.name)
  if (given === undefined) return undefined
  const items = new Set<T>()
  for (const part of given) {
    for (const piece of part.split(',')) {
      const text = trimSpaces(piece)
      if (text === '') {
        faults.add(
          parameter.name,
          part === '' ? emptyValue : { code: 'empty-value', detail: 'Holds an empty item between commas.' },
          part,
        )
        continue
      }
      const parsed = parameter.parse(text)
      if ('value' in parsed) items.add(parsed.value)
      else faults.add(parameter.name, parsed.fault, text)
    }
  }
  if (items.size > maxListItems)
    faults.add(parameter.name, {
      code: 'too-many-values',
      detail: `Holds ${items.size} items; at most ${maxListItems} are allowed.`,
    })
  return items.size === 0 ? undefined : [...items].sort()
}

/** Reads the query of `GET /v1/tenders`; reports all faults at once (D2). The cursor's own content is checked later. */
export function parseListQuery(values: QueryValues): { query: ListQuery } | { faults: readonly ParameterFault[] } {
  const faults = new FaultList()
  for (const [name, given] of values) {
    if (listParameterNames.includes(name)) continue
    const suggestion = suggestParameter(name)
    const detail = suggestion
      ? `There is no such parameter. Did you mean ${suggestion}?`
      : 'There is no such parameter.'
    faults.add(name, { code: 'unknown-parameter', detail, allowed: listParameterNames }, given[0])
  }
  const cpv = readList(cpvParameter, values, faults)
  const nuts = readList(nutsParameter, values, faults)
  const publishedSince = readScalar(publishedSinceParameter, values, faults)
  const updatedSince = readScalar(updatedSinceParameter, values, faults)
  const deadlineAfter = readScalar(deadlineAfterParameter, values, faults)
  const valueMin = readScalar(valueMinParameter, values, faults)
  const valueMax = readScalar(valueMaxParameter, values, faults)
  const procedure = readList(procedureParameter, values, faults)
  // Ignored without an error: with updated_since it is not even validated (D27).
  const archived = values.has(updatedSinceParameter.name) ? true : readScalar(archivedParameter, values, faults)
  const limit = readScalar(limitParameter, values, faults)
  const cursor = readScalar(cursorParameter, values, faults)
  if (valueMin !== undefined && valueMax !== undefined && valueMin > valueMax)
    faults.add(
      'value_min',
      { code: 'value-range', detail: `value_min (${valueMin}) is larger than value_max (${valueMax}).` },
      String(valueMin),
    )
  if (faults.faults.length > 0) return { faults: faults.faults }
  return {
    query: {
      filter: {
        archived: archived ?? false,
        ...(cpv && { cpv }),
        ...(nuts && { nuts }),
        // "At or after" a moment between two milliseconds begins with the later one, "after" it with the earlier one.
        ...(publishedSince && { publishedSince: publishedSince.ceilMs }),
        ...(updatedSince && { updatedSince: updatedSince.ceilMs }),
        ...(deadlineAfter && { deadlineAfter: deadlineAfter.floorMs }),
        ...(valueMin !== undefined && { valueMin }),
        ...(valueMax !== undefined && { valueMax }),
        ...(procedure && { procedure }),
      },
      limit: limit ?? defaultLimit,
      cursor,
    },
  }
}

/** `GET /v1/tenders/{id}` takes no parameters (D15). */
export function refuseParameters(values: QueryValues): readonly ParameterFault[] {
  const faults = new FaultList()
  for (const [name, given] of values)
    faults.add(name, { code: 'unknown-parameter', detail: 'This path takes no parameters.', allowed: [] }, given[0])
  return faults.faults
}

/** Summarizes faults in one sentence for `detail`: the fault itself, or the first ones of several. */
export function describeFaults(faults: readonly ParameterFault[]): string {
  const shown = faults.slice(0, 3).map(({ parameter, detail }) => `${parameter}: ${detail}`)
  if (faults.length <= 3) return shown.join(' ')
  return `${shown.join(' ')} And ${faults.length - 3} more, see errors.`
}
