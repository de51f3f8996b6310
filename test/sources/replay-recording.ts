// Replays a recording in place of its portal, and compares its first notices with what a person read in it. Recordings
// of `source check --record` have a `check.json` and must be asked as the portal was. Those that others put together
// may lack it, may hold one exchange without a number, and are read entry by entry if the card asks for more.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Notice } from '../../src/domain/notice.ts'
import { checkSource } from '../../src/ingest/check-source.ts'
import { openRecording } from '../../src/ingest/recordings.ts'
import { parserOf } from '../../src/sources/parse-document.ts'
import type { Sources } from '../../src/sources/registry.ts'
import type { Source } from '../../src/sources/source.ts'

/** What a person reads in an entry of a recording; absent members are not compared. */
export type Expected = {
  readonly title?: string
  readonly authority?: string
  /** ISO 8601, with any offset. */
  readonly deadline?: string
  readonly value?: number
  readonly cpv?: readonly string[]
}

type Replayed = { readonly notices: readonly Notice[]; readonly findings: readonly string[] }
type ReplayOptions = { readonly sources: Sources; readonly scratchFolder: string }

/** Folders of recordings below `folder`, which may be one itself. */
export function recordingsIn(folder: string): string[] {
  const isRecording = (path: string) =>
    ['check.json', 'request.json', '01'].some((name) => existsSync(join(path, name)))
  if (isRecording(folder)) return [folder]
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter(isRecording)
}

const jsonIn = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))

export async function replayRecording(folder: string, options: ReplayOptions): Promise<Replayed> {
  if (!existsSync(join(folder, 'check.json'))) return readForeign(folder, options)
  const { check, send } = await openRecording(folder)
  const source = options.sources.get(check.sourceId)
  if (!source) throw new Error(`${folder} is a recording of ${check.sourceId}, which is no source`)
  return replay(source, { send, recordedAt: check.recordedAt }, options)
}

async function replay(
  source: Source,
  { send, recordedAt }: Pick<Parameters<typeof checkSource>[1], 'send'> & { readonly recordedAt: string },
  { scratchFolder }: ReplayOptions,
): Promise<Replayed> {
  const notices: Notice[] = []
  const { findings } = await checkSource(source, {
    send,
    key: source.access.kind === 'open' ? undefined : 'REMOVED',
    now: () => Date.parse(recordedAt),
    scratchFolder,
    signal: new AbortController().signal,
    onNotice: (notice) => notices.push(notice),
  })
  return { notices, findings }
}

type Exchange = { readonly url: string; readonly headers: { readonly [name: string]: string }; readonly body: Buffer }

function exchangesIn(folder: string): Exchange[] {
  const numbered = readdirSync(folder).filter((name) => /^\d+$/.test(name))
  return (numbered.length > 0 ? numbered.sort().map((name) => join(folder, name)) : [folder]).map((path) => {
    const { url } = jsonIn(join(path, 'request.json')) as { url: string }
    const response = join(path, 'response.json')
    const { headers = {} } = existsSync(response) ? (jsonIn(response) as { headers?: Exchange['headers'] }) : {}
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
    const body = readdirSync(path).find((name) => /^body(?:\.\w+)?$/.test(name))
    if (body === undefined) throw new Error(`${path} has no body`)
    return { url, headers: Object.fromEntries(lower), body: readFileSync(join(path, body)) }
  })
}

/** The sources that the folder is named after, or that ask the host of its first request. */
function sourcesOf(folder: string, { url }: Exchange, sources: Sources): Source[] {
  const named = sources.get(basename(folder))
  if (named) return [named]
  const { host } = new URL(url)
  const found = [...sources.values()].filter((source) => JSON.stringify(source).includes(`://${host}/`))
  if (found.length === 0) throw new Error(`${folder} is a recording of ${host}, which no source asks`)
  return found
}

/** By the channels of the card if they ask what was recorded, else by its parser alone. */
async function readForeign(folder: string, options: ReplayOptions): Promise<Replayed> {
  const exchanges = exchangesIn(folder)
  const readings: Replayed[] = []
  for (const source of sourcesOf(folder, exchanges[0]!, options.sources)) {
    const left = [...exchanges]
    const recordedAt = exchanges[0]!.headers['date'] ?? new Date().toISOString()
    const asked = await replay(
      source,
      {
        recordedAt,
        send: async () => {
          const exchange = left.shift()
          if (!exchange) return { status: 404, headers: {}, version: '', bytes: async () => Buffer.alloc(0), chunks }
          const { headers, body } = exchange
          return { status: 200, headers, version: '', bytes: async () => body, chunks: () => chunks(body) }
        },
      },
      options,
    )
    if (asked.notices.length > 0) return { notices: asked.notices, findings: [] }
    readings.push(readBodies(source, exchanges))
  }
  return readings.find(({ notices }) => notices.length > 0) ?? readings[0]!
}

async function* chunks(body: Buffer = Buffer.alloc(0)): AsyncGenerator<Buffer> {
  yield body
}

/** Each body is one entry, or a list of them. */
function readBodies(source: Source, exchanges: readonly Exchange[]): Replayed {
  const entries = exchanges.flatMap(({ body }) => {
    const text = body.toString()
    if (!text.trimStart().startsWith('[')) return [body]
    return (JSON.parse(text) as unknown[]).map((entry) => Buffer.from(JSON.stringify(entry)))
  })
  const parts = entries.flatMap((entry) => parserOf(source)(entry))
  return {
    notices: parts.flatMap((part) => ('notice' in part ? [part.notice] : [])),
    findings: parts.flatMap((part) =>
      'rejection' in part ? [`${part.rejection.reason} ${part.rejection.detail ?? ''}`.trim()] : [],
    ),
  }
}

/** What the expected.json of a folder says: one entry or a list of them. */
export function expectedIn(folder: string): readonly Expected[] {
  const file = join(folder, 'expected.json')
  if (!existsSync(file)) throw new Error(`${file} is missing: write down what the first entries say`)
  const expected = jsonIn(file) as Expected | readonly Expected[]
  return Array.isArray(expected) ? expected : [expected as Expected]
}

const instantOf = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text))

/** The first notices as `expected` describes them: equal to it if the notices say what was read. */
export const shownLike = (notices: readonly Notice[], expected: readonly Expected[]): Expected[] =>
  expected.map((wanted, index) => {
    const notice = notices[index]
    const titles: readonly string[] = Object.values(notice?.title ?? {})
    const deadline = notice?.submissionDate ?? notice?.participationDate
    const values = [notice?.estimatedValue?.value, notice?.awardedValue?.value].filter((value) => value !== undefined)
    const isSameTime = instantOf(deadline) === instantOf(wanted.deadline)
    const shown: { readonly [Key in keyof Expected]-?: Expected[Key] | undefined } = {
      title: titles.find((title) => title === wanted.title) ?? titles[0],
      authority: notice?.contractingAuthorities[0]?.name,
      deadline: isSameTime ? wanted.deadline : deadline,
      value: values.find((value) => value === wanted.value) ?? values[0],
      cpv: notice?.cpvCodes,
    }
    return Object.fromEntries(Object.keys(wanted).map((member) => [member, shown[member as keyof Expected]]))
  })
