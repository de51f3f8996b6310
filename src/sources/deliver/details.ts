// The documents behind the entries of a list, each fetched if its version is not the stored one.
import { hash } from 'node:crypto'
import { Refused, Retryable } from '../../platform/http.ts'
import { jsonIn } from '../../platform/json-in.ts'
import type { Detail, Entries, EntryPointer } from '../delivery.ts'
import type { FetchContext, Item, Json, Step } from '../fetch.ts'
import { type ReceivedDocument, unreadable } from '../files.ts'
import { EntryValues } from './answers/entry-value.ts'
import { passOn } from './answers/pass-on.ts'
import { checkFault, type Fault } from './answers/portal-fault.ts'
import { readEntries } from './answers/read-entries.ts'
import { type Asking, drain } from './asking.ts'
import type { Values } from './fill-template.ts'

/** A detail, with what only indexes of files say. */
export type Following = Detail & {
  /** Files without a version of their own are requested with the ETag of the last time. */
  readonly isConditional?: boolean
  readonly only?: RegExp
  readonly fault?: Fault
}

const askedAtOnce = 200
/** A detail that the portal lists and does not have yet. */
const notThere = 'not there'
/** Maximum number of details in a row that cannot be fetched; more are not the fault of single notices. */
const maxFailures = 3
const onceVersion = 'once'
/** Maximum number of attempts at an unreadable document; after that it counts as what the portal has. */
const maxUnreadable = 3
/** In front of the version of a document that could not be read so far, with how often. */
const unreadableMark = /^unreadable (\d+) /
const noVersion = 'no version'
/** Maximum bytes of a file behind an index, which is streamed; a single notice is read completely. */
const maxFileBytes = 16 * 1024 ** 3

/** What checkpoints inside a page keep, so that a reading that dies does not restart with the first of its details. */
export type DetailsKept = {
  /** Files without a version that were fetched. */
  readonly isFetched: (key: string) => boolean
  readonly fetched: (key: string) => Json
  /** The detail at which the portal refused the last time. */
  readonly isRefused: (key: string) => boolean
  readonly refused: (key: string) => Json
}

/** What details lack: a sentence for each that could not be read, and the entries whose documents are still to come. */
export type Unread = { readonly failures: readonly string[]; readonly owed: readonly ReceivedDocument[] }

type Wanted = {
  readonly entry: ReceivedDocument
  readonly key: string
  readonly version: string
  readonly values: Values
}

/**
 * Yields steps with the documents behind entries; they carry no counts, because the page of the list that announced
 * them is still to be counted. Throws if the portal delivers none any more.
 */
export async function* readDetails(
  list: readonly ReceivedDocument[],
  base: string,
  following: Following,
  entries: Entries,
  asking: Asking,
  context: FetchContext,
  values: Values,
  keeping: DetailsKept,
): AsyncGenerator<Step, Unread> {
  const failures: string[] = []
  const owed: ReceivedDocument[] = []
  let inSuccession = 0
  for (let start = 0; start < list.length; start += askedAtOnce) {
    const { wanted, unusable } = wantedOf(
      list.slice(start, start + askedAtOnce),
      base,
      following,
      entries,
      asking,
      values,
    )
    if (unusable.length > 0) yield { documents: unusable, entries: 0 }
    const known = await context.knownVersions(wanted.map(({ key }) => key))
    for (const one of wanted) {
      const kept = known.get(one.key)
      if (following.isConditional ? keeping.isFetched(one.key) : kept === one.version) continue
      try {
        const damage = yield* readDetail(one, base, following, asking, context, kept)
        if (damage !== undefined) owed.push(one.entry)
        if (damage !== undefined && damage !== notThere) failures.push(damage)
        inSuccession = 0
        if (following.isConditional && damage === undefined)
          yield { documents: [], entries: 0, checkpoint: keeping.fetched(one.key) }
      } catch (error) {
        context.signal.throwIfAborted()
        if (error instanceof Refused && !keeping.isRefused(one.key)) {
          // The portal requires a pause, and continues here; only a detail that is refused again is skipped.
          yield { documents: [], entries: 0, checkpoint: keeping.refused(one.key) }
          throw error
        }
        if (!(error instanceof Retryable) || ++inSuccession >= maxFailures) throw error
        failures.push(`${one.key} could not be read: ${error.message}`)
        owed.push(one.entry)
      }
    }
  }
  return { failures, owed }
}

function wantedOf(
  list: readonly ReceivedDocument[],
  base: string,
  following: Following,
  entries: Entries,
  asking: Asking,
  values: Values,
): { readonly wanted: readonly Wanted[]; readonly unusable: readonly ReceivedDocument[] } {
  const wanted: Wanted[] = []
  const unusable: ReceivedDocument[] = []
  const met = new Set<string>()
  for (const entry of list) {
    const reader = new EntryValues(entry, entries)
    const { replace } = following
    const idAt = (pointer: EntryPointer): string | undefined => {
      const text = reader.textAt(pointer)
      return replace ? text?.replaceAll(replace.what, replace.by) : text
    }
    const id = idAt(following.id)
    const id2 = following.id2 === undefined ? undefined : idAt(following.id2)
    if (id === undefined || (following.id2 !== undefined && id2 === undefined)) {
      unusable.push(
        entry.unreadable
          ? entry
          : unreadable(entry.address, 'missing-identity', 'the list names no address for it', entry.bytes),
      )
      continue
    }
    const own = { ...values, id, id2 }
    let key: string
    try {
      key = asking.addressOf(following.request, own, base)
    } catch (error) {
      if (!(error instanceof Retryable)) throw error
      unusable.push(unreadable(entry.address, 'missing-identity', error.message, entry.bytes))
      continue
    }
    if (following.only && !following.only.test(key)) continue
    const version = versionOf(entry, reader, following.version)
    if (met.has(`${key} ${version}`)) continue
    met.add(`${key} ${version}`)
    wanted.push({ entry, key, version, values: own })
  }
  return { wanted, unusable }
}

function versionOf(entry: ReceivedDocument, reader: EntryValues, pointer: EntryPointer | undefined): string {
  if (pointer === undefined) return onceVersion
  // an entry without the member that should show its changes is identified by its bytes: fetched only once, changes
  // would be lost
  return (pointer === '' ? undefined : reader.textAt(pointer)) ?? hash('sha1', entry.bytes, 'base64url')
}

async function* readDetail(
  { entry, key, version, values }: Wanted,
  base: string,
  following: Following,
  asking: Asking,
  context: FetchContext,
  kept: string | undefined,
): AsyncGenerator<Step, string | undefined> {
  const entries: Entries = following.entries ?? { format: 'document' }
  const unreadableTimes = Number(unreadableMark.exec(kept ?? '')?.[1] ?? 0)
  const isConditional =
    following.isConditional === true && kept !== undefined && kept !== noVersion && unreadableTimes === 0
  const { reply, address } = await asking.ask(following.request, values, base, {
    accept: [204, 404, 410],
    ...(isConditional && { ifChangedFrom: kept }),
    ...(entries.format !== 'document' && { maxBytes: maxFileBytes }),
  })
  if (reply.status === 304) {
    await drain(reply)
    return undefined
  }
  if (reply.status === 204 || reply.status === 404 || reply.status === 410) {
    await drain(reply)
    // Does not count as read: it is listed before it is available, and comes later.
    const gone = `the portal lists it and answers ${reply.status} for it`
    yield { documents: [unreadable(address, 'missing-content', gone, entry.bytes)], entries: 0 }
    return notThere
  }
  const readVersion = following.isConditional ? (reply.version ?? noVersion) : version
  const reading = readEntries(reply.chunks(), {
    address,
    entries,
    damage: 'keep',
    ...(following.fault && { pointers: [following.fault.at] }),
    scratchFolder: context.scratchFolder,
  })
  // The last batch waits for the end, which says whether the detail counts as read.
  let waiting: readonly ReceivedDocument[] = []
  let error: string | undefined
  const { damage, values: placed } = yield* passOn(reading, (documents): Step[] => {
    checkDocument(documents, entries, following.fault, address)
    error ??= documents.map(errorUnderSuccess).find((each) => each !== undefined)
    const before = waiting
    if (following.withEntry) waiting = documents.map((document) => joined(entry, document))
    else waiting = following.withId ? documents.map((document) => listedAs(values['id'], document)) : documents
    return before.length > 0 ? [{ documents: before, entries: 0 }] : []
  })
  checkFault(following.fault, following.fault && placed.get(following.fault.at), address)
  const why = entries.format === 'document' ? (error ?? unreadableOf(waiting, context)) : undefined
  const isAsItIs = why === undefined || unreadableTimes + 1 >= maxUnreadable
  const itemVersion = isAsItIs ? readVersion : `unreadable ${unreadableTimes + 1} ${readVersion}`
  const items: readonly Item[] = [{ key, version: itemVersion }]
  yield { documents: waiting, entries: 0, ...(damage === undefined && { items }) }
  return damage ?? (isAsItIs ? undefined : `${key} came unreadable: ${why}`)
}

/** Members of answers that only report an error (RFC 9457 and the defaults of frameworks). */
const errorMembers: ReadonlySet<string> = new Set(
  'type title status statusCode code detail details error errors message messages exception timestamp path instance traceId success'.split(
    ' ',
  ),
)
const longestError = 4096

/**
 * What an answer with status 200 says that only reports an error; joined to its entry it would be read as a notice
 * without a body.
 */
function errorUnderSuccess({ bytes, unreadable }: ReceivedDocument): string | undefined {
  if (unreadable || bytes.length > longestError || bytes[0] !== 0x7b) return undefined
  const members = Object.keys(jsonIn(Buffer.from(bytes).toString()) ?? {})
  const isError = members.some((name) => /^(?:detail|error|errors|message|exception)$/.test(name))
  return isError && members.every((name) => errorMembers.has(name)) ? 'an error under status 200' : undefined
}

/** Why the one document of an answer cannot be read; undefined if it can, or if that is unknown. */
function unreadableOf(documents: readonly ReceivedDocument[], { unreadableBecause }: FetchContext): string | undefined {
  const [document] = documents
  if (!document || documents.length > 1) return undefined
  return document.unreadable ? document.unreadable.detail : unreadableBecause?.(document.bytes)
}

/** An error that comes as the document itself, where the card says how it reads. */
function checkDocument(
  documents: readonly ReceivedDocument[],
  entries: Entries,
  fault: Fault | undefined,
  address: string,
): void {
  if (entries.format !== 'document' || fault?.is === undefined) return
  for (const document of documents)
    if (document.bytes[0] === 0x7b) checkFault(fault, new EntryValues(document, entries).textAt(fault.at), address)
}

/** An XML document with the ID by which the list names it, if that is a plain one. */
function listedAs(id: unknown, document: ReceivedDocument): ReceivedDocument {
  const isPlain = typeof id === 'string' && /^[\w-]{1,60}$/.test(id)
  if (
    document.unreadable ||
    !isPlain ||
    !/^(?:\xef\xbb\xbf)?\s*</.test(Buffer.from(document.bytes.subarray(0, 100)).toString('latin1'))
  )
    return document
  return { address: document.address, bytes: Buffer.concat([document.bytes, Buffer.from(`\n<?listed-as ${id}?>`)]) }
}

/** The entry of the list and its detail as one document. */
function joined(entry: ReceivedDocument, detail: ReceivedDocument): ReceivedDocument {
  if (detail.unreadable || entry.unreadable) return detail
  const withoutMark = detail.bytes[0] === 0xef && detail.bytes[1] === 0xbb && detail.bytes[2] === 0xbf
  const bytes = Buffer.concat([
    Buffer.from('{"entry":'),
    entry.bytes,
    Buffer.from(',"detail":'),
    withoutMark ? detail.bytes.subarray(3) : detail.bytes,
    Buffer.from('}'),
  ])
  return { address: detail.address, bytes }
}
