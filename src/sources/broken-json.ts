// JSON that is broken in one place: the releases beside it are sound, and some amounts are plain to a reader.
import { parseJson } from './json.ts'

/** A value of a list, by its index. */
type Entry = { readonly index: number; readonly text: string }

/** What can be read of a document that is no JSON as a whole. */
export type Salvaged = {
  /** The document with the entries that can be read in its list. */
  readonly document: unknown
  /** `releases`, `records`, or empty where the document is a list. */
  readonly member: string
  /** The place of each entry of the list in the published one. */
  readonly indexes: readonly number[]
  readonly broken: readonly { readonly index: number; readonly detail: string }[]
}

const lists = ['releases', 'records'] as const

/** Calls `visit` for each character that is in no string, with the depth before it; stops when it returns false. */
function walk(text: string, from: number, visit: (char: string, at: number, depth: number) => boolean): void {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const char = text[at]!
    if (char === '"') {
      if (!visit(char, at, depth)) return
      at++
      while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
      continue
    }
    if (!visit(char, at, depth)) return
    if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') depth--
  }
}

/** The values of a text that has several objects or lists one after the other. */
export function valuesIn(text: string): string[] {
  const values: string[] = []
  let start = -1
  walk(text, 0, (char, at, depth) => {
    if (depth === 0 && (char === '{' || char === '[')) start = at
    if (depth === 1 && (char === '}' || char === ']') && start >= 0) {
      values.push(text.slice(start, at + 1))
      start = -1
    }
    return true
  })
  if (start >= 0) values.push(text.slice(start))
  return values
}

/** The values of the list that begins at `from`, and where it ends. */
function entriesOf(text: string, from: number): { readonly entries: readonly Entry[]; readonly end: number } {
  const entries: Entry[] = []
  let start = from + 1
  let end = text.length
  const add = (to: number) => {
    const entry = text.slice(start, to).trim()
    if (entry !== '') entries.push({ index: entries.length, text: entry })
    start = to + 1
  }
  walk(text, from, (char, at, depth) => {
    if (depth === 1 && char === ',') add(at)
    if (depth !== 1 || char !== ']') return true
    end = at
    return false
  })
  add(end)
  return { entries, end }
}

/** Where the list of releases or records of a package begins. */
function listIn(text: string): { readonly member: string; readonly from: number } | undefined {
  if (text.startsWith('[')) return { member: '', from: 0 }
  let found: { member: string; from: number } | undefined
  walk(text, 0, (char, at, depth) => {
    if (depth !== 1 || char !== '"') return true
    const member = lists.find((name) => text.startsWith(`"${name}"`, at))
    const opening = member && /^\s*:\s*\[/.exec(text.slice(at + member.length + 2, at + member.length + 50))
    if (member && opening) found = { member, from: at + member.length + 2 + opening[0].length - 1 }
    return found === undefined
  })
  return found
}

const withoutQuotes = /("(?:[^"\\]|\\.)*")(\s*:\s*)?([^"{}[\]]*)/gs
const literal = /^(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/

/** `"amount": ,` as null, `221,000,000.00` and `N230000000` as numbers. */
function withPlainAmounts(text: string): string {
  return text.replace(
    withoutQuotes,
    (all: string, name: string, colon: string | undefined, rest: string, at: number) => {
      if (colon === undefined) return all
      const after = text[at + all.length]
      const [value, comma] = /,\s*$/.test(rest) ? [rest.replace(/,\s*$/, '').trim(), ','] : [rest.trim(), '']
      if (literal.test(value) || (value === '' && comma === '' && after !== '}')) return all
      const amount = /^\p{L}{0,3}\p{Sc}?\s?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)$/u.exec(value)?.[1]
      if (value !== '' && amount === undefined) return all
      return `${name}${colon}${amount?.replaceAll(',', '') ?? 'null'}${comma}`
    },
  )
}

function read(text: string): { readonly value: unknown } | { readonly detail: string } {
  try {
    return { value: parseJson(text) }
  } catch (error) {
    try {
      return { value: parseJson(withPlainAmounts(text)) }
    } catch {
      return { detail: error instanceof Error ? error.message.slice(0, 200) : 'not valid JSON' }
    }
  }
}

/** Reads the list of a package entry by entry; undefined if there is no list, or nothing in it can be read. */
export function salvage(text: string): Salvaged | undefined {
  const list = listIn(text)
  if (!list) return undefined
  const { entries, end } = entriesOf(text, list.from)
  const results = entries.map((entry) => ({ ...entry, result: read(entry.text) }))
  const sound = results.flatMap(({ index, result }) => ('value' in result ? [{ index, value: result.value }] : []))
  if (sound.length === 0) return undefined
  const values = sound.map(({ value }) => value)
  const around = list.member === '' ? undefined : read(`${text.slice(0, list.from)}[]${text.slice(end + 1) || '}'}`)
  const head = around && 'value' in around ? (around.value as { readonly [name: string]: unknown }) : {}
  return {
    document: list.member === '' ? values : { ...head, [list.member]: values },
    member: list.member,
    indexes: sound.map(({ index }) => index),
    broken: results.flatMap(({ index, result }) => ('detail' in result ? [{ index, detail: result.detail }] : [])),
  }
}
