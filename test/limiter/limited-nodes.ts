// Processes that serve the API with one shared limit: a PostgreSQL, a separate Redis behind a proxy, and callers that
// remember every request.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { systemRandom } from '../../src/platform/random.ts'
import { openStore } from '../../src/store/database/database.ts'
import { createOrganization, createToken } from '../../src/store/people/organizations.ts'
import { freePort } from '../free-port.ts'
import { type PlantedEdit, plantingHook } from '../planted-edit.ts'
import { endOf, programOf } from '../proxies/proxy-process.ts'
import { openEmptyDatabase, testDatabaseUrl } from '../world.ts'
import type { Request } from './held-limit.ts'
import { startSwallowingProxy } from './swallowing-proxy.ts'

const program = join(import.meta.dirname, '../../src/bin/tenderstock.ts')
const redisProgram = programOf('redis-server') ?? programOf('valkey-server')
/** Longer than any stall or fault that a test makes: an answer that takes longer will not arrive. */
const longestAskMs = 30_000
/** A sign of life every three seconds: after it all processes have counted each other. */
const countedMs = 4000

/** Whether this machine has what the nodes need; says so once if not. */
export const hasLimitedNodes = testDatabaseUrl !== undefined && redisProgram !== undefined
if (redisProgram === undefined)
  console.log('skipped: the shared limit under faults (no redis-server, no valkey-server)')

/** An organization and every request that it ever sent: the findings of a test depend on the minute before it. */
export type Caller = {
  readonly history: Request[]
  /**
   * Sends one request to a node; rejects if no answer arrives. The request is counted, and refused for its parameter:
   * no edition is needed.
   */
  readonly ask: (node: number) => Promise<Request>
  /** Sends this many at once. */
  readonly burst: (node: number, count: number) => Promise<readonly Request[]>
  /** Sends requests to all nodes without a pause while `run` runs. */
  readonly underLoad: (run: () => Promise<void>) => Promise<void>
}

export type LimitedNodes = AsyncDisposable & {
  readonly processes: readonly ChildProcess[]
  readonly proxy: Awaited<ReturnType<typeof startSwallowingProxy>>
  readonly redis: {
    readonly start: () => Promise<void>
    readonly signal: (signal: NodeJS.Signals) => void
  }
  /** An organization that no node has seen before. */
  readonly open: () => Promise<Caller>
  /** What the nodes wrote, one line each. */
  readonly said: readonly string[]
}

/** `limit` is each organization's requests in a minute; with `edit` every node runs with that mistake. */
export async function startLimitedNodes(options: {
  readonly count: number
  readonly limit: number
  readonly edit?: PlantedEdit | undefined
}): Promise<LimitedNodes> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-limit-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const database = stack.use(await openEmptyDatabase())
  const store = await openStore({ databaseUrl: database.url, dataFolder: '' })
  stack.defer(() => store.close())
  const redisPort = await freePort()
  let redisProcess: ChildProcess | undefined
  const redis: LimitedNodes['redis'] = {
    start: async () => {
      const args = ['--port', String(redisPort), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
      redisProcess = spawn(redisProgram!, [...args, '--dir', folder], { stdio: 'ignore' })
      while (!(await isListening(redisPort))) await delay(20)
    },
    signal: (signal) => void redisProcess!.kill(signal),
  }
  stack.defer(() => endAtOnce(redisProcess))
  await redis.start()
  const proxy = await startSwallowingProxy(redisPort)
  stack.defer(() => proxy.close())

  const said: string[] = []
  const processes: ChildProcess[] = []
  const apis: string[] = []
  const hooks = options.edit === undefined ? [] : [options.edit]
  for (let index = 0; index < options.count; index++) {
    const node = spawn(
      process.execPath,
      [
        ...hooks.flatMap((edit) => ['--import', plantingHook(edit)]),
        program,
        'serve',
        '--data',
        join(folder, `node${index}`),
        '--api-port',
        '0',
        '--json',
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, DATABASE_URL: database.url, REDIS_URL: `redis://127.0.0.1:${proxy.port}` },
      },
    )
    stack.defer(() => endAtOnce(node))
    processes.push(node)
    createInterface({ input: node.stderr! }).on('line', (line) => said.push(`node ${index}: ${line}`))
    apis.push(await addressOf(node, said))
  }
  await delay(countedMs)

  const all = stack.move()
  return {
    processes,
    proxy,
    redis,
    said,
    open: async () => callerOf(apis, await tokenOf(store, options.limit)),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

async function addressOf(node: ChildProcess, said: readonly string[]): Promise<string> {
  for await (const line of createInterface({ input: node.stdout! })) {
    const event = JSON.parse(line) as { readonly event: string; readonly api: string }
    if (event.event !== 'ready') continue
    node.stdout!.resume()
    return event.api
  }
  throw new Error(`a node ended before it was ready: ${said.join('\n')}`)
}

async function endAtOnce(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined) return
  child.kill('SIGCONT')
  child.kill('SIGKILL')
  await endOf(child)
}

async function tokenOf(store: Awaited<ReturnType<typeof openStore>>, requestsPerMinute: number): Promise<string> {
  const made = { now: Date.now(), random: systemRandom }
  const name = systemRandom.uuid()
  const created = await createOrganization(store.db, { name, requestsPerMinute }, made)
  if (created.kind !== 'created') throw new Error(created.kind)
  const { organizationId } = created.organization
  const issued = await createToken(store, { organizationId, name: 'crm' }, made)
  if (issued.kind !== 'created') throw new Error(issued.kind)
  return issued.plaintext
}

/** A caller with this token. */
export function callerOf(apis: readonly string[], token: string): Caller {
  const history: Request[] = []
  const ask = async (node: number): Promise<Request> => {
    const sentMs = performance.now()
    const response = await fetch(`${apis[node]}/v1/tenders?limit=0`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(longestAskMs),
    })
    await response.arrayBuffer()
    const answeredMs = performance.now()
    const request = { node, sentMs, answeredMs, isAdmitted: response.status === 400 }
    // a node that fell behind on a busy machine sheds load before it counts: neither admitted nor denied
    if (response.status === 503) return request
    if (response.status !== 400 && response.status !== 429) throw new Error(`answer ${response.status}`)
    history.push(request)
    return request
  }
  return {
    history,
    ask,
    burst: (node, count) => Promise.all(Array.from({ length: count }, () => ask(node))),
    underLoad: async (run) => {
      let isOver = false
      const askers = Array.from({ length: apis.length * 4 }, async (_, index) => {
        while (!isOver) {
          await ask(index % apis.length)
          await delay(350)
        }
      })
      try {
        await run()
      } finally {
        isOver = true
        await Promise.all(askers)
      }
    },
  }
}
