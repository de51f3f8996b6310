// For tests: a portal in memory whose answers come from a script, and a client that keeps what the runner would keep,
// through kills.
import { Retryable } from '../../src/platform/http.ts'
import type {
  Fetch,
  FetchContext,
  Json,
  Slot,
  SlotEnd,
  SourceReply,
  SourceRequest,
  Step,
} from '../../src/sources/fetch.ts'
import type { ReceivedDocument } from '../../src/sources/files.ts'

type ScriptedReply = {
  readonly status?: number
  readonly body?: string | Uint8Array
  readonly headers?: { readonly [name: string]: string }
  readonly version?: string
  /** The connection breaks after this many bytes. */
  readonly breaksAfter?: number
  /** Called when the body was read to its end or abandoned. */
  readonly onClosed?: () => void
}
/** Answers a request; may throw Retryable as the real `send` does. */
export type Script = (request: SourceRequest, url: URL) => ScriptedReply

class Killed extends Error {}

const day = 86_400_000
/** A slot of whole days in UTC. */
export function daySlot(from: string, days = 1): Slot {
  const start = Date.parse(`${from}T00:00:00Z`)
  return {
    key: from,
    from: new Date(start).toISOString(),
    to: new Date(start + days * day).toISOString(),
  }
}

function replyOf({
  status = 200,
  body = '',
  headers = {},
  version,
  breaksAfter,
  onClosed,
}: ScriptedReply): SourceReply {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return {
    status,
    headers,
    version,
    bytes: () => Promise.resolve(bytes),
    chunks: async function* () {
      // Truncated at an unexpected position.
      try {
        for (let start = 0; start < bytes.length; start += 997) {
          if (breaksAfter !== undefined && start > breaksAfter) throw new Retryable('the connection broke')
          yield bytes.subarray(start, start + 997)
        }
      } finally {
        onClosed?.()
      }
    },
  }
}

export type Kept = {
  readonly documents: Map<string, ReceivedDocument>
  readonly items: Map<string, string>
  checkpoint: Json | undefined
  announced: number | undefined
  delivered: number
}
export const nothingKept = (): Kept => ({
  documents: new Map(),
  items: new Map(),
  checkpoint: undefined,
  announced: undefined,
  delivered: 0,
})

export type ReadingOptions = {
  readonly slot?: Slot
  readonly key?: string
  readonly zone?: string
  readonly scratchFolder?: string
  readonly kept?: Kept
  readonly totalTolerance?: number | null
  readonly unreadableBecause?: (bytes: Uint8Array) => string | undefined
  /** The process ends at the request of this number (from 1), before it is answered. */
  readonly killedAtRequest?: number
  /** The process ends before the step of this number is stored. */
  readonly killedAtStep?: number
}

export type Reading = {
  readonly kept: Kept
  readonly end: SlotEnd | 'killed'
  readonly requests: readonly SourceRequest[]
  readonly steps: readonly Step[]
}

/** Reads a slot as the runner does: what a step holds is stored at once, or not at all. */
export async function readSlot(fetchSlot: Fetch, script: Script, options: ReadingOptions = {}): Promise<Reading> {
  const kept = options.kept ?? nothingKept()
  const requests: SourceRequest[] = []
  const steps: Step[] = []
  const context: FetchContext = {
    slot: options.slot ?? { key: 'whole' },
    checkpoint: kept.checkpoint === undefined ? undefined : (JSON.parse(JSON.stringify(kept.checkpoint)) as Json),
    send: (request) => {
      if (requests.length + 1 === options.killedAtRequest) return Promise.reject(new Killed())
      requests.push(request)
      const scripted = script(request, new URL(request.url))
      const { status = 200 } = scripted
      if (
        status !== 200 &&
        !request.accept?.includes(status) &&
        !(status === 304 && request.ifChangedFrom !== undefined)
      )
        return Promise.reject(new Error(`the script answers ${status}, which nobody accepts`))
      return Promise.resolve(replyOf(scripted))
    },
    knownVersions: (keys) =>
      Promise.resolve(new Map(keys.flatMap((key) => (kept.items.has(key) ? [[key, kept.items.get(key)!]] : [])))),
    key: options.key,
    zone: options.zone ?? 'UTC',
    ...(options.totalTolerance !== undefined && { totalTolerance: options.totalTolerance }),
    ...(options.unreadableBecause && { unreadableBecause: options.unreadableBecause }),
    now: () => Date.parse('2026-11-21T12:00:00Z'),
    scratchFolder: options.scratchFolder ?? '/nonexistent',
    signal: new AbortController().signal,
  }
  const reading = fetchSlot(context)
  try {
    for (;;) {
      const next = await reading.next()
      if (next.done) return { kept, end: next.value, requests, steps }
      const step = next.value
      if (steps.length + 1 === options.killedAtStep) {
        await reading.return({ kind: 'complete' })
        return { kept, end: 'killed', requests, steps }
      }
      steps.push(step)
      for (const document of step.documents)
        kept.documents.set(Buffer.from(document.bytes).toString('latin1'), document)
      for (const { key, version } of step.items ?? []) kept.items.set(key, version)
      if (step.checkpoint !== undefined) kept.checkpoint = step.checkpoint
      if (step.announced !== undefined) kept.announced = step.announced
      kept.delivered += step.entries ?? step.documents.length
    }
  } catch (error) {
    if (error instanceof Killed) return { kept, end: 'killed', requests, steps }
    throw error
  }
}

/** The documents, sorted, as text. */
export const textsOf = ({ kept }: Pick<Reading, 'kept'>): string[] =>
  [...kept.documents.values()].map(({ bytes }) => Buffer.from(bytes).toString('utf8')).sort()
