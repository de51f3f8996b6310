// Recognizes a request as the one that a card's template would write, and reads back what was filled in.
import { jsonIn } from '../platform/json-in.ts'
import type { Template } from '../sources/delivery.ts'
import type { Json } from '../sources/fetch.ts'
import { type DateFields, momentOf, readFields, type WrittenDate } from './date-pattern.ts'

/** A request as it reached the portal: the real address (scheme https), headers in lower case, the body as text. */
export type PortalRequest = {
  readonly method: string
  readonly url: URL
  readonly headers: { readonly [name: string]: string | undefined }
  readonly body: string
}

/** `texts` by placeholder (`page`, `id`); dates by placeholder (`from`, `to`, `last`, `before`) as moments. */
export type Filled = {
  readonly texts: ReadonlyMap<string, string>
  readonly dates: ReadonlyMap<string, WrittenDate>
  /**
   * Number of constants of the template that the request repeats: if several templates match, the highest number
   * counts.
   */
  readonly weight: number
}

/** `filled`, or why the request is not this one: another address, or this address with something else in it. */
export type Recognized =
  | { readonly kind: 'filled'; readonly filled: Filled }
  | { readonly kind: 'other' }
  | { readonly kind: 'wrong'; readonly why: string }
  /** The key or token is missing. */
  | { readonly kind: 'unauthorised' }

type Slot = { readonly name: string; readonly pattern: string; readonly plus: number }
type Piece = { readonly regexp: RegExp; readonly slots: readonly Slot[]; readonly isConstant: boolean }

/** Names of placeholders that may be missing in a first request. */
const optional = new Set(['cursor', 'page', 'offset', 'key'])

const secrets = new Set(['key', 'token'])

export function requestPattern(template: Template, zone: string): (request: PortalRequest) => Recognized {
  const slots: Slot[] = []
  const marked = withMarks(template.url, slots)
  // an address that is one placeholder alone is recognized by the code that wrote it into a list
  const url = URL.parse(marked)
  if (!url) return () => ({ kind: 'other' })
  const path = markedPiece(decoded(url.pathname), slots)
  const query = [...url.searchParams].map(([name, value]) => [name, markedPiece(value, slots)] as const)
  const headers = Object.entries(template.headers ?? {})
    .map(([name, value]) => [name.toLowerCase(), templatePiece(value)] as const)
    .filter(([, piece]) => !piece.isConstant)
  const fields = (of: { readonly [name: string]: Json } | undefined) =>
    Object.entries(of ?? {}).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, templatePiece(value)] as const] : [],
    )
  const form = fields(template.form)
  const multipart = fields(template.multipart)
  const hasBody = template.json !== undefined || template.form !== undefined || template.multipart !== undefined
  const method = template.method ?? (hasBody ? 'POST' : 'GET')
  return (request) => {
    const at = request.url
    if (at.host !== url.host) return { kind: 'other' }
    const reading = new PatternMatch(zone)
    if (!reading.take(path, decoded(at.pathname))) return { kind: 'other' }
    if (request.method !== method) return { kind: 'wrong', why: `${request.method} instead of ${method}` }
    let isUnauthorised = false
    const parameters = (
      pairs: readonly (readonly [string, Piece])[],
      given: (name: string) => readonly string[],
    ): string | undefined => {
      for (const [name, piece] of pairs) {
        const values = given(name)
        const value = values.find((each) => piece.regexp.test(each)) ?? values[0]
        if (value === undefined) {
          if (piece.slots.some((slot) => secrets.has(slot.name))) isUnauthorised = true
          else if (piece.isConstant || !piece.slots.every((slot) => optional.has(slot.name)))
            return `${name} is missing`
        } else if (!reading.take(piece, value)) return `${name}=${value}`
      }
      return undefined
    }
    const inForm = new URLSearchParams(template.form ? request.body : '')
    const why =
      parameters(query, (name) => at.searchParams.getAll(name)) ??
      parameters(headers, (name) => (request.headers[name] === undefined ? [] : [request.headers[name]])) ??
      parameters(form, (name) => inForm.getAll(name)) ??
      parameters(multipart, (name) => partsOf(request.body, name)) ??
      (template.json !== undefined ? bodyWrong(template.json, request.body, reading) : undefined)
    if (why !== undefined) return { kind: 'wrong', why }
    if (isUnauthorised || reading.texts.get('key') === '' || reading.texts.get('token') === '')
      return { kind: 'unauthorised' }
    return { kind: 'filled', filled: reading }
  }
}

/** Reads the values that a template would have written into a text; undefined if it does not have that form. */
export function filledText(template: string, text: string, zone: string): Filled | undefined {
  const reading = new PatternMatch(zone)
  return reading.take(templatePiece(template), text) ? reading : undefined
}

/** Values of the parts of that name in a body of multipart/form-data. */
function partsOf(body: string, name: string): string[] {
  const boundary = /^--[^\r\n]+/.exec(body)?.[0]
  if (boundary === undefined) return []
  return body.split(boundary).flatMap((part) => {
    const end = part.indexOf('\r\n\r\n')
    if (end < 0 || !part.slice(0, end).includes(`name="${name}"`)) return []
    return [part.slice(end + 4).replace(/\r\n$/, '')]
  })
}

const dateNames = new Set(['from', 'to', 'last', 'before'])

class PatternMatch implements Filled {
  readonly texts = new Map<string, string>()
  weight = 0
  readonly #fields = new Map<string, DateFields>()
  readonly #zone: string

  constructor(zone: string) {
    this.#zone = zone
  }

  get dates(): Filled['dates'] {
    const dates = new Map<string, WrittenDate>()
    for (const [name, written] of this.#fields) {
      const date = momentOf(written, this.#zone)
      if (date) dates.set(name, date)
    }
    return dates
  }

  take(piece: Piece, value: string): boolean {
    const match = piece.regexp.exec(value)
    if (!match) return false
    for (const [index, { name, pattern, plus }] of piece.slots.entries()) {
      const text = match[index + 1]!
      if (dateNames.has(name)) {
        const written = readFields(text, pattern)
        if (!written) return false
        const known = this.#fields.get(name) ?? new Map<string, number>()
        const joined = new Map([...known, ...written])
        // values that are written twice must be equal
        if ([...written].some(([field, number]) => (known.get(field) ?? number) !== number)) return false
        if (!momentOf(joined, this.#zone)) return false
        this.#fields.set(name, joined)
      } else {
        const plain = plus === 0 ? text : String(Number(text) - plus)
        // rows 1 to 100 write the offset and, with the page's size, its end: the first counts
        if (plus === 0 && (this.texts.get(name) ?? plain) !== plain) return false
        if (!this.texts.has(name)) this.texts.set(name, plain)
      }
    }
    if (piece.isConstant) this.weight += 1
    return true
  }
}

function markedPiece(text: string, slots: readonly Slot[]): Piece {
  const own: Slot[] = []
  const source = text
    .split(/zq(\d+)qz/)
    .map((part, index) => {
      if (index % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      own.push(slots[Number(part)]!)
      return '(.*?)'
    })
    .join('')
  return { regexp: new RegExp(`^${source}$`, 's'), slots: own, isConstant: own.length === 0 }
}

function templatePiece(text: string): Piece {
  const slots: Slot[] = []
  const marked = withMarks(text, slots)
  return markedPiece(marked, slots)
}

/** The template with signs in place of its placeholders, which are put into `slots`. */
function withMarks(text: string, slots: Slot[]): string {
  return text.replace(
    /\{(\w+)([+-]\d+)?(?::([^}]*))?\}/g,
    (_, name: string, plus: string | undefined, pattern: string | undefined) => {
      slots.push({ name, pattern: pattern ?? '', plus: Number(plus ?? 0) })
      return `zq${slots.length - 1}qz`
    },
  )
}

function bodyWrong(template: Json, body: string, reading: PatternMatch): string | undefined {
  const given = jsonIn(body)
  return given === undefined ? 'the body is not JSON' : compare(template, given, '', reading)
}

function compare(template: Json, given: unknown, path: string, reading: PatternMatch): string | undefined {
  if (typeof template === 'string') {
    const piece = templatePiece(template)
    if (given === undefined || given === null)
      return piece.isConstant || !piece.slots.every(({ name }) => optional.has(name)) ? `${path} is missing` : undefined
    if (typeof given === 'object') return `${path} is not a value`
    return reading.take(piece, String(given)) ? undefined : `${path} is ${String(given)}`
  }
  if (template === null || typeof template !== 'object')
    return template === given ? undefined : `${path} is ${String(given)}`
  if (typeof given !== 'object' || given === null) return `${path} is not an object`
  for (const [name, value] of Object.entries(template)) {
    const why = compare(value as Json, (given as Record<string, unknown>)[name], `${path}/${name}`, reading)
    if (why !== undefined) return why
  }
  return undefined
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
