// The sides as running servers: ours, nginx, and the peers, each in a separate process.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { outside } from '../own-network.ts'
import { cpuSecondsOf, findProgram, freePort, runCommand, startProcess, stopProcess } from '../processes.ts'
import type { Stock } from './stock.ts'

export type Server = {
  readonly side: string
  readonly port: number
  /** CPU seconds of all processes of the side, including its database. */
  readonly cpuSeconds: () => number
  readonly stop: () => Promise<void>
}

export type Ours = Server & {
  readonly pid: number
  /** Milliseconds from spawning to the ready event. */
  readonly startMs: number
  readonly startCpuSeconds: number
}

const root = join(import.meta.dirname, '../..')
const peerFolder = join(root, 'bench/peers')

/** Whether the service of this checkout has an option for the number of readers. */
export const canSetReaders = (service: string): boolean => hasOption(service, '--readers')

const hasOption = (service: string, name: string): boolean =>
  runCommand(process.execPath, ['src/bin/tenderstock.ts', 'serve', '--help'], { cwd: service }).includes(name)

/** Starts our API process (`tenderstock serve`): everything enabled, no stage in it. */
export async function startOurs(
  { data, environment }: Pick<Stock, 'data' | 'environment'>,
  service: string,
  {
    readers = 1,
    cores,
    onLine,
    nodeArguments = [],
    serviceArguments = [],
  }: {
    readonly readers?: number
    readonly cores?: string
    readonly onLine?: (line: string) => void
    readonly nodeArguments?: readonly string[]
    readonly serviceArguments?: readonly string[]
  } = {},
): Promise<Ours> {
  const port = await freePort()
  const args = [
    ...nodeArguments,
    'src/bin/tenderstock.ts',
    'serve',
    '--data',
    data,
    '--api-port',
    String(port),
    '--json',
    ...serviceArguments,
  ]
  if (hasOption(service, '--drain-seconds')) args.push('--drain-seconds', '0')
  if (canSetReaders(service)) args.push('--readers', String(readers))
  else if (readers > 1) throw new Error('this service has no --readers')
  const [program, programArgs] =
    cores === undefined ? [process.execPath, args] : ['taskset', ['-c', cores, process.execPath, ...args]]
  const last: string[] = []
  const startedMs = performance.now()
  const { child, readyMs } = await new Promise<{ child: ReturnType<typeof startProcess>; readyMs: number }>(
    (resolve, reject) => {
      const started = startProcess(program, programArgs, {
        cwd: service,
        env: environment,
        onLine: (line) => {
          last.push(line)
          if (last.length > 20) last.shift()
          onLine?.(line)
          if (line.includes('"ready"')) resolve({ child: started, readyMs: performance.now() })
        },
      })
      started.once('exit', (code) => reject(new Error(`our service ended with ${code}: ${last.join('\n')}`)))
    },
  )
  const pid = child.pid!
  return {
    side: 'ours',
    port,
    pid,
    startMs: readyMs - startedMs,
    startCpuSeconds: cpuSecondsOf(pid),
    cpuSeconds: () => cpuSecondsOf(pid),
    stop: () => stopProcess(child),
  }
}

/**
 * Serves the files below `folder` with one worker, `.gz` beside a file for clients that accept it; undefined without
 * nginx.
 */
export async function startNginx(
  folder: string,
  { cores }: { readonly cores?: string } = {},
): Promise<Server | undefined> {
  const program = findProgram('nginx')
  if (!program) return undefined
  const port = await freePort()
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const own = join(folder, `nginx-${port}`)
  mkdirSync(own)
  writeFileSync(join(own, 'ping'), 'ok')
  writeFileSync(
    join(own, 'nginx.conf'),
    `${user} daemon off; worker_processes 1; pid ${own}/nginx.pid; error_log ${own}/nginx.log;
events { worker_connections 2048; }
http { access_log off; sendfile on; tcp_nopush on; default_type application/json; keepalive_requests 100000000;
  client_body_temp_path ${own}/body; proxy_temp_path ${own}/proxy; fastcgi_temp_path ${own}/fastcgi; uwsgi_temp_path ${own}/uwsgi; scgi_temp_path ${own}/scgi;
  open_file_cache max=10000;
  server { listen 127.0.0.1:${port}; root ${folder}; gzip_static on; } }
`,
  )
  const args = ['-c', join(own, 'nginx.conf'), '-e', join(own, 'nginx.log')]
  const child =
    cores === undefined ? startProcess(program, args) : startProcess('taskset', ['-c', cores, program, ...args])
  await answering(port, `/nginx-${port}/ping`)
  return { side: 'nginx', port, cpuSeconds: () => cpuSecondsOf(child.pid!), stop: () => stopProcess(child) }
}

/** A plain Fastify route that answers with the buffers of the files in `folder`. */
export async function startFastifyPlain(folder: string): Promise<Server> {
  const port = await freePort()
  const child = await startPeer(['bench/peers/fastify-plain.ts', String(port), folder], root)
  return { side: 'plain Fastify', port, cpuSeconds: () => cpuSecondsOf(child.pid!), stop: () => stopProcess(child) }
}

/** A socket of Node that answers with the pages in the folders below `folder`. */
export async function startBareSocket(folder: string): Promise<Server> {
  const port = await freePort()
  const child = await startPeer(['bench/peers/bare-socket.ts', String(port), folder], root)
  return { side: 'bare Node socket', port, cpuSeconds: () => cpuSecondsOf(child.pid!), stop: () => stopProcess(child) }
}

/** SQLite with stored gzip behind node:http; `file` is filled. */
export async function startSqliteStored(file: string, token: string): Promise<Server> {
  const port = await freePort()
  const child = await startPeer(['bench/peers/sqlite-stored.ts', String(port), token, file], root)
  return {
    side: 'SQLite with stored gzip',
    port,
    cpuSeconds: () => cpuSecondsOf(child.pid!),
    stop: () => stopProcess(child),
  }
}

export async function startFastifyPostgres({ cluster, peerDatabase }: Stock, token: string): Promise<Server> {
  const port = await freePort()
  const child = await startPeer(['bench/peers/fastify-postgres.ts', String(port), token], root, {
    DATABASE_URL: cluster.url(peerDatabase!),
  })
  return {
    side: 'Fastify + PostgreSQL',
    port,
    cpuSeconds: () => cpuSecondsOf(child.pid!) + cpuSecondsOf(cluster.pid),
    stop: () => stopProcess(child),
  }
}

/**
 * PostGraphile from the registry, installed beside the scratch folder of the run. Undefined, with the reason reported,
 * without it.
 */
export async function startPostgraphile(
  { cluster, peerDatabase, scratch }: Stock,
  onProgress: (text: string) => void,
  onMissing: (reason: string) => void,
): Promise<Server | undefined> {
  const folder = join(scratch, 'postgraphile')
  cpSync(join(peerFolder, 'postgraphile'), folder, { recursive: true })
  if (!existsSync(join(folder, 'node_modules'))) {
    onProgress('installing PostGraphile from the registry')
    try {
      const install = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
      runCommand(...outside('npm', install), { cwd: folder })
    } catch (error) {
      onMissing(`it cannot be installed: ${String(error).slice(0, 300)}`)
      return undefined
    }
  }
  cluster.psql(peerDatabase!, readFileSync(join(folder, 'six-filters.sql'), 'utf8'))
  const port = await freePort()
  const child = await startPeer(['server.mjs', String(port)], folder, {
    DATABASE_URL: cluster.url(peerDatabase!),
    NODE_ENV: 'production',
    GRAPHILE_ENV: 'production',
  })
  return {
    side: 'PostGraphile',
    port,
    cpuSeconds: () => cpuSecondsOf(child.pid!) + cpuSecondsOf(cluster.pid),
    stop: () => stopProcess(child),
  }
}

function startPeer(
  args: readonly string[],
  cwd: string,
  environment: { readonly [name: string]: string } = {},
): Promise<ReturnType<typeof startProcess>> {
  const last: string[] = []
  return new Promise((resolve, reject) => {
    const child = startProcess(process.execPath, args, {
      cwd,
      env: { ...process.env, ...environment },
      onLine: (line) => {
        last.push(line)
        if (last.length > 20) last.shift()
        if (line.includes('"ready"')) resolve(child)
      },
    })
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code}: ${last.join('\n')}`)))
  })
}

async function answering(port: number, path: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
    if (answer?.ok) return
    if (attempt > 100) throw new Error(`nothing answers on port ${port}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
