// How fast a page and a record are served: ours over HTTP as a whole service, nginx with the same bytes as files, and
// Fastify on PostgreSQL with the same filters. The three take turns within one run; medians and ratios count.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillBoth } from './fill.ts'
import { type LoadResult, loadGenerator, runLoad } from './load.ts'
import { type Cluster, startCluster } from './postgres-cluster.ts'
import { cpuSecondsOf, findProgram, freePort, runCommand, startProcess, stopProcess } from './processes.ts'

export type SpeedOptions = {
  readonly records: number
  readonly rounds: number
  readonly seconds: number
  readonly onProgress: (text: string) => void
}

type Peer = 'nginx' | 'ours' | 'peer'

/** Medians of one question; a peer is absent when it could not run. */
export type SpeedRow = {
  readonly question: string
  readonly records: number
  readonly requestsPerSecond: { readonly [peer in Peer]?: number }
  readonly p99Ms: { readonly [peer in Peer]?: number }
  /** Of all processes of a side, its database included; steadier than rates on a machine that others use too. */
  readonly cpuMicroseconds: { readonly [peer in Peer]?: number }
}

export type SpeedReport = { readonly rows: readonly SpeedRow[]; readonly notes: readonly string[] }

const root = join(import.meta.dirname, '..')
const connections = 8
const pagesOfFiles = 48
const sixFilters = [
  'cpv=45000000&nuts=DE&published_since=2024-01-01T00:00:00Z&deadline_after=2024-06-01T00:00:00Z&value_min=100000&procedure=open',
  'cpv=71000000,79000000&nuts=DE2,DE7&published_since=2023-01-01T00:00:00Z&deadline_after=2023-06-01T00:00:00Z&value_min=50000&procedure=open,restricted',
  'cpv=33000000&nuts=FR&published_since=2022-06-01T00:00:00Z&deadline_after=2022-09-01T00:00:00Z&value_max=900000&procedure=open',
  'cpv=45210000&nuts=DE,AT,FR&published_since=2025-01-01T00:00:00Z&deadline_after=2025-02-01T00:00:00Z&value_min=10000&procedure=open,neg-w-call',
].map((filters) => `/v1/tenders?${filters}&archived=true&limit=100`)

/** Runs all questions on a stock of this size. Says in `notes` what could not run. */
export async function benchSpeed(options: SpeedOptions): Promise<SpeedReport> {
  const cluster = await startCluster()
  if (!cluster)
    return { rows: [], notes: ['skipped: speed (no PostgreSQL installed, which holds the generated stocks)'] }
  const folder = mkdtempSync(join(tmpdir(), 'tenderstock-bench-'))
  try {
    return await compare(cluster, folder, options)
  } finally {
    await cluster.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function compare(cluster: Cluster, folder: string, options: SpeedOptions): Promise<SpeedReport> {
  const { records, onProgress } = options
  const notes = [`${cluster.version}; load by ${loadGenerator}, ${connections} connections; ${records} records`]
  cluster.psql('postgres', 'create database ours')
  cluster.psql('postgres', 'create database peer')
  const environment = { ...process.env, DATABASE_URL: cluster.url('ours') }
  const data = join(folder, 'data')
  runCommand(process.execPath, ['src/bin/tenderstock.ts', 'status', '--data', data, '--json'], {
    cwd: root,
    env: environment,
  })
  await fillBoth({ cluster, ours: 'ours', peer: 'peer', records, onProgress })
  const ours = await startOurs(data, environment, onProgress)
  const peer = await startPeer(cluster, ours.token)
  const peerPort = peer.port
  const collected = await collect(ours.port, ours.token, peerPort)
  await assertSameAnswers(ours, peerPort, collected)
  const nginx = await startNginx(folder, collected)
  const oursSide: Server = { port: ours.port, pids: [ours.pid] }
  if (!nginx) notes.push('skipped: nginx (not installed)')
  const authorization = { Authorization: `Bearer ${ours.token}` }
  const gzip = { ...authorization, 'Accept-Encoding': 'gzip' }
  const identity = { ...authorization, 'Accept-Encoding': 'identity' }
  const files = (name: string): Side | undefined =>
    nginx === undefined ? undefined : { ...nginx, paths: collected.pages.map((_, index) => `/${name}/${index}`) }
  const questions: readonly [
    string,
    { readonly [name: string]: string },
    { readonly [peer in Peer]?: Side | undefined },
  ][] = [
    [
      'page of 100, gzip',
      gzip,
      {
        nginx: files('page'),
        ours: { ...oursSide, paths: collected.pages },
        peer: { ...peer, paths: collected.peerPages },
      },
    ],
    [
      'page of 100, identity',
      identity,
      {
        nginx: files('page'),
        ours: { ...oursSide, paths: collected.pages },
        peer: { ...peer, paths: collected.peerPages },
      },
    ],
    [
      'record by id, gzip',
      gzip,
      {
        nginx:
          nginx === undefined
            ? undefined
            : { ...nginx, paths: collected.records.map((_, index) => `/record/${index}`) },
        ours: { ...oursSide, paths: collected.records },
        peer: { ...peer, paths: collected.records },
      },
    ],
    [
      'page of 100 by six filters, gzip',
      gzip,
      { ours: { ...oursSide, paths: sixFilters }, peer: { ...peer, paths: sixFilters } },
    ],
  ]
  const rows: SpeedRow[] = []
  for (const [question, headers, sides] of questions) {
    rows.push({ question, records, ...(await takeTurns(question, headers, sides, options)) })
  }
  await ours.stop()
  return { rows, notes }
}

type Server = { readonly port: number; readonly pids: readonly number[] }
type Side = Server & { readonly paths: readonly string[] }
type Collected = {
  readonly pages: readonly string[]
  readonly peerPages: readonly string[]
  readonly records: readonly string[]
  readonly bodies: { readonly page: readonly Bodies[]; readonly record: readonly Bodies[] }
}
type Bodies = { readonly plain: Uint8Array; readonly gzip: Uint8Array }

/** A side that answers nothing in this time is not measured. */
const longestRoundSeconds = 60

async function takeTurns(
  question: string,
  headers: { readonly [name: string]: string },
  sides: { readonly [peer in Peer]?: Side | undefined },
  { rounds, seconds, onProgress }: SpeedOptions,
): Promise<Pick<SpeedRow, 'requestsPerSecond' | 'p99Ms' | 'cpuMicroseconds'>> {
  const results = new Map<Peer, (LoadResult & { readonly cpuMicroseconds: number })[]>()
  const peers = (['nginx', 'ours', 'peer'] as const).filter((peer) => sides[peer])
  for (const peer of peers) await runLoad({ ...sides[peer]!, headers, seconds: 1, connections })
  for (let round = 0; round < rounds; round++) {
    for (const peer of peers) {
      const side = sides[peer]!
      const cpu = (): number => side.pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0)
      // An answer that takes longer than the round is waited for in a longer one.
      let load: LoadResult
      let lasted = seconds
      let before: number
      do {
        before = cpu()
        load = await runLoad({ ...side, headers, seconds: lasted, connections })
        lasted = load.requestsPerSecond > 0 ? lasted : lasted * 4
      } while (load.requestsPerSecond === 0 && lasted <= longestRoundSeconds)
      if (load.requestsPerSecond === 0)
        throw new Error(`${question}: ${peer} answered nothing in ${longestRoundSeconds} s`)
      const result = { ...load, cpuMicroseconds: ((cpu() - before) * 1e6) / (load.requestsPerSecond * lasted) }
      if (result.errors > 0) throw new Error(`${question}: ${result.errors} errors from ${peer}`)
      results.set(peer, [...(results.get(peer) ?? []), result])
    }
    onProgress(`${question}: round ${round + 1} of ${rounds}`)
  }
  const medians = (member: 'requestsPerSecond' | 'p99Ms' | 'cpuMicroseconds') =>
    Object.fromEntries(peers.map((peer) => [peer, median(results.get(peer)!.map((result) => result[member]))]))
  return {
    requestsPerSecond: medians('requestsPerSecond'),
    p99Ms: medians('p99Ms'),
    cpuMicroseconds: medians('cpuMicroseconds'),
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

async function startOurs(data: string, env: NodeJS.ProcessEnv, onProgress: (text: string) => void) {
  const port = await freePort()
  const startedMs = performance.now()
  const errors: string[] = []
  const { token, child } = await new Promise<{ token: string; child: ReturnType<typeof startProcess> }>(
    (resolve, reject) => {
      const started = startProcess(
        process.execPath,
        [
          'src/bin/tenderstock.ts',
          'start',
          '--no-samples',
          '--data',
          data,
          '--api-port',
          String(port),
          '--requests-per-minute',
          '100000000',
          '--json',
        ],
        {
          cwd: root,
          env,
          onLine: (line) => {
            errors.push(line)
            if (!line.includes('"ready"')) return
            resolve({ token: (JSON.parse(line) as { token: string }).token, child: started })
          },
        },
      )
      started.once('exit', (code) =>
        reject(new Error(`our service ended with ${code}: ${errors.slice(-5).join('\n')}`)),
      )
    },
  )
  onProgress(
    `our service is ready after ${Math.round(performance.now() - startedMs) / 1000} s (edition log built from PostgreSQL)`,
  )
  return { port, pid: child.pid!, token, stop: () => stopProcess(child) }
}

async function startPeer(cluster: Cluster, token: string): Promise<Server> {
  const port = await freePort()
  const pid = await new Promise<number>((resolve, reject) => {
    const child = startProcess(process.execPath, ['bench/peers/fastify-postgres.ts', String(port), token], {
      cwd: root,
      env: { ...process.env, DATABASE_URL: cluster.url('peer') },
      onLine: (line) => (line.includes('"ready"') ? resolve(child.pid!) : undefined),
    })
    child.once('exit', (code) => reject(new Error(`the peer ended with ${code}`)))
  })
  return { port, pids: [pid, cluster.pid] }
}

async function startNginx(folder: string, { bodies }: Collected): Promise<Server | undefined> {
  const program = findProgram('nginx')
  if (!program) return undefined
  for (const kind of ['page', 'record'] as const) {
    mkdirSync(join(folder, 'files', kind), { recursive: true })
    bodies[kind].forEach(({ plain, gzip }, index) => {
      writeFileSync(join(folder, 'files', kind, String(index)), plain)
      writeFileSync(join(folder, 'files', kind, `${index}.gz`), gzip)
    })
  }
  const port = await freePort()
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${user} daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
events { worker_connections 256; }
http { access_log off; sendfile on; tcp_nopush on; default_type application/json; keepalive_requests 100000000;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  open_file_cache max=1000;
  server { listen 127.0.0.1:${port}; root ${folder}/files; gzip_static on; } }
`,
  )
  const child = startProcess(program, ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'nginx.log')])
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(`http://127.0.0.1:${port}/page/0`).catch(() => undefined)
    if (answer?.ok) return { port, pids: [child.pid!] }
    if (attempt > 100) throw new Error('nginx did not start')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function getJson(
  port: number,
  path: string,
  token: string,
): Promise<{ data: { id: string }[]; nextCursor: string | null }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${token}` } })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as { data: { id: string }[]; nextCursor: string | null }
}

/** Pages by following cursors from several places of the stock, and records on them. */
async function collect(port: number, token: string, peerPort: number): Promise<Collected> {
  const walk = async (walkedPort: number): Promise<{ paths: string[]; ids: string[] }> => {
    const paths: string[] = []
    const ids: string[] = []
    let path = '/v1/tenders?archived=true&limit=100'
    while (paths.length < pagesOfFiles) {
      paths.push(path)
      const { data, nextCursor } = await getJson(walkedPort, path, token)
      ids.push(...data.map(({ id }) => id))
      if (nextCursor === null) break
      path = `/v1/tenders?archived=true&limit=100&cursor=${encodeURIComponent(nextCursor)}`
    }
    return { paths, ids }
  }
  const [ours, peer] = [await walk(port), await walk(peerPort)]
  const records = ours.ids
    .filter((_, index) => index % 9 === 0)
    .slice(0, 500)
    .map((id) => `/v1/tenders/${id}`)
  return {
    pages: ours.paths,
    peerPages: peer.paths,
    records,
    bodies: {
      page: await Promise.all(ours.paths.map((path) => bodiesOf(port, path, token))),
      record: await Promise.all(records.map((path) => bodiesOf(port, path, token))),
    },
  }
}

async function bodiesOf(port: number, path: string, token: string): Promise<Bodies> {
  const { request } = await import('undici')
  const get = async (encoding: string): Promise<Uint8Array> => {
    const { body } = await request(`http://127.0.0.1:${port}${path}`, {
      headers: { authorization: `Bearer ${token}`, 'accept-encoding': encoding },
    })
    return new Uint8Array(await body.arrayBuffer())
  }
  return { plain: await get('identity'), gzip: await get('gzip') }
}

/** A benchmark of two programs that answer differently measures nothing. */
async function assertSameAnswers(
  ours: { port: number; token: string },
  peerPort: number,
  { pages, peerPages, records }: Collected,
): Promise<void> {
  const pairs: [string, string][] = [
    ...sixFilters.map((path): [string, string] => [path, path]),
    [pages[0]!, peerPages[0]!],
    [pages.at(-1)!, peerPages.at(-1)!],
    [records[0]!, records[0]!],
  ]
  for (const [path, peerPath] of pairs) {
    const [mine, theirs] = [await getJson(ours.port, path, ours.token), await getJson(peerPort, peerPath, ours.token)]
    if (JSON.stringify(mine.data) !== JSON.stringify(theirs.data))
      throw new Error(`ours and the peer answer differently: ${path}`)
    if (path.includes('cpv') && mine.data.length === 0) throw new Error(`a benchmark question without a match: ${path}`)
  }
}
