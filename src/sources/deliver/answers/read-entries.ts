// The documents that an answer contains, cut out of its bytes while they arrive, in batches of bounded size.
import { decodeHTML } from 'entities'
import { Refused } from '../../../platform/http.ts'
import { jsonIn } from '../../../platform/json-in.ts'
import { type Chunks, collect, linesOf, peek } from '../../byte-chunks.ts'
import type { Entries } from '../../delivery.ts'
import type { Json } from '../../fetch.ts'
import { type ReceivedDocument, tooLarge, unreadable } from '../../files.ts'
import { maxDocumentBytes } from '../../xml/xml.ts'
import { Batch, type EntriesEnd, type ReadOptions, unexpected } from './answer-documents.ts'
import { CsvRows } from './csv-rows.ts'
import { JsonItems, JsonItemsError } from './json-items.ts'
import { valueAt } from './json-pointer.ts'
import { isArchive, readArchive } from './read-archive.ts'
import { XmlElements, XmlElementsError } from './xml-elements.ts'

const headBytes = 512
const keptBytes = 1024
const documentOf = (address: string, bytes: Uint8Array, isTooLarge: boolean): ReceivedDocument =>
  isTooLarge ? tooLarge(address, bytes) : { address, bytes }

const looksLikeHtml = (head: Uint8Array): boolean =>
  /^[\s\0\ufeff]*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*(?:<!doctype\s+html|<html[\s>]|<head[\s>]|<script[\s>])/i.test(
    Buffer.from(head.buffer, head.byteOffset, head.length).toString('utf8'),
  )
const firstSign = (head: Uint8Array): string => /[^\s\0\ufeff]/.exec(Buffer.from(head).toString('utf8'))?.[0] ?? ''
const shown = (head: Uint8Array): string =>
  Buffer.from(head)
    .toString('utf8')
    .replace(/[\s\0]+/g, ' ')
    .trim()
    .slice(0, 160)

/**
 * Yields the documents of an answer in batches. Throws Refused if there is a page for people instead of data,
 * Retryable if the answer is damaged, truncated or without entries where they must be; with `damage: 'keep'` the
 * damage is reported as an unreadable document and in the end. Errors of the source of the chunks pass through.
 */
export async function* readEntries(
  chunks: Chunks,
  options: ReadOptions,
): AsyncGenerator<readonly ReceivedDocument[], EntriesEnd> {
  const { address, entries } = options
  const { head, all, close } = await peek(chunks, headBytes)
  const batch = new Batch()
  try {
    if (entries.format !== 'html' && looksLikeHtml(head))
      throw new Refused(`${address} answered a page for people instead of data: ${shown(head)}`)
    if (head.length === 0 && entries.format !== 'json-lines') throw new Refused(`${address} answered nothing`)
    const isJson = entries.format === 'json' || entries.format === 'json-lines'
    if (isJson && firstSign(head) === '<')
      throw new Refused(`${address} answered markup instead of JSON: ${shown(head)}`)
    return yield* readFormat(all, head, options, batch)
  } catch (error) {
    const isDamage = error instanceof JsonItemsError || error instanceof XmlElementsError || error instanceof CsvError
    if (!isDamage && !(error instanceof UnexpectedContent)) throw error
    if (options.damage === 'throw' || (!isDamage && options.damage === 'keep'))
      throw unexpected(address, `${error.message} (${shown(head)})`)
    // Everything before the damage is valid.
    yield* batch.take()
    yield [unreadable(address, 'malformed', error.message, head)]
    return { values: new Map(), damage: `${address} is damaged: ${error.message}` }
  } finally {
    await close()
  }
}

/** The content is well-formed but not what it should be. */
class UnexpectedContent extends Error {}
class CsvError extends Error {}

function readFormat(
  chunks: Chunks,
  head: Uint8Array,
  options: ReadOptions,
  batch: Batch,
): AsyncGenerator<readonly ReceivedDocument[], EntriesEnd> {
  switch (options.entries.format) {
    case 'json':
      return readJson(chunks, options, options.entries, batch)
    case 'json-lines':
      return readLines(chunks, options, batch)
    case 'csv':
      return readCsv(chunks, options, options.entries, batch)
    case 'xml':
      return readXml(chunks, options, options.entries, batch)
    case 'html':
      return readHtml(chunks, options, options.entries.link, batch)
    case 'document':
      return readDocument(chunks, head, options)
    case 'archive':
      if (!isArchive(head) && options.entries.inside)
        return readEntries(chunks, { ...options, entries: demanded(options.entries.inside) })
      if (!isArchive(head)) throw new UnexpectedContent('no archive')
      return readArchive(chunks, options, options.entries, readEntries)
  }
}

/**
 * A member of an archive may lack the list; an answer that is not an archive and lacks it is an error of the portal.
 */
const demanded = (entries: Entries): Entries =>
  entries.format === 'json' ? { ...entries, isOptional: false } : entries

async function* readJson(
  chunks: Chunks,
  { address, pointers: wanted = [] }: ReadOptions,
  entries: Entries & { readonly format: 'json' },
  batch: Batch,
): AsyncGenerator<readonly ReceivedDocument[], EntriesEnd> {
  const pointers = wanted.filter((pointer) => pointer.startsWith('/'))
  // For a list of lists, the outer one must be present.
  const star = entries.at.indexOf('/*')
  const outer = star > 0 ? [entries.at.slice(0, star)] : []
  const scanner = new JsonItems({ at: entries.at, values: [...pointers, ...outer], maxItemBytes: maxDocumentBytes })
  let only: Uint8Array | undefined
  const take = (items: ReturnType<JsonItems['feed']>): void => {
    for (const { pointer, bytes, isTooLarge } of items) {
      if (scanner.found === 'one' && entries.at === '') only = bytes
      const entryAddress = `${address}#${pointer}`
      batch.add(documentOf(entryAddress, bytes, isTooLarge))
    }
  }
  for await (const chunk of chunks) {
    take(scanner.feed(chunk))
    if (batch.isFull) yield* batch.take()
  }
  take(scanner.end())
  // The whole answer is the entry: the other values are inside it.
  if (only && pointers.length > 0) {
    const whole = jsonIn(Buffer.from(only).toString('utf8')) as Json | undefined
    for (const pointer of pointers) {
      const value = valueAt(whole, pointer)
      if (value !== undefined) scanner.values.set(pointer, value)
    }
  }
  const isThere = star < 0 ? scanner.found === 'one' || scanner.found === 'list' : isListOrObject(outer[0], scanner)
  if (!isThere && !entries.isOptional) throw new UnexpectedContent(`no entries at ${entries.at || 'the root'}`)
  yield* batch.take()
  return { values: scanner.values }
}

function isListOrObject(pointer: string | undefined, scanner: JsonItems): boolean {
  const value = pointer === undefined ? {} : scanner.values.get(pointer)
  return value !== null && typeof value === 'object'
}

async function* readLines(
  chunks: Chunks,
  { address }: ReadOptions,
  batch: Batch,
): AsyncGenerator<readonly ReceivedDocument[], EntriesEnd> {
  for await (const line of linesOf(chunks, maxDocumentBytes, keptBytes)) {
    const entryAddress = `${address}#L${line.number}`
    batch.add(
      line.bytes ? { address: entryAddress, bytes: Uint8Array.from(line.bytes) } : tooLarge(entryAddress, line.head),
    )
    if (batch.isFull) yield* batch.take()
  }
  yield* batch.take()
  return { values: new Map() }
}

async function* readCsv(
  chunks: Chunks,
  { address }: ReadOptions,
  { delimiter = ',' }: Entries & { readonly format: 'csv' },
  batch: Batch,
): AsyncGenerator<readonly ReceivedDocument[], EntriesEnd> {
  const rows = new CsvRows(delimiter, maxDocumentBytes)
  let header: Uint8Array | undefined
  const take = (found: ReturnType<CsvRows['feed']>): void => {
    for (const { number, bytes, isTooLarge } of found) {
      if (header === undefined) {
        if (isTooLarge) throw new CsvError('a header without an end')
        header = Buffer.concat([bytes, Buffer.from('\n')])
      } else {
        batch.add(
          documentOf(`${address}#row=${number}`, isTooLarge ? bytes : Buffer.concat([header, bytes]), isTooLarge),
        )
      }
    }
  }
  for await (const chunk of chunks) {
    take(rows.feed(chunk))
    if (batch.isFull) yield* batch.take()
  }
  const last = rows.end()
  if (last.isCutOff) throw new CsvError('breaks off inside a quoted cell')
  take(last.rows)
  if (header === undefined) throw new UnexpectedContent('no header line')
  yield* batch.take()
  return { values: new Map() }
}

async function* readXml(
  chunks: Chunks,
  { address, pointers: wanted = [] }: ReadOptions,
  { element, root }: Entries & { readonly format: 'xml' },
  batch: Batch,
): AsyncGenerator<readonly ReceivedDocument[], EntriesEnd> {
  const values = wanted.filter((pointer) => !pointer.startsWith('/') && !pointer.includes('['))
  const scanner = new XmlElements({ element, values, maxItemBytes: maxDocumentBytes })
  for await (const chunk of chunks) {
    for (const { number, bytes, isTooLarge } of scanner.feed(chunk))
      batch.add(documentOf(`${address}#${element === '*' ? 'child' : element}=${number}`, bytes, isTooLarge))
    if (root !== undefined && scanner.root !== '' && scanner.root !== root)
      throw new UnexpectedContent(`the root is ${scanner.root} instead of ${root}`)
    if (batch.isFull) yield* batch.take()
  }
  scanner.end()
  yield* batch.take()
  return { values: scanner.values }
}

async function* readHtml(
  chunks: Chunks,
  { address }: ReadOptions,
  link: RegExp,
  batch: Batch,
): AsyncGenerator<readonly ReceivedDocument[], EntriesEnd> {
  const bytes = await collect(chunks, maxDocumentBytes)
  if (!bytes) throw new UnexpectedContent('a page larger than any')
  const pattern = new RegExp(link.source, link.flags.includes('g') ? link.flags : `${link.flags}g`)
  let number = 0
  for (const match of bytes.toString('utf8').matchAll(pattern)) {
    const groups = match.length > 1 ? match.slice(1) : [match[0]]
    const texts = groups.map((group) => decodeHTML(group ?? ''))
    batch.add({ address: `${address}#link=${++number}`, bytes: Buffer.from(JSON.stringify(texts)) })
  }
  yield* batch.take()
  return { values: new Map() }
}

async function* readDocument(
  chunks: Chunks,
  head: Uint8Array,
  { address }: ReadOptions,
): AsyncGenerator<readonly ReceivedDocument[], EntriesEnd> {
  const bytes = await collect(chunks, maxDocumentBytes)
  yield [bytes ? { address, bytes } : tooLarge(address, head)]
  return { values: new Map() }
}
