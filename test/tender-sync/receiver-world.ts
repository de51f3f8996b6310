// `tender-sync webhooks` as a process, the storages in which it keeps hits, and messages as the service signs them.
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { hitBody } from '../../src/webhooks/hit-body.ts'
import { makeWebhookSecret, webhookHeaders, webhookSecretBytes } from '../../src/webhooks/signature.ts'
import { jqRecords, pythonSqlite } from '../files/independent-programs.ts'
import { type PlantedEdit, plantingHook } from '../planted-edit.ts'
import { openEmptyDatabase, testDatabaseUrl } from '../world.ts'

const program = join(import.meta.dirname, '../../client/src/bin/tender-sync.ts')

export type HitKind = 'sqlite' | 'ndjson' | 'postgres'
export const hitKinds: readonly HitKind[] = [
  'sqlite',
  'ndjson',
  ...(testDatabaseUrl === undefined ? [] : (['postgres'] as const)),
]

/** A stored hit, as another program reads it. */
export type KeptHit = {
  readonly hitId: string
  readonly tenderId: string
  readonly webhookId: string
  readonly type: string
  readonly changes: string
  readonly fitScore: number
  readonly title: string
  readonly lastModified: string
}

export type HitTarget = AsyncDisposable & {
  readonly kind: HitKind
  readonly folder: string
  /** `--sink` of it. */
  readonly sink: string
  /** Read by sqlite3 of Python, psql or jq. */
  readonly rows: () => KeptHit[]
}

const columns = `hit_id as "hitId", tender_id as "tenderId", webhook_id as "webhookId", type, changes,
  fit_score as "fitScore", title`

export async function openHitTarget(kind: HitKind): Promise<HitTarget> {
  const folder = mkdtempSync(join(tmpdir(), 'tender-hits-'))
  const database = kind === 'postgres' ? await openEmptyDatabase() : undefined
  const file = join(folder, kind === 'sqlite' ? 'tenders.db' : 'tenders.ndjson')
  return {
    kind,
    folder,
    sink: `${kind}:${database?.url ?? file}`,
    rows: () => (database ? postgresRows(database.url) : kind === 'sqlite' ? sqliteHits(file) : ndjsonHits(folder)),
    [Symbol.asyncDispose]: async () => {
      await database?.[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const sqliteHits = (file: string): KeptHit[] =>
  pythonSqlite(file, `select ${columns}, tender_last_modified as "lastModified" from hit order by hit_id`) as KeptHit[]

export const psql = (url: string, query: string): string =>
  execFileSync('psql', [url, '-X', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-c', query], { encoding: 'utf8' }).trim()

function postgresRows(url: string): KeptHit[] {
  const instant = `to_char(tender_last_modified at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "lastModified"`
  const query = `select ${columns}, ${instant} from tenderstock.hit order by hit_id`
  return JSON.parse(psql(url, `select coalesce(json_agg(h), '[]') from (${query}) h`)) as KeptHit[]
}

type Line = { hitId: string; webhookId: string; type: string; data: LineData }
type LineData = {
  fitScore: number
  changes?: string[]
  tender: { id: string; title: string; lastModified: string }
}

export function ndjsonHits(folder: string): KeptHit[] {
  if (!existsSync(join(folder, 'hits.ndjson'))) return []
  return (jqRecords(join(folder, 'hits.ndjson')) as unknown as Line[])
    .map(({ hitId, webhookId, type, data: { fitScore, changes = [], tender } }) => ({
      hitId,
      tenderId: tender.id,
      webhookId,
      type,
      changes: changes.join(' '),
      fitScore,
      title: tender.title,
      lastModified: tender.lastModified,
    }))
    .sort((a, b) => (a.hitId < b.hitId ? -1 : 1))
}

export type ReceiverProcess = AsyncDisposable & {
  readonly url: string
  readonly events: { readonly event: string; readonly [member: string]: unknown }[]
  readonly kill: (signal?: NodeJS.Signals) => void
  /** Its exit code; null after a signal. */
  readonly ended: Promise<number | null>
  readonly errors: () => string
}

/** Starts the receiver and waits until it listens. Rejects with its output if it ends before. */
export async function startReceiverProcess(
  sink: string,
  options: {
    readonly secret?: string
    readonly port?: number
    readonly more?: readonly string[]
    readonly planted?: PlantedEdit
    /** Words before the command: strace and its options. */
    readonly before?: readonly string[]
  } = {},
): Promise<ReceiverProcess> {
  const { secret, port = 0, more = [], planted, before = [] } = options
  const hook = planted ? ['--import', plantingHook(planted)] : []
  const listen = ['--listen', `127.0.0.1:${port}`]
  const words = [
    ...before,
    process.execPath,
    ...hook,
    program,
    'webhooks',
    '--json',
    '--sink',
    sink,
    ...listen,
    ...more,
  ]
  const child = spawn(words[0]!, words.slice(1), {
    env: { ...process.env, UV_THREADPOOL_SIZE: '1', ...(secret !== undefined && { TENDER_WEBHOOK_SECRET: secret }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const events: { event: string }[] = []
  let [rest, errors] = ['', '']
  child.stdout.on('data', (text: Buffer) => {
    const lines = (rest + text.toString()).split('\n')
    rest = lines.pop()!
    events.push(...lines.map((line) => JSON.parse(line) as { event: string }))
  })
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()))
  let isOver = false
  const ended = new Promise<number | null>((done) =>
    child.once('close', (code) => {
      isOver = true
      done(code)
    }),
  )
  while (!isOver && !events.some(({ event }) => event === 'listening')) await delay(10)
  /** The receiver itself, where strace is its parent. */
  const pid = (): number => {
    const [inner] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ')
    return Number(inner || child.pid)
  }
  const kill = (signal: NodeJS.Signals = 'SIGKILL'): void => {
    try {
      if (!isOver) process.kill(pid(), signal)
    } catch (error) {
      // It ended at this moment.
      if (!['ESRCH', 'ENOENT'].includes(String((error as NodeJS.ErrnoException).code))) throw error
    }
  }
  const started = events.find(({ event }) => event === 'listening') as { url: string } | undefined
  if (!started) throw new Error(`the receiver ended with ${await ended}: ${errors}`)
  return {
    url: started.url,
    events,
    kill,
    ended,
    errors: () => errors,
    [Symbol.asyncDispose]: async () => {
      kill()
      await ended
    },
  }
}

export const newSecret = (): string => makeWebhookSecret(randomBytes)

export type Message = { readonly id: string; readonly body: string; readonly hitId: string }

/** A message about a hit whose tender was modified at this second. */
export function hitMessage(
  change: {
    readonly hitId?: string
    readonly tenderId?: string
    readonly modified?: number
    readonly title?: string
    readonly changes?: readonly ('deadline' | 'closed')[]
  } = {},
): Message {
  const { hitId = randomUUID(), tenderId = randomUUID(), modified = 0, title = 'Straßenbau “A 9” 🛣', changes } = change
  const body = hitBody({
    kind: changes ? 'search.hit.changed' : 'search.hit',
    at: Date.now(),
    hitId,
    edition: 1 + modified,
    search: { id: randomUUID(), name: 'Straßen, Oberbayern', version: 3 },
    fitScore: 78,
    fit: '{"raw":81.9,"parts":[]}',
    matched: '["cpv: 45233141"]',
    ...(changes && { changes: JSON.stringify(changes) }),
    tender: JSON.stringify({
      id: tenderId,
      lastModified: new Date(Date.UTC(2026, 10, 22, 6, 0, modified)).toISOString(),
      status: 'open',
      title,
      submissionDate: '2026-12-01T11:00:00.000Z',
      lots: [],
    }),
  })
  return { id: `msg_${randomBytes(16).toString('hex')}`, body, hitId }
}

/** Posts a message as the service does; returns the status, or the name of the failure. */
export async function post(
  url: string,
  { id, body }: Pick<Message, 'id' | 'body'>,
  secrets: readonly string[],
  change: { readonly at?: number; readonly headers?: { readonly [name: string]: string } } = {},
): Promise<number | string> {
  const timestamp = Math.floor((change.at ?? Date.now()) / 1000)
  const keys = secrets.map((secret) => webhookSecretBytes(secret)!)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...webhookHeaders({ id, timestamp, body }, keys), ...change.headers },
      body,
    })
    await response.text()
    return response.status
  } catch (error) {
    return (error as Error).name
  }
}
