// The fast parser for plain XML, as portals write it: it turns bytes into a flat table of elements, and leaves
// everything unusual to the full parser. A notice in eForms takes 264 µs of CPU from bytes to notice, with the full
// parser alone 565 (ratio 2.1).
import { isUtf8 } from 'node:buffer'
import { type Scope, XmlNames } from './xml-names.ts'

/** How many numbers an element has in `elements`, in document order; the following constants name them. */
export const elementSize = 5
/** Number of the expanded name times 4, plus `hasReferences` and `isBeyondAscii` of its text. */
export const nameAt = 0
/** Positions at which its text begins and ends, without surrounding white space; begin is 0 if there is none. */
export const textStartAt = 1
export const textEndAt = 2
/** The number of the element after its last descendant. */
export const endAt = 3
/** The number of its first attribute. */
export const attributesAt = 4
/**
 * How many numbers an attribute has in `attributes`: the name's number times 4 plus marks, begin and end of the value.
 */
export const attributeSize = 3

const hasReferences = 1
const isBeyondAscii = 2

/**
 * A piece of text of an element that has more than one, or elements between: its position, its marks, and the number of
 * elements before it.
 */
type TextPiece = {
  readonly start: number
  readonly end: number
  readonly marks: number
  readonly elementsBefore: number
}

/** A well-formed document. Strings are made on request. */
export type FlatDocument = {
  readonly names: XmlNames
  /** The document; positions count from its beginning. */
  readonly bytes: Buffer
  elements: Int32Array
  attributes: Int32Array
  /** All pieces of text of elements that have more than a single one. */
  readonly pieces: ReadonlyMap<number, readonly TextPiece[]> | undefined
}

const declaration = new RegExp(
  String.raw`^<\?xml[ \t\n]+version[ \t\n]*=[ \t\n]*(?:"1\.0"|'1\.0')` +
    String.raw`(?:[ \t\n]+encoding[ \t\n]*=[ \t\n]*(?:"[A-Za-z][A-Za-z0-9._-]*"|'[A-Za-z][A-Za-z0-9._-]*'))?` +
    String.raw`(?:[ \t\n]+standalone[ \t\n]*=[ \t\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\n]*\?>`,
)
const longestDeclaration = 200

/** Maximum depth and sizes for the fast parser; beyond them the full parser decides. */
const maxDepth = 256
const maxElements = 1_000_000
const maxAttributes = 2_000_000
const maxAttributesOfElement = 30

/** 1: may begin a name, 2: may continue one. Only ASCII; other names need the full parser. */
const nameSigns = new Uint8Array(256)
for (const sign of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_') nameSigns[sign.charCodeAt(0)] = 1
for (const sign of '0123456789-.:') nameSigns[sign.charCodeAt(0)] = 2

/**
 * Bytes that matter in text: controls (NUL ends the document), `<`, `&`, `]`, and the first byte of U+FFFE and U+FFFF.
 */
const textSigns = new Uint8Array(256)
/** The same in values of attributes, where white space and both quotes matter too. */
const valueSigns = new Uint8Array(256)
for (const signs of [textSigns, valueSigns]) {
  signs.fill(1, 0, 0x20)
  for (const code of [0x3c, 0x26, 0xef]) signs[code] = 1
}
textSigns[0x5d] = 1
textSigns[0x09] = 0
textSigns[0x0a] = 0
for (const sign of `"'`) valueSigns[sign.charCodeAt(0)] = 1

const blank = /^[ \t\r\n]*$/
const cdata = Buffer.from('<![CDATA[')

/**
 * Size of new tables. They grow as needed and are reused for the next document; undefined while a document has them.
 */
const freshBytes = 1 << 17
const freshNumbers = 1 << 14
const largestKept = 1 << 22
let names = new XmlNames()
let work = new Uint8Array(freshBytes)
let elementRoom: Int32Array | undefined
let attributeRoom: Int32Array | undefined
const noNumbers = new Int32Array(0)
const openElements = new Int32Array(maxDepth + 1)
const openNames = new Int32Array(maxDepth + 1)

/**
 * Reads a well-formed document of UTF-8. Undefined for anything that is not certainly well-formed or needs more than
 * this: DOCTYPE, processing instructions, XML 1.1, names beyond ASCII, and every error. Then the full parser has to
 * decide, so nothing is accepted here that it would reject or read differently. The bytes must not change while the
 * result is used. A lent document has the tables that it was read into, not copies of them: `giveBack` takes them back.
 */
export function scanXml(document: Uint8Array, isLent = false): FlatDocument | undefined {
  if (!isUtf8(document)) return undefined
  let bytes = Buffer.from(document.buffer, document.byteOffset, document.length)
  if (bytes.includes(0x0d)) bytes = Buffer.from(bytes.toString('latin1').replace(/\r\n?/g, '\n'), 'latin1')
  if (bytes.length >= work.length) work = new Uint8Array(Math.max(bytes.length + 1, 2 * work.length))
  // a NUL after the document ends every loop
  work.set(bytes)
  work[bytes.length] = 0
  if (names.isFull) names = new XmlNames()
  const flat = scan(bytes, elementRoom ?? new Int32Array(freshNumbers), attributeRoom ?? new Int32Array(freshNumbers))
  if (work.length > largestKept) work = new Uint8Array(freshBytes)
  if (!flat) return undefined
  const { elements, attributes } = flat
  if (isLent) {
    elementRoom = attributeRoom = undefined
  } else {
    const count = elements[endAt]!
    flat.elements = elements.slice(0, (count + 1) * elementSize)
    flat.attributes = attributes.slice(0, elements[count * elementSize + attributesAt]! * attributeSize)
    keep(elements, attributes)
  }
  return flat
}

/** Takes the tables of a borrowed document back for the next one. Code that still used its elements would find none. */
export function giveBack(document: FlatDocument): void {
  keep(document.elements, document.attributes)
  document.elements = document.attributes = noNumbers
}

function keep(elements: Int32Array, attributes: Int32Array): void {
  elementRoom = elements.length > largestKept ? undefined : elements
  attributeRoom = attributes.length > largestKept ? undefined : attributes
}

/**
 * Reads `work`, which holds `bytes`, into the given tables. It is one function, because calls and fields would double
 * the cost.
 * Each round of its loop reads the text before a mark and then one mark: an end tag, a comment, CDATA or a start tag.
 * `position` is the byte that is looked at, `sign` its value; `current` is the innermost open element, `depth` how many
 * are open.
 */
function scan(bytes: Buffer, elementTable: Int32Array, attributeTable: Int32Array): FlatDocument | undefined {
  const document = work
  let elements = elementTable
  let attributes = attributeTable
  const { slots, hashes, starts, kinds, prefixes } = names
  const slotMask = slots.length - 1
  let nameBytes = names.bytes
  let scope: Scope = names.root
  const openScopes: Scope[] = [scope]
  let pieces: Map<number, TextPiece[]> | undefined
  let count = 0
  let attributeCount = 0
  let depth = 0
  let current = 0
  let position = document[0] === 0xef && document[1] === 0xbb && document[2] === 0xbf ? 3 : 0
  if (document[position] === 0x3c && document[position + 1] === 0x3f) {
    const found = declaration.exec(
      bytes.toString('latin1', position, Math.min(position + longestDeclaration, bytes.length)),
    )
    if (!found) return undefined
    position += found[0].length
  }

  for (;;) {
    // 1. text, up to the next `<`
    const start = position
    let sign = document[position]!
    while (sign === 0x20 || sign === 0x0a || sign === 0x09) sign = document[++position]!
    if (sign !== 0x3c || position > start) {
      let isBlank = sign === 0x3c
      let seen = 0
      let marks = 0
      if (!isBlank) {
        if (depth === 0) {
          if (position !== bytes.length || count === 0) return undefined
          elements[count * elementSize + attributesAt] = attributeCount
          return { names, bytes, elements, attributes, pieces }
        }
        for (;;) {
          if (textSigns[sign] !== 0) {
            if (sign === 0x3c) break
            if (sign === 0x26) marks = hasReferences
            else if (sign === 0x5d) {
              if (document[position + 1] === 0x5d && document[position + 2] === 0x3e) return undefined
            } else if (sign !== 0xef || isNoCharacter(document, position)) return undefined
          }
          seen |= sign
          sign = document[++position]!
        }
        if (marks !== 0) {
          const decoded = decodeReferences(bytes.toString('latin1', start, position))
          if (decoded === undefined) return undefined
          isBlank = blank.test(decoded)
        }
        if (seen > 0x7f) marks |= isBeyondAscii
      }
      const at = current * elementSize
      if (depth > 0 && elements[at + textStartAt] !== 0) {
        // White space between pieces of text is text as well.
        pieces = withPiece(pieces, elements, current, { start, end: position, marks, elementsBefore: count })
      } else if (!isBlank) {
        if (count > current + 1)
          pieces = withPiece(pieces, elements, current, { start, end: position, marks, elementsBefore: count })
        elements[at] = elements[at]! | marks
        elements[at + textStartAt] = start
        elements[at + textEndAt] = position
      }
    }

    // 2. an end tag: the name of the innermost element, byte by byte
    sign = document[position + 1]!
    if (sign === 0x2f) {
      if (depth === 0) return undefined
      position += 2
      const name = openNames[depth]!
      for (let at = starts[name]!, end = starts[name + 1]!; at < end; at++)
        if (document[position++] !== nameBytes[at]) return undefined
      sign = document[position]!
      while (sign === 0x20 || sign === 0x0a || sign === 0x09) sign = document[++position]!
      if (sign !== 0x3e) return undefined
      position++
      elements[current * elementSize + endAt] = count
      depth--
      current = openElements[depth]!
      scope = openScopes[depth]!
      continue
    }
    // 3. a comment or CDATA
    if (sign === 0x21) {
      if (document[position + 2] !== 0x5b) {
        position = endOfComment(document, position)
        if (position === 0) return undefined
        continue
      }
      const end = endOfCdata(document, position)
      if (end === 0 || depth === 0) return undefined
      const start = position + cdata.length
      const at = current * elementSize
      const isFirst = elements[at + textStartAt] === 0
      position = end + 3
      if (isFirst && blank.test(bytes.toString('latin1', start, end))) continue
      if (!isFirst || count > current + 1)
        pieces = withPiece(pieces, elements, current, { start, end, marks: isBeyondAscii, elementsBefore: count })
      if (isFirst) {
        elements[at] = elements[at]! | isBeyondAscii
        elements[at + textStartAt] = start
        elements[at + textEndAt] = end
      }
      continue
    }

    // 4. a start tag: its name, by a hash table of the names met so far
    if (nameSigns[sign] !== 1 || (depth === 0 && count > 0) || depth >= maxDepth || count >= maxElements)
      return undefined
    let nameStart = ++position
    let hash = sign
    sign = document[++position]!
    while (nameSigns[sign] !== 0) {
      hash = (Math.imul(hash, 31) + sign) | 0
      sign = document[++position]!
    }
    let slot = (hash ^ (hash >>> 15)) & slotMask
    let name = slots[slot]!
    while (
      name !== 0 &&
      !(hashes[name] === hash && isSameName(document, nameStart, position, nameBytes, starts, name))
    ) {
      slot = (slot + 1) & slotMask
      name = slots[slot]!
    }
    if (name === 0) {
      name = names.add(document, nameStart, position, hash, slot)
      if (name === 0) return undefined
      nameBytes = names.bytes
    }
    // 5. its attributes; declarations of namespaces are gathered apart
    const elementName = name
    const firstAttribute = attributeCount
    let declarations: string[] | undefined
    let hasPrefixes = false
    for (;;) {
      const before = position
      while (sign === 0x20 || sign === 0x0a || sign === 0x09) sign = document[++position]!
      if (sign === 0x3e || sign === 0x2f) break
      if (position === before || nameSigns[sign] !== 1) return undefined
      nameStart = position
      hash = sign
      sign = document[++position]!
      while (nameSigns[sign] !== 0) {
        hash = (Math.imul(hash, 31) + sign) | 0
        sign = document[++position]!
      }
      slot = (hash ^ (hash >>> 15)) & slotMask
      name = slots[slot]!
      while (
        name !== 0 &&
        !(hashes[name] === hash && isSameName(document, nameStart, position, nameBytes, starts, name))
      ) {
        slot = (slot + 1) & slotMask
        name = slots[slot]!
      }
      if (name === 0) {
        name = names.add(document, nameStart, position, hash, slot)
        if (name === 0) return undefined
        nameBytes = names.bytes
      }
      while (sign === 0x20 || sign === 0x0a || sign === 0x09) sign = document[++position]!
      if (sign !== 0x3d) return undefined
      sign = document[++position]!
      while (sign === 0x20 || sign === 0x0a || sign === 0x09) sign = document[++position]!
      if (sign !== 0x22 && sign !== 0x27) return undefined
      const quote = sign
      const valueStart = position + 1
      let seen = 0
      let marks = 0
      for (;;) {
        sign = document[++position]!
        if (valueSigns[sign] !== 0) {
          if (sign === quote) break
          if (sign === 0x26 || sign === 0x0a || sign === 0x09) marks = hasReferences
          else if (sign === 0xef ? isNoCharacter(document, position) : sign !== 0x22 && sign !== 0x27) return undefined
        }
        seen |= sign
      }
      if (seen > 0x7f) marks |= isBeyondAscii
      if (
        (marks & hasReferences) !== 0 &&
        decodeReferences(bytes.toString('latin1', valueStart, position)) === undefined
      )
        return undefined
      const kind = kinds[name]!
      if (kind === 1) {
        const prefix = prefixes[name] === 'xmlns' ? names.locals[name]! : ''
        declarations ??= []
        for (let index = 0; index < declarations.length; index += 2)
          if (declarations[index] === prefix) return undefined
        declarations.push(prefix, valueBetween(bytes, valueStart, position, marks))
        if (declarations.length > 2 * maxAttributesOfElement) return undefined
      } else {
        if (kind === 3) return undefined
        if (kind === 2) hasPrefixes = true
        for (let at = firstAttribute; at < attributeCount; at++)
          if (attributes[at * attributeSize]! >> 2 === name) return undefined
        if (attributeCount - firstAttribute >= maxAttributesOfElement || attributeCount >= maxAttributes)
          return undefined
        const at = attributeCount++ * attributeSize
        if (at + attributeSize > attributes.length) attributes = grown(attributes)
        attributes[at] = (name << 2) | marks
        attributes[at + 1] = valueStart
        attributes[at + 2] = position
      }
      sign = document[++position]!
    }
    const isEmpty = sign === 0x2f
    if (isEmpty && document[++position] !== 0x3e) return undefined
    position++

    // 6. its namespaces: now that all declarations are known, prefixes are resolved
    const outerScope = scope
    if (declarations) {
      const inner = names.scopeInside(scope, declarations)
      if (!inner) return undefined
      scope = inner
    }
    for (let at = firstAttribute; hasPrefixes && at < attributeCount; at++)
      if (scope.uriOf(prefixes[attributes[at * attributeSize]! >> 2]!) === undefined) return undefined
    const expanded = scope.resolved[elementName]! || names.resolve(scope, elementName)
    if (expanded === 0) return undefined

    // 7. a row of the table, and the element is open unless its tag ends with `/>`
    if (depth > 0 && elements[current * elementSize + textStartAt] !== 0) {
      pieces ??= new Map()
      if (!pieces.has(current)) pieces.set(current, [onlyPiece(elements, current)])
    }
    const at = count * elementSize
    if (at + 2 * elementSize > elements.length) elements = grown(elements)
    elements[at] = expanded << 2
    elements[at + textStartAt] = 0
    elements[at + attributesAt] = firstAttribute
    if (isEmpty) {
      elements[at + endAt] = ++count
      scope = outerScope
    } else {
      openElements[depth] = current
      openScopes[depth] = outerScope
      current = count++
      depth++
      openNames[depth] = elementName
    }
  }
}

function grown(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * numbers.length)
  larger.set(numbers)
  return larger
}

function isSameName(
  document: Uint8Array,
  start: number,
  end: number,
  nameBytes: Uint8Array,
  starts: Int32Array,
  name: number,
): boolean {
  let at = starts[name]!
  if (starts[name + 1]! - at !== end - start) return false
  for (let position = start; position < end; position++) if (document[position] !== nameBytes[at++]) return false
  return true
}

/** Adds a piece, of an element that already has text or contains other elements. */
function withPiece(
  pieces: Map<number, TextPiece[]> | undefined,
  elements: Int32Array,
  element: number,
  piece: TextPiece,
): Map<number, TextPiece[]> {
  const all = pieces ?? new Map<number, TextPiece[]>()
  const known = all.get(element)
  if (known) known.push(piece)
  else if (elements[element * elementSize + textStartAt] === 0) all.set(element, [piece])
  else all.set(element, [onlyPiece(elements, element), piece])
  return all
}

/** The text that an element had before it turned out to have more than that. */
function onlyPiece(elements: Int32Array, element: number): TextPiece {
  const at = element * elementSize
  return {
    start: elements[at + textStartAt]!,
    end: elements[at + textEndAt]!,
    marks: elements[at]! & 3,
    elementsBefore: element + 1,
  }
}

/** Whether U+FFFE or U+FFFF begins here, which XML does not allow. */
function isNoCharacter(document: Uint8Array, position: number): boolean {
  return document[position] === 0xef && document[position + 1] === 0xbf && document[position + 2]! >= 0xbe
}

/** The position after the comment that begins at `start`; 0 if there is none or it is invalid. */
function endOfComment(document: Uint8Array, start: number): number {
  if (document[start + 2] !== 0x2d || document[start + 3] !== 0x2d) return 0
  for (let position = start + 4; ; position++) {
    const sign = document[position]!
    if (sign === 0x2d && document[position + 1] === 0x2d) return document[position + 2] === 0x3e ? position + 3 : 0
    if ((sign < 0x20 && sign !== 0x09 && sign !== 0x0a) || isNoCharacter(document, position)) return 0
  }
}

/**
 * The position of the `]]>` that ends the CDATA section beginning at `start`; 0 if there is none, or it is empty or
 * invalid.
 */
function endOfCdata(document: Uint8Array, start: number): number {
  for (let at = 0; at < cdata.length; at++) if (document[start + at] !== cdata[at]) return 0
  for (let position = start + cdata.length; ; position++) {
    const sign = document[position]!
    if (sign === 0x5d && document[position + 1] === 0x5d && document[position + 2] === 0x3e)
      return position === start + cdata.length ? 0 : position
    if ((sign < 0x20 && sign !== 0x09 && sign !== 0x0a) || isNoCharacter(document, position)) return 0
  }
}

/** The text between two positions; `marks` say how to decode it. Its references are valid. */
export function textBetween(bytes: Buffer, start: number, end: number, marks: number): string {
  const text = (marks & isBeyondAscii) === 0 ? bytes.toString('latin1', start, end) : bytes.toString('utf8', start, end)
  return (marks & hasReferences) === 0 ? text : decodeReferences(text)!
}

/** The same for the value of an attribute, where white space becomes spaces. */
export function valueBetween(bytes: Buffer, start: number, end: number, marks: number): string {
  const text = (marks & isBeyondAscii) === 0 ? bytes.toString('latin1', start, end) : bytes.toString('utf8', start, end)
  return (marks & hasReferences) === 0 ? text : decodeReferences(text.replace(/[\n\t]/g, ' '))!
}

const predefined: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Undefined when a reference is not one of the five predefined entities or a character that XML allows. */
function decodeReferences(raw: string): string | undefined {
  if (!raw.includes('&')) return raw
  let isGood = true
  const decoded = raw.replace(
    /&(?:#(\d{1,7});|#x([\da-fA-F]{1,6});|(amp|lt|gt|quot|apos);)?/g,
    (_, decimal, hex, name) => {
      if (name !== undefined) return predefined[name as string]!
      const code = decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex as string, 16) : 0
      const isAllowed =
        code === 9 ||
        code === 10 ||
        code === 13 ||
        (code >= 0x20 && code <= 0xd7ff) ||
        (code >= 0xe000 && code <= 0xfffd) ||
        (code >= 0x10000 && code <= 0x10ffff)
      if (!isAllowed) isGood = false
      return isAllowed ? String.fromCodePoint(code) : ''
    },
  )
  return isGood ? decoded : undefined
}

/**
 * Everything that plain documents may contain, however rare. The engine compiles `scan` for the branches that have run
 * so far and discards the code at the first other one: ten times in 4,000 notices, at the cost of reading a thousand of
 * them. So all branches run before the first notice, including names with equal hashes and growing tables, until the
 * engine knows them.
 */
const everyBranch = [
  `\ufeff<?xml version="1.0" encoding="UTF-8"?>\r
<!-- a \ufffd -->
<a:one xmlns:a="urn:a" xmlns='urn:b' xmlns:c="c&amp;" a:b="it's" c='2&amp;"\t3' d = "é" e="\uf900\ufffd" Aa="" BB="">&#65;\t
  text ] ]] &lt;é\uf900\ufffd<two/><!--b--> more &amp; é<two a='&#x41;'\tb=""\n/>&#32;
  <three xmlns:d="urn:d"><d:four>é</d:four > <five> </five><Aa>1</Aa><BB>2</BB></three>
  <six><![CDATA[ ]]><![CDATA[<é\ufffd]] ]]> <five/> x</six><six><five/><![CDATA[x]]></six><six><five/>x</six>
</a:one>
<!-- c -->
`,
  '<a>b</a>',
].map((text) => Buffer.from(text))
for (let time = 0; time < 50; time++) {
  begin(1, 2 * elementSize)
  for (const document of everyBranch) if (!scanXml(document)) throw new Error('this is plain XML')
}
begin(freshBytes, freshNumbers)

/** Empty tables. */
function begin(byteCount: number, numberCount: number): void {
  names = new XmlNames()
  work = new Uint8Array(byteCount)
  keep(new Int32Array(numberCount), new Int32Array(numberCount))
}
