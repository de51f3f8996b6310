// The documents of an archive while it streams in: tar and gzip directly, zip from a scratch file, including nested
// ones.
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  ArchiveError,
  gunzip,
  isTarHeader,
  type Member,
  MemberError,
  tarMembers,
  UnpackBudget,
  zipMembers,
} from '../../archives.ts'
import { type Chunks, peek } from '../../byte-chunks.ts'
import type { Entries } from '../../delivery.ts'
import { type ReceivedDocument, unreadable } from '../../files.ts'
import { Batch, type EntriesEnd, type ReadEntries, type ReadOptions } from './answer-documents.ts'
import { passOn } from './pass-on.ts'

/** Maximum depth of archives in archives: a day's tar in a month's gzip, where gzip counts as a level. */
const maxNesting = 5
const headBytes = 512

const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b
const isZip = (head: Uint8Array): boolean =>
  head[0] === 0x50 && head[1] === 0x4b && ((head[2] === 3 && head[3] === 4) || (head[2] === 5 && head[3] === 6))

/** Whether bytes begin as zip, gzip or tar. */
export const isArchive = (head: Uint8Array): boolean => isGzip(head) || isZip(head) || isTarHeader(head)

type ArchiveEntries = Entries & { readonly format: 'archive' }
/** Applies on every level of one archive. */
type Archive = {
  readonly options: ReadOptions
  readonly entries: ArchiveEntries
  readonly readInside: ReadEntries
  readonly budget: UnpackBudget
  /** Why the bytes stopped, when the source broke off. */
  readonly broken: () => unknown
}
type Batches = AsyncGenerator<readonly ReceivedDocument[], readonly string[]>

/**
 * Yields the documents of an archive; damage is reported as unreadable documents and, if it hides later members, in the
 * end. Errors of the source of the chunks (a broken connection) pass through: they are not damage of the archive.
 */
export async function* readArchive(
  chunks: Chunks,
  options: ReadOptions,
  entries: ArchiveEntries,
  readInside: ReadEntries,
): AsyncGenerator<readonly ReceivedDocument[], EntriesEnd> {
  const budget = new UnpackBudget()
  let broken: unknown
  const metered = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of chunks) {
        budget.addPacked(chunk.length)
        yield chunk
      }
    } catch (error) {
      broken = error ?? new Error('the connection broke')
      throw error
    }
  }
  try {
    const archive = { options, entries, readInside, budget, broken: () => broken }
    const damage = yield* readLevel(options.address, metered(), archive, 0)
    if (broken) throw broken
    return { values: new Map(), ...(damage.length > 0 && { damage: damage.join('; ') }) }
  } catch (error) {
    throw broken ?? error
  }
}

async function* readLevel(address: string, chunks: Chunks, archive: Archive, nesting: number): Batches {
  const { head, all, close } = await peek(chunks, headBytes)
  if (!isArchive(head)) {
    const end = yield* archive.readInside(all, {
      ...archive.options,
      address,
      entries: archive.entries.inside ?? { format: 'document' },
      damage: 'keep-any',
    })
    return end.damage === undefined ? [] : [end.damage]
  }
  if (nesting >= maxNesting) {
    await close()
    yield [unreadable(address, 'too-deep', `archives are nested deeper than ${maxNesting} levels`, head)]
    return []
  }
  try {
    if (isGzip(head)) return yield* readLevel(address, gunzip(all, archive.budget), archive, nesting + 1)
    if (!isZip(head)) return yield* readMembers(address, tarMembers(all), archive, nesting)
    return yield* readZip(address, all, archive, nesting)
  } catch (error) {
    if (!(error instanceof ArchiveError) || archive.broken()) throw error
    yield [unreadable(address, error.reason, error.message, head)]
    return [`${address} cannot be read to its end: ${error.message}`]
  } finally {
    await close()
  }
}

async function* readZip(address: string, chunks: Chunks, archive: Archive, nesting: number): Batches {
  const folder = await mkdtemp(join(archive.options.scratchFolder, 'zip-'))
  try {
    const file = join(folder, 'spooled.zip')
    await pipeline(Readable.from(chunks), createWriteStream(file))
    return yield* readMembers(address, zipMembers(file, archive.budget), archive, nesting)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function* readMembers(
  address: string,
  members: AsyncIterable<Member>,
  archive: Archive,
  nesting: number,
): Batches {
  const damage: string[] = []
  const batch = new Batch()
  try {
    for await (const member of members) {
      if (!isWanted(member.name, archive.entries)) continue
      const memberAddress = `${address}!${member.name}`
      if ('rejection' in member) {
        batch.add({ address: memberAddress, bytes: new Uint8Array(0), unreadable: member.rejection })
        continue
      }
      try {
        const level = readLevel(memberAddress, member.chunks, archive, nesting + 1)
        const missing = yield* passOn(level, (documents) => {
          for (const document of documents) batch.add(document)
          return batch.isFull ? batch.take() : []
        })
        damage.push(...missing)
      } catch (error) {
        if (!(error instanceof MemberError) || archive.broken()) throw error
        batch.add(unreadable(memberAddress, 'malformed', error.message))
      }
    }
  } catch (error) {
    // Everything before the damage is valid.
    yield* batch.take()
    throw error
  }
  yield* batch.take()
  return damage
}

const nestedName = /\.(?:zip|tar|tgz|gz)$/i

/** The members that the card selects and archives that may hold them; never the extra files of a Mac. */
function isWanted(name: string, { members }: ArchiveEntries): boolean {
  if (/(?:^|\/)(?:__MACOSX\/|\.DS_Store$|\._)/.test(name)) return false
  return members === undefined || members.test(name) || nestedName.test(name)
}
