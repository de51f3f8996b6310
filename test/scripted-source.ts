// A source for tests of the runner: a portal in memory, with a fetch in which every request can fail.
import type { Notice, ParsedPart } from '../src/domain/notice.ts'
import type { PoliteHosts, PortalConnectionOptions } from '../src/ingest/polite.ts'
import type { RunOptions } from '../src/ingest/run-options.ts'
import type { SlotResult } from '../src/ingest/run-slot.ts'
import { runSource } from '../src/ingest/run-sources.ts'
import { whyOff } from '../src/ingest/source-health.ts'
import type { Fetch, Json, SlotEnd, SourceReply } from '../src/sources/fetch.ts'
import type { Channel, Source } from '../src/sources/source.ts'
import type { Store } from '../src/store/database/database.ts'

export type ScriptedPortal = {
  /** Entries by slot; a slot that is missing is not published yet. */
  readonly slots: Map<string, readonly string[]>
  /** What the portal says about the number of entries of a slot; default: nothing. */
  readonly announced: Map<string, number>
  /** How slots end that are not read completely. */
  readonly ends: Map<string, SlotEnd>
  /** Called before every request with its number, from 1; if it throws, the request throws that. */
  onRequest: (count: number, source: string) => void | Promise<void>
  requests: number
  /** Sources that are being read at this moment, and whether one was ever read twice at once. */
  readonly reading: Set<string>
  overlaps: number
}

export function scriptedPortal(slots: Iterable<readonly [string, readonly string[]]> = []): ScriptedPortal {
  return {
    slots: new Map(slots),
    announced: new Map(),
    ends: new Map(),
    onRequest: () => {},
    requests: 0,
    reading: new Set(),
    overlaps: 0,
  }
}

export const entriesPerPage = 3

const notYet: SourceReply = {
  status: 404,
  headers: {},
  version: undefined,
  bytes: async () => new Uint8Array(),
  chunks: async function* () {},
}

/** Connections to the portal: a request's address is the slot and the position of the first entry. */
function scriptedHosts(portal: ScriptedPortal): Pick<PoliteHosts, 'openConnection'> {
  return {
    openConnection: ({ source, signal }: PortalConnectionOptions) => {
      let count = 0
      return {
        requests: () => count,
        send: async ({ url }) => {
          count += 1
          portal.requests += 1
          await portal.onRequest(portal.requests, source.id)
          signal.throwIfAborted()
          const [, slot, at] = /\/([^/]+)\?at=(\d+)$/.exec(url)!
          const entries = portal.slots.get(slot!)
          if (!entries) return notYet
          const page = entries.slice(Number(at), Number(at) + entriesPerPage)
          const bytes = Buffer.from(JSON.stringify({ page, total: portal.announced.get(slot!) }))
          return { ...notYet, status: 200, bytes: async () => bytes }
        },
      }
    },
  }
}

/** Reads pages of three entries; the checkpoint is the position of the next one, and every page is an item. */
function scriptedFetch(portal: ScriptedPortal, sourceId: string): Fetch {
  return async function* (context) {
    if (portal.reading.has(sourceId)) portal.overlaps += 1
    portal.reading.add(sourceId)
    try {
      let at = Number(context.checkpoint ?? 0)
      for (;;) {
        const url = `https://${sourceId}.example/${context.slot.key}?at=${at}`
        const reply = await context.send({ url })
        const end = portal.ends.get(context.slot.key)
        if (end && end.kind !== 'complete' && end.kind !== 'short') return end
        if (reply.status === 404) return { kind: 'notYet' }
        const { page, total } = JSON.parse(Buffer.from(await reply.bytes()).toString()) as {
          page: string[]
          total?: number
        }
        at += page.length
        yield {
          documents: page.map((text, index) => ({ address: `${url}#${index}`, bytes: Buffer.from(text) })),
          checkpoint: at as Json,
          items: [{ key: url, version: String(page.length) }],
          ...(total !== undefined && { announced: total }),
        }
        if (page.length < entriesPerPage) return end ?? { kind: 'complete' }
      }
    } finally {
      portal.reading.delete(sourceId)
    }
  }
}

/** `bad…` is a rejection; everything else a notice whose key is the text. */
function scriptedParse(bytes: Uint8Array): ParsedPart[] {
  const text = Buffer.from(bytes).toString()
  if (text.startsWith('bad')) return [{ pointer: '', rejection: { reason: 'invalid-content', path: '', detail: text } }]
  const notice: Notice = {
    noticeKey: `scripted:${text}`,
    publisher: 'scripted',
    format: 'ocds',
    profile: '1.1',
    formType: 'competition',
    noticeType: 'tender',
    language: 'en',
    languages: ['en'],
    contractingAuthorities: [],
    cpvCodes: [],
    nutsCodes: [],
    lots: [],
    references: [],
  }
  return [{ pointer: '', notice }]
}

export function scriptedSource(
  portal: ScriptedPortal,
  { id = 'de-scripted', channel = {}, ...more }: Partial<Source> & { readonly channel?: Partial<Channel> } = {},
): Source {
  return {
    id,
    title: 'Scripted',
    publisher: 'Nobody',
    country: 'DE',
    homepage: `https://${id}.example`,
    license: { name: 'not stated' },
    zone: 'Europe/Berlin',
    channels: [
      {
        name: 'daily',
        slots: { kind: 'day', since: '2026-11-18' },
        delivery: { kind: 'own', fetch: scriptedFetch(portal, id) },
        ...channel,
      },
    ],
    parse: scriptedParse,
    access: { kind: 'open' },
    politeness: {},
    expects: { silentAfterDays: 7, shape: [] },
    caveats: [],
    ...more,
  }
}

/** The options of a run, with a clock that the test moves. Waits return immediately and move the clock. */
export function scriptedRun(
  portal: ScriptedPortal,
  time: { now: number },
  scratchFolder: string,
  more: Partial<RunOptions> = {},
): RunOptions {
  return {
    clock: () => time.now,
    hosts: scriptedHosts(portal),
    keyOf: () => undefined,
    scratchFolder,
    worker: 'test worker',
    sleep: async (ms, signal) => {
      signal.throwIfAborted()
      time.now += ms
    },
    signal: new AbortController().signal,
    backfillShare: 1,
    ...more,
  }
}

/** Reads what is due of each source once, one source after the other. Sources that are off are skipped. */
export async function runDueSlots(
  store: Store,
  sources: Iterable<Source>,
  options: RunOptions,
): Promise<readonly SlotResult[]> {
  const results: SlotResult[] = []
  for (const source of sources) {
    if (options.signal.aborted) break
    if (whyOff(source, hasKey(source, options)) !== undefined) continue
    results.push(...(await runSource(store, source, options)))
  }
  return results
}

const hasKey = ({ access }: Source, { keyOf }: RunOptions) =>
  access.kind === 'open' || keyOf(access.setting) !== undefined
