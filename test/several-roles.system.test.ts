// The parts of the service as processes of their own on one PostgreSQL, black-box: together they do what one does, and
// what fails in one shows on the others.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openEmptyDatabase, testDatabaseUrl } from './world.ts'

const program = new URL('../src/bin/tenderstock.ts', import.meta.url).pathname
const waiting = { timeout: 60_000, interval: 250 }

type Event = { readonly event: string; readonly [member: string]: unknown }

describe.skipIf(!testDatabaseUrl)('processes with roles', () => {
  const children: ChildProcess[] = []
  const eventsOf = new Map<string, Event[]>()
  let folder: string
  let database: Awaited<ReturnType<typeof openEmptyDatabase>>
  let api: string
  let token: string

  const run = (args: readonly string[], name: string) =>
    spawn(process.execPath, [program, ...args, '--data', join(folder, name), '--json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        DATABASE_URL: database.url,
        TENDERSTOCK_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      },
    })

  /** Starts a process and returns its ready event. */
  async function launch(roles: string): Promise<Event> {
    const name = roles.replaceAll(' ', '-')
    const child = run(['start', '--role', ...roles.split(' '), '--api-port', '0', '--drain-seconds', '0'], name)
    children.push(child)
    const events: Event[] = []
    eventsOf.set(name, events)
    createInterface({ input: child.stdout! }).on('line', (line) => events.push(JSON.parse(line) as Event))
    return vi.waitFor(() => events.find(({ event }) => event === 'ready') ?? Promise.reject(new Error(name)), waiting)
  }

  async function command(...args: string[]): Promise<Event[]> {
    const child = run(args, 'ingest')
    const lines: string[] = []
    for await (const line of createInterface({ input: child.stdout! })) lines.push(line)
    return lines.map((line) => JSON.parse(line) as Event)
  }

  const ask = async (path: string) => {
    const response = await fetch(api + path, { headers: { authorization: `Bearer ${token}` } })
    return (await response.json()) as { readonly [member: string]: unknown }
  }
  const query = async (text: string) => {
    const client = new pg.Client(database.url)
    await client.connect()
    try {
      return (await client.query(text)).rows as { readonly [column: string]: unknown }[]
    } finally {
      await client.end()
    }
  }
  const printed = (name: string, event: string) => (eventsOf.get(name) ?? []).filter((each) => each.event === event)

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tenderstock-roles-'))
    database = await openEmptyDatabase()
  })

  afterAll(async () => {
    for (const child of children) child.kill('SIGTERM')
    await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'close')))
    await database?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  test('read, consolidate, publish, answer and match together, each only its own part', async () => {
    const ready = await launch('serve')
    expect(ready).toMatchObject({ roles: ['serve'], edition: 0, api: expect.stringContaining('http://') })
    expect(ready).not.toHaveProperty('console')
    api = String(ready['api'])
    const reading = await launch('ingest')
    expect(reading).not.toHaveProperty('api')
    token = (await readFile(String(reading['tokenFile']), 'utf8')).trim()
    const created = ['search', 'create', '--organization', 'Trial', '--name', 'All', '--cpv', '45', '--threshold', '1']
    expect(await command(...created)).toContainEqual(expect.objectContaining({ event: 'search', state: 'active' }))
    await launch('publish')
    await launch('hits deliver')
    // everything was read before anything is consolidated: the first edition waits for all of it
    await vi.waitFor(() => expect(printed('ingest', 'ingested')).toHaveLength(8), waiting)
    expect(await ask('/readyz')).toMatchObject({ reason: 'empty' })
    await launch('consolidate')
    await vi.waitFor(async () => expect(await ask('/readyz')).toMatchObject({ status: 'ready', edition: 1 }), waiting)
    const [counted] = await query('select count(*)::integer as tenders from tender')
    // a node may show the edition before the line of its publisher arrives here
    await vi.waitFor(
      () => expect(printed('publish', 'published')).toMatchObject([{ edition: 1, records: counted!['tenders'] }]),
      waiting,
    )
    expect((await ask('/v1/tenders?limit=1'))['data']).toHaveLength(1)
    await vi.waitFor(() => expect(printed('hits-deliver', 'matched')).toHaveLength(1), waiting)
    const hits = await query('select count(*)::integer as hits from hit')
    expect(hits[0]!['hits']).toBeGreaterThan(0)
    const parts = ['ingested', 'consolidated', 'published', 'matched']
    const done = [...eventsOf].map(([name]) => [name, parts.filter((event) => printed(name, event).length > 0)])
    expect(Object.fromEntries(done)).toEqual({
      serve: [],
      ingest: ['ingested'],
      publish: ['published'],
      'hits-deliver': ['matched'],
      consolidate: ['consolidated'],
    })
  })

  test('show on every one what fails in one', async () => {
    await query('alter table notice rename to away')
    await vi.waitFor(async () => expect(await ask('/readyz')).toMatchObject({ isFailing: true }), waiting)
    await query('alter table away rename to notice')
    await vi.waitFor(async () => expect(await ask('/readyz')).toMatchObject({ isFailing: false }), waiting)
  })

  test('repeat a rebuild whose process died', async () => {
    await query(`insert into setting (name, value) values ('rebuild', '{"owner": "gone", "until": 0}')`)
    await vi.waitFor(() => expect(printed('consolidate', 'rebuilt')).toMatchObject([{ isSame: true }]), waiting)
    expect(await query(`select * from setting where name = 'rebuild'`)).toEqual([])
  })
})
