// JSON as publishers write it: RFC 8259, and the bare Infinity and NaN that some libraries emit.

/** Outside strings, the words that Python and others write for numbers that JSON cannot hold. */
const looseTokens = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/gs

/**
 * Parses JSON text; `Infinity`, `-Infinity` and `NaN` outside strings become null, as Find a Tender's exports need it.
 * Throws SyntaxError when the text is no JSON even so, RangeError when it is nested too deep to be read.
 */
export function parseJson(text: string): unknown {
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  try {
    return JSON.parse(plain)
  } catch (error) {
    if (!(error instanceof SyntaxError) || !/Infinity|NaN/.test(plain)) throw error
    return JSON.parse(plain.replace(looseTokens, (token) => (token.startsWith('"') ? token : 'null')))
  }
}
