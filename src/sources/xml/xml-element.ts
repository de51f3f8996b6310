// An element of the tree, as all parsers of XML see it: a plain one, or one that reads itself out of a scanned
// document.
import {
  attributeSize,
  attributesAt,
  elementSize,
  endAt,
  type FlatDocument,
  nameAt,
  textBetween,
  textEndAt,
  textStartAt,
  valueBetween,
} from './xml-scan.ts'

/** An element with its namespace resolved; prefixes are forgotten. */
export type XmlElement = {
  /** Namespace URI; `` for none. */
  readonly uri: string
  /** Name without its prefix. */
  readonly name: string
  /** Values by local name, without namespace declarations; of two with one local name the unprefixed one. */
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlElement[]
  /** Own character data, untrimmed, without that of the children; empty if it is only white space. */
  readonly text: string
  /** Text and elements in document order, present only when the element holds both. */
  readonly mixed?: readonly (string | XmlElement)[] | undefined
}

/**
 * An element of a scanned document. Looking for children by name compares numbers and makes objects only of what is
 * found: a notice has many times more elements than fields that we read.
 */
export class FlatElement implements XmlElement {
  readonly #document: FlatDocument
  readonly #index: number

  constructor(document: FlatDocument, index: number) {
    this.#document = document
    this.#index = index
  }

  get uri(): string {
    const { names, elements } = this.#document
    return names.expanded[elements[this.#index * elementSize]! >> 2]!.uri
  }

  get name(): string {
    const { names, elements } = this.#document
    return names.expanded[elements[this.#index * elementSize]! >> 2]!.name
  }

  get attributes(): ReadonlyMap<string, string> {
    const { names, bytes, elements, attributes } = this.#document
    const found = new Map<string, string>()
    const start = this.#index * elementSize + attributesAt
    for (let at = elements[start]! * attributeSize; at < elements[start + elementSize]! * attributeSize; at += 3) {
      const marked = attributes[at]!
      const local = names.locals[marked >> 2]!
      if (names.prefixes[marked >> 2] === '' || !found.has(local))
        found.set(local, valueBetween(bytes, attributes[at + 1]!, attributes[at + 2]!, marked & 3))
    }
    return found
  }

  /** The same as `attributes.get(name)`. */
  attribute(name: string): string | undefined {
    const { names, bytes, elements, attributes } = this.#document
    const start = this.#index * elementSize + attributesAt
    const end = elements[start + elementSize]! * attributeSize
    let found = -1
    for (let at = elements[start]! * attributeSize; at < end; at += attributeSize) {
      const number = attributes[at]! >> 2
      if (names.locals[number] !== name) continue
      const isPlain = names.prefixes[number] === ''
      if (isPlain || found < 0) found = at
      if (isPlain) break
    }
    return found < 0
      ? undefined
      : valueBetween(bytes, attributes[found + 1]!, attributes[found + 2]!, attributes[found]! & 3)
  }

  get children(): readonly FlatElement[] {
    const { elements } = this.#document
    const found: FlatElement[] = []
    const end = this.#end
    for (let index = this.#index + 1; index < end; index = elements[index * elementSize + endAt]!)
      found.push(new FlatElement(this.#document, index))
    return found
  }

  get text(): string {
    const { bytes, elements, pieces } = this.#document
    const at = this.#index * elementSize
    const start = elements[at + textStartAt]!
    if (start === 0) return ''
    const own = pieces?.get(this.#index)
    return own
      ? own.map((piece) => textBetween(bytes, piece.start, piece.end, piece.marks)).join('')
      : textBetween(bytes, start, elements[at + textEndAt]!, elements[at + nameAt]! & 3)
  }

  get mixed(): readonly (string | FlatElement)[] | undefined {
    const { bytes, elements, pieces } = this.#document
    const own = pieces?.get(this.#index)
    const end = this.#end
    if (!own || end === this.#index + 1) return undefined
    const found: (string | FlatElement)[] = []
    let piece = 0
    for (let index = this.#index + 1; ; index = elements[index * elementSize + endAt]!) {
      let text = ''
      for (; piece < own.length && own[piece]!.elementsBefore <= index; piece++)
        text += textBetween(bytes, own[piece]!.start, own[piece]!.end, own[piece]!.marks)
      if (text !== '') found.push(text)
      if (index >= end) return found
      found.push(new FlatElement(this.#document, index))
    }
  }

  /** The first child of that name in that namespace. */
  first(uri: string, name: string): FlatElement | undefined {
    const { names, elements } = this.#document
    const wanted = names.numberOf(uri, name)
    const end = wanted === 0 ? 0 : this.#end
    for (let index = this.#index + 1; index < end; index = elements[index * elementSize + endAt]!)
      if (elements[index * elementSize]! >> 2 === wanted) return new FlatElement(this.#document, index)
    return undefined
  }

  /** All children of that name in that namespace; undefined for none. */
  all(uri: string, name: string): FlatElement[] | undefined {
    const { names, elements } = this.#document
    const wanted = names.numberOf(uri, name)
    const end = wanted === 0 ? 0 : this.#end
    let found: FlatElement[] | undefined
    for (let index = this.#index + 1; index < end; index = elements[index * elementSize + endAt]!) {
      if (elements[index * elementSize]! >> 2 !== wanted) continue
      if (found) found.push(new FlatElement(this.#document, index))
      else found = [new FlatElement(this.#document, index)]
    }
    return found
  }

  /** The first child of that local name in any namespace. */
  firstNamed(name: string): FlatElement | undefined {
    const { names, elements } = this.#document
    const end = this.#end
    for (let index = this.#index + 1; index < end; index = elements[index * elementSize + endAt]!)
      if (names.expanded[elements[index * elementSize]! >> 2]!.name === name)
        return new FlatElement(this.#document, index)
    return undefined
  }

  /** All children of that local name in any namespace. */
  allNamed(name: string): FlatElement[] {
    const { names, elements } = this.#document
    const end = this.#end
    const found: FlatElement[] = []
    for (let index = this.#index + 1; index < end; index = elements[index * elementSize + endAt]!)
      if (names.expanded[elements[index * elementSize]! >> 2]!.name === name)
        found.push(new FlatElement(this.#document, index))
    return found
  }

  get isLeaf(): boolean {
    return this.#end === this.#index + 1
  }

  /** All elements below in document order, without those inside an element that `isClosed` names. */
  *below(isClosed: (element: XmlElement) => boolean): Generator<FlatElement> {
    const end = this.#end
    for (let index = this.#index + 1; index < end; ) {
      const element = new FlatElement(this.#document, index)
      yield element
      index = isClosed(element) ? element.#end : index + 1
    }
  }

  /** All elements below of that local name in any namespace, in document order. */
  *descendantsNamed(name: string): Generator<FlatElement> {
    const { names, elements } = this.#document
    const end = this.#end
    for (let index = this.#index + 1; index < end; index++)
      if (names.expanded[elements[index * elementSize]! >> 2]!.name === name)
        yield new FlatElement(this.#document, index)
  }

  get #end(): number {
    return this.#document.elements[this.#index * elementSize + endAt]!
  }
}
