// Records as JSON that every program accepts. JSON itself allows more than they do: lone surrogates, which no encoding
// of text can hold (jq, DuckDB and PostgreSQL refuse them, SQLite writes bytes that are not UTF-8), and U+0000, which
// PostgreSQL refuses.
import type { TenderRecord } from '../../types.ts'
import { CopyDamagedError } from '../faults/sink-error.ts'

// An even number of backslashes before makes the u a plain letter; such a text is only cleaned needlessly, never
// damaged.
const loneSurrogate = /\\ud[89a-f][0-9a-f]{2}/i
const nul = /\\u0000/

// Not toWellFormed(): Node 20 has it, older edge runtimes do not.
const wellFormedText = (text: string): string =>
  text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD')

/** What came with a record: the JSON from which it was parsed, or its line where it is only a head, and its hash. */
type Origin = { readonly json?: string; readonly line?: Buffer; readonly hash?: string }
const origins = new WeakMap<object, Origin>()

/** Remembers what came with a record. */
export const cameWith = (record: object, origin: Origin): void => void origins.set(record, origin)

type HeadMembers = {
  readonly id: string
  readonly lastModified: string
  readonly status: string
  readonly archiveReason?: string
  readonly mergedInto?: string
}

/** A head in the place of its record. Copies of it know nothing of the line. */
class Head {
  readonly id: string
  readonly lastModified: string
  readonly status: string
  readonly archiveReason: string | undefined
  readonly mergedInto: string | undefined
  readonly #origin: Origin

  constructor({ id, lastModified, status, archiveReason, mergedInto }: HeadMembers, origin: Origin) {
    this.id = id
    this.lastModified = lastModified
    this.status = status
    this.archiveReason = archiveReason
    this.mergedInto = mergedInto
    this.#origin = origin
  }

  static originOf(value: object): Origin | undefined {
    return #origin in value ? value.#origin : undefined
  }
}

/** A record of which only the head is known, for a sink that `takesHeads`. */
export const headRecord = (head: HeadMembers, origin: Required<Pick<Origin, 'line' | 'hash'>>): TenderRecord =>
  new Head(head, origin) as unknown as TenderRecord

const originOf = (record: object): Origin | undefined => Head.originOf(record) ?? origins.get(record)

/** The hash that came with a record. */
export const givenHash = (record: object): string | undefined => originOf(record)?.hash

const jsonOf = (value: object): string => {
  const { json, line } = originOf(value) ?? {}
  return json ?? line?.toString() ?? JSON.stringify(value)
}

const escapedSurrogate = Buffer.from('\\ud')
const escapedSurrogates = Buffer.from('\\uD')

/** The JSON of a record as bytes, as `wellFormedJson` writes it. */
export function wellFormedBytes(record: object): Buffer {
  const line = originOf(record)?.line
  const isAsItIs = line && !line.includes(escapedSurrogate) && !line.includes(escapedSurrogates)
  if (isAsItIs) return line
  return Buffer.from(wellFormedJson(line ? (JSON.parse(line.toString()) as object) : record))
}

/** The value as JSON; lone surrogates are replaced by U+FFFD, and nothing else changes. */
export function wellFormedJson(value: object): string {
  const json = jsonOf(value)
  // JSON.stringify writes a lone surrogate as an escape, and a pair as itself.
  if (!loneSurrogate.test(json)) return json
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'string' ? wellFormedText(part) : part))
}

/** The record and its JSON, with lone surrogates replaced. */
export function wellFormed<T extends object>(record: T): { readonly record: T; readonly json: string } {
  const json = jsonOf(record)
  if (!loneSurrogate.test(json)) return { record, json }
  const clean = wellFormedJson(record)
  return { record: JSON.parse(clean) as T, json: clean }
}

/** JSON that PostgreSQL's jsonb accepts: well-formed, and without NUL characters. */
export function storableJson(value: object): string {
  const json = wellFormedJson(value)
  if (!nul.test(json)) return json
  return JSON.stringify(JSON.parse(json), (_key, part: unknown) =>
    typeof part === 'string' ? part.replaceAll('\0', '') : part,
  )
}

/** The record as PostgreSQL's jsonb keeps it, and its JSON. */
export function storable<T extends object>(record: T): { readonly record: T; readonly json: string } {
  const json = jsonOf(record)
  if (!loneSurrogate.test(json) && !nul.test(json)) return { record, json }
  const clean = storableJson(record)
  return { record: JSON.parse(clean) as T, json: clean }
}

/** The JSON without `checkedAt` and with members in the order of their names: equal for records of equal content. */
export function contentJson(record: object): string {
  const { checkedAt: _, ...content } = record as { checkedAt?: unknown }
  return wellFormedJson(sorted(content) as object)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  )
}

/** A stored record. Throws a CopyDamagedError that begins with `what` if it is not JSON. */
export function storedRecord(json: string, what: string): TenderRecord {
  try {
    return JSON.parse(json) as TenderRecord
  } catch (cause) {
    throw new CopyDamagedError(`${what} is not JSON (${(cause as Error).message}).`, { cause })
  }
}
