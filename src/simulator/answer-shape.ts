// Puts entries where the card expects them in an answer: JSON, lines, CSV, XML, archives; with totals and links.
import type { AnswerPointer, Entries } from '../sources/delivery.ts'
import type { Json } from '../sources/fetch.ts'
import { type ArchiveMember, writeGzip, writeTarGz, writeZip } from './archive-writers.ts'
import { fittingText } from './fitting-text.ts'
import { escapeXml } from './samples/xml-text.ts'

/** A value besides the entries: a total, the next address. */
export type PointerValue = { readonly at: AnswerPointer; readonly value: Json }

export type AnswerPage = {
  /** Documents as the portal writes them: the text of JSON, one element or a document of XML, header and row of CSV. */
  readonly documents: readonly string[]
  readonly pointerValues?: readonly PointerValue[]
  /** A single item, not a list that happens to have one: a detail. */
  readonly isOne?: boolean
  /** Whether XML documents have no surrounding element that belongs to the answer. */
  readonly isBare?: boolean
  /** Header line of CSV, for a table without rows. */
  readonly head?: string
  /** Packages of OCDS state their address. */
  readonly address: string
  readonly publishedAt: string
  /** Unreadable parts of an archive among the others. */
  readonly spoiled?: readonly ArchiveMember[]
  /** Text between two entries of a JSON list: white space, or something that does not belong there. */
  readonly between?: string
}

export type WrittenAnswer = {
  readonly body: Buffer
  readonly type: string
  readonly headers: { readonly [name: string]: string }
}

/** Number of documents in a package inside an archive. */
const membersOfPackage = 4

export async function writeAnswer(entries: Entries, page: AnswerPage): Promise<WrittenAnswer> {
  const headers = headersOf(page.pointerValues ?? [])
  const written = await write(entries, page)
  return { ...written, headers }
}

async function write(entries: Entries, page: AnswerPage): Promise<{ body: Buffer; type: string }> {
  switch (entries.format) {
    case 'json':
      return { body: Buffer.from(writeJson(entries, page)), type: 'application/json; charset=utf-8' }
    case 'json-lines':
      return { body: Buffer.from(page.documents.map((each) => `${each}\n`).join('')), type: 'application/x-ndjson' }
    case 'csv':
      return { body: Buffer.from(writeCsv(page)), type: 'text/csv; charset=utf-8' }
    case 'xml':
      return {
        body: Buffer.from(writeXml(entries.element, entries.root, page)),
        type: 'application/xml; charset=utf-8',
      }
    case 'document': {
      const text = writeDocument(page)
      return {
        body: Buffer.from(text),
        type: text.trimStart().startsWith('<') ? 'application/xml; charset=utf-8' : 'application/json; charset=utf-8',
      }
    }
    case 'html':
      return {
        body: Buffer.from(
          `<!DOCTYPE html>\n<html><head><title>Files</title></head><body>\n${page.documents.map((each) => `${each}\n`).join('')}</body></html>\n`,
        ),
        type: 'text/html; charset=utf-8',
      }
    case 'archive':
      return writeArchive(entries, page)
  }
}

// Places that are no part of the body

function headersOf(pointerValues: readonly PointerValue[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const { at, value } of pointerValues) {
    const header = /^header\[(.+)\]$/.exec(at)
    const link = /^link\[(.+)\]$/.exec(at)
    if (header) headers[header[1]!.toLowerCase()] = String(value)
    else if (link) headers['link'] = `<${String(value)}>; rel="${link[1]}"`
  }
  return headers
}

// JSON

const marker = '\u0001entries\u0001'
const markedText = JSON.stringify(marker)

type Tree = { [name: string]: Json | Tree }

function writeJson(entries: Extract<Entries, { format: 'json' }>, page: AnswerPage): string {
  const texts = page.documents.map((text) => text.trim())
  const list = (items: readonly string[]) => `[${items.join(`,${page.between ?? ''}`)}]`
  const segments = entries.at === '' ? [] : entries.at.slice(1).split('/').map(unescaped)
  const pointers = (page.pointerValues ?? []).filter(({ at }) => at.startsWith('/'))
  if (segments.length === 0) return page.isOne ? (texts[0] ?? 'null') : list(texts)
  const root: Tree = {}
  if (/\/(?:releases|records)(?:\/|$)/.test(entries.at)) Object.assign(root, packageHead(page))
  const star = segments.indexOf('*')
  let body: string
  if (star < 0) {
    const isLeftOut = texts.length === 0 && entries.isOptional === true
    if (!isLeftOut) setAt(root, segments, marker)
    body = page.isOne && !isListName(segments.at(-1)!) ? (texts[0] ?? 'null') : list(texts)
  } else {
    const inner = segments.slice(star + 1)
    if (star > 0) setAt(root, segments.slice(0, star), marker)
    body = list(inner.length === 0 ? texts : texts.map((text) => nested(inner, text)))
    // members of an object, each a list: `all` of them in one
    if (star === 0) return inner.length === 0 ? `{"all":${body}}` : body
  }
  for (const { at, value } of pointers) setAt(root, at.slice(1).split('/').map(unescaped), value)
  return JSON.stringify(root).replace(markedText, () => body)
}

/** Does the same for each member that a star covers: `/releases` or `/compiledRelease` of one member. */
function nested(segments: readonly string[], text: string): string {
  const [first, ...rest] = segments
  if (first === undefined) return text
  if (first === '*') return `[${nested(rest, text)}]`
  const inside = rest.length > 0 ? nested(rest, text) : isListName(first) ? `[${text}]` : text
  return `{${JSON.stringify(first)}:${inside}}`
}

const isListName = (name: string): boolean => /(?:s|list|data|items|results?)$/i.test(name)

function setAt(root: Tree, segments: readonly string[], value: Json): void {
  let at = root
  for (const [index, segment] of segments.entries()) {
    if (index === segments.length - 1) at[segment] = value
    else {
      const next = at[segment]
      if (typeof next !== 'object' || next === null || Array.isArray(next)) at[segment] = {}
      at = at[segment] as Tree
    }
  }
}

const unescaped = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~')

function packageHead(page: AnswerPage): Tree {
  return {
    uri: page.address,
    version: '1.1',
    publishedDate: page.publishedAt,
    publisher: { name: 'Sample portal of made-up notices' },
    license: 'https://creativecommons.org/publicdomain/zero/1.0/',
  }
}

// CSV

function writeCsv(page: AnswerPage): string {
  let head = page.head ?? ''
  const rows = page.documents.map((each) => {
    const end = each.indexOf('\n')
    head = each.slice(0, end)
    return each.slice(end + 1).replace(/\r?\n$/, '')
  })
  return `${head}\n${rows.map((row) => `${row}\n`).join('')}`
}

// XML

/** Root elements for elements that are alone in a sample. */
const usualRoots: { readonly [element: string]: string } = {
  entry: 'feed xmlns="http://www.w3.org/2005/Atom"',
  item: 'rss version="2.0"',
}

function writeXml(element: string, root: string | undefined, page: AnswerPage): string {
  const parts = page.documents.map((text) =>
    page.isBare ? { text: withoutProlog(text), rootTag: undefined } : elementIn(text, element),
  )
  const found = parts.find((part) => part.rootTag !== undefined)?.rootTag
  const start = found ?? usualRoots[element] ?? root ?? 'results'
  const name = /^[^\s/>]+/.exec(start)![0]
  const values = (page.pointerValues ?? []).map(({ at, value }) => {
    const link = /^link\[(.+)\]$/.exec(at)
    if (link) return `<link rel="${link[1]}" href="${escapeXml(String(value))}"/>`
    return /^[A-Za-z_][\w.-]*$/.test(at) ? `<${at}>${escapeXml(String(value))}</${at}>` : ''
  })
  const body = `${values.join('')}\n${parts.map(({ text }) => `${text}\n`).join('')}`
  const inner = name === 'rss' ? `<channel><title>Notices</title>${body}</channel>` : body
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${start}>${inner}</${name}>\n`
}

const withoutProlog = (document: string): string =>
  document.replace(/^\uFEFF?\s*(?:<\?[^?]*\?>\s*)*(?:<!--[\s\S]*?-->\s*)*/, '').trim()

/** The element in a document, and the start tag of the root around it (without brackets). */
function elementIn(document: string, element: string): { readonly text: string; readonly rootTag: string | undefined } {
  const text = withoutProlog(document)
  const root = /^<([^\s/>]+)([^>]*)>/.exec(text)
  if (!root) return { text, rootTag: undefined }
  const local = root[1]!.replace(/^.*:/, '')
  if (local === element) return { text, rootTag: undefined }
  const inside = text.slice(root[0].length, text.lastIndexOf(`</${root[1]}`)).trim()
  if (element === '*') return { text: inside, rootTag: `${root[1]}${root[2]}` }
  const start = new RegExp(`<((?:[\\w.-]+:)?${element})(?=[\\s/>])`).exec(inside)
  if (!start) return { text: inside, rootTag: `${root[1]}${root[2]}` }
  const close = `</${start[1]}>`
  const end = inside.lastIndexOf(close)
  return {
    text: end < 0 ? inside.slice(start.index) : inside.slice(start.index, end + close.length),
    rootTag: `${root[1]}${root[2]}`,
  }
}

// Whole documents

function writeDocument(page: AnswerPage): string {
  const [first, ...more] = page.documents
  if (first === undefined) return '{}'
  if (more.length === 0) return first
  if (/^\s*\{\s*"ocid"/.test(first))
    return `${JSON.stringify(packageHead(page)).slice(0, -1)},"releases":[${page.documents.join(',')}]}`
  return /^\s*[{[]/.test(first) ? `[${page.documents.join(',')}]` : first
}

// Archives

async function writeArchive(
  entries: Extract<Entries, { format: 'archive' }>,
  page: AnswerPage,
): Promise<{ body: Buffer; type: string }> {
  const inside = entries.inside ?? { format: 'document' }
  const size =
    inside.format === 'document'
      ? 1
      : inside.format === 'json-lines' || inside.format === 'csv'
        ? page.documents.length
        : membersOfPackage
  const groups: (readonly string[])[] = []
  for (let index = 0; index < page.documents.length; index += Math.max(1, size))
    groups.push(page.documents.slice(index, index + Math.max(1, size)))
  const members: ArchiveMember[] = []
  for (const [index, documents] of groups.entries()) {
    const { body } = await write(inside, { ...page, documents, pointerValues: [] })
    members.push({ name: memberName(entries.members, inside, index, body), bytes: body })
  }
  members.push(...(page.spoiled ?? []))
  if (/\.(?:tar\.gz|tgz)(?:$|[?#])/i.test(page.address) || /targz/i.test(page.address))
    return { body: await writeTarGz(members), type: 'application/gzip' }
  if (/\.gz(?:$|[?#])/i.test(page.address) && members.length > 0)
    return { body: writeGzip(Buffer.concat(members.map(({ bytes }) => bytes))), type: 'application/gzip' }
  return { body: writeZip(members), type: 'application/zip' }
}

/** Endings by which cards recognize the members of an archive. */
const memberEndings = ['json', 'xml', 'csv', 'atom']

function memberName(pattern: RegExp | undefined, inside: Entries, index: number, body: Buffer): string {
  const number = String(index + 1).padStart(5, '0')
  const isXml = body.subarray(0, 200).toString('latin1').trimStart().startsWith('<')
  const plain = `part-${number}.${inside.format === 'csv' ? 'csv' : inside.format === 'json-lines' ? 'jsonl' : isXml ? 'xml' : 'json'}`
  return pattern
    ? fittingText(pattern, [plain, ...memberEndings.map((ending) => `part-${number}.${ending}`)], '')
    : plain
}
