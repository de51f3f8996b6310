// One small live request to a portal, and whether the answer is what the card says. Stores nothing.
import type { Notice, Rejection } from '../domain/notice.ts'
import { dayMs, hourMs, offsetMsAt, wallToEpochMs } from '../domain/time.ts'
import { missingFromShape } from '../sources/answer-shape.ts'
import { fetchOf } from '../sources/deliver/fetch-of.ts'
import type { FetchContext, Slot, SourceReply } from '../sources/fetch.ts'
import { parserOf } from '../sources/parse-document.ts'
import type { Channel, Source } from '../sources/source.ts'
import { isSpan } from './plan-slots.ts'
import { dayStart, slotOf, spanAt } from './slot-spans.ts'

export type CheckOptions = Pick<FetchContext, 'send' | 'key' | 'now' | 'scratchFolder' | 'signal'> & {
  /** Called with each document that is examined. */
  readonly onDocument?: (bytes: Uint8Array) => void
  /** Called with each notice that was read. */
  readonly onNotice?: (notice: Notice) => void
}

export type CheckResult = {
  readonly sourceId: string
  readonly channel: string
  readonly slot: string
  /**
   * `ok`: entries arrived, as the card says; `quiet`: the portal answers, but published nothing in the requested
   * spans, so that nothing could be compared; `differs`: it answers, but not as the card says; `unreachable`: it does
   * not deliver.
   */
  readonly verdict: 'ok' | 'quiet' | 'differs' | 'unreachable'
  /** What is wrong, one sentence each. */
  readonly findings: readonly string[]
  readonly requests: readonly {
    readonly url: string
    readonly status: number
    readonly bytes: number
    readonly elapsedMs: number
  }[]
  readonly announced: number | null
  /** Number of examined documents, and their detected formats. */
  readonly documents: number
  readonly notices: number
  readonly rejections: { readonly [reason: string]: number }
}

/** Maximum number of entries to read: enough to see whether they can be read. */
const enoughDocuments = 20
/** Maximum number of requests: a calendar, a token or an index may come before the first entries. */
const maxRequests = 6
/** Maximum bytes of an answer kept for the comparison; more is read only as far as its entries are needed. */
const keptBytes = 32 * 1024 * 1024

class EnoughRequests extends Error {}

/** Maximum days off in succession, when portals publish nothing. */
const maxSpans = 5

/**
 * Reads the beginning of the newest slot of the first channel that should hold something, as a run would, and stops
 * after the first entries; a span without entries (a Sunday) leads to the one before. Never throws for what the portal
 * does.
 */
export async function checkSource(source: Source, options: CheckOptions): Promise<CheckResult> {
  const channel = source.channels[0]
  const slots = newestSlots(source, channel, options.now())
  let slot = slots[0]!
  const requests: CheckResult['requests'][number][] = []
  const answers: Kept[] = []
  const send: FetchContext['send'] = async (request) => {
    if (requests.length >= maxRequests) throw new EnoughRequests('enough requests for a check')
    const startedAt = options.now()
    const reply = await options.send(request)
    const kept: Kept = { parts: [], bytes: 0 }
    answers.push(kept)
    const index = requests.length
    const note = () => {
      requests[index] = {
        url: request.url,
        status: reply.status,
        bytes: kept.bytes,
        elapsedMs: options.now() - startedAt,
      }
    }
    note()
    return watched(reply, kept, note)
  }
  const rejections: Record<string, number> = {}
  const findings: string[] = []
  let [documents, notices, announced, isUnreachable] = [0, 0, null as number | null, false]
  let quietSpans = 0
  const missingSpans: string[] = []
  let firstRejection: Rejection | undefined
  let firstDocument: Uint8Array | undefined
  for (slot of slots) {
    let isDone = false
    const iterator = fetchOf(channel.delivery)({
      ...options,
      send,
      slot,
      checkpoint: undefined,
      zone: source.zone,
      knownVersions: () => Promise.resolve(new Map()),
    })
    try {
      while (documents < enoughDocuments) {
        const next = await iterator.next()
        if (next.done) {
          isDone = next.value.kind !== 'short'
          if (next.value.kind === 'notYet') missingSpans.push(slot.key)
          else if (isDone && documents === 0) quietSpans += 1
          if (next.value.kind === 'short') findings.push(`${slot.key} is not complete: ${next.value.missing}.`)
          break
        }
        announced = next.value.announced ?? announced
        for (const document of next.value.documents.slice(0, enoughDocuments - documents)) {
          documents += 1
          firstDocument ??= document.bytes
          options.onDocument?.(document.bytes)
          const parts = document.unreadable
            ? [{ pointer: '', rejection: document.unreadable }]
            : parserOf(source)(document.bytes)
          for (const part of parts) {
            if ('notice' in part) {
              notices += 1
              options.onNotice?.(part.notice)
            } else {
              firstRejection ??= part.rejection
              rejections[part.rejection.reason] = (rejections[part.rejection.reason] ?? 0) + 1
            }
          }
        }
      }
    } catch (error) {
      if (!(error instanceof EnoughRequests)) {
        if (options.signal.aborted) throw error
        isUnreachable = true
        findings.push(error instanceof Error ? error.message : String(error))
      }
    } finally {
      await iterator.return({ kind: 'complete' }).catch(() => {})
    }
    if (!isDone || documents > 0 || findings.length > 0) break
  }
  if (documents === 0 && findings.length === 0) {
    if (missingSpans.length > 0) findings.push(`${missingSpans.join(', ')}: not published yet.`)
    else if (slot.key === 'whole') findings.push('The list is empty.')
    // a portal that counts none itself is quiet, also where one span takes more requests than a check may send
    else if (quietSpans === 0 && announced !== 0) findings.push(`No entry arrived within ${requests.length} requests.`)
  }
  if (!isUnreachable && documents > 0) {
    // an archive or a truncated answer is not compared itself, only what was found in it
    const candidates = [...answers.map(({ parts }) => Buffer.concat(parts)), ...(firstDocument ? [firstDocument] : [])]
    const lacking = candidates.map((bytes) => missingFromShape(source.expects.shape, bytes))
    const missing = lacking.sort((a, b) => a.length - b.length)[0] ?? source.expects.shape
    if (missing.length > 0) findings.push(`The answer lacks ${missing.join(', ')}, which the card says it has.`)
    if (notices === 0)
      findings.push(
        `None of ${documents} entries could be read; the first: ${firstRejection?.reason ?? ''} ${firstRejection?.detail ?? ''}.`,
      )
  }
  const verdict = isUnreachable ? 'unreachable' : findings.length > 0 ? 'differs' : documents > 0 ? 'ok' : 'quiet'
  return {
    sourceId: source.id,
    channel: channel.name,
    slot: slot.key,
    verdict,
    findings,
    requests,
    announced,
    documents,
    notices,
    rejections,
  }
}

/**
 * The newest span that is over and settled, and some before it; of months and years, and of lists that run back from
 * today, the running one first where that is read. `feed` and `whole` are themselves.
 */
function newestSlots(source: Source, { slots, delivery }: Channel, now: number): Slot[] {
  if (!isSpan(slots)) return [{ key: slots.kind }]
  const end = slots.until === undefined ? Number.POSITIVE_INFINITY : dayStart(slots.until, source.zone)
  const settledBefore = Math.min(end, now - (slots.delayMs ?? 0) - hourMs)
  const current = spanAt(slots, source.zone, settledBefore)
  const isLong = slots.kind === 'month' || slots.kind === 'year'
  const list = delivery.kind === 'own' ? delivery.like : delivery
  // a list that runs back from today reaches the previous span only after more pages than a check may request
  const isNewestFirst = list !== undefined && 'ordered' in list && list.ordered?.direction === 'descending'
  const spans = [
    slots.isOpenRead && (isLong || isNewestFirst) ? current : spanAt(slots, source.zone, current.fromMs - 1),
  ]
  const first = dayStart(slots.since, source.zone)
  while (spans.length < maxSpans && spans.at(-1)!.fromMs > first) {
    const { fromMs } = spans.at(-1)!
    // Of hours, those around noon of the previous day: nights are empty everywhere.
    spans.push(spanAt(slots, source.zone, slots.kind === 'hours' ? noonBefore(fromMs, source.zone) : fromMs - 1))
  }
  return spans.map(slotOf)
}

/** The last noon before an instant, in a zone. */
function noonBefore(ms: number, zone: string): number {
  const wall = ms + offsetMsAt(zone, ms) - 12 * hourMs
  return wallToEpochMs(Math.ceil(wall / dayMs - 1) * dayMs + 12 * hourMs, zone)
}

type Kept = { parts: Uint8Array[]; bytes: number }

function watched(reply: SourceReply, kept: Kept, note: () => void): SourceReply {
  const keep = (chunk: Uint8Array) => {
    if (kept.bytes < keptBytes) kept.parts.push(chunk)
    kept.bytes += chunk.length
    note()
  }
  return {
    ...reply,
    bytes: async () => {
      const bytes = await reply.bytes()
      keep(bytes)
      return bytes
    },
    chunks: async function* () {
      for await (const chunk of reply.chunks()) {
        keep(chunk)
        yield chunk
      }
    },
  }
}
