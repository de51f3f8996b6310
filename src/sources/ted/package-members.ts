// The notices in a package of TED as they stream by: tar.gz of notices, or of the days' tar.gz.
import type { Rejection } from '../../domain/notice.ts'
import { Refused } from '../../platform/http.ts'
import { ArchiveError, gunzip, isTarHeader, tarMembers, UnpackBudget } from '../archives.ts'
import { type Chunks, collect, peek } from '../byte-chunks.ts'
import type { SourceReply } from '../fetch.ts'
import { maxDocumentBytes } from '../xml/xml.ts'
import { publicationNumber } from './publication-numbers.ts'
import { assertAnswered } from './ted-reply.ts'

/**
 * `notice`: a member; its bytes are only available when `read` is called, at once. `broken`: the package is damaged or
 * was cut off inside it, and requesting the next member says how. `end`: an archive inside the package is finished:
 * `read` to its end, `skipped` unread, or `damaged` somewhere.
 */
export type PackageMember =
  | { readonly kind: 'notice'; readonly name: string; readonly read: () => Promise<Buffer | 'too-large' | 'broken'> }
  | { readonly kind: 'unreadable'; readonly name: string; readonly rejection: Rejection }
  | { readonly kind: 'end'; readonly name: string; readonly state: 'read' | 'skipped' | 'damaged' }

/** The package's bytes are damaged from here on, however often they are fetched. The connection did its part. */
export class DamagedPackage extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'DamagedPackage'
  }
}

/** Maximum depth of archives: compressed archives of days in a compressed archive of a month. */
const maxNesting = 5
const headBytes = 512

/**
 * Streams a package; at most one notice is in memory. Archives inside for which `isDone` holds are skipped. Throws
 * Refused if it is not a package, DamagedPackage if it cannot be read further, Retryable if the connection broke.
 */
export async function* packageMembers(
  url: string,
  reply: SourceReply,
  isDone: (archiveName: string) => boolean = () => false,
): AsyncGenerator<PackageMember> {
  assertAnswered(reply, url)
  const budget = new UnpackBudget()
  let breakage: { readonly error: unknown } | undefined
  const metered = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of reply.chunks()) {
        budget.addPacked(chunk.length)
        yield chunk
      }
    } catch (error) {
      breakage = { error }
      throw error
    }
  }
  try {
    yield* membersOf({ url, budget, isDone, isBroken: () => breakage !== undefined }, '', metered(), 0)
  } catch (error) {
    // The decompressor sees only that its input ended early; the reason was noted here.
    if (breakage) throw breakage.error
    if (error instanceof ArchiveError) throw new DamagedPackage(`${url}: ${error.message}`, { cause: error })
    throw error
  }
}

/** The state that the layers of one package share. */
type PackageContext = {
  readonly url: string
  readonly budget: UnpackBudget
  readonly isDone: (archiveName: string) => boolean
  readonly isBroken: () => boolean
}

async function* membersOf(
  context: PackageContext,
  name: string,
  chunks: Chunks,
  nesting: number,
): AsyncGenerator<PackageMember> {
  const { head, all, close } = await peek(chunks, headBytes)
  const isGzip = head[0] === 0x1f && head[1] === 0x8b
  const isTar = isTarHeader(head)
  if (nesting === 0 && !isGzip && !isTar) {
    await close()
    throw new Refused(`${context.url} answered with ${head.length === 0 ? 'nothing' : 'something'} that is no package`)
  }
  if ((isGzip || isTar) && nesting > maxNesting)
    throw new ArchiveError('too-deep', `archives are nested deeper than ${maxNesting} levels`)
  if (!isGzip && !isTar) {
    yield* noticeOf(name, all, close)
    return
  }
  // A nested archive is named where its outermost layer is found: `20260717_136.tar.gz`.
  if (name === '' || name.endsWith(insideMark)) {
    yield* unpacked(context, name, all, isGzip, nesting)
    return
  }
  if (context.isDone(name)) {
    await close()
    yield { kind: 'end', name, state: 'skipped' }
    return
  }
  try {
    yield* unpacked(context, name, all, isGzip, nesting)
  } catch (error) {
    if (!(error instanceof ArchiveError) || error.reason === 'too-large' || context.isBroken()) throw error
    yield { kind: 'end', name, state: 'damaged' }
    return
  }
  yield { kind: 'end', name, state: 'read' }
}

async function* unpacked(
  context: PackageContext,
  name: string,
  all: Chunks,
  isGzip: boolean,
  nesting: number,
): AsyncGenerator<PackageMember> {
  if (isGzip) {
    const inside = name === '' || name.endsWith(insideMark) ? name : name + insideMark
    yield* membersOf(context, inside, gunzip(all, context.budget), nesting + 1)
    return
  }
  for await (const member of tarMembers(all)) {
    if ('rejection' in member) yield { kind: 'unreadable', name: member.name, rejection: member.rejection }
    else yield* membersOf(context, member.name, member.chunks, nesting + 1)
  }
}

async function* noticeOf(name: string, all: Chunks, close: () => Promise<void>): AsyncGenerator<PackageMember> {
  let isRead = false
  let failure: { readonly error: unknown } | undefined
  const read = async (): Promise<Buffer | 'too-large' | 'broken'> => {
    isRead = true
    try {
      return (await collect(all, maxDocumentBytes)) ?? 'too-large'
    } catch (error) {
      failure = { error }
      return 'broken'
    }
  }
  yield { kind: 'notice', name: name.replaceAll(insideMark, ''), read }
  // An error in a member is also an error of the archives around it: they decide what it means.
  if (failure) throw failure.error
  if (!isRead) await close()
}

/** Distinguishes the content of a packed member from the member itself. */
const insideMark = '\u0000'

/**
 * Number of the notice: files are named by it (`00497150_2026.xml`, `000002_2011.xml`), otherwise it is in the content.
 */
export function numberOfMember(name: string): string | undefined {
  const match = /(?:^|\/)(\d{1,8})[_-](\d{4})\.xml$/i.exec(name)
  return match ? publicationNumber(`${match[1]}-${match[2]}`) : undefined
}

/** Number by which the notice itself says that it was published (OPP-010, DOC_ID). */
export function numberInNotice(bytes: Buffer): string | undefined {
  const at = bytes.indexOf('NoticePublicationID')
  if (at >= 0) {
    const match = /^NoticePublicationID[^<>]*>\s*(\d{1,8}-\d{4})\s*</.exec(bytes.toString('latin1', at, at + 200))
    if (match) return publicationNumber(match[1])
  }
  const head = bytes.toString('latin1', 0, 4096)
  return publicationNumber(/\sDOC_ID\s*=\s*["'](\d{1,8}-\d{4})["']/.exec(head)?.[1])
}

/** Day on which the notice itself says that it was published (OPP-012, DATE_PUB), `YYYY-MM-DD`. */
export function dayInNotice(bytes: Buffer): string | undefined {
  // Withheld fields carry a PublicationDate too: only the one next to the publication number counts.
  const at = bytes.indexOf('NoticePublicationID')
  if (at >= 0) {
    const match = /PublicationDate[^<>]*>\s*(\d{4}-\d{2}-\d{2})/.exec(bytes.toString('latin1', at, at + 600))
    if (match) return match[1]
  }
  const legacy = bytes.indexOf('<DATE_PUB>')
  const match =
    legacy < 0 ? null : /^<DATE_PUB>\s*(\d{4})(\d{2})(\d{2})/.exec(bytes.toString('latin1', legacy, legacy + 40))
  return match ? `${match[1]}-${match[2]}-${match[3]}` : undefined
}

/** Day in the name of a package or of its folder (`20260717_136/…`, `20260717_2026136.tar.gz`). */
export function dayInName(name: string): string | undefined {
  const match = /(?:^|\/)(20\d{2})(\d{2})(\d{2})_\d{1,7}(?:\/|\.tar|\.t?gz|$)/.exec(name)
  return match ? `${match[1]}-${match[2]}-${match[3]}` : undefined
}
