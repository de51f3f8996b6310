// The list's data about an entry whose document is fetched separately: its ID, its version, its date, where the card
// expects them.
import { delimiterOf } from '../sources/deliver/answers/csv-rows.ts'
import type { Detail, Entries, EntryPointer } from '../sources/delivery.ts'
import type { Json } from '../sources/fetch.ts'
import { fittingText } from './fitting-text.ts'
import { escapeXml } from './samples/xml-text.ts'

export type ListedValue = { readonly at: EntryPointer; readonly value: Json }

/**
 * One member of a list in the list's format, with these values at their places. In a page for people the first value,
 * or else the key, fills the card's sample of a link.
 */
export function writeListing(entries: Entries, values: readonly ListedValue[], key: string): string {
  const inner = entries.format === 'archive' ? (entries.inside ?? { format: 'document' as const }) : entries
  switch (inner.format) {
    case 'xml': {
      const element = inner.element === '*' ? 'item' : inner.element
      return writeElements(element, values)
    }
    case 'csv':
      return [values.map(({ at }) => at), values.map(({ value }) => `"${String(value).replaceAll('"', '""')}"`)]
        .map((row) => `${row.join(',')}\n`)
        .join('')
    case 'html':
      return fittingText(inner.link, [inner.sample, '<a href="{key}">'], String(values[0]?.value ?? key))
    default:
      return JSON.stringify(withValues(values))
  }
}

/** The value at a position of a member of a list; undefined if there is none. */
export function valueAt(entries: Entries, text: string, at: EntryPointer): string | undefined {
  const inner = entries.format === 'archive' ? (entries.inside ?? { format: 'document' as const }) : entries
  switch (inner.format) {
    case 'xml':
      return elementText(text, at)
    case 'csv':
      return csvCell(text, at, delimiterOf(inner.delimiter ?? ',', text))
    case 'html': {
      const match = new RegExp(inner.link.source, inner.link.flags.replace(/[gy]/g, '')).exec(text)
      if (!match) return undefined
      const groups = match.length > 1 ? match.slice(1) : [match[0]]
      return groups[Number(at.slice(1) || 0)]
    }
    default:
      return pointed(text, at)
  }
}

/** Scalar at a JSON pointer of a text; undefined for anything else. */
export function pointed(text: string, pointer: string): string | undefined {
  let value: unknown
  try {
    // publishers write characters into strings that JSON forbids there
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are meant
    value = JSON.parse(text.replace(/[\u0000-\u001f]/g, ' '))
  } catch {
    return undefined
  }
  if (pointer !== '')
    for (const segment of pointer.slice(1).split('/')) {
      if (typeof value !== 'object' || value === null) return undefined
      value = (value as Record<string, unknown>)[segment.replaceAll('~1', '/').replaceAll('~0', '~')]
    }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

function withValues(values: readonly ListedValue[]): Json {
  const whole = values.find(({ at }) => at === '')
  if (whole) return whole.value
  type Tree = { [name: string]: Json | Tree }
  const root: Tree = {}
  for (const { at, value } of values) {
    const segments = at.slice(1).split('/')
    let here = root
    for (const [index, segment] of segments.entries()) {
      if (index === segments.length - 1) here[segment] = value
      else {
        here[segment] ??= {}
        here = here[segment] as Tree
      }
    }
  }
  return listsIn(root) as Json
}

/** Objects whose members are 0, 1 … are lists. */
function listsIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const names = Object.keys(value)
  const mapped = names.map((name) => [name, listsIn((value as Record<string, unknown>)[name])] as const)
  if (names.length > 0 && names.every((name) => /^\d+$/.test(name))) {
    const list: unknown[] = Array.from({ length: Math.max(...names.map(Number)) + 1 }, () => ({}))
    for (const [name, each] of mapped) list[Number(name)] = each
    return list
  }
  return Object.fromEntries(mapped)
}

function writeElements(element: string, values: readonly ListedValue[]): string {
  const attributes = values
    .filter(({ at }) => at.startsWith('@'))
    .map(({ at, value }) => ` ${at.slice(1)}="${escapeXml(String(value))}"`)
  const inside = values
    .filter(({ at }) => !at.startsWith('@'))
    .map(({ at, value }) => {
      const [path, attribute] = at.split('@') as [string, string | undefined]
      const names = path.split('/').filter(Boolean)
      const text = escapeXml(String(value))
      const last = names.at(-1) ?? 'value'
      const leaf = attribute === undefined ? `<${last}>${text}</${last}>` : `<${last} ${attribute}="${text}"/>`
      return names.slice(0, -1).reduceRight((inner, name) => `<${name}>${inner}</${name}>`, leaf)
    })
  return `<${element}${attributes.join('')}>${inside.join('')}</${element}>`
}

function elementText(text: string, at: EntryPointer): string | undefined {
  const [path, attribute] = at.split('@') as [string, string | undefined]
  let here = text
  for (const name of path.split('/').filter(Boolean)) {
    const match = new RegExp(`<((?:[\\w.-]+:)?${name})(?=[\\s/>])[^>]*?(?:/>|>([\\s\\S]*?)</\\1>)`).exec(here)
    if (!match) return undefined
    here = attribute !== undefined && path.endsWith(name) ? match[0] : (match[2] ?? '')
  }
  if (attribute !== undefined) return new RegExp(`\\s${attribute}="([^"]*)"`).exec(here)?.[1]?.replaceAll('&amp;', '&')
  return here
    .replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, '$1')
    .trim()
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}

function csvCell(text: string, column: string, delimiter = ','): string | undefined {
  const [head, row] = text.split(/\r?\n/, 2)
  const cells = (line: string) =>
    [
      ...line.matchAll(
        new RegExp(`(?:^|${delimiter === '|' ? '\\|' : delimiter})(?:"((?:[^"]|"")*)"|([^${delimiter}"]*))`, 'g'),
      ),
    ].map((match) => match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
  const index = cells(head ?? '').indexOf(column)
  return index < 0 ? undefined : cells(row ?? '')[index]
}

/** Both halves of a document that joins a list's entry with its detail. */
export function halvesOf(document: string): { readonly entry: string; readonly detail: string } {
  const { entry, detail } = JSON.parse(document) as { entry: unknown; detail: unknown }
  return { entry: JSON.stringify(entry), detail: JSON.stringify(detail) }
}

/** The id as the address of a detail writes it. */
export function idInAddress(detail: Detail, id: string): string {
  return detail.replace ? id.replaceAll(detail.replace.what, detail.replace.by) : id
}
