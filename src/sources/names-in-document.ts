// The names that a document uses: elements, members, codes. A new name shows that the portal's schema changed.
import { jsonIn } from '../platform/json-in.ts'
import { decodeText } from './xml/xml.ts'

/** Maximum number of characters read: longer documents repeat themselves. */
const readCharacters = 400_000
const maxNames = 2_000

const startTag = /<(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)([^<>]*)>/g
const listName = /\blistName\s*=\s*["']([^"']{1,60})["']/
const codeText = /^[A-Za-z0-9][\w.+-]{0,39}$/
const codeMember = /(?:^|[a-z_])(?:type|status|method|kind|category|code|tag|scheme)$/i
const memberName = /^[A-Za-z_$@][\w$@.:-]{0,60}$/

/**
 * Names in the bytes of an XML or JSON document, each once: `<LocalName>`, `listName=code` for eForms codes, `/a/b` for
 * JSON members (places in lists left out), `/a/status=active` for members that hold codes. Empty for anything else.
 * Never throws.
 */
export function namesInDocument(bytes: Uint8Array): ReadonlySet<string> {
  const names = new Set<string>()
  const text = decodeTextSafely(bytes)
  const first = text?.trimStart()[0]
  if (text === undefined) return names
  if (first === '<') fromXml(text.slice(0, readCharacters), names)
  else if ((first === '{' || first === '[') && text.length <= readCharacters) fromJson(text, names)
  return names
}

function decodeTextSafely(bytes: Uint8Array): string | undefined {
  try {
    return decodeText(bytes)
  } catch {
    return undefined
  }
}

function fromXml(text: string, names: Set<string>): void {
  const seen = new Set<string>()
  startTag.lastIndex = 0
  for (let found = startTag.exec(text); found && names.size < maxNames; found = startTag.exec(text)) {
    const name = found[1]!
    const attributes = found[2]!
    if (!seen.has(name)) {
      seen.add(name)
      names.add(`<${name}>`)
    }
    const list = attributes.includes('listName') ? listName.exec(attributes)?.[1] : undefined
    if (list === undefined || openLists.has(list)) continue
    const end = text.indexOf('<', startTag.lastIndex)
    const code = text.slice(startTag.lastIndex, end < 0 ? undefined : end).trim()
    if (codeText.test(code)) names.add(`${list}=${code}`)
  }
}

/** Lists so long that a new code in them is meaningless. */
const openLists = new Set(['cpv', 'nuts', 'nuts-lvl3', 'country', 'currency', 'language', 'eu-official-language'])

function fromJson(text: string, names: Set<string>): void {
  const pending: [path: string, value: unknown][] = [['', jsonIn(text)]]
  for (let next = pending.pop(); next && names.size < maxNames; next = pending.pop()) {
    const [path, value] = next
    if (Array.isArray(value)) {
      for (const each of value.slice(0, 50)) pending.push([path, each])
    } else if (typeof value === 'object' && value !== null) {
      for (const [member, each] of Object.entries(value)) {
        // keys that are ids, dates or sentences are data, not schema
        const step = memberName.test(member) && !/\d{4,}/.test(member) ? member : '*'
        const inner = `${path}/${step}`
        if (inner.length > 300) continue
        names.add(inner)
        if (typeof each === 'string' && codeMember.test(member) && codeText.test(each) && !/\d{3,}/.test(each))
          names.add(`${inner}=${each}`)
        pending.push([inner, each])
      }
    }
  }
}
