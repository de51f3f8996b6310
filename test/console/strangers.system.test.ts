// What strangers explore: one edition of made-up notices in a separate log, and nothing of the live stock, whatever is
// killed. `PROOF=full` also damages the files of the log.
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { openEntries } from '#flat/files/own-files'
import type { ExplorerStock } from '../../src/console/frame/console-context.ts'
import { keyHashOf } from '../../src/console/frame/directory.ts'
import { openEditionLog } from '../../src/edition/write/edition-log.ts'
import { openLog } from '../../src/platform/log.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { FrozenSamples } from '../../src/service/samples/frozen-samples.ts'
import { sampleDocuments } from '../../src/simulator/samples/sample-documents.ts'
import { inTransaction, openStore } from '../../src/store/database/database.ts'
import { createOrganization } from '../../src/store/people/organizations.ts'
import { addMember, createPerson } from '../../src/store/people/people.ts'
import { startSession } from '../../src/store/people/sessions.ts'
import { collected } from '../testing/collected.ts'
import { openConsoleWorld } from './console-world.ts'

const program = new URL('../../src/bin/tenderstock.ts', import.meta.url).pathname
const { DATABASE_URL: _database, REDIS_URL: _redis, ...environment } = process.env

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-strangers-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** A stock of other made-up notices than the samples, with somebody who is signed in. */
async function liveStock() {
  const [data, notices] = [await newFolder(), await newFolder()]
  const now = Date.now()
  const epoch = Math.floor(now / 3_600_000) * 3_600_000
  for (const { path, write } of sampleDocuments(epoch, 'ted', now, 'not the samples').slice(-40))
    await writeFile(join(notices, path.replaceAll('/', '_')), write())
  const store = await openStore({ dataFolder: data })
  const { organization } = await createOrganization(
    store.db,
    { name: 'Acme', hasApiAccess: true, requestsPerMinute: 500 },
    { now, random: systemRandom },
  )
  const cookie = systemRandom.bytes(32).toString('base64url')
  await inTransaction(store, async (trx) => {
    const how = { personId: systemRandom.uuid(), mail: 'ida@example.org', name: '', isOperator: false }
    const { personId } = await createPerson(trx, how, now)
    await addMember(trx, { organizationId: organization.organizationId, personId, role: 'owner' }, now)
    const session = { sessionId: keyHashOf(cookie), personId, createdAt: now, seenAt: now, signedInAt: now }
    await startSession(trx, { ...session, agent: 'test', addressPrefix: '127.0.0.0/24' }, undefined)
  })
  await store.close()
  return { data, notices, cookie }
}

async function launch({ data, notices }: { readonly data: string; readonly notices: string }) {
  const args = ['start', '--data', data, '--api-port', '0', '--no-samples', '--ingest', notices, '--json']
  const child: ChildProcess = spawn(process.execPath, [program, ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let last = ''
  for await (const line of createInterface({ input: child.stdout! })) {
    last = line
    const event = JSON.parse(line) as { readonly event: string; readonly console: string; readonly api: string }
    if (event.event !== 'ready') continue
    child.stdout!.resume()
    const end = async (signal: NodeJS.Signals) => {
      child.kill(signal)
      await once(child, 'exit')
    }
    const explore = async (query: string, cookie?: string) => {
      const headers = cookie === undefined ? {} : { cookie: `session=${cookie}` }
      return (await fetch(`${event.console}/explorer?${query}`, { headers })).text()
    }
    return { ...event, end, explore }
  }
  throw new Error(`the service ended before it was ready: ${last}`)
}

test('Ctrl+C while the samples are made ends everything without an error', { timeout: 300_000 }, async () => {
  const stock = await liveStock()
  // it drains for a moment, so that the process that makes them hears of the end before the service ends it
  const draining = ['--drain-seconds', '2']
  const args = ['start', '--data', stock.data, '--api-port', '0', '--no-samples', '--ingest', stock.notices, '--json']
  // a group of its own, as a shell gives it to what is typed
  const child = spawn(process.execPath, [program, ...args, ...draining], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let complaints = ''
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk))
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line) as { readonly event: string; readonly console: string }
    if (event.event !== 'ready') continue
    expect(await (await fetch(`${event.console}/explorer?ask=1`)).text()).toContain('Sample data is being created')
    break
  }
  child.stdout.resume()
  const making = join(stock.data, 'frozen-samples.making')
  await expect.poll(() => existsSync(join(making, 'database')), { timeout: 240_000 }).toBe(true)
  const makers = () => execFileSync('pgrep', ['-c', '-f', making], { encoding: 'utf8' }).trim()
  expect(makers()).toBe('1')
  process.kill(-child.pid!, 'SIGINT')
  expect(await once(child, 'close')).toEqual([0, null])
  expect(complaints).toBe('')
  await expect.poll(() => spawnSync('pgrep', ['-f', making]).status).toBe(1)
})

const entities: { readonly [entity: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const answerOf = (page: string) =>
  JSON.parse(
    /<code id="answer">([\s\S]*?)<\/code>/
      .exec(page)![1]!
      .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name]!),
  ) as { readonly data: readonly { readonly id: string }[]; readonly id?: string }
const statusOf = (page: string) => Number(/<span class="st (?:good|bad)">(\d+)<\/span>/.exec(page)?.[1])

/** Ids of all records that the pages of the explorer lead through, and what each page counted. */
async function exploreAll(explore: (query: string) => Promise<string>) {
  const ids: string[] = []
  const counts = new Set<number>()
  for (let query: string | undefined = 'archived=true&limit=40&ask=1'; query !== undefined; ) {
    const page: string = await explore(query)
    ids.push(...answerOf(page).data.map(({ id }) => id))
    counts.add(Number(/(\d+) records? match/.exec(page)?.[1]))
    query = /class="btn tiny" href="\/explorer\?([^"]*cursor=[^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&')
  }
  return { ids: ids.sort(), counts: [...counts] }
}

/** Ids of all records in an edition log that no process has open. */
async function idsIn(folder: string): Promise<string[]> {
  const log = await openEditionLog(folder, { clock: Date.now })
  const query = { filter: { archived: true }, edition: log.newest!.edition, limit: 10_000 }
  const ids = log.list(query).positions.map((position) => log.meta(position).id)
  await log.close()
  return ids.sort()
}

/** SHA-256 of all files below a folder, names and bytes. */
async function bytesOf(folder: string): Promise<string> {
  const sum = createHash('sha256')
  for (const name of (await readdir(folder, { recursive: true })).sort())
    if (statSync(join(folder, name)).isFile()) sum.update(name).update(readFileSync(join(folder, name)))
  return sum.digest('hex')
}

test('anonymous visitors see frozen samples and signed-in people the live stock, through kills and restarts', {
  timeout: 1_800_000,
}, async () => {
  const stock = await liveStock()
  const frozen = join(stock.data, 'frozen-samples')

  // killed while it makes them
  const killed = await launch(stock)
  expect(await killed.explore('cpv=45000000&ask=1')).toContain('Sample data is being created')
  await expect.poll(() => existsSync(`${frozen}.making/database`), { timeout: 300_000 }).toBe(true)
  await killed.end('SIGKILL')
  expect(existsSync(frozen)).toBe(false)
  const openToOthers = () => collected(openEntries(stock.data, { entersClosed: true }))
  expect(await openToOthers()).toEqual([])

  const first = await launch(stock)
  await promisify(execFile)(process.execPath, [program, 'token', 'create', 'Acme', '--data', stock.data], {
    env: environment,
  })
  const asPerson = (query: string) => first.explore(query, stock.cookie)
  const asStranger = (query: string) => first.explore(query)
  await expect.poll(() => asStranger(''), { timeout: 900_000, interval: 1000 }).toContain('Sample data, frozen.')
  expect(existsSync(`${frozen}.making`)).toBe(false)
  expect(await openToOthers()).toEqual([])
  const live = await exploreAll(asPerson)
  const samples = await exploreAll(asStranger)
  expect(live.ids.length).toBeGreaterThan(10)
  expect(samples.ids.length).toBeGreaterThan(200)
  expect(live.counts).toEqual([live.ids.length])
  expect(samples.counts).toEqual([samples.ids.length])
  expect(await asPerson('')).toContain('This queries the live API for Acme')
  // two made-up worlds give some of their notices the same numbers
  const onlyIn = (these: readonly string[], those: readonly string[]) => these.find((id) => !those.includes(id))!
  for (const [explore, own, other] of [
    [asStranger, onlyIn(samples.ids, live.ids), onlyIn(live.ids, samples.ids)],
    [asPerson, onlyIn(live.ids, samples.ids), onlyIn(samples.ids, live.ids)],
  ] as const) {
    expect(answerOf(await explore(`id=${own}&ask=1`)).id).toBe(own)
    expect(statusOf(await explore(`id=${other}&ask=1`))).toBe(404)
  }
  // refused in the same way as by the API
  expect(statusOf(await asStranger('cpv=45&ask=1'))).toBe(400)
  await first.end('SIGTERM')
  expect(samples.ids).toEqual(await idsIn(frozen))
  expect(live.ids).toEqual(await idsIn(join(stock.data, 'editions')))

  const bytes = await bytesOf(frozen)
  const again = await launch(stock)
  await expect.poll(() => again.explore(''), { timeout: 60_000 }).toContain('Sample data, frozen.')
  expect((await exploreAll(again.explore)).ids).toEqual(samples.ids)
  await again.end('SIGTERM')
  expect(await bytesOf(frozen)).toBe(bytes)

  // the same made-up world, made again
  if (process.env['PROOF'] !== 'full') return
  for (const name of await readdir(frozen, { recursive: true }))
    if (statSync(join(frozen, name)).isFile()) truncateSync(join(frozen, name), 10)
  const torn = await launch(stock)
  await expect.poll(() => torn.explore(''), { timeout: 900_000, interval: 1000 }).toContain('Sample data, frozen.')
  expect((await exploreAll(torn.explore)).ids).toEqual(samples.ids)
  await torn.end('SIGTERM')
})

test('the page says when samples cannot be made, and everything else works', { timeout: 300_000 }, async () => {
  const folder = await newFolder()
  // an existing folder is not a log
  await mkdir(join(folder, 'frozen-samples'))
  await writeFile(join(folder, 'frozen-samples/lock.db'), 'no database at all')
  const samples = new FrozenSamples({
    dataFolder: folder,
    // a time from which nothing can be made
    epoch: async () => Number.NaN,
    cursorKeys: async () => [],
    clock: Date.now,
    random: systemRandom,
    version: '0.0.0-test',
    docsUrl: '',
    log: openLog('silent'),
    pauseMs: 0,
  })
  onTestFinished(() => samples.close())
  expect(samples.stock).toBe('making')
  await expect.poll(() => samples.stock, { timeout: 300_000 }).toBe('failed')
  expect(await readdir(folder)).toEqual(['frozen-samples'])
})

test('a network may request samples at most 120 times a minute, and never the live stock', async () => {
  const asked: string[] = []
  let stock: ExplorerStock | 'making' | 'failed' = 'failed'
  await using world = await openConsoleWorld('embedded', { samples: () => stock })
  expect(await (await world.get('/explorer?ask=1')).text()).toContain('Sample data could not be created')
  stock = 'making'
  expect(await (await world.get('/explorer?ask=1')).text()).toContain('Sample data is being created')
  stock = {
    editions: {
      newest: { edition: 1, lastModified: 0, publishedAt: Date.UTC(2026, 10, 20), records: 7, changes: 7 },
      list: () => ({ positions: [1, 2, 3, 4, 5, 6, 7], next: null }),
    } as unknown as ExplorerStock['editions'],
    isFrozen: true,
    ask: async (path) => {
      asked.push(path)
      return { status: 200, headers: {}, body: '{"data":[],"nextCursor":null}' }
    },
  }
  const page = await (await world.get('/explorer?ask=1')).text()
  expect(page).toContain('7 made-up tenders as of 20 Nov 2026')
  expect(page).toContain('7 records match.')
  for (let turn = 1; turn < 120; turn++)
    expect((await world.get(`/explorer?limit=${(turn % 100) + 1}&ask=1`)).status).toBe(200)
  expect((await world.get('/explorer?ask=1')).status).toBe(429)
  // the form alone sends no request
  expect((await world.get('/explorer')).status).toBe(200)
  expect(asked.length).toBe(120)
  world.wait(60_001)
  expect((await world.get('/explorer?ask=1')).status).toBe(200)
  expect(world.faults).toEqual([])
})
