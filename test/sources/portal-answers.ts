// Made-up answers of portals that publish OCDS: what a card reads out of them, and how it goes on after a kill.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { afterAll, expect, it } from 'vitest'
import { toInstant } from '../../src/domain/time.ts'
import { missingFromShape } from '../../src/sources/answer-shape.ts'
import { fetchOf } from '../../src/sources/deliver/fetch-of.ts'
import type { FetchContext, Json, Slot, SlotEnd, SourceRequest, Step } from '../../src/sources/fetch.ts'
import { parseDocument } from '../../src/sources/parse-document.ts'
import { loadSources } from '../../src/sources/registry.ts'
import type { Channel } from '../../src/sources/source.ts'

type Body = object | string | Uint8Array | number
export type Portal = (url: URL, request: SourceRequest) => Body | undefined

const sources = await loadSources()
const now = Date.UTC(2026, 10, 20, 12)
const scratchFolder = mkdtempSync(join(tmpdir(), 'ocds-answers-'))
afterAll(() => rmSync(scratchFolder, { recursive: true }))

export const release = (name: string | number, overrides: object = {}) => ({
  ocid: `ocds-a1b2c3-${name}`,
  id: `r-${name}`,
  date: '2026-11-19T10:00:00Z',
  tag: ['tender'],
  buyer: { name: 'Ministry of Samples' },
  tender: { id: String(name), title: `Desks ${name}` },
  ...overrides,
})
export const packageOf = (...names: (string | number)[]) => ({
  uri: 'https://portal.example',
  releases: names.map((name) => release(name)),
})
export const recordsOf = (...names: (string | number)[]) => ({
  records: names.map((name) => ({ ocid: `ocds-a1b2c3-${name}`, compiledRelease: release(name) })),
})
export const zipOf = (members: { readonly [name: string]: object | string }) =>
  zipSync(
    Object.fromEntries(
      Object.entries(members).map(([name, content]) => [
        name,
        Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
      ]),
    ),
  )

export const spans: { readonly [kind: string]: readonly [number, number] } = {
  year: [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)],
  month: [Date.UTC(2026, 10, 1), Date.UTC(2026, 11, 1)],
  day: [Date.UTC(2026, 10, 19), Date.UTC(2026, 10, 20)],
  hours: [Date.UTC(2026, 10, 19, 6), Date.UTC(2026, 10, 19, 12)],
}

function slotOf(channel: Channel): Slot {
  const span = spans[channel.slots.kind]
  return span ? { key: 'span', from: toInstant(span[0]), to: toInstant(span[1]) } : { key: channel.slots.kind }
}

function bytesOf(body: Body): Uint8Array {
  if (body instanceof Uint8Array) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

export type Reading = {
  readonly steps: readonly Step[]
  readonly end: SlotEnd | undefined
  readonly asked: readonly string[]
  readonly answers: readonly Uint8Array[]
  readonly ids: readonly string[]
}

/** Reads a channel of a card from made-up answers; `stopAfter` steps, as if the run had been killed there. */
export async function read(
  id: string,
  name: string,
  portal: Portal,
  options: {
    readonly checkpoint?: Json
    readonly stopAfter?: number
    readonly known?: ReadonlyMap<string, string>
  } = {},
): Promise<Reading> {
  const source = sources.get(id)!
  const channel = source.channels.find((one) => one.name === name)!
  const asked: string[] = []
  const answers: Uint8Array[] = []
  const context: FetchContext = {
    slot: slotOf(channel),
    checkpoint: options.checkpoint,
    zone:
      source.zone === 'UTC' || channel.slots.kind === 'feed' || channel.slots.kind === 'whole' ? source.zone : 'UTC',
    key: 'request-token',
    now: () => now,
    scratchFolder,
    signal: new AbortController().signal,
    knownVersions: async (keys) =>
      new Map(keys.flatMap((key) => (options.known?.has(key) ? [[key, options.known.get(key)!] as const] : []))),
    send: async (request) => {
      asked.push(request.url)
      const body = portal(new URL(request.url), request)
      const status = body === undefined ? 404 : typeof body === 'number' ? body : 200
      if (status !== 200 && !request.accept?.includes(status)) throw new Error(`${request.url} answered ${status}`)
      const bytes = status === 200 ? bytesOf(body!) : new Uint8Array()
      answers.push(bytes)
      return {
        status,
        headers: {},
        version: undefined,
        bytes: async () => bytes,
        async *chunks() {
          yield bytes
        },
      }
    },
  }
  const reading = fetchOf(channel.delivery)(context)
  const steps: Step[] = []
  let end: SlotEnd | undefined
  while (steps.length < (options.stopAfter ?? Number.POSITIVE_INFINITY)) {
    const next = await reading.next()
    if (next.done) {
      end = next.value
      break
    }
    steps.push(next.value)
  }
  await reading.return({ kind: 'complete' })
  const ids = steps
    .flatMap(({ documents }) => documents)
    .flatMap(({ bytes }) => parseDocument(bytes))
    .map((part) => ('notice' in part ? part.notice.procedureId!.replace('ocds-a1b2c3-', '') : part.rejection.reason))
  return { steps, end, asked, answers, ids }
}

export const headerOf = ({ headers = {} }: SourceRequest, name: string) =>
  Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
export const query = (url: URL, name: string) => url.searchParams.get(name)
export const bodyOf = (request: SourceRequest) =>
  JSON.parse(request.body ?? 'null') as { readonly [name: string]: unknown }

export type Example = readonly [id: string, channel: string, expected: readonly string[], portal: Portal]

/**
 * Tests a channel of a card on answers in the form of its portal: every release is received, also by a run that died at
 * any step, and an answer holds what the card says of its shape. `expected`: the names of the releases.
 */
export function testAnswers(id: string, channel: string, expected: readonly string[], portal: Portal): void {
  it(`${id}, ${channel}: every release is received`, async () => {
    const { end, ids, answers, steps } = await read(id, channel, portal)
    expect(end).toEqual({ kind: 'complete' })
    expect([...ids].sort()).toEqual([...expected].sort())
    const source = sources.get(id)!
    if (source.channels[0].name !== channel) return
    // What the live check compares: an answer or the first document must hold all that the card says.
    const first = steps.find(({ documents }) => documents.length > 0)!.documents[0]!.bytes
    const lacking = [...answers, first].map((bytes) => missingFromShape(source.expects.shape, bytes))
    expect(lacking).toContainEqual([])
  })

  it(`${id}, ${channel}: a run that dies at any step continues to the same releases`, async () => {
    const { steps } = await read(id, channel, portal)
    for (let stopAfter = 1; stopAfter <= steps.length; stopAfter++) {
      const before = await read(id, channel, portal, { stopAfter })
      const checkpoint = before.steps.findLast((step) => step.checkpoint !== undefined)?.checkpoint
      const after = await read(id, channel, portal, checkpoint === undefined ? {} : { checkpoint })
      expect(new Set([...before.ids, ...after.ids])).toEqual(new Set(expected))
    }
  })
}
