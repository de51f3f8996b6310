// A cluster of real processes: database servers, Redis, HAProxy, three nodes of the API, two publishers, a node that
// was off for two days. Two sites reach the servers through proxies.
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { publish } from '../../../src/publish/publish.ts'
import { openStore } from '../../../src/store/database/database.ts'
import { fakeTimeLibrary, openWrongClock, type WrongClock } from '../../database-faults/wrong-clock.ts'
import { freePort } from '../../free-port.ts'
import { type Caller, callerOf } from '../../limiter/limited-nodes.ts'
import { startSwallowingProxy } from '../../limiter/swallowing-proxy.ts'
import { type PlantedEdit, plantingHook } from '../../planted-edit.ts'
import { programOf } from '../../proxies/proxy-process.ts'
import { randomOf } from '../../testing/generate/random.ts'
import { makeNewerVersion } from '../../upgrade/newer-version.ts'
import { allowsReceivers, HitTrial } from '../hit-trial.ts'
import { type KeptProcess, keepProcess } from '../kept-process.ts'
import { watchProcesses } from '../living-processes.ts'
import { type Document, openNoticeStream } from '../notice-stream.ts'
import { type RunningCommand, runCommand } from '../run-command.ts'
import { startBalancer } from './balancer.ts'
import type { DatabaseServers } from './database-servers.ts'
import { FaultLog } from './fault-log.ts'
import { openSite, type Site } from './sites.ts'

const root = join(import.meta.dirname, '../../..')
const twoDaysMs = 2 * 86_400_000
const stockSize = 500
const publishIntervalMinutes = 0.1
const restMinutes = 600
/** How long everything may need to be well again. */
export const recoveryMs = 240_000
/** Of the organization that only uses its limit up. */
export const sharedLimit = 60

type Part = {
  readonly name: string
  readonly process: KeptProcess
  /** Another version of the program from its next start on. */
  readonly changeVersion: () => void
}
export type ClusterNode = Part & { readonly origin: string; readonly data: string }

export type ClusterWorld = {
  readonly log: FaultLog
  readonly servers: DatabaseServers
  readonly sites: readonly [Site, Site]
  readonly redis: {
    readonly process: KeptProcess
    readonly port: number
    readonly proxy: Awaited<ReturnType<typeof startSwallowingProxy>>
  }
  readonly nodes: readonly ClusterNode[]
  readonly publishers: readonly Part[]
  /** `image`: its data folder as of two days ago. */
  readonly returning?: ClusterNode & { readonly image: string }
  readonly clocks?: { readonly node: WrongClock; readonly publisher: WrongClock }
  /** Folder of the program of the next version. */
  readonly newer?: string
  /** Where the first node's disk is mounted. */
  readonly smallDisk?: string
  /** HAProxy in front of the nodes. */
  readonly origin: string
  readonly token: string
  readonly limited: Caller
  /** The organization's whole limit at each node at once. */
  readonly burst: () => Promise<void>
  /** When a node said that it counts alone, or that the counts are shared again. */
  readonly limitNews: readonly { readonly at: number; readonly isAlone: boolean }[]
  readonly hits: HitTrial
  readonly kept: readonly KeptProcess[]
  readonly isUp: (each: KeptProcess) => Promise<void>
  /** Set by the run: reads from the node that came back for this long. */
  watchReturned: (forMs: number) => Promise<void>
  /** Another batch of notices, passed on until it is acknowledged or the run is over. */
  readonly feed: (over: AbortSignal) => Promise<void>
  /** How many notices were passed on. */
  readonly documents: () => number
  /** From their next start on, publishers make no editions. */
  readonly rest: () => void
  readonly mustRun: (...args: string[]) => Promise<string>
  readonly command: (...args: string[]) => Promise<{ readonly code: number | null; readonly output: string }>
  readonly close: () => Promise<void>
}

export type WorldOptions = {
  readonly folder: string
  readonly seed: number
  readonly servers: DatabaseServers
  /** The services run with this mistake. */
  readonly edit?: PlantedEdit
  readonly say: (line: string) => void
}

export async function openClusterWorld(options: WorldOptions): Promise<ClusterWorld> {
  const { folder, seed, servers, edit, say } = options
  const closers: (() => unknown)[] = []
  const close = async () => {
    for (const each of closers.splice(0).reverse()) await each()
  }
  try {
    return await build()
  } catch (error) {
    await close()
    throw error
  }

  async function build(): Promise<ClusterWorld> {
    const living = watchProcesses()
    closers.push(() => living.close())
    const random = randomOf(seed, 1)
    const sites: [Site, Site] = [
      await openSite('east', servers.ports, servers.database),
      await openSite('west', servers.ports, servers.database),
    ]
    closers.push(() => Promise.all(sites.map((site) => site.close())))
    const kept: KeptProcess[] = []
    closers.push(() => Promise.all(kept.map((each) => each.stop('SIGKILL'))))
    const isUp = async (each: KeptProcess) => {
      for (const end = Date.now() + recoveryMs; !each.isReady(); ) {
        if (Date.now() > end) throw new Error(`${each.name} does not come up: ${each.lines().slice(-10).join('\n')}`)
        await delay(100)
      }
    }

    const redisPort = await freePort()
    const redisProgram = (programOf('redis-server') ?? programOf('valkey-server'))!
    const redisProcess = keepProcess({
      name: 'redis',
      cwd: root,
      living,
      saysReady: false,
      command: () => [
        ...([redisProgram, '--port', String(redisPort), '--bind', '127.0.0.1'] as const),
        ...['--save', '', '--appendonly', 'no', '--dir', folder],
      ],
    })
    kept.push(redisProcess)
    redisProcess.start()
    const redisProxy = await startSwallowingProxy(redisPort)
    closers.push(() => redisProxy.close())

    const common = {
      ...process.env,
      REDIS_URL: `redis://127.0.0.1:${redisProxy.port}`,
      TENDERSTOCK_SECRET_KEY: randomBytes(32).toString('base64'),
      NODE_OPTIONS: '--max-old-space-size=384',
    }
    const envOf = (site: Site, clock?: WrongClock) => ({ ...common, ...clock?.env, DATABASE_URL: site.databaseUrl })
    const hooks = edit === undefined ? [] : ['--import', plantingHook(edit)]
    const programIn = (place: string) => join(place, 'src/bin/tenderstock.ts')
    const dataOf = (name: string) => join(folder, name)
    const commands = new Set<RunningCommand>()
    closers.push(() => {
      for (const each of commands) each.kill()
    })
    const command = (...args: string[]) => {
      const running = runCommand(
        [...allowsReceivers, ...hooks, programIn(root), ...args, '--data', dataOf('commands'), '--json'],
        { cwd: root, env: envOf(sites[0]), living },
      )
      commands.add(running)
      return running.result.finally(() => commands.delete(running))
    }
    const mustRun = async (...args: string[]) => {
      const { code, output } = await command(...args)
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${output}`)
      return output
    }
    const tokenOf = async (name: string, limit: number) => {
      await mustRun('organization', 'create', name, '--requests-per-minute', String(limit))
      const line = (await mustRun('token', 'create', name)).split('\n').find((each) => each.includes('"event":"token"'))
      return (JSON.parse(line!) as { readonly token: string }).token
    }
    const token = await tokenOf('Readers', 100_000)
    const limitedToken = await tokenOf('Limited', sharedLimit)

    const stream = openNoticeStream(randomOf(seed, 2))
    let documents = 0
    const write = (some: readonly Document[]) => {
      const place = mkdtempSync(join(folder, 'notices-'))
      for (const [name, xml] of some) writeFileSync(join(place, name), xml)
      documents += some.length
      return place
    }
    await mustRun('ingest', write(stream.stock(stockSize, Date.now())))
    const hits = new HitTrial(mustRun, servers.leaderUrl, 'Readers')
    closers.push(() => hits.close())
    await hits.begin()
    const store = await openStore({ databaseUrl: await servers.leaderUrl(), dataFolder: folder })
    try {
      const { kind } = await publish(store, { now: Date.now() - twoDaysMs, minIntervalMs: 0 })
      if (kind !== 'published') throw new Error(`the edition of two days ago: ${kind}`)
    } finally {
      await store.close()
    }
    say('an edition of two days ago is published')

    const newer = edit === undefined ? makeNewerVersion(join(folder, 'newer')) : undefined
    const library = fakeTimeLibrary()
    const clockOf = (name: string, seconds = 0) => openWrongClock(library!, dataOf(`clock-${name}`), seconds)
    const clocks =
      library === undefined ? undefined : { node: await clockOf('node'), publisher: await clockOf('publisher') }
    const limitNews: { at: number; isAlone: boolean }[] = []
    let intervalMinutes = publishIntervalMinutes
    const start = (name: string, args: () => readonly string[], env: NodeJS.ProcessEnv): Part => {
      let place = root
      const each = keepProcess({
        name,
        cwd: root,
        living,
        env,
        command: () => [
          ...([process.execPath, ...allowsReceivers, ...hooks, programIn(place), ...args()] as const),
          ...(['--drain-seconds', '0', '--data', dataOf(name), '--json'] as const),
        ],
        onLine: (line) => {
          if (line.includes('rate limits are counted per node') || line.includes('has lost the rate-limit counts'))
            limitNews.push({ at: Date.now(), isAlone: true })
          if (line.includes('rate limits are shared again')) limitNews.push({ at: Date.now(), isAlone: false })
        },
      })
      kept.push(each)
      return {
        name,
        process: each,
        changeVersion: () => {
          place = place === root ? (newer ?? root) : root
        },
      }
    }
    const serve = async (name: string, env: NodeJS.ProcessEnv): Promise<ClusterNode> => {
      const port = await freePort()
      const part = start(name, () => ['serve', '--api-port', String(port)], env)
      return { ...part, origin: `http://127.0.0.1:${port}`, data: dataOf(name) }
    }

    // as of two days ago
    let returning: ClusterWorld['returning']
    if (clocks) {
      const past = await clockOf('past', -twoDaysMs / 1000)
      const early = await serve('early', envOf(sites[1], past))
      early.process.start()
      await isUp(early.process)
      await early.process.stop('SIGTERM')
      returning = { ...(await serve('returning', envOf(sites[1]))), image: early.data }
      say('a node has loaded it, and is off')
    }

    const disk = dataOf('node-1')
    mkdirSync(disk)
    const isMounted =
      process.getuid?.() === 0 &&
      spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', disk], { stdio: 'ignore' }).status === 0
    if (isMounted) closers.unshift(() => spawnSync('umount', ['-l', disk]))
    const nodes = [
      await serve('node-1', envOf(sites[0])),
      await serve('node-2', envOf(sites[1])),
      await serve('node-3', envOf(sites[1], clocks?.node)),
    ]
    const publisher = (name: string, site: Site, clock?: WrongClock) =>
      start(
        name,
        () => [
          ...['start', '--no-samples', '--api-port', '0'],
          ...['--publish-interval-minutes', String(intervalMinutes)],
        ],
        envOf(site, clock),
      )
    const publishers = [publisher('publisher-1', sites[0]), publisher('publisher-2', sites[1], clocks?.publisher)]
    for (const each of [...publishers, ...nodes]) each.process.start()
    for (const each of [...publishers, ...nodes]) await isUp(each.process)
    await hits.subscribe(folder, randomOf(seed, 3))
    const balancer = await startBalancer({
      folder,
      nodes: nodes.map(({ origin }) => Number(new URL(origin).port)),
      living,
    })
    closers.push(balancer.close)
    say('two publishers, three nodes and HAProxy run')

    const limited = callerOf(
      nodes.map(({ origin }) => origin),
      limitedToken,
    )
    return {
      log: new FaultLog(),
      servers,
      sites,
      nodes,
      publishers,
      origin: balancer.origin,
      token,
      limited,
      limitNews,
      redis: { process: redisProcess, port: redisPort, proxy: redisProxy },
      ...(returning && { returning }),
      ...(clocks && { clocks }),
      ...(newer !== undefined && { newer }),
      ...(isMounted && { smallDisk: disk }),
      hits,
      kept,
      isUp,
      mustRun,
      command,
      close,
      burst: async () => {
        await Promise.all(nodes.map((_, node) => limited.burst(node, sharedLimit).catch(() => {})))
      },
      watchReturned: async () => {},
      documents: () => documents,
      rest: () => {
        intervalMinutes = restMinutes
      },
      feed: async (over) => {
        const place = write(stream.next(random.integer(5, 20), Date.now()))
        for (let last = Number.POSITIVE_INFINITY; ; ) {
          const { code, output } = await command('ingest', place)
          if (code === 0) break
          // the last one, too, is passed on in the end: the database may still be on its way back
          if (over.aborted) last = Math.min(last, Date.now() + recoveryMs)
          if (Date.now() > last) throw new Error(`ingest ${place} ended with ${code}: ${output}`)
          await delay(500)
        }
        rmSync(place, { recursive: true })
      },
    }
  }
}
