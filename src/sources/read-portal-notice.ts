// A document in a portal's own format to a notice or a rejection: the steps that all such parsers share.
import { isUtf8 } from 'node:buffer'
import { parse as parseRows } from 'csv-parse/sync'
import type { FormType, Notice, ParsedPart, Rejection, RejectionReason } from '../domain/notice.ts'
import { compact } from './compact.ts'
import { delimiterOf } from './deliver/answers/csv-rows.ts'
import type { Delimiter } from './delivery.ts'
import { parseJson } from './json.ts'
import { asObject, type JsonObject } from './ocds/json.ts'
import { parseDocument } from './parse-document.ts'
import { readAs } from './read-as.ts'
import { decodeText, parseXml, type XmlElement, XmlError } from './xml/xml.ts'

/**
 * What a parser found. Everything but the identity may be missing; `readPortalNotice` fills in what follows from the
 * rest.
 */
export type PortalNotice = { readonly [K in keyof Notice]?: Notice[K] | undefined } & {
  /** Id of the notice and its version on the portal; without an id the document is rejected. */
  readonly id: string | undefined
  /** Short name of the portal, as the source's id: `fr-boamp`. */
  readonly publisher: string
  /** Name of the format: `boamp-records`, `codice-2.04`. */
  readonly profile: string
  readonly formType: FormType
  readonly noticeType: string
  readonly language: string
}

const rejected = (reason: RejectionReason, detail: string, path = ''): Rejection => ({ reason, path, detail })

/** The notice with its key `<publisher>:<id>`, or why it is none: no id, or neither title nor buyer. */
export function readPortalNotice(found: PortalNotice): Notice | Rejection {
  const { id, ...members } = found
  if (id === undefined || id.trim() === '') return rejected('missing-identity', 'the entry has no id')
  const contractingAuthorities = found.contractingAuthorities ?? []
  if (found.title === undefined && contractingAuthorities.length === 0)
    return rejected('missing-content', 'the entry has neither a title nor a buyer')
  const notice = compact<Notice>({
    ...members,
    noticeKey: `${found.publisher}:${id.trim()}`,
    format: 'portal',
    languages: found.languages ?? [...new Set([found.language, ...Object.keys(found.title ?? {})])],
    contractingAuthorities,
    cpvCodes: found.cpvCodes ?? [],
    nutsCodes: found.nutsCodes ?? [],
    lots: found.lots ?? [],
    references: found.references ?? [],
  })
  return readAs(notice)
}

/** A parser's result for one entry: a notice, a rejection, or several of them if an entry announces several things. */
export type Found = Notice | Rejection | readonly (Notice | Rejection)[]

function partsOf(found: Found): ParsedPart[] {
  const list = Array.isArray(found) ? (found as readonly (Notice | Rejection)[]) : [found as Notice | Rejection]
  return list.map((part, index) => {
    const pointer = list.length === 1 ? '' : `/${index}`
    return 'reason' in part ? { pointer, rejection: part } : { pointer, notice: part }
  })
}

/** Runs a parser: an error that it throws becomes a rejection, because one odd document must not stop a run. */
function guarded(read: () => Found): ParsedPart[] {
  try {
    const parts = partsOf(read())
    return parts.length > 0 ? parts : partsOf(rejected('missing-content', 'the document holds no notice'))
  } catch (error) {
    if (error instanceof XmlError) return partsOf(rejected(error.reason, error.message, error.path))
    const detail = error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 300) : 'unreadable'
    return partsOf(
      rejected(error instanceof SyntaxError || error instanceof RangeError ? 'malformed' : 'invalid-content', detail),
    )
  }
}

/** A document that is one JSON object. Never throws; other documents become rejections. */
export function readJsonDocument(bytes: Uint8Array, read: (entry: JsonObject) => Found): ParsedPart[] {
  return guarded(() => {
    const entry = asObject(parseJson(decodeText(bytes)))
    return entry ? read(entry) : rejected('invalid-content', 'the document is no JSON object')
  })
}

/** A document that is one JSON list, as tables without names give their rows. Never throws. */
export function readListDocument(bytes: Uint8Array, read: (cells: readonly unknown[]) => Found): ParsedPart[] {
  return guarded(() => {
    const cells = parseJson(decodeText(bytes))
    return Array.isArray(cells) && cells.length > 0
      ? read(cells)
      : rejected('invalid-content', 'the document is no JSON list')
  })
}

/** A document that is one XML element, mostly wrapped in the root of the answer. Never throws. */
export function readXmlDocument(bytes: Uint8Array, read: (root: XmlElement) => Found): ParsedPart[] {
  return guarded(() => read(parseXml(decodeText(bytes))))
}

/** A row by the names of its columns; missing cells are empty. */
export type TableRow = { readonly [column: string]: string | undefined }

/**
 * A document that is a header line and one row (or several: each is read). `elseEncoding`: of bytes that are no UTF-8.
 * Never throws.
 */
export function readRowDocument(
  bytes: Uint8Array,
  read: (row: TableRow) => Notice | Rejection,
  options: { readonly delimiter?: Delimiter; readonly elseEncoding?: 'windows-1252' } = {},
): ParsedPart[] {
  return guarded(() => {
    const text =
      options.elseEncoding && !isUtf8(bytes) ? new TextDecoder(options.elseEncoding).decode(bytes) : decodeText(bytes)
    let rows: TableRow[]
    let width = 0
    try {
      rows = parseRows(text, {
        columns: (names: string[]) => {
          const trimmed = names.map((name) => name.trim())
          width = new Set(trimmed).size
          return trimmed
        },
        delimiter: delimiterOf(options.delimiter ?? ',', text.split('\n', 1)[0]!),
        bom: true,
        relax_column_count: true,
        relax_quotes: true,
        skip_empty_lines: true,
      }) as TableRow[]
    } catch (error) {
      return rejected('malformed', `not a table: ${error instanceof Error ? error.message.slice(0, 200) : ''}`)
    }
    // A row with fewer cells than the header is cut off; one with more has an extra delimiter in its last cell.
    return rows.map((row) =>
      Object.keys(row).length < width ? rejected('malformed', 'the row has fewer cells than the header') : read(row),
    )
  })
}

/**
 * For portals that deliver notices of a standard (eForms, TED_EXPORT) beside their own entries in JSON: XML goes to
 * the parsers of the standards, JSON to `read`.
 */
export function readAnyDocument(bytes: Uint8Array, read: (bytes: Uint8Array) => ParsedPart[]): ParsedPart[] {
  const start = Buffer.from(bytes.subarray(0, 1_000)).toString('utf8')
  return /^\ufeff?\s*</.test(start) ? parseDocument(bytes) : read(bytes)
}
