// JSON as publishers write it: RFC 8259, and what some make of it: bare Infinity and NaN, broken lines, mixed
// encodings.

/** Windows-1252, in which some portals write single texts of an answer that is UTF-8 otherwise. */
const windows1252 = new TextDecoder('windows-1252')

/**
 * The text of JSON bytes. UTF-8, or UTF-16 with its mark; what is no valid sequence of UTF-8 is read as Windows-1252
 * (as Contracts Finder writes it), and NUL characters, which no text means (ChileCompra), are left out.
 */
export function decodeJson(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes).replaceAll('\0', '')
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes).replaceAll('\0', '')
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    text = decodeMixed(bytes)
  }
  return text.replaceAll('\0', '')
}

function decodeMixed(bytes: Uint8Array): string {
  const utf8 = new TextDecoder('utf-8')
  const parts: string[] = []
  let start = 0
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at)
    if (length === 0) {
      parts.push(utf8.decode(bytes.subarray(start, at)), windows1252.decode(bytes.subarray(at, at + 1)))
      start = at + 1
    }
    at += Math.max(length, 1)
  }
  parts.push(utf8.decode(bytes.subarray(start)))
  return parts.join('')
}

/** Bytes of the UTF-8 sequence that begins here; 0 for none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!
  if (first < 0x80) return 1
  const length =
    first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0
  for (let offset = 1; offset < length; offset++) if ((bytes[at + offset] ?? 0) >> 6 !== 0b10) return 0
  // Overlong forms, halves of surrogate pairs, and numbers beyond the last character.
  const second = bytes[at + 1] ?? 0
  if ((first === 0xe0 && second < 0xa0) || (first === 0xed && second > 0x9f)) return 0
  return (first === 0xf0 && second < 0x90) || (first === 0xf4 && second > 0x8f) ? 0 : length
}

/** Outside strings, the words that Python and others write for numbers that JSON cannot hold. */
const looseTokens = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/gs

/** Line breaks and the like that are in strings as they are. */
const controls = /\p{Cc}/gu

/**
 * Parses JSON text; `Infinity`, `-Infinity` and `NaN` outside strings become null, as Find a Tender's exports need it,
 * and control characters in strings (Perú Compras breaks lines there) become spaces. Throws SyntaxError when the text
 * is no JSON even so, RangeError when it is nested too deep to be read.
 */
export function parseJson(text: string): unknown {
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  try {
    return JSON.parse(plain)
  } catch (error) {
    if (!(error instanceof SyntaxError) || !/Infinity|NaN|\p{Cc}/u.test(plain)) throw error
    return JSON.parse(
      plain.replace(looseTokens, (token) => (token.startsWith('"') ? token.replace(controls, ' ') : 'null')),
    )
  }
}
