// A source's fetch against scripted answers, with what a run keeps: documents, items, checkpoint, sums.
import { createHash } from 'node:crypto'
import type { Notice } from '../../src/domain/notice.ts'
import { type Instant, toInstant } from '../../src/domain/time.ts'
import { Refused, Retryable } from '../../src/platform/http.ts'
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
import { parseDocument } from '../../src/sources/parse-document.ts'
import type { Source } from '../../src/sources/source.ts'

/** `breakAfter`: the connection is lost after this many bytes of the body. */
export type ScriptedReply = {
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string | Uint8Array
  readonly breakAfter?: number
}

export type Script = (request: SourceRequest) => ScriptedReply

const chunkBytes = 16 * 1024

async function* chunksOf(url: string, body: Buffer, breakAfter: number | undefined): AsyncGenerator<Uint8Array> {
  const end = Math.min(body.length, breakAfter ?? body.length)
  for (let start = 0; start < end; start += chunkBytes)
    yield Promise.resolve(body.subarray(start, Math.min(end, start + chunkBytes)))
  if (breakAfter !== undefined) throw new Retryable(`${url} broke off after ${end} bytes`)
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

/**
 * What the http client makes of an answer: unexpected statuses throw, and a 202 of the firewall only if
 * `isClientAlert`.
 */
export function replyOf(request: SourceRequest, scripted: ScriptedReply): SourceReply {
  const { status = 200, headers = {}, body = '', breakAfter } = scripted
  const accepted = [200, 202, ...(request.accept ?? (request.ifChangedFrom === undefined ? [] : [304]))]
  if (!accepted.includes(status)) throw new Retryable(`${request.url} answered ${status}`)
  const bytes = Buffer.from(body)
  return {
    status,
    headers,
    version: headers['etag'],
    bytes: () => collect(chunksOf(request.url, bytes, breakAfter)),
    chunks: () => chunksOf(request.url, bytes, breakAfter),
  }
}

export type RunOptions = { readonly script: Script; readonly scratchFolder: string; readonly zone: string }

/** The memory of a source over several readings, as the ledger would hold it. */
export class ScriptedRun {
  script: Script
  now = 0
  readonly requests: SourceRequest[] = []
  readonly documents = new Map<string, ReceivedDocument>()
  /** Number of documents in these steps, including known ones. */
  handedOver = 0
  readonly items = new Map<string, string>()
  readonly checkpoints = new Map<string, Json>()
  announced: number | undefined
  delivered = 0
  readonly #options: RunOptions

  constructor(options: RunOptions) {
    this.#options = options
    this.script = options.script
  }

  /**
   * Reads a slot to its end, or until this many steps are stored: then the run dies. A reading that ends successfully
   * forgets the checkpoint and starts new sums, as the ledger does.
   */
  async read(fetch: Fetch, slot: Slot, stopAfterSteps = Number.POSITIVE_INFINITY): Promise<SlotEnd | 'died'> {
    const checkpoint = this.checkpoints.get(slot.key)
    if (checkpoint === undefined) {
      this.delivered = 0
      this.announced = undefined
    }
    const context: FetchContext = {
      slot,
      checkpoint,
      send: (request) => {
        this.requests.push(request)
        return Promise.resolve().then(() => replyOf(request, this.script(request)))
      },
      knownVersions: (keys) => Promise.resolve(new Map([...this.items].filter(([key]) => keys.includes(key)))),
      key: undefined,
      zone: this.#options.zone,
      now: () => this.now,
      scratchFolder: this.#options.scratchFolder,
      signal: new AbortController().signal,
    }
    const steps = fetch(context)
    for (let taken = 0; taken < stopAfterSteps; taken++) {
      const next = await steps.next()
      if (next.done) {
        if (next.value.kind !== 'notYet') this.checkpoints.delete(slot.key)
        return next.value
      }
      this.#store(slot, next.value)
    }
    await steps.return({ kind: 'complete' })
    return 'died'
  }

  #store(slot: Slot, step: Step): void {
    for (const document of step.documents) {
      const id = createHash('sha256')
        .update(document.unreadable ? document.address : document.bytes)
        .digest('hex')
      this.documents.set(id, document)
      this.handedOver++
    }
    for (const { key, version } of step.items ?? []) this.items.set(key, version)
    if (step.checkpoint !== undefined) this.checkpoints.set(slot.key, step.checkpoint)
    if (step.announced !== undefined) this.announced = step.announced
    this.delivered += step.entries ?? step.documents.length
  }

  /** Why a reading failed, `Refused` or `Retryable` with its message; the end if it did not. */
  async failure(fetch: Fetch, slot: Slot): Promise<string> {
    try {
      const end = await this.read(fetch, slot)
      return JSON.stringify(end)
    } catch (error) {
      if (error instanceof Refused) return `Refused: ${error.message}`
      if (error instanceof Retryable) return `Retryable: ${error.message}`
      throw error
    }
  }

  /** What was stored, read as the source reads it. */
  parsed(source: Pick<Source, 'parse'>): { readonly notices: Notice[]; readonly rejections: string[] } {
    const notices: Notice[] = []
    const rejections: string[] = []
    for (const document of this.documents.values()) {
      const parts = document.unreadable
        ? [{ pointer: '', rejection: document.unreadable }]
        : (source.parse ?? parseDocument)(document.bytes)
      for (const part of parts) {
        if ('notice' in part) notices.push(part.notice)
        else rejections.push(part.rejection.reason)
      }
    }
    return { notices, rejections }
  }
}

/** A slot by its key and its bounds as UTC instants. */
export function slotOf(key: string, from: string, to: string): Slot {
  const instant = (text: string): Instant => toInstant(Date.parse(text))
  return { key, from: instant(from), to: instant(to) }
}
