// XML read in one pass to a light tree of elements with resolved namespaces, for documents from untrusted sources.
import { SaxesParser } from 'saxes'
import type { RejectionReason } from '../../domain/notice.ts'
import { FlatElement, type XmlElement } from './xml-element.ts'
import { type FlatDocument, giveBack, scanXml } from './xml-scan.ts'

export type { XmlElement } from './xml-element.ts'

/** Maximum depth: beyond any notice (the deepest real one has 14 levels), yet safe for recursion over the tree. */
const maxDepth = 256
/** Maximum number of elements, to limit the memory of a tree; the largest real notice has some 60,000. */
const maxElements = 1_000_000
const maxAttributes = 2_000_000
const maxAttributesOfElement = 10_000

/** Maximum size of a document to read; the largest real notice has 2.8 MB. */
export const maxDocumentBytes = 64 * 1024 * 1024

/** The document is not XML that we read. `path` is `line N` when the position is known. */
export class XmlError extends Error {
  readonly reason: RejectionReason
  readonly path: string
  constructor(reason: RejectionReason, detail: string, path = '') {
    super(detail)
    this.name = 'XmlError'
    this.reason = reason
    this.path = path
  }
}

type OpenElement = {
  uri: string
  name: string
  attributes: ReadonlyMap<string, string>
  children: XmlElement[]
  text: string
  mixed?: (string | XmlElement)[]
}

type ResolvedName = { readonly uri: string; readonly name: string }
/** The bindings of an element that declares namespaces, and the names already resolved inside it. */
type Scope = {
  readonly parent: Scope | undefined
  readonly uris: Map<string, string>
  readonly names: Map<string, ResolvedName>
}

const namespaces = new Map<string, string>()

/** Replaces the URIs of a document with our equal strings, so that comparing them costs nothing. */
export function namespace(uri: string): string {
  const known = namespaces.get(uri)
  if (known !== undefined) return known
  namespaces.set(uri, uri)
  return uri
}

const noAttributes: ReadonlyMap<string, string> = new Map()
const noChildren: XmlElement[] = []
const xmlUri = 'http://www.w3.org/XML/1998/namespace'
const xmlnsUri = 'http://www.w3.org/2000/xmlns/'
const blank = /^[ \t\r\n]*$/

function isDeclaration(name: string): boolean {
  return name.startsWith('xmlns') && (name.length === 5 || name[5] === ':')
}

function splitName(qualified: string): [prefix: string, local: string] {
  const colon = qualified.indexOf(':')
  if (colon < 0) return ['', qualified]
  if (colon === 0 || colon === qualified.length - 1 || qualified.indexOf(':', colon + 1) >= 0) {
    throw new XmlError('malformed', `"${qualified.slice(0, 100)}" is no qualified name`)
  }
  return [qualified.slice(0, colon), qualified.slice(colon + 1)]
}

function resolvePrefix(scope: Scope | undefined, prefix: string): string {
  for (let at = scope; at; at = at.parent) {
    const uri = at.uris.get(prefix)
    if (uri !== undefined) return uri
  }
  if (prefix === '') return ''
  if (prefix === 'xml') return xmlUri
  throw new XmlError('malformed', `the namespace prefix "${prefix.slice(0, 100)}" is not declared`)
}

function resolveName(scope: Scope, qualified: string): ResolvedName {
  let resolved = scope.names.get(qualified)
  if (!resolved) {
    const [prefix, name] = splitName(qualified)
    resolved = { uri: resolvePrefix(scope, prefix), name }
    scope.names.set(qualified, resolved)
  }
  return resolved
}

function declare(uris: Map<string, string>, prefix: string, uri: string): void {
  const isReserved = prefix === 'xmlns' || uri === xmlnsUri || (prefix === 'xml') !== (uri === xmlUri)
  if (isReserved || (prefix !== '' && uri === '')) {
    throw new XmlError('malformed', `the namespace declaration of "${prefix.slice(0, 100)}" is not allowed`)
  }
  uris.set(prefix, namespaces.get(uri) ?? uri)
}

/** Builds the tree out of the parts of a document. Throws XmlError when a limit is exceeded or a namespace is wrong. */
class TreeBuilder {
  root: XmlElement | undefined
  readonly #stack: OpenElement[] = []
  readonly #scopes: Scope[] = []
  #scope: Scope = { parent: undefined, uris: new Map(), names: new Map() }
  #current: OpenElement | undefined
  #elements = 0
  #attributes = 0

  readonly open = (qualifiedName: string, pairs: readonly string[] | undefined): void => {
    if (this.#stack.length >= maxDepth)
      throw new XmlError('too-deep', `elements are nested deeper than ${maxDepth} levels`)
    if (++this.#elements > maxElements) throw new XmlError('too-large', `more than ${maxElements} elements`)
    this.#scopes.push(this.#scope)
    const attributes = pairs === undefined ? noAttributes : this.#readAttributes(pairs)
    const { uri, name } = resolveName(this.#scope, qualifiedName)
    const element: OpenElement = { uri, name, attributes, children: noChildren, text: '' }
    const parent = this.#current
    if (parent) {
      if (parent.mixed) parent.mixed.push(element)
      else if (parent.text !== '') parent.mixed = [parent.text, element]
      if (parent.children === noChildren) parent.children = [element]
      else parent.children.push(element)
      this.#stack.push(parent)
    } else {
      this.root = element
    }
    this.#current = element
  }

  readonly close = (): void => {
    this.#current = this.#stack.pop()
    this.#scope = this.#scopes.pop()!
  }

  readonly text = (data: string): void => {
    const current = this.#current
    if (!current) return
    if (current.mixed) current.mixed.push(data)
    else if (current.text === '' && data.charCodeAt(0) <= 0x20 && blank.test(data)) return
    else if (current.children !== noChildren) current.mixed = [...current.children, data]
    current.text = current.text === '' ? data : current.text + data
  }

  #readAttributes(pairs: readonly string[]): ReadonlyMap<string, string> {
    this.#attributes += pairs.length / 2
    if (this.#attributes > maxAttributes) throw new XmlError('too-large', 'more attributes than any notice has')
    let uris: Map<string, string> | undefined
    for (let index = 0; index < pairs.length; index += 2) {
      const name = pairs[index]!
      if (!isDeclaration(name)) continue
      uris ??= new Map()
      declare(uris, name.length === 5 ? '' : splitName(name)[1], pairs[index + 1]!)
    }
    if (uris) this.#scope = { parent: this.#scope, uris, names: new Map() }
    let read: Map<string, string> | undefined
    for (let index = 0; index < pairs.length; index += 2) {
      const name = pairs[index]!
      if (isDeclaration(name)) continue
      const [prefix, local] = splitName(name)
      if (prefix) resolvePrefix(this.#scope, prefix)
      read ??= new Map()
      if (!prefix || !read.has(local)) read.set(local, pairs[index + 1]!)
    }
    return read ?? noAttributes
  }
}

/**
 * Reads a well-formed document (XML 1.0 with Namespaces) to its root element. Entities other than the five predefined
 * ones and character references do not exist here: a DOCTYPE is refused, so nothing is ever fetched or expanded.
 * Throws XmlError: `malformed`, `forbidden-construct`, `too-deep` or `too-large`.
 */
export function parseXml(text: string): XmlElement {
  return parsePlainXml(text) ?? parseAnyXml(text)
}

/**
 * The same for a document in the encodings that `decodeText` knows. The bytes must not change while the tree is used.
 */
export function parseXmlBytes(bytes: Uint8Array): XmlElement {
  const document = scanBytes(bytes, false)
  return document ? new FlatElement(document, 0) : parseXml(decodeText(bytes))
}

/**
 * Returns what `read` makes of the root of a document, parsed as by `parseXmlBytes`. No element may be used afterwards:
 * the tables are reused for the next document, instead of allocating and collecting new ones.
 */
export function readXmlBytes<Result>(bytes: Uint8Array, read: (root: XmlElement) => Result): Result {
  const document = scanBytes(bytes, true)
  if (!document) return read(parseXml(decodeText(bytes)))
  try {
    return read(new FlatElement(document, 0))
  } finally {
    giveBack(document)
  }
}

function scanBytes(bytes: Uint8Array, isLent: boolean): FlatDocument | undefined {
  const isUtf8 = bytes.length <= maxDocumentBytes && encodingOf(bytes) === 'utf-8'
  return isUtf8 ? scanXml(bytes, isLent) : undefined
}

/** The fast parser; undefined when the document needs the full parser, which finds out why. */
export function parsePlainXml(text: string): XmlElement | undefined {
  const document = text.isWellFormed() ? scanXml(Buffer.from(text)) : undefined
  return document && new FlatElement(document, 0)
}

/** The full parser, for every document; errors carry their line. */
export function parseAnyXml(text: string): XmlElement {
  const parser = new SaxesParser({ xmlns: false, position: false })
  const builder = new TreeBuilder()
  let pending: string[] = []

  // Only a failure needs a line, so it is counted then, not at every line break.
  const fail = (error: unknown): never => {
    const line = 1 + countLines(text, parser.position)
    if (error instanceof XmlError) throw error.path ? error : new XmlError(error.reason, error.message, `line ${line}`)
    if (error instanceof Error) throw new XmlError('malformed', error.message.slice(0, 300), `line ${line}`)
    throw error
  }

  parser.on('doctype', () => {
    throw new XmlError('forbidden-construct', 'a DOCTYPE is not accepted')
  })
  parser.on('attribute', (attribute) => {
    if (pending.length >= 2 * maxAttributesOfElement) {
      throw new XmlError('too-large', 'more attributes than any notice has')
    }
    pending.push(attribute.name, attribute.value)
  })
  parser.on('opentag', (tag) => {
    const pairs = pending.length === 0 ? undefined : pending
    if (pairs) pending = []
    builder.open(tag.name, pairs)
  })
  parser.on('closetag', builder.close)
  parser.on('text', builder.text)
  parser.on('cdata', builder.text)
  try {
    parser.write(text).close()
  } catch (error) {
    fail(error)
  }
  if (!builder.root) throw new XmlError('malformed', 'the document has no root element')
  return builder.root
}

function countLines(text: string, end: number): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

const declaredEncoding = /^<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["']/
/** Single-byte encodings, by the names that documents declare. */
const singleByteEncoding = /^(?:iso-8859-\d{1,2}|latin[1-6]|(?:windows-|cp)125\d|koi8-[ru])$/

/**
 * The text of a document: UTF-8 (with or without byte order mark), UTF-16 detected by its mark or its first bytes, or a
 * single-byte encoding that its XML declaration names. Throws XmlError: `too-large`, or `malformed` for broken
 * sequences and NUL.
 */
export function decodeText(bytes: Uint8Array): string {
  if (bytes.length > maxDocumentBytes) {
    throw new XmlError('too-large', `the document has ${bytes.length} bytes; at most ${maxDocumentBytes} are read`)
  }
  let text: string
  const encoding = encodingOf(bytes)
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch (error) {
    throw new XmlError(
      'malformed',
      error instanceof RangeError ? `unknown encoding ${encoding}` : `not valid ${encoding}`,
    )
  }
  if (text.includes('\0'))
    throw new XmlError('malformed', 'the text holds NUL characters', `line ${1 + countLines(text, text.indexOf('\0'))}`)
  return text
}

function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  if (bytes[0] === 0 && bytes[1] === 0x3c) return 'utf-16be'
  if (bytes[0] !== 0x3c) return 'utf-8'
  if (bytes[1] === 0) return 'utf-16le'
  const declared = declaredEncoding
    .exec(Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 200)).toString('latin1'))?.[1]
    ?.toLowerCase()
  return declared && singleByteEncoding.test(declared) ? declared : 'utf-8'
}

/** First child of that name, or undefined. */
export function child(element: XmlElement | undefined, uri: string, name: string): XmlElement | undefined {
  if (!element) return undefined
  if (element instanceof FlatElement) return element.first(uri, name)
  for (const candidate of element.children) if (candidate.name === name && candidate.uri === uri) return candidate
  return undefined
}

/** All children of that name. */
export function childrenOf(element: XmlElement | undefined, uri: string, name: string): readonly XmlElement[] {
  if (!element) return noChildren
  if (element instanceof FlatElement) return element.all(uri, name) ?? noChildren
  return element.children.filter((candidate) => candidate.name === name && candidate.uri === uri)
}

/** First child with that local name in any namespace: for TED_EXPORT, whose schema versions have one namespace each. */
export function childNamed(element: XmlElement | undefined, name: string): XmlElement | undefined {
  if (!element) return undefined
  if (element instanceof FlatElement) return element.firstNamed(name)
  for (const candidate of element.children) if (candidate.name === name) return candidate
  return undefined
}

/** All children with that local name in any namespace. */
export function childrenNamed(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  if (!element) return noChildren
  if (element instanceof FlatElement) return element.allNamed(name)
  return element.children.filter((candidate) => candidate.name === name)
}

/** Follows local names down from an element, always to the first match; undefined as soon as one is missing. */
export function pathNamed(element: XmlElement | undefined, ...names: readonly string[]): XmlElement | undefined {
  let at = element
  for (const name of names) at = childNamed(at, name)
  return at
}

/** All descendants with that local name in any namespace, in document order. */
export function* descendantsNamed(element: XmlElement | undefined, name: string): Generator<XmlElement> {
  if (!element) return
  if (element instanceof FlatElement) {
    yield* element.descendantsNamed(name)
    return
  }
  for (const candidate of element.children) {
    if (candidate.name === name) yield candidate
    yield* descendantsNamed(candidate, name)
  }
}

/** All descendants in document order, without those inside an element for which `isClosed` is true. */
export function* elementsBelow(
  element: XmlElement | undefined,
  isClosed: (element: XmlElement) => boolean,
): Generator<XmlElement> {
  if (!element) return
  if (element instanceof FlatElement) {
    yield* element.below(isClosed)
    return
  }
  for (const found of element.children) {
    yield found
    if (!isClosed(found)) yield* elementsBelow(found, isClosed)
  }
}

/** Whether an element contains no other element. */
export function isLeaf(element: XmlElement): boolean {
  return element instanceof FlatElement ? element.isLeaf : element.children.length === 0
}

/** The value of the attribute with that local name, the unprefixed one first. */
export function attributeOf(element: XmlElement | undefined, name: string): string | undefined {
  return element instanceof FlatElement ? element.attribute(name) : element?.attributes.get(name)
}

/** Own character data, trimmed; undefined when the element is missing or has none. */
export function textOf(element: XmlElement | undefined): string | undefined {
  return element?.text.trim() || undefined
}

/** Character data of the element and all descendants in document order, untrimmed. */
export function deepTextOf(element: XmlElement): string {
  if (element.mixed) return element.mixed.map((part) => (typeof part === 'string' ? part : deepTextOf(part))).join('')
  return element.children.length === 0 ? element.text : element.children.map(deepTextOf).join('')
}
