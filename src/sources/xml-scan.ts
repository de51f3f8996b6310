// A quick reader for plain XML, the kind that portals write. What is out of the ordinary it leaves to the full parser.

/** Takes the parts of a document in order. `attributes` are names and values in turns, undefined for none. */
export type XmlSink = {
  readonly open: (qualifiedName: string, attributes: readonly string[] | undefined) => void
  readonly close: () => void
  readonly text: (data: string) => void
}

const declaration =
  /^<\?xml\s+version\s*=\s*(?:"1\.0"|'1\.0')(?:\s+encoding\s*=\s*(?:"[A-Za-z][A-Za-z0-9._-]*"|'[A-Za-z][A-Za-z0-9._-]*'))?(?:\s+standalone\s*=\s*(?:"(?:yes|no)"|'(?:yes|no)'))?\s*\?>/
/** What most documents have none of; the next pattern is exact, and slower. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const suspect = /[\0-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]/
/** What XML 1.0 does not allow in a document. */
const notAllowed = /[^\t\n\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u
const blank = /^[ \t\n]*$/
const predefined: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** 1: may begin a name, 2: may go on in one. Only ASCII and a colon; other names are out of the ordinary. */
const nameSigns = new Uint8Array(128)
for (const sign of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_') nameSigns[sign.charCodeAt(0)] = 1
for (const sign of '0123456789-.:') nameSigns[sign.charCodeAt(0)] = 2

const isBlankSign = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x09

/**
 * Hands a well-formed document to `sink` and returns true. Returns false, having handed over a part at most, for
 * everything that is not surely well-formed or needs more than this: DOCTYPE, CDATA, processing instructions, XML 1.1,
 * names beyond ASCII, and every error. Then the full parser has to decide; so nothing is accepted here that it would not
 * accept, nor read otherwise.
 */
export function scanXml(document: string, sink: XmlSink): boolean {
  const text = document.includes('\r') ? document.replace(/\r\n?/g, '\n') : document
  if (suspect.test(text) && notAllowed.test(text)) return false
  let position = 0
  if (text.startsWith('<?xml')) {
    const found = declaration.exec(text)
    if (!found) return false
    position = found[0].length
  }
  const open: string[] = []
  let hasRoot = false

  for (;;) {
    const at = text.indexOf('<', position)
    if (at < 0) return hasRoot && open.length === 0 && blank.test(text.slice(position))
    if (at > position) {
      const data = text.slice(position, at)
      if (open.length === 0) {
        if (!blank.test(data)) return false
      } else {
        if (data.includes(']]>')) return false
        const decoded = data.includes('&') ? decodeReferences(data) : data
        if (decoded === undefined) return false
        sink.text(decoded)
      }
    }
    const code = text.charCodeAt(at + 1)
    if (code === 0x2f) {
      const name = open.pop()
      if (name === undefined || !text.startsWith(name, at + 2)) return false
      position = at + 2 + name.length
      while (isBlankSign(text.charCodeAt(position))) position++
      if (text.charCodeAt(position++) !== 0x3e) return false
      sink.close()
      continue
    }
    if (code === 0x21) {
      if (!text.startsWith('--', at + 2)) return false
      const end = text.indexOf('--', at + 4)
      if (end < 0 || text.charCodeAt(end + 2) !== 0x3e) return false
      position = end + 3
      continue
    }
    const nameEnd = endOfName(text, at + 1)
    if (nameEnd === 0 || (open.length === 0 && hasRoot)) return false
    hasRoot = true
    const name = text.slice(at + 1, nameEnd)
    position = nameEnd
    let attributes: string[] | undefined
    for (;;) {
      const before = position
      while (isBlankSign(text.charCodeAt(position))) position++
      const sign = text.charCodeAt(position)
      if (sign === 0x3e || sign === 0x2f) break
      const end = position === before ? 0 : endOfName(text, position)
      if (end === 0) return false
      const attribute = text.slice(position, end)
      position = end
      while (isBlankSign(text.charCodeAt(position))) position++
      if (text.charCodeAt(position++) !== 0x3d) return false
      while (isBlankSign(text.charCodeAt(position))) position++
      const quote = text[position]
      if (quote !== '"' && quote !== "'") return false
      const valueEnd = text.indexOf(quote, position + 1)
      if (valueEnd < 0) return false
      const value = attributeValue(text.slice(position + 1, valueEnd))
      if (value === undefined) return false
      position = valueEnd + 1
      attributes ??= []
      // Many attributes on one element are no notice's; comparing each with each stays cheap.
      if (attributes.length > 60) return false
      for (let index = 0; index < attributes.length; index += 2) if (attributes[index] === attribute) return false
      attributes.push(attribute, value)
    }
    const isEmpty = text.charCodeAt(position) === 0x2f
    if (isEmpty && text.charCodeAt(++position) !== 0x3e) return false
    position++
    sink.open(name, attributes)
    if (isEmpty) sink.close()
    else open.push(name)
  }
}

/** Where the name that begins at `start` ends; 0 when none begins there, or one beyond ASCII. */
function endOfName(text: string, start: number): number {
  if (nameSigns[text.charCodeAt(start)] !== 1) return 0
  let end = start + 1
  for (;;) {
    const code = text.charCodeAt(end)
    if (code >= 128) return 0
    // Behind the last character the code is NaN, and no sign of a name.
    if (!nameSigns[code]) return end
    end++
  }
}

function attributeValue(raw: string): string | undefined {
  if (raw.includes('<')) return undefined
  const spaced = raw.includes('\n') || raw.includes('\t') ? raw.replace(/[\n\t]/g, ' ') : raw
  return spaced.includes('&') ? decodeReferences(spaced) : spaced
}

/** Undefined when a reference is not one of the five predefined entities or a character that XML allows. */
function decodeReferences(raw: string): string | undefined {
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
