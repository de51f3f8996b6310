// The elements of one name in an XML answer as unchanged bytes, each wrapped so that its namespaces resolve.
import { decodeXML } from 'entities'
import type { Json } from '../../fetch.ts'

/** The answer is not XML that can be cut into elements, or is truncated. Earlier elements are valid. */
export class XmlElementsError extends Error {
  readonly isCutOff: boolean
  constructor(message: string, isCutOff: boolean) {
    super(message)
    this.name = 'XmlElementsError'
    this.isCutOff = isCutOff
  }
}

/** One element in its wrapping; for one that is larger than the limit, `bytes` is its beginning. */
export type XmlItem = { readonly number: number; readonly bytes: Uint8Array; readonly isTooLarge: boolean }

export type XmlElementsOptions = {
  /** Local name; `*`: the children of the root. */
  readonly element: string
  /** Local names of other elements whose text is wanted, and `link[next]`. */
  readonly values?: readonly string[]
  readonly maxItemBytes: number
}

type Open = { readonly name: string; readonly startTag: Buffer; readonly hasNamespaces: boolean }

const keptBytes = 1024
/** Maximum bytes of a start tag or text: no portal has longer ones. */
const maxTagBytes = 1 << 20
const maxDepth = 256
const lt = 0x3c
const gt = 0x3e
const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/**
 * Reads the chunks of one XML text in an encoding that contains ASCII (UTF-8, ISO 8859, windows-125x) and returns the
 * elements that they complete. It needs the memory of one element. The parser of the documents judges the content.
 */
export class XmlElements {
  readonly values = new Map<string, Json>()
  /** Local name of the root, once it was read. */
  root = ''
  readonly #options: XmlElementsOptions
  readonly #open: Open[] = []
  #declaration = Buffer.alloc(0)
  #rest: Buffer = Buffer.alloc(0)
  #itemDepth = 0
  #itemParts: Buffer[] = []
  #itemLength = 0
  #number = 0
  #text: { readonly pointer: string; data: string } | undefined
  #isDone = false
  #items: XmlItem[] = []

  constructor(options: XmlElementsOptions) {
    this.#options = options
  }

  /** The elements that are complete with this chunk. Throws XmlElementsError. */
  feed(chunk: Uint8Array): readonly XmlItem[] {
    this.#items = []
    const buffer =
      this.#rest.length === 0
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
        : Buffer.concat([this.#rest, chunk])
    let position = 0
    for (;;) {
      const tag = buffer.indexOf(lt, position)
      if (tag < 0) {
        this.#passText(buffer, position, buffer.length)
        position = buffer.length
        break
      }
      this.#passText(buffer, position, tag)
      position = tag
      const end = endOfMarkup(buffer, tag)
      if (end < 0) {
        if (buffer.length - tag > Math.max(maxTagBytes, this.#itemDepth > 0 ? this.#options.maxItemBytes : 0))
          throw new XmlElementsError('markup without an end', false)
        break
      }
      this.#passMarkup(buffer, tag, end)
      position = end
    }
    this.#rest = Buffer.from(buffer.subarray(position))
    return this.#items
  }

  /** Throws XmlElementsError when the text ends before its root does. */
  end(): void {
    if (!this.#isDone) throw new XmlElementsError(this.root === '' ? 'no XML' : 'the XML breaks off', true)
  }

  #passText(buffer: Buffer, from: number, to: number): void {
    if (to <= from) return
    if (this.#itemDepth > 0) this.#keep(buffer, from, to)
    else if (this.#text && this.#text.data.length < 64 * 1024) this.#text.data += buffer.toString('utf8', from, to)
    else if (
      this.#open.length === 0 &&
      !this.#isDone &&
      /[^\s\0\ufeff]/.test(buffer.toString('utf8', from, Math.min(to, from + 200)))
    )
      throw new XmlElementsError('text before the root', false)
  }

  #keep(buffer: Buffer, from: number, to: number): void {
    this.#itemLength += to - from
    if (this.#itemLength <= this.#options.maxItemBytes) this.#itemParts.push(Buffer.from(buffer.subarray(from, to)))
    else if (this.#itemParts.length > 1) this.#itemParts = [Buffer.concat(this.#itemParts).subarray(0, keptBytes)]
    // Many small parts of a large element would cost more than their bytes.
    if (this.#itemParts.length > 4096) this.#itemParts = [Buffer.concat(this.#itemParts)]
  }

  #passMarkup(buffer: Buffer, from: number, to: number): void {
    const second = buffer[from + 1]
    if (second === 0x21 || second === 0x3f) {
      if (this.#itemDepth > 0) this.#keep(buffer, from, to)
      else if (second === 0x3f && this.root === '' && /^<\?xml\s/.test(buffer.toString('latin1', from, from + 6)))
        this.#declaration = Buffer.from(buffer.subarray(from, to))
      else if (this.#text && buffer.toString('latin1', from, from + 9) === '<![CDATA[')
        this.#text.data += buffer.toString('utf8', from + 9, to - 3).replaceAll('&', '&amp;')
      else if (/^<!doctype/i.test(buffer.toString('latin1', from, from + 9)))
        throw new XmlElementsError('a document type declaration', false)
      return
    }
    if (second === 0x2f) this.#close(buffer, from, to)
    else this.#start(buffer, from, to)
  }

  #start(buffer: Buffer, from: number, to: number): void {
    const isEmpty = buffer[to - 2] === 0x2f
    if (this.#itemDepth > 0) {
      this.#keep(buffer, from, to)
      if (!isEmpty) this.#itemDepth++
      return
    }
    if (this.#isDone) throw new XmlElementsError('more than one root', false)
    const tag = buffer.toString('utf8', from, to)
    const name = /^<([^\s/>]+)/.exec(tag)?.[1] ?? ''
    const local = localName(name)
    if (this.#open.length === 0) this.root = local
    const { element } = this.#options
    const isItem = element === '*' ? this.#open.length === 1 : local === element
    if (isItem) {
      this.#itemParts = []
      this.#itemLength = 0
      this.#keep(buffer, from, to)
      if (isEmpty) this.#finish()
      else this.#itemDepth = 1
      return
    }
    if (local === 'link') this.#link(tag)
    if (isEmpty) {
      if (this.#open.length === 0) this.#isDone = true
      return
    }
    if (this.#open.length >= maxDepth)
      throw new XmlElementsError(`elements are nested deeper than ${maxDepth} levels`, false)
    if (this.#options.values?.includes(local)) this.#text = { pointer: local, data: '' }
    const startTag = Buffer.from(buffer.subarray(from, to))
    this.#open.push({ name, startTag, hasNamespaces: /\sxmlns[:=]/.test(tag) })
  }

  #link(tag: string): void {
    const attribute = (name: string): string | undefined =>
      new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`)
        .exec(tag)
        ?.slice(1)
        .find((found) => found !== undefined)
    const relation = attribute('rel')
    const href = attribute('href')
    if (relation !== undefined && href !== undefined && !this.values.has(`link[${relation}]`))
      this.values.set(`link[${relation}]`, decodeXML(href).trim())
  }

  #close(buffer: Buffer, from: number, to: number): void {
    if (this.#itemDepth > 0) {
      this.#keep(buffer, from, to)
      if (--this.#itemDepth === 0) this.#finish()
      return
    }
    const opened = this.#open.pop()
    const name = buffer.toString('utf8', from + 2, to - 1).trim()
    if (opened?.name !== name)
      throw new XmlElementsError(`</${name.slice(0, 100)}> closes ${opened?.name ?? 'nothing'}`, false)
    if (this.#text) {
      if (!this.values.has(this.#text.pointer)) this.values.set(this.#text.pointer, decodeXML(this.#text.data).trim())
      this.#text = undefined
    }
    if (this.#open.length === 0) this.#isDone = true
  }

  #finish(): void {
    const isTooLarge = this.#itemLength > this.#options.maxItemBytes
    // Only declarations of namespaces must surround the element, and the root shows its format.
    const around = this.#open.filter(({ hasNamespaces }, index) => index === 0 || hasNamespaces)
    const bytes = Buffer.concat([
      this.#declaration,
      ...around.map(({ startTag }) => startTag),
      ...this.#itemParts,
      Buffer.from(
        around
          .map(({ name }) => `</${name}>`)
          .reverse()
          .join(''),
      ),
    ])
    this.#items.push({
      number: ++this.#number,
      bytes: isTooLarge ? bytes.subarray(0, keptBytes) : bytes,
      isTooLarge,
    })
    this.#itemParts = []
    // The root itself may be the one element.
    if (this.#open.length === 0) this.#isDone = true
  }
}

/** The end of the markup that begins at `from`; -1 when it has not arrived yet. */
function endOfMarkup(buffer: Buffer, from: number): number {
  const behind = (text: string, start: number): number => {
    const found = buffer.indexOf(text, start, 'latin1')
    return found < 0 ? -1 : found + text.length
  }
  const second = buffer[from + 1]
  if (second === undefined) return -1
  if (second === 0x3f) return behind('?>', from + 2)
  if (second === 0x21) {
    const head = buffer.toString('latin1', from, from + 9)
    if (head.startsWith('<!--')) return behind('-->', from + 4)
    if (head === '<![CDATA[') return behind(']]>', from + 9)
    if (head.length < 9 && ('<!--'.startsWith(head) || '<![CDATA['.startsWith(head))) return -1
    return behind('>', from)
  }
  let quote = 0
  for (let index = from + 1; index < buffer.length; index++) {
    const byte = buffer[index]!
    if (quote !== 0) {
      if (byte === quote) quote = 0
    } else if (byte === gt) return index + 1
    else if (byte === 0x22 || byte === 0x27) quote = byte
    else if (byte === lt) throw new XmlElementsError('a tag inside a tag', false)
  }
  return -1
}
