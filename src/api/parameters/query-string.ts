// Reads a query string strictly: percent-encoding and UTF-8 are checked, names are never object keys, no regex
// backtracks.
import type { ParameterFault } from '../problems/problems.ts'

/** Values by parameter name, in order of arrival. */
export type QueryValues = ReadonlyMap<string, readonly string[]>

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  const lower = code | 32
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}

/** `application/x-www-form-urlencoded` decoding (`+` is a space); undefined for broken percent-encoding or UTF-8. */
export function decodeFormText(text: string): string | undefined {
  let isPlain = true
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code > 126) return undefined
    if (code === 37 || code === 43) isPlain = false
  }
  if (isPlain) return text
  const bytes = new Uint8Array(text.length)
  let length = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code !== 37) {
      bytes[length++] = code === 43 ? 32 : code
      continue
    }
    const high = hexDigit(text.charCodeAt(index + 1))
    const low = hexDigit(text.charCodeAt(index + 2))
    if (high < 0 || low < 0) return undefined
    bytes[length++] = high * 16 + low
    index += 2
  }
  try {
    return decoder.decode(bytes.subarray(0, length))
  } catch {
    return undefined
  }
}

/** Returns the printable, shortened form of a value that an error may echo. */
export function echo(value: string): string {
  const cleaned = value.slice(0, 100).replace(/\p{C}/gu, '\u{FFFD}')
  return value.length > 100 ? `${cleaned}…` : cleaned
}

/** Splits `a=1&b=2`. Empty pieces (`&&`) are ignored; a name without `=` has the empty value. */
export function parseQueryString(text: string): { values: QueryValues; faults: readonly ParameterFault[] } {
  const values = new Map<string, string[]>()
  const faults: ParameterFault[] = []
  if (text === '') return { values, faults }
  for (const piece of text.split('&')) {
    if (piece === '') continue
    const equals = piece.indexOf('=')
    const rawName = equals < 0 ? piece : piece.slice(0, equals)
    const rawValue = equals < 0 ? '' : piece.slice(equals + 1)
    const name = decodeFormText(rawName)
    const value = decodeFormText(rawValue)
    if (name === undefined || value === undefined) {
      faults.push({
        parameter: echo(name ?? rawName),
        code: 'invalid-encoding',
        detail: 'Is not valid percent-encoded UTF-8. Write a percent sign as %25.',
        value: echo(rawValue),
      })
      // The name counts as given, so that it is not reported a second time.
      continue
    }
    const known = values.get(name)
    if (known) known.push(value)
    else values.set(name, [value])
  }
  return { values, faults }
}
