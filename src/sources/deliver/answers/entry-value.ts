// Values inside one entry: by JSON pointer, path of XML elements, or CSV column.
import type { Entries, EntryPointer } from '../../delivery.ts'
import type { Json } from '../../fetch.ts'
import type { ReceivedDocument } from '../../files.ts'
import { decodeJson, parseJson } from '../../json.ts'
import { decodeText, parseXml, type XmlElement } from '../../xml/xml.ts'
import { csvCells, delimiterOf } from './csv-rows.ts'
import { valueAt } from './json-pointer.ts'

type Parsed = { readonly json?: Json; readonly xml?: XmlElement; readonly cells?: ReadonlyMap<string, string> }

/** Reads values out of one entry, which is parsed once. */
export class EntryValues {
  readonly #bytes: Uint8Array
  readonly #entries: Entries
  #parsed: Parsed | undefined

  constructor(document: ReceivedDocument, entries: Entries) {
    this.#bytes = document.unreadable ? new Uint8Array(0) : document.bytes
    this.#entries = entries
  }

  /** The text (or number, as text) at a place; undefined when there is none, or the entry cannot be read. */
  textAt(pointer: EntryPointer): string | undefined {
    this.#parsed ??= this.#parse()
    const { json, xml, cells } = this.#parsed
    if (cells) return cells.get(pointer) || undefined
    if (xml) return textInXml(xml, pointer)
    const value = valueAt(json, pointer)
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    return typeof value === 'string' && value !== '' ? value : undefined
  }

  #parse(): Parsed {
    try {
      if (this.#entries.format === 'json' || this.#entries.format === 'json-lines' || this.#entries.format === 'html')
        return { json: parseJson(decodeJson(this.#bytes)) as Json }
      const text = decodeText(this.#bytes)
      if (this.#entries.format === 'csv') {
        const end = text.indexOf('\n')
        const header = text.slice(0, Math.max(end, 0))
        const delimiter = delimiterOf(this.#entries.delimiter ?? ',', header)
        const values = csvCells(text.slice(end + 1), delimiter)
        const names = csvCells(header, delimiter)
        return { cells: new Map(names.map((name, index) => [name.trim(), values[index] ?? ''])) }
      }
      if (this.#entries.format === 'xml') {
        const item = itemOf(parseXml(text), this.#entries.element)
        return item ? { xml: item } : {}
      }
      return { json: parseJson(text) as Json }
    } catch {
      return {}
    }
  }
}

/** The entry inside its wrapping. */
function itemOf(element: XmlElement, name: string): XmlElement | undefined {
  if (name === '*') return element.children[0]
  for (const child of element.children) {
    if (child.name === name) return child
    const found = itemOf(child, name)
    if (found) return found
  }
  return undefined
}

function textInXml(item: XmlElement, pointer: string): string | undefined {
  const [path = '', attribute] = pointer.split('@') as [string, string?]
  let element: XmlElement | undefined = item
  for (const name of path.split('/').filter((step) => step !== ''))
    element = element?.children.find((child) => child.name === name)
  const text = attribute === undefined ? element?.text : element?.attributes.get(attribute)
  return text?.trim() || undefined
}
