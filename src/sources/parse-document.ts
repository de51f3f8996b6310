// Recognizes the format of a document by its content and hands it to the parser of that format.
import type { ParsedPart, Rejection, RejectionReason } from '../domain/notice.ts'
import { salvage, valuesIn } from './broken-json.ts'
import { isEformsRoot, parseEforms } from './eforms/parse-eforms.ts'
import { decodeJson, parseJson } from './json.ts'
import { isOcds, parseOcds } from './ocds/parse-ocds.ts'
import { readAs } from './read-as.ts'
import { parseTedExport } from './ted-export/parse-ted-export.ts'
import { decodeText, maxDocumentBytes, readXmlBytes, type XmlElement, XmlError } from './xml/xml.ts'

/** Maximum depth, beyond any release; keeps recursion over the value safe. */
const maxJsonDepth = 256

/**
 * Parses one document: eForms, TED_EXPORT or OCDS, detected by its root element or members and never by a name. It
 * always returns at least one part and never throws: a document that is no notice, damaged or hostile becomes a
 * rejection. `country`: of the portal that delivered it, for organizations in OCDS that name none.
 */
export function parseDocument(bytes: Uint8Array, country?: string): ParsedPart[] {
  try {
    const parts = read(bytes, country).map(asNotice)
    return parts.length > 0 ? parts : reject('invalid-content', 'the document holds no notice')
  } catch (error) {
    if (error instanceof XmlError) return reject(error.reason, error.message, error.path)
    // A parser met a structure that its format does not allow; one such document must not stop the run.
    return reject(
      'invalid-content',
      error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 300) : 'unreadable',
    )
  }
}

function reject(reason: RejectionReason, detail: string, path = ''): ParsedPart[] {
  const rejection: Rejection = { reason, path, detail }
  return [{ pointer: '', rejection }]
}

function read(bytes: Uint8Array, country: string | undefined): ParsedPart[] {
  if (bytes.length > maxDocumentBytes) {
    return reject('too-large', `the document has ${bytes.length} bytes; at most ${maxDocumentBytes} are read`)
  }
  const first = firstSign(bytes)
  if (first === '<') return readXml(bytes)
  if (first === '{' || first === '[') return readJson(decodeJson(bytes), country)
  return reject('unsupported-format', looksLike(bytes))
}

/** The first character after byte order mark and white space, as far as it is ASCII; `` for none. */
function firstSign(bytes: Uint8Array): string {
  for (const byte of bytes.subarray(0, 4096)) {
    const isMarkOrNul = byte === 0xef || byte === 0xbb || byte === 0xbf || byte === 0xff || byte === 0xfe || byte === 0
    if (isMarkOrNul || byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d) continue
    return byte < 0x80 ? String.fromCharCode(byte) : ''
  }
  return ''
}

function readXml(bytes: Uint8Array): ParsedPart[] {
  try {
    return readXmlBytes(bytes, (root) => readRoot(root, bytes))
  } catch (error) {
    if (isHtml(bytes)) return reject('unsupported-format', 'looks like an HTML page')
    throw error
  }
}

function readRoot(root: XmlElement, bytes: Uint8Array): ParsedPart[] {
  if (root.name.toLowerCase() === 'html' && isHtml(bytes))
    return reject('unsupported-format', 'looks like an HTML page')
  if (isEformsRoot(root)) return parseEforms(root)
  if (root.name === 'TED_EXPORT') return parseTedExport(root)
  const where = root.uri ? ` of ${root.uri.slice(0, 200)}` : ''
  return reject(
    'unsupported-format',
    `XML with the root element ${root.name.slice(0, 100)}${where}`,
    `/${root.name.slice(0, 100)}`,
  )
}

function isHtml(bytes: Uint8Array): boolean {
  return /^\s*(?:<!doctype\s+html|<html[\s>])/i.test(decodeText(bytes).slice(0, 1000))
}

function readJson(text: string, country: string | undefined): ParsedPart[] {
  if (isDeeperThan(text, maxJsonDepth))
    return reject('too-deep', `values are nested deeper than ${maxJsonDepth} levels`)
  let json: unknown
  try {
    json = parseJson(text)
  } catch (error) {
    const values = valuesIn(text)
    // several packages one after the other
    if (values.length > 1) return values.flatMap((value) => readJson(value, country))
    const parts = readSoundEntries(values[0] ?? '', country)
    return parts ?? reject('malformed', `not valid JSON: ${error instanceof Error ? error.message.slice(0, 200) : ''}`)
  }
  if (isOcds(json)) return parseOcds(json, country)
  const members = typeof json === 'object' && json !== null ? Object.keys(json).slice(0, 5) : []
  return reject(
    'unsupported-format',
    Array.isArray(json) ? 'a JSON list' : `JSON with the members ${members.join(', ').slice(0, 200)}`,
  )
}

/** The sound releases of a broken package, and a rejection for each other one with its place. */
function readSoundEntries(text: string, country: string | undefined): ParsedPart[] | undefined {
  const salvaged = salvage(text)
  if (!salvaged || !isOcds(salvaged.document)) return undefined
  const { document, member, indexes, broken } = salvaged
  const prefix = member === '' ? '/' : `/${member}/`
  const parts = parseOcds(document, country).map((part): ParsedPart => {
    const [index, ...rest] = part.pointer.slice(prefix.length).split('/')
    const pointer = [`${prefix}${indexes[Number(index)] ?? index}`, ...rest].join('/')
    return 'notice' in part ? { ...part, pointer } : { pointer, rejection: { ...part.rejection, path: pointer } }
  })
  const rejections = broken.map(({ index, detail }): ParsedPart => {
    const pointer = `${prefix}${index}`
    return { pointer, rejection: { reason: 'malformed', path: pointer, detail: `not valid JSON: ${detail}` } }
  })
  return [...parts, ...rejections]
}

/**
 * Whether objects and lists nest deeper than `limit`, determined from the text alone so that nothing has to recurse.
 */
function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0
  let isInString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (isInString) {
      if (code === 0x5c) index++
      else if (code === 0x22) isInString = false
    } else if (code === 0x22) {
      isInString = true
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > limit) return true
    } else if (code === 0x7d || code === 0x5d) {
      depth--
    }
  }
  return false
}

const signatures: readonly (readonly [string, string])[] = [
  ['\x50\x4b\x03\x04', 'a zip archive inside an archive'],
  ['\x1f\x8b', 'gzip data inside an archive'],
  ['%PDF', 'a PDF'],
  ['\x89PNG', 'a picture (PNG)'],
  ['\xff\xd8\xff', 'a picture (JPEG)'],
  ['GIF8', 'a picture (GIF)'],
  ['\xd0\xcf\x11\xe0', 'an Office document'],
]

/** For operators: the kind of a document that we do not parse. */
function looksLike(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'an empty document'
  const head = String.fromCharCode(...bytes.subarray(0, 4096))
  for (const [signature, name] of signatures) if (head.startsWith(signature)) return `looks like ${name}`
  if (head.trim() === '') return 'only white space'
  if (head.includes('\0')) return 'looks like binary data'
  const lines = head.split(/\r?\n/)
  if (/^#{1,6} /.test(head) || lines.some((line) => line.startsWith('```'))) return 'looks like Markdown'
  for (const separator of [',', ';', '\t']) {
    const fields = (lines[0] ?? '').split(separator).length
    if (fields > 2) return `looks like a table with ${fields} columns (CSV)`
  }
  return 'looks like plain text'
}

/** What was read, as the notice that it is; some parsers of cards have done so already. */
function asNotice(part: ParsedPart): ParsedPart {
  if (!('notice' in part) || part.notice.act) return part
  const { pointer } = part
  const found = readAs(part.notice)
  return 'reason' in found ? { pointer, rejection: found } : { pointer, notice: found }
}

/**
 * The parser of a source's documents: its own, or else one chosen by content. An organization in OCDS that names no
 * country is in that of the portal; international ones (EU, ZZ) are in none.
 */
export function parserOf(source: {
  readonly country?: string
  readonly parse?: (bytes: Uint8Array) => readonly ParsedPart[]
}): (bytes: Uint8Array) => readonly ParsedPart[] {
  const { parse } = source
  if (parse) return (bytes) => parse(bytes).map(asNotice)
  const country = source.country === 'EU' || source.country === 'ZZ' ? undefined : source.country
  return (bytes) => parseDocument(bytes, country)
}
