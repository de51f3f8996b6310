// Compares an answer with what a card says that it holds.
import { decodeJson, parseJson } from './json.ts'
import { decodeText } from './xml/xml.ts'

/**
 * The parts of `shape` (expects.shape of a card) that an answer lacks: JSON pointers (`/releases/0/ocid`; `*` is any
 * member), local names of XML elements, columns of a CSV header. Empty if nothing is missing.
 */
export function missingFromShape(shape: readonly string[], bytes: Uint8Array): string[] {
  if (shape.length === 0) return []
  let text: string
  try {
    text = decodeText(bytes)
  } catch {
    // JSON is read with single bytes of other encodings in it.
    text = decodeJson(bytes)
    if (!/^[\s\ufeff]*[{[]/.test(text)) return [...shape]
  }
  const first = text.trimStart()[0]
  if (first === '{' || first === '[') {
    const json = jsonOf(text)
    return shape.filter((pointer) => json === undefined || !stands(json, pointer.split('/').slice(1)))
  }
  if (first === '<') {
    return shape.filter((name) => !new RegExp(`<(?:[\\w.-]+:)?${name.replace(/[^\w-]/g, '\\$&')}[\\s/>]`).test(text))
  }
  const header = text.slice(0, text.search(/\r?\n|$/))
  const columns = header.split(/[,;\t|]/).map((column) => column.replace(/^"|"$/g, '').trim())
  return shape.filter((name) => !columns.includes(name))
}

/** A JSON text, or the values of newline-delimited JSON. */
function jsonOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    try {
      return text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => JSON.parse(line) as unknown)
    } catch {
      return undefined
    }
  }
}

function stands(value: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return value !== undefined
  if (typeof value !== 'object' || value === null) return false
  if (step === '*') return Object.values(value).some((each) => stands(each, rest))
  const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
  return Object.hasOwn(value, name) && stands((value as { readonly [name: string]: unknown })[name], rest)
}
