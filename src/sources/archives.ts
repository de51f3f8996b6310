// The members of zip, tar and gzip archives as streams of bytes, with bounds on what an archive may unpack to.
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createGunzip, type createInflateRaw, inflateRawSync } from 'node:zlib'
import { extract } from 'tar-stream'
import { type Entry, fromBufferPromise, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl'
import type { Rejection, RejectionReason } from '../domain/notice.ts'
import type { Chunks } from './byte-chunks.ts'
import { maxDocumentBytes } from './xml/xml.ts'

/** The archive cannot be read any further; earlier members are valid. */
export class ArchiveError extends Error {
  readonly reason: RejectionReason
  constructor(reason: RejectionReason, detail: string) {
    super(detail)
    this.name = 'ArchiveError'
    this.reason = reason
  }
}

/** One member is damaged; the archive can be read after it. */
export class MemberError extends Error {
  constructor(detail: string) {
    super(detail)
    this.name = 'MemberError'
  }
}

/** A member's bytes, or why there are none. `name` is only ever shown, never a path to write to. */
export type Member =
  | { readonly name: string; readonly chunks: Chunks }
  | { readonly name: string; readonly rejection: Rejection }

/**
 * How much one file may unpack to, including all archives in it: notices shrink about tenfold, so 200 times the
 * compressed size is a bomb. `leastBytes` are allowed whatever the size, by default a quarter of a GiB.
 */
export class UnpackBudget {
  readonly #leastBytes: number
  #packed = 0
  #unpacked = 0

  constructor(leastBytes: number = 256 * 1024 * 1024) {
    this.#leastBytes = leastBytes
  }

  addPacked(bytes: number): void {
    this.#packed += bytes
  }

  addUnpacked(bytes: number): void {
    this.#unpacked += bytes
    if (this.#unpacked > Math.max(this.#leastBytes, 200 * this.#packed)) {
      throw new ArchiveError(
        'too-large',
        `unpacks to more than ${Math.round(this.#unpacked / 1048576)} MiB, far more than notices shrink by`,
      )
    }
  }
}

async function* metered(chunks: Chunks, budget: UnpackBudget): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    budget.addUnpacked(chunk.length)
    yield chunk
  }
}

/** Maximum bytes of unpacked data at once: each piece passes several streams. */
const unpackedPiece = 128 * 1024

/** What gzip data unpacks to. Throws ArchiveError `malformed` at the place where it is damaged or cut off. */
export async function* gunzip(chunks: Chunks, budget: UnpackBudget): AsyncGenerator<Uint8Array> {
  const unpacked = createGunzip({ chunkSize: unpackedPiece })
  const feeding = pipeline(Readable.from(chunks), unpacked)
  feeding.catch(() => {}) // The same error comes out of `unpacked`.
  try {
    yield* metered(unpacked, budget)
  } catch (error) {
    throw damage(error, 'damaged or cut off gzip data')
  } finally {
    unpacked.destroy()
    await feeding.catch(() => {})
  }
}

function damage(error: unknown, what: string): unknown {
  if (error instanceof ArchiveError || !(error instanceof Error)) return error
  return new ArchiveError('malformed', `${what} (${error.message.slice(0, 200)})`)
}

/** Whether bytes begin with a tar header: its checksum matches. */
export function isTarHeader(head: Uint8Array): boolean {
  if (head.length < 512 || head[0] === 0) return false
  const stored = /^[ 0]*([0-7]{1,6})[\0 ]/.exec(String.fromCharCode(...head.subarray(148, 156)))
  if (!stored) return false
  let sum = 8 * 32
  for (let index = 0; index < 512; index++) if (index < 148 || index >= 156) sum += head[index]!
  return sum === Number.parseInt(stored[1]!, 8)
}

/** Shown names: no control characters, no endless ones. */
function shownName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  return name.replace(/[\0-\x1f\x7f]/g, '?').slice(0, 500)
}

/**
 * The members of a tar archive in order. Throws ArchiveError, also out of a member's bytes, where it is damaged or cut
 * off.
 */
export async function* tarMembers(chunks: Chunks): AsyncGenerator<Member> {
  const unpacked = extract()
  let cause: unknown
  const feeding = pipeline(Readable.from(chunks), unpacked as unknown as NodeJS.WritableStream).catch(
    (error: unknown) => {
      cause = error
    },
  )
  // The reading side only learns that the stream ended early; the feeding side knows why.
  const damaged = async (error: unknown): Promise<unknown> => {
    unpacked.destroy()
    await feeding
    return damage(cause instanceof ArchiveError ? cause : error, 'damaged or cut off tar archive')
  }
  async function* bytesOf(entry: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const iterator = entry[Symbol.asyncIterator]()
    let isDone = false
    try {
      while (!isDone) {
        const next = await iterator.next()
        if (next.done) isDone = true
        else yield next.value
      }
    } catch (error) {
      isDone = true
      throw await damaged(error)
    } finally {
      // Abandoning an entry would end the archive: unneeded ones are read and dropped.
      while (!isDone) isDone = (await iterator.next().catch(() => ({ done: true }))).done === true
    }
  }
  try {
    for await (const entry of unpacked) {
      const name = shownName(entry.header.name)
      const { type } = entry.header
      if (type === 'file' || type === 'contiguous-file') {
        yield { name, chunks: bytesOf(entry as unknown as AsyncIterable<Uint8Array>) }
      } else if (type !== 'directory') {
        yield {
          name,
          rejection: { reason: 'unsupported-format', path: '', detail: `no file but a ${type} in an archive` },
        }
      }
      entry.resume()
    }
    await feeding
    if (cause) throw cause
  } catch (error) {
    throw await damaged(error)
  } finally {
    unpacked.destroy()
  }
}

/** The members of a zip archive, a file or bytes. Throws ArchiveError where it is damaged or cut off. */
export async function* zipMembers(source: string | Buffer, budget: UnpackBudget): AsyncGenerator<Member> {
  const options = { lazyEntries: true, decodeStrings: false, validateEntrySizes: true, autoClose: false }
  let zip: ZipFile
  try {
    zip = typeof source === 'string' ? await openPromise(source, options) : await fromBufferPromise(source, options)
  } catch (error) {
    // An archive without the directory at its end was cut off; the members before can still be read.
    yield* salvagedMembers(source, budget)
    throw damage(error, 'damaged or cut off zip archive')
  }
  try {
    for await (const entry of zip.eachEntry()) {
      const rawName = entry.fileNameRaw ?? (entry.fileName as unknown as Buffer)
      const name = shownName(getFileNameLowLevel(entry.generalPurposeBitFlag, rawName, entry.extraFields ?? [], false))
      if (name.endsWith('/')) continue
      budget.addPacked(entry.compressedSize)
      yield await zipMember(zip, entry, name, budget)
    }
  } catch (error) {
    throw damage(error, 'damaged zip archive')
  } finally {
    zip.close()
  }
}

async function zipMember(zip: ZipFile, entry: Entry, name: string, budget: UnpackBudget): Promise<Member> {
  const reject = (reason: RejectionReason, detail: string): Member => ({
    name,
    rejection: { reason, path: '', detail },
  })
  if (entry.isEncrypted()) return reject('unsupported-format', 'encrypted in the archive')
  if (!entry.canDecodeFileData()) return reject('unsupported-format', `packed with method ${entry.compressionMethod}`)
  try {
    const stream = await zip.openReadStreamPromise(entry)
    return { name, chunks: metered(checked(stream as Chunks, entry.crc32), budget) }
  } catch (error) {
    return reject('malformed', `damaged in the archive (${error instanceof Error ? error.message.slice(0, 200) : ''})`)
  }
}

/** Fails at the end when the bytes are not those that were packed. */
async function* checked(chunks: Chunks, expected: number): AsyncGenerator<Uint8Array> {
  let sum = 0
  try {
    for await (const chunk of chunks) {
      sum = crc32(chunk, sum)
      yield chunk
    }
  } catch (error) {
    throw new MemberError(`damaged in the archive (${error instanceof Error ? error.message.slice(0, 200) : ''})`)
  }
  if (sum !== expected >>> 0) throw new MemberError('damaged in the archive (the checksum does not fit)')
}

type RandomAccess = { readonly size: number; readonly read: (offset: number, length: number) => Promise<Buffer> }

/** Reads the local headers from the front as long as whole members follow each other. */
async function* salvagedMembers(source: string | Buffer, budget: UnpackBudget): AsyncGenerator<Member> {
  const file: FileHandle | undefined = typeof source === 'string' ? await open(source) : undefined
  try {
    const access: RandomAccess = file
      ? {
          size: (await file.stat()).size,
          read: async (offset, length) => {
            const buffer = Buffer.alloc(length)
            const { bytesRead } = await file.read(buffer, 0, length, offset)
            return buffer.subarray(0, bytesRead)
          },
        }
      : {
          size: source.length,
          read: (offset, length) => Promise.resolve((source as Buffer).subarray(offset, offset + length)),
        }
    let offset = 0
    for (;;) {
      const salvaged = await salvageMember(access, offset)
      if (!salvaged) return
      budget.addPacked(salvaged.end - offset)
      budget.addUnpacked(salvaged.bytes.length)
      offset = salvaged.end
      if (!salvaged.name.endsWith('/')) yield { name: salvaged.name, chunks: Readable.from([salvaged.bytes]) as Chunks }
    }
  } finally {
    await file?.close()
  }
}

async function salvageMember(
  access: RandomAccess,
  offset: number,
): Promise<{ readonly name: string; readonly bytes: Buffer; readonly end: number } | undefined> {
  const header = await access.read(offset, 30)
  if (header.length < 30 || header.readUInt32LE(0) !== 0x04034b50) return undefined
  const flags = header.readUInt16LE(6)
  const method = header.readUInt16LE(8)
  const nameLength = header.readUInt16LE(26)
  const start = offset + 30 + nameLength + header.readUInt16LE(28)
  const name = shownName((await access.read(offset + 30, nameLength)).toString('utf8'))
  const hasSizes = (flags & 8) === 0
  const packedSize = header.readUInt32LE(18)
  if ((flags & 1) !== 0 || (method !== 0 && method !== 8) || (!hasSizes && method === 0)) return undefined
  if (hasSizes) {
    if (packedSize > maxDocumentBytes || start + packedSize > access.size) return undefined
    const packed = await access.read(start, packedSize)
    const bytes = method === 0 ? packed : inflatePrefix(packed)?.bytes
    return bytes && crc32(bytes) === header.readUInt32LE(14) ? { name, bytes, end: start + packedSize } : undefined
  }
  // The sizes follow the data: the packed data itself shows where it ends.
  for (let window = 256 * 1024; window <= maxDocumentBytes; window *= 4) {
    const inflated = inflatePrefix(await access.read(start, window))
    if (!inflated) continue
    const end = start + inflated.used
    const descriptor = await access.read(end, 16)
    if (descriptor.length < 12) return undefined
    const hasSignature = descriptor.readUInt32LE(0) === 0x08074b50
    const sum = descriptor.readUInt32LE(hasSignature ? 4 : 0)
    return sum === crc32(inflated.bytes)
      ? { name, bytes: inflated.bytes, end: end + (hasSignature ? 16 : 12) }
      : undefined
  }
  return undefined
}

/**
 * Inflates a raw deflate stream that may be followed by other bytes; undefined when it is cut off, damaged or too
 * large.
 */
function inflatePrefix(packed: Buffer): { readonly bytes: Buffer; readonly used: number } | undefined {
  try {
    const { buffer, engine } = inflateRawSync(packed, { info: true, maxOutputLength: maxDocumentBytes }) as unknown as {
      readonly buffer: Buffer
      readonly engine: ReturnType<typeof createInflateRaw>
    }
    return { bytes: buffer, used: engine.bytesWritten }
  } catch {
    return undefined
  }
}
