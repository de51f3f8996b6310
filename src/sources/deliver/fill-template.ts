// Requests from templates: placeholders filled and encoded by their position.
import type { Template } from '../delivery.ts'
import type { Json, SourceRequest } from '../fetch.ts'
import { finenessMs, writeDate } from './date-pattern.ts'

/** What placeholders are filled with. Dates are epoch milliseconds; undefined and absent are the same. */
export type Values = { readonly [name: string]: string | number | undefined }

export const dateNames = ['from', 'to', 'last', 'before'] as const
const isDate = (name: string): boolean => (dateNames as readonly string[]).includes(name)

const placeholder = /\{([A-Za-z][A-Za-z0-9]*)([+-]\d+)?(?::([^{}]+))?\}/g
const alone = /^\{([A-Za-z][A-Za-z0-9]*)([+-]\d+)?(?::([^{}]+))?\}$/

type Filling = { readonly values: Values; readonly zone: string }

/** A value by its name, sum and pattern; undefined for none. */
function textOf(
  filling: Filling,
  name: string,
  sum: string | undefined,
  pattern: string | undefined,
): string | undefined {
  const value = filling.values[name]
  if (value === undefined) return undefined
  if (isDate(name)) return writeDate(Number(value), pattern ?? 'yyyy-MM-dd', filling.zone)
  return sum === undefined ? String(value) : String(Number(value) + Number(sum))
}

/** Fills a text; a placeholder without a value throws: the card needs something that it does not have. */
export function fillText(
  text: string,
  values: Values,
  zone: string,
  encode: (value: string, isPattern: boolean) => string = (value) => value,
): string {
  return text.replace(placeholder, (whole, name: string, sum?: string, pattern?: string) => {
    const filled = textOf({ values, zone }, name, sum, pattern)
    if (filled === undefined) throw new Error(`nothing fills ${whole} in ${text}`)
    return encode(filled, isDate(name))
  })
}

/** True for a text that is one placeholder alone which has no value. */
function isLeftOut(text: string, values: Values): boolean {
  const found = alone.exec(text)
  return found !== null && values[found[1]!] === undefined
}

function fillUrl(url: string, values: Values, zone: string): string {
  if (alone.test(url)) return fillText(url, values, zone)
  const start = url.indexOf('?')
  const path = start < 0 ? url : url.slice(0, start)
  const filledPath = fillText(path, values, zone, (value, isPattern) =>
    isPattern ? encodeURIComponent(value).replaceAll('%2F', '/').replaceAll('%3A', ':') : encodeURIComponent(value),
  )
  if (start < 0) return filledPath
  const query = url
    .slice(start + 1)
    .split('&')
    .filter((parameter) => !isLeftOut(parameter.slice(parameter.indexOf('=') + 1), values))
    .map((parameter) => fillText(parameter, values, zone, encodeURIComponent))
    .join('&')
  return query === '' ? filledPath : `${filledPath}?${query}`
}

function fillJson(json: Json, values: Values, zone: string): Json | undefined {
  if (typeof json === 'string') {
    const found = alone.exec(json)
    if (!found) return fillText(json, values, zone)
    const text = textOf({ values, zone }, found[1]!, found[2], found[3])
    if (text === undefined) return undefined
    const isNumber =
      typeof values[found[1]!] === 'number' && (!isDate(found[1]!) || found[3] === 'epochMs' || found[3] === 'epochS')
    return isNumber ? Number(text) : text
  }
  if (Array.isArray(json))
    return json.map((member: Json) => fillJson(member, values, zone)).filter((member) => member !== undefined)
  if (json !== null && typeof json === 'object') {
    const filled: { [name: string]: Json } = {}
    for (const [name, member] of Object.entries(json)) {
      const value = fillJson(member, values, zone)
      if (value !== undefined) filled[fillText(name, values, zone)] = value
    }
    return filled
  }
  return json
}

/** No multipart body of a card holds this line. */
const boundary = 'tenderstock-4f1d6c0e9b7a'

function multipartOf(parts: { readonly [name: string]: Json }): string {
  const lines = Object.entries(parts).map(([name, part]) => {
    const isText = typeof part === 'string' || typeof part === 'number'
    // Some servers accept only parts with a file name as parts with their own type.
    const head = `Content-Disposition: form-data; name="${name}"${isText ? '' : '; filename="blob"\r\nContent-Type: application/json'}`
    return `--${boundary}\r\n${head}\r\n\r\n${isText ? String(part) : JSON.stringify(part)}\r\n`
  })
  return `${lines.join('')}--${boundary}--\r\n`
}

/**
 * The request that a template results in with these values, dates written in `zone`. Throws when a value is missing.
 */
export function fillTemplate(template: Template, values: Values, zone: string): SourceRequest {
  const headers: { [name: string]: string } = {}
  for (const [name, text] of Object.entries(template.headers ?? {}))
    if (!isLeftOut(text, values)) headers[name.toLowerCase()] = fillText(text, values, zone)
  let body: string | undefined
  let type: string | undefined
  if (template.json !== undefined) {
    body = JSON.stringify(fillJson(template.json, values, zone) ?? null)
    type = 'application/json'
  } else if (template.form) {
    const form = new URLSearchParams()
    for (const [name, text] of Object.entries(template.form))
      if (!isLeftOut(text, values)) form.append(name, fillText(text, values, zone))
    body = form.toString()
    type = 'application/x-www-form-urlencoded'
  } else if (template.multipart) {
    body = multipartOf(fillJson(template.multipart, values, zone) as { readonly [name: string]: Json })
    type = `multipart/form-data; boundary=${boundary}`
  }
  if (type !== undefined) headers['content-type'] ??= type
  const method = template.method ?? (body === undefined ? 'GET' : 'POST')
  return {
    url: fillUrl(template.url, values, zone),
    ...(method === 'POST' && { method }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(body !== undefined && { body }),
  }
}

function* textsOf(json: Json): Generator<string> {
  if (typeof json === 'string') yield json
  else if (json !== null && typeof json === 'object')
    for (const [name, member] of Object.entries(json)) {
      if (!Array.isArray(json)) yield name
      yield* textsOf(member as Json)
    }
}

function* placeholdersOf(
  template: Template,
): Generator<{ readonly name: string; readonly pattern: string | undefined }> {
  for (const text of textsOf(template as unknown as Json))
    for (const [, name, , pattern] of text.matchAll(placeholder)) yield { name: name!, pattern }
}

/** Throws when a template has a placeholder that is not among `names`, or a pattern on a value that is not a date. */
export function checkTemplate(template: Template, names: ReadonlySet<string>): void {
  for (const { name, pattern } of placeholdersOf(template)) {
    if (!names.has(name)) throw new Error(`unknown placeholder {${name}} in ${template.url}`)
    if (pattern !== undefined && !isDate(name))
      throw new Error(`the pattern of {${name}:${pattern}} in ${template.url} is for dates only`)
  }
}

/**
 * The smallest span that the dates of a template can express, in milliseconds; undefined for a template without dates.
 */
export function finenessOf(template: Template): number | undefined {
  let finest: number | undefined
  for (const { name, pattern } of placeholdersOf(template)) {
    if (!isDate(name)) continue
    const fineness = finenessMs(pattern ?? 'yyyy-MM-dd')
    // The coarsest date decides: a half that one of the two dates cannot express is requested as the whole.
    finest = finest === undefined ? fineness : Math.max(finest, fineness)
  }
  return finest
}
