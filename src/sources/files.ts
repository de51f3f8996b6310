// Files, folders and archives of documents, recognized by what is in them and never by their names.
import { closeSync, type Dirent, fstatSync, openSync, readSync } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Rejection, RejectionReason } from '../domain/notice.ts'
import { OperatorError } from '../platform/errors.ts'
import {
  ArchiveError,
  gunzip,
  isTarHeader,
  type Member,
  MemberError,
  tarMembers,
  UnpackBudget,
  zipMembers,
} from './archives.ts'
import { type Chunks, collect, linesOf, peek, peekUntil } from './byte-chunks.ts'
import { maxDocumentBytes } from './xml/xml.ts'

/**
 * One document with the place it came from: `folder/file.xml`, `archive.zip!member`, `file.jsonl#L12`. `unreadable`
 * says why there is no whole document; then `bytes` is its beginning (at most 1 KiB), or empty.
 */
export type ReceivedDocument = {
  readonly address: string
  readonly bytes: Uint8Array
  readonly unreadable?: Rejection
}

/** Number of bytes that are kept of a document that is too large. */
const keptBytes = 1024
/** Maximum depth of archives in archives: a day's zip in a month's tar, where gzip counts as a level. */
const maxNesting = 4
/** Maximum bytes of a piece of a file that is read piece by piece. */
const longestPiece = 256 * 1024
/** Number of bytes needed to detect a format: a tar header has 512 bytes. */
const headBytes = 512
const noBytes = new Uint8Array(0)

/** A document that could not be read whole, with its beginning. */
export function unreadable(
  address: string,
  reason: RejectionReason,
  detail: string,
  bytes: Uint8Array = noBytes,
): ReceivedDocument {
  return { address, bytes: Uint8Array.from(bytes.subarray(0, keptBytes)), unreadable: { reason, path: '', detail } }
}

export function tooLarge(address: string, bytes: Uint8Array): ReceivedDocument {
  const limit = maxDocumentBytes / 1024 / 1024
  return unreadable(address, 'too-large', `larger than ${limit} MiB; only the first ${keptBytes} bytes are kept`, bytes)
}

/**
 * Every document of a file, of a folder (recursively, by name, without dot files and without following links out of it)
 * or of an archive (zip, tar, gzip, one in another). Newline-delimited JSON gives one document per line. Whatever
 * cannot be read comes as an `unreadable` document, so that nothing vanishes. One document is in memory at a time.
 * Throws OperatorError when there is nothing at `path` or it must not be read. `budgetOf` makes the budget of each
 * file.
 */
export async function* readPath(path: string, budgetOf = () => new UnpackBudget()): AsyncGenerator<ReceivedDocument> {
  const { root, isFolder } = await findPath(path)
  if (isFolder) yield* readFolder(path, root, budgetOf)
  else yield* readFile(path, budgetOf())
}

/** The file or folder at `path`. Throws OperatorError if there is nothing or it must not be read. */
export async function findPath(path: string): Promise<{ readonly root: string; readonly isFolder: boolean }> {
  try {
    const root = await realpath(path)
    const isFolder = (await stat(root)).isDirectory()
    if (isFolder) await readdir(root)
    return { root, isFolder }
  } catch (error) {
    throw new OperatorError(
      'path-unusable',
      `${path} cannot be read (${codeOf(error)}); name a file or folder that exists and may be read`,
      {
        cause: error,
      },
    )
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error)

async function* readFolder(
  folder: string,
  root: string,
  budgetOf: () => UnpackBudget,
): AsyncGenerator<ReceivedDocument> {
  let found: Dirent[]
  try {
    found = (await readdir(folder, { withFileTypes: true }))
      .filter(({ name }) => !name.startsWith('.'))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    yield unreadable(folder, 'malformed', `the folder cannot be read (${codeOf(error)})`)
    return
  }
  for (const listed of found) {
    const path = join(folder, listed.name)
    let entry: Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'> = listed
    try {
      // a file system may list names without kinds
      if (!entry.isFile() && !entry.isDirectory()) entry = await lstat(path)
      if (entry.isSymbolicLink()) {
        const target = await realpath(path)
        entry = await stat(target)
        if (!target.startsWith(root + sep)) {
          yield unreadable(path, 'unsupported-format', 'a link that leads out of the folder; it is not followed')
          continue
        }
        if (entry.isDirectory()) {
          yield unreadable(path, 'unsupported-format', 'a link to a folder that is read at its own place')
          continue
        }
      }
    } catch (error) {
      yield unreadable(path, 'malformed', `cannot be read (${codeOf(error)})`)
      continue
    }
    if (entry.isDirectory()) yield* readFolder(path, root, budgetOf)
    else if (entry.isFile()) yield* readFile(path, budgetOf())
    else yield unreadable(path, 'unsupported-format', 'neither a file nor a folder')
  }
}

async function* readFile(path: string, budget: UnpackBudget): AsyncGenerator<ReceivedDocument> {
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunksOf(path)) {
      budget.addPacked(chunk.length)
      yield chunk
    }
  }
  try {
    const bytes = readSmallXml(path)
    if (bytes) yield { address: path, bytes }
    else yield* readChunks(path, chunks(), budget, 0, path)
  } catch (error) {
    if (!isSystemError(error)) throw error
    yield unreadable(path, 'malformed', `cannot be read (${error.code})`)
  }
}

/**
 * All bytes of a small file that begins as XML does, hence is one document: most files. What has to find out more about
 * a file takes longer than reading it. Undefined for any other.
 */
function readSmallXml(path: string): Uint8Array | undefined {
  const descriptor = openSync(path, 'r')
  try {
    const { size } = fstatSync(descriptor)
    if (size === 0 || size > longestPiece) return undefined
    const bytes = Buffer.allocUnsafeSlow(size)
    const isWhole = readSync(descriptor, bytes) === size
    return isWhole && bytes[0] === lessThan && !isTarHeader(bytes.subarray(0, headBytes)) ? bytes : undefined
  } finally {
    closeSync(descriptor)
  }
}

/**
 * The bytes of a file in pieces no larger than what is left of it. Most documents are small: a buffer larger than the
 * file, or a way through the thread pool for each call, would cost as much as reading the notice.
 */
async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  const descriptor = openSync(path, 'r')
  try {
    let left = fstatSync(descriptor).size
    for (;;) {
      const buffer = Buffer.allocUnsafeSlow(Math.max(1, Math.min(left, longestPiece)))
      const read = readSync(descriptor, buffer)
      if (read === 0) return
      left -= read
      yield buffer.subarray(0, read)
    }
  } finally {
    closeSync(descriptor)
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

/** Detects the format of the bytes and reads them. `file` is the path if the bytes are those of a whole file. */
async function* readChunks(
  address: string,
  chunks: Chunks,
  budget: UnpackBudget,
  nesting: number,
  file?: string,
): AsyncGenerator<ReceivedDocument> {
  const { head, all, close } = await peek(chunks, headBytes)
  const isGzip = head[0] === 0x1f && head[1] === 0x8b
  const isZip =
    head[0] === 0x50 && head[1] === 0x4b && ((head[2] === 3 && head[3] === 4) || (head[2] === 5 && head[3] === 6))
  const isTar = isTarHeader(head)
  if (!isGzip && !isZip && !isTar) {
    yield* readDocuments(address, all)
    return
  }
  if (nesting >= maxNesting) {
    await close()
    yield unreadable(address, 'too-deep', `archives are nested deeper than ${maxNesting} levels`, head)
    return
  }
  try {
    if (isGzip) {
      yield* readChunks(address, gunzip(all, budget), budget, nesting + 1)
    } else if (isTar) {
      yield* readMembers(address, tarMembers(all), budget, nesting)
    } else if (file) {
      await close()
      yield* readMembers(address, zipMembers(file, budget), budget, nesting)
    } else {
      const bytes = await collect(all, maxDocumentBytes)
      if (bytes) yield* readMembers(address, zipMembers(bytes, budget), budget, nesting)
      else yield tooLarge(address, head)
    }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    yield unreadable(address, error.reason, `${address}: ${error.message}`, head)
  }
}

async function* readMembers(
  address: string,
  members: AsyncIterable<Member>,
  budget: UnpackBudget,
  nesting: number,
): AsyncGenerator<ReceivedDocument> {
  for await (const member of members) {
    const memberAddress = `${address}!${member.name}`
    if ('rejection' in member) {
      yield { address: memberAddress, bytes: noBytes, unreadable: member.rejection }
      continue
    }
    try {
      yield* readChunks(memberAddress, member.chunks, budget, nesting + 1)
    } catch (error) {
      if (!(error instanceof MemberError)) throw error
      yield unreadable(memberAddress, 'malformed', error.message)
    }
  }
}

/** One document, or one per line of newline-delimited JSON. */
async function* readDocuments(address: string, chunks: Chunks): AsyncGenerator<ReceivedDocument> {
  const sniffer = new LineSniffer()
  const { head, all } = await peekUntil(chunks, (chunk) => sniffer.feed(chunk))
  if (sniffer.isLines) {
    for await (const line of linesOf(all, maxDocumentBytes, keptBytes)) {
      const memberAddress = `${address}#L${line.number}`
      yield line.bytes ? { address: memberAddress, bytes: line.bytes } : tooLarge(memberAddress, line.head)
    }
    return
  }
  const bytes = await collect(all, maxDocumentBytes)
  yield bytes ? { address, bytes } : tooLarge(address, Buffer.concat(head.slice(0, 1)))
}

/**
 * Tells newline-delimited JSON from one JSON document by its first two lines: an object cannot follow an object on the
 * next line inside one document, unless a bracket, comma or colon ends the first line.
 */
class LineSniffer {
  isLines = false
  #state: 'start' | 'first-line' | 'next-line' = 'start'
  #last = 0
  #length = 0

  /** True as soon as the answer is known, or the document is too large to care. */
  feed(chunk: Uint8Array): boolean {
    this.#length += chunk.length
    let index = 0
    if (this.#state === 'start') {
      while (index < chunk.length && (isBlank(chunk[index]!) || isMark(chunk[index]!))) index++
      if (index === chunk.length) return this.#length > maxDocumentBytes
      if (chunk[index] !== brace) return true
      this.#state = 'first-line'
    }
    if (this.#state === 'first-line') {
      const end = chunk.indexOf(0x0a, index)
      let at = (end < 0 ? chunk.length : end) - 1
      while (at >= index && isBlank(chunk[at]!)) at--
      if (at >= index) this.#last = chunk[at]!
      if (end < 0) return this.#length > maxDocumentBytes
      this.#state = 'next-line'
      index = end + 1
    }
    while (index < chunk.length && isBlank(chunk[index]!)) index++
    if (index === chunk.length) return this.#length > maxDocumentBytes
    this.isLines = chunk[index] === brace && !openEnds.has(this.#last)
    return true
  }
}

const brace = 0x7b
const lessThan = 0x3c
const openEnds = new Set([...'[{,:'].map((sign) => sign.charCodeAt(0)))
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a
const isMark = (byte: number): boolean => byte === 0xef || byte === 0xbb || byte === 0xbf
