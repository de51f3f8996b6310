// Reads the exports of the German service: a zip per day or month, spooled because a zip is read from its end.
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { dayMs, epochMs, hourMs } from '../../domain/time.ts'
import { Refused, Retryable } from '../../platform/http.ts'
import { ArchiveError, MemberError, UnpackBudget, zipMembers } from '../archives.ts'
import { type Chunks, collect } from '../byte-chunks.ts'
import type { Fetch, FetchContext, Item, Json, SlotEnd, SourceReply, Step } from '../fetch.ts'
import type { ReceivedDocument } from '../files.ts'
import { maxDocumentBytes } from '../xml/xml.ts'
import { joinTables } from './join-tables.ts'

/** First month of the service, in Berlin. Before it the exports answer 400. */
export const firstMonth = '2022-12'
/** Maximum bytes of an export: the first month holds 121,947 notices at once. */
const maxExportBytes = 2 * 1024 ** 3
const documentsPerStep = 200
const bytesPerStep = 4 * 1024 * 1024
/** How long after its end a month is repaired; an older one was read after its last change. */
const repairedForMs = 45 * dayMs

type ExportFormat = 'eforms' | 'csv'

function exportUrl(span: 'pubDay' | 'pubMonth', key: string, format: ExportFormat): string {
  return `https://oeffentlichevergabe.de/api/notice-exports?${span}=${key}&format=${format}.zip`
}

/** A zip on disk. `breakage`: why the transfer ended early. */
type Spooled = {
  readonly path: string
  readonly sha256: string
  readonly size: number
  readonly head: Uint8Array
  readonly breakage: Retryable | undefined
}

async function spool(chunks: Chunks, path: string): Promise<Spooled> {
  const hash = createHash('sha256')
  const file = await open(path, 'w')
  let size = 0
  let head: Buffer = Buffer.alloc(0)
  let breakage: Retryable | undefined
  try {
    for await (const chunk of chunks) {
      await file.write(chunk)
      hash.update(chunk)
      if (size < 64) head = Buffer.concat([head, chunk.subarray(0, 64)])
      size += chunk.length
    }
  } catch (error) {
    if (!(error instanceof Retryable)) throw error
    breakage = error
  } finally {
    await file.close()
  }
  return { path, sha256: hash.digest('hex'), size, head, breakage }
}

type Answer =
  | { readonly kind: 'zip'; readonly url: string; readonly zip: Spooled; readonly version: string | undefined }
  | { readonly kind: 'end'; readonly end: SlotEnd }

/** Requests an export. `keptVersion`: an ETag from this very URL; the service uses the same ETag for others. */
async function ask(context: FetchContext, url: string, format: ExportFormat, keptVersion?: string): Promise<Answer> {
  const { slot } = context
  const reply: SourceReply = await context.send({
    url,
    headers: { accept: `application/vnd.bekanntmachungsservice.${format}.zip+zip` },
    accept: keptVersion === undefined ? [400] : [304, 400],
    maxBytes: maxExportBytes,
    ...(keptVersion !== undefined && { ifChangedFrom: keptVersion }),
  })
  if (reply.status === 304) return { kind: 'end', end: { kind: 'unchanged' } }
  if (reply.status === 400) {
    const text = new TextDecoder().decode((await reply.bytes()).subarray(0, 300)).replace(/\s+/g, ' ')
    if (slot.key.slice(0, 7) < firstMonth) return { kind: 'end', end: { kind: 'empty' } }
    // Only the past, in Berlin: today and days that its clocks have not finished are refused.
    const isRecent = slot.to !== undefined && context.now() < epochMs(slot.to) + 36 * hourMs
    if (isRecent) return { kind: 'end', end: { kind: 'notYet' } }
    throw new Refused(`${url} answered 400: ${text}`)
  }
  if (reply.status !== 200) throw new Refused(`${url} answered ${reply.status}`)
  const zip = await spool(reply.chunks(), join(context.scratchFolder, `${format}-${slot.key}.zip`))
  const isZip = zip.head[0] === 0x50 && zip.head[1] === 0x4b && (zip.head[2] === 3 || zip.head[2] === 5)
  if (!isZip) {
    if (zip.breakage) throw zip.breakage
    throw new Refused(`${url} answered with ${zip.size === 0 ? 'nothing' : 'something'} that is no zip`)
  }
  return { kind: 'zip', url, zip, version: reply.version }
}

/** Damage is worth another try: the service rebuilds each zip. What was read before it is stored already. */
function cutOff(url: string, zip: Spooled, error: unknown): unknown {
  if (!(error instanceof ArchiveError)) return error
  return zip.breakage ?? new Retryable(`${url}: ${error.message}`, { cause: error })
}

/**
 * One document per member. The checkpoint names the zip by its hash and counts its members: only the same zip is
 * continued in the middle; another one (the month grew, the last one was truncated) is read from its start.
 */
async function* readNotices(
  context: FetchContext,
  { url, zip }: Extract<Answer, { kind: 'zip' }>,
  items: readonly Item[],
): AsyncGenerator<Step, void, void> {
  const { sha256, members } = (context.checkpoint ?? {}) as { readonly [name: string]: Json | undefined }
  const done = sha256 === zip.sha256 && typeof members === 'number' ? members : 0
  const budget = new UnpackBudget()
  let position = 0
  let documents: ReceivedDocument[] = []
  let bytes = 0
  const take = (): Step => {
    const step = { documents, checkpoint: { sha256: zip.sha256, members: position } }
    documents = []
    bytes = 0
    return step
  }
  try {
    for await (const member of zipMembers(zip.path, budget)) {
      context.signal.throwIfAborted()
      position++
      if (position <= done) continue
      const document = await documentOf(`${url}!${member.name}`, member)
      documents.push(document)
      bytes += document.bytes.length
      if (documents.length >= documentsPerStep || bytes >= bytesPerStep) yield take()
    }
  } catch (error) {
    if (documents.length > 0) yield take()
    throw cutOff(url, zip, error)
  }
  if (zip.breakage) {
    if (documents.length > 0) yield take()
    throw zip.breakage
  }
  yield { ...take(), items }
}

async function documentOf(
  address: string,
  member: { readonly chunks: Chunks } | { readonly rejection: NonNullable<ReceivedDocument['unreadable']> },
): Promise<ReceivedDocument> {
  if ('rejection' in member) return { address, bytes: new Uint8Array(0), unreadable: member.rejection }
  try {
    const bytes = await collect(member.chunks, maxDocumentBytes)
    if (bytes) return { address, bytes }
    const detail = 'larger than any notice'
    return { address, bytes: new Uint8Array(0), unreadable: { reason: 'too-large', path: '', detail } }
  } catch (error) {
    if (!(error instanceof MemberError)) throw error
    return { address, bytes: new Uint8Array(0), unreadable: { reason: 'malformed', path: '', detail: error.message } }
  }
}

function noticesFetch(span: 'pubDay' | 'pubMonth', isConditional: boolean): Fetch {
  return async function* (context) {
    const url = exportUrl(span, context.slot.key, 'eforms')
    const kept = isConditional ? (await context.knownVersions([url])).get(url) : undefined
    const answer = await ask(context, url, 'eforms', kept)
    if (answer.kind === 'end') return answer.end
    yield* readNotices(context, answer, answer.version === undefined ? [] : [{ key: url, version: answer.version }])
    return { kind: 'complete' }
  }
}

/** One day of Berlin, from the day after. */
export const fetchDay: Fetch = noticesFetch('pubDay', true)

/** One month that is over. */
export const fetchMonth: Fetch = noticesFetch('pubMonth', true)

const readMonth = noticesFetch('pubMonth', false)

/**
 * A month is requested again, whatever its ETag says: this finds entries that were added to a day after it was read.
 * The current month grows daily. Months that ended long ago are left as they were read.
 */
export const fetchRepair: Fetch = async function* (context) {
  const { to } = context.slot
  if (to !== undefined && context.now() > epochMs(to) + repairedForMs) return { kind: 'unchanged' }
  return yield* readMonth(context)
}

/** One day as 19 tables, joined to one document per notice. All tables are needed: a damaged zip yields nothing. */
export const fetchTables: Fetch = async function* (context) {
  const url = exportUrl('pubDay', context.slot.key, 'csv')
  const answer = await ask(context, url, 'csv')
  if (answer.kind === 'end') return answer.end
  const tables = new Map<string, Buffer>()
  try {
    for await (const member of zipMembers(answer.zip.path, new UnpackBudget())) {
      if ('rejection' in member) throw new Retryable(`${url}: ${member.name}: ${member.rejection.detail}`)
      const name = /(?:^|\/)([^/]+)\.csv$/i.exec(member.name)?.[1]
      const bytes = name === undefined ? undefined : await collect(member.chunks, maxDocumentBytes)
      if (name !== undefined && bytes === undefined) throw new Retryable(`${url}: ${member.name} is too large`)
      if (name !== undefined && bytes) tables.set(name, bytes)
    }
  } catch (error) {
    if (error instanceof MemberError) throw new Retryable(`${url}: ${error.message}`, { cause: error })
    throw cutOff(url, answer.zip, error)
  }
  if (answer.zip.breakage) throw answer.zip.breakage
  const { announced, notices } = joinTables(tables, url)
  for (let start = 0; start < notices.length; start += documentsPerStep) {
    const documents = notices
      .slice(start, start + documentsPerStep)
      .map(({ name, bytes }): ReceivedDocument => ({ address: `${url}!${name}`, bytes }))
    yield { documents, announced }
  }
  return { kind: 'complete' }
}
