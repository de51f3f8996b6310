// The chaos run: a whole installation of real processes, everything in it killed at random, and copies and
// hits compared at the end.
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Random, randomOf } from '../testing/generate/random.ts'
import { type CopyKind, editionDigest, editionDump, mismatches, queryOnce, type Records, readCopy } from './copies.ts'
import { allowsReceivers, HitTrial } from './hit-trial.ts'
import { type KeptProcess, keepProcess, type OwnEnd, type ProcessEvent } from './kept-process.ts'
import { watchProcesses } from './living-processes.ts'
import { type Exchange, openLoadBalancer } from './load-balancer.ts'
import { type Document, openNoticeStream } from './notice-stream.ts'
import { openPostgresCluster } from './postgres-cluster.ts'
import { type RunningCommand, runCommand } from './run-command.ts'

export type ChaosOptions = {
  readonly minutes: number
  readonly seed: number
  /** Folder of initdb and pg_ctl. */
  readonly postgres: string
  /** redis-server or valkey-server. */
  readonly redis: string
  readonly say: (line: string) => void
}

export type ChaosReport = {
  /** One line for people. */
  readonly line: string
  /** Everything that must not happen; empty if all is well. */
  readonly faults: readonly string[]
  readonly kills: { readonly [part: string]: number }
  readonly editions: number
  readonly completedRuns: number
}

const root = join(import.meta.dirname, '../..')
const program = join(root, 'src/bin/tenderstock.ts')
const clientRunner = join(import.meta.dirname, 'client.ts')
const publishIntervalMs = 2000
const stockSize = 1500
const noticesPerBatch = 25
/** Low enough that the clients sometimes receive 429. */
const requestsPerMinute = 400
/** Mean time between two kills of a part that is up. */
const meanLifeMs = { api: 9000, publisher: 20_000, client: 14_000, redis: 16_000, postgres: 22_000, ingest: 25_000 }
/**
 * Mean time between two changes of a search, two ends of all leases, and two times at which messages become due again.
 */
const meanPauseMs = { search: 12_000, lease: 8000, time: 3000 }
/** The shared limit is exact only while its store is up: it stays up all the time. */
const redisPeaceMs = 70_000
const apiCount = 2
const maxFaults = 50

/** How long anything that was killed may take to come back. */
const longestWaitMs = 300_000
/** How long the remaining messages to a receiver that fails most of them may take. */
const longestDeliveryMs = 300_000

type Copy = {
  readonly name: string
  readonly kind: CopyKind
  readonly target: string
  readonly initial: 'history' | 'open'
  readonly process: KeptProcess
  /** Largest lastModified seen by id: it never falls. */
  readonly seen: Map<string, string>
}

/** Runs for this many minutes and then compares. Ends every process that it started, even if it throws. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const folder = mkdtempSync(join(tmpdir(), 'tenderstock-chaos-'))
  // The server's own user must reach its cluster in there.
  chmodSync(folder, 0o755)
  const run = new ChaosRun(options, folder)
  try {
    return await run.run()
  } finally {
    await run.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

class ChaosRun {
  readonly #options: ChaosOptions
  readonly #folder: string
  readonly #closers: (() => Promise<unknown>)[] = []
  readonly #faults: string[] = []
  readonly #kills = new Map<string, number>()
  readonly #runs = new Map<string, number>()
  /** Digests of copies after complete runs, by the state with which the run ended. */
  readonly #digests: { readonly copy: string; readonly updatedSince: string; readonly digest: string }[] = []
  readonly #over = new AbortController()
  readonly #stream
  readonly #kept: KeptProcess[] = []
  readonly #commands = new Set<RunningCommand>()
  readonly #living = watchProcesses()
  #freezes = 0
  #waits = 0
  #runsResumed = 0
  #newcomers = 0

  constructor(options: ChaosOptions, folder: string) {
    this.#options = options
    this.#folder = folder
    this.#stream = openNoticeStream(this.#random('notices'))
  }

  /** One sequence for each part, so that a seed gives the same plan however fast the machine is. */
  #random(part: string): Random {
    let stream = 0
    for (const letter of part) stream = (stream * 31 + letter.charCodeAt(0)) | 0
    return randomOf(this.#options.seed, stream)
  }

  async close(): Promise<void> {
    this.#over.abort()
    for (const command of this.#commands) command.kill()
    await Promise.all(this.#kept.map((each) => each.stop('SIGKILL')))
    for (const close of this.#closers.reverse()) await close().catch(() => {})
    await this.#living.close()
  }

  async run(): Promise<ChaosReport> {
    const { minutes, seed, say } = this.#options
    say(`chaos: seed ${seed}, ${minutes} min (SEED, CHAOS_MINUTES)`)
    const ports = await freePorts(3 + apiCount)
    const [stockPort, targetPort, redisPort, ...apiPorts] = ports as [number, number, number, ...number[]]
    const stock = await this.#cluster('stock', stockPort)
    const target = await this.#cluster('target', targetPort)
    await stock.createDatabase('stock')
    await target.createDatabase('copy')
    const stockUrl = stock.urlOf('stock')
    const env = {
      ...process.env,
      DATABASE_URL: stockUrl,
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      // two services open the secrets of the same endpoints
      TENDERSTOCK_SECRET_KEY: randomBytes(32).toString('base64'),
      NODE_OPTIONS: '--max-old-space-size=512',
    }
    const redis = this.#keep('redis', {
      saysReady: false,
      command: () => [
        ...([this.#options.redis, '--port', String(redisPort), '--bind', '127.0.0.1'] as const),
        ...['--save', '', '--appendonly', 'no', '--dir', this.#folder],
      ],
    })
    redis.start()

    const dataOf = (name: string) => join(this.#folder, name)
    const command = async (...args: string[]): Promise<{ code: number | null; output: string }> => {
      const running = runCommand([...allowsReceivers, program, ...args, '--data', dataOf('publisher'), '--json'], {
        cwd: root,
        env,
        living: this.#living,
      })
      this.#commands.add(running)
      return running.result.finally(() => this.#commands.delete(running))
    }
    const mustRun = async (...args: string[]): Promise<string> => {
      const { code, output } = await command(...args)
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${output}`)
      return output
    }
    await mustRun('organization', 'create', 'Chaos', '--requests-per-minute', String(requestsPerMinute))
    const token = eventOf(await mustRun('token', 'create', 'Chaos'), 'token').token as string
    const hits = new HitTrial(mustRun, async () => stockUrl, 'Chaos')
    this.#closers.push(() => hits.close())
    await mustRun('ingest', this.#write(this.#stream.stock(stockSize, Date.now())))
    await hits.begin()
    await mustRun('publish', '--publish-interval-minutes', '0')
    await hits.subscribe(this.#folder, this.#random('receivers'))

    let publishEveryMs = publishIntervalMs
    // Both consolidate, publish, match and deliver; the first one to take a lease does the work.
    const publishers = ['publisher', 'second'].map((name) =>
      this.#keep(name, {
        env,
        command: () => [
          ...([
            process.execPath,
            ...allowsReceivers,
            program,
            'start',
            '--no-samples',
            '--drain-seconds',
            '0',
          ] as const),
          ...['--data', dataOf(name), '--api-port', '0'],
          ...['--publish-interval-minutes', String(publishEveryMs / 60_000), '--json'],
        ],
      }),
    )
    const apis = apiPorts.map((port, index) =>
      this.#keep(`api-${index + 1}`, {
        env,
        command: () => [
          ...([
            process.execPath,
            program,
            'serve',
            '--drain-seconds',
            '0',
            '--data',
            dataOf(`api-${index + 1}`),
          ] as const),
          ...['--api-port', String(port), '--json'],
        ],
      }),
    )
    for (const each of [...publishers, ...apis]) each.start()
    await this.#until('publishers and API processes are ready', () =>
      [...publishers, ...apis].every((each) => each.isReady()),
    )
    const balancer = await openLoadBalancer({ ports: apiPorts, random: this.#random('balancer') })
    this.#closers.push(balancer.close)

    const clientArgs = (copy: Pick<Copy, 'kind' | 'target' | 'initial' | 'name'>, ...more: string[]): string[] => [
      ...[clientRunner, '--api', balancer.url, '--sink', copy.kind, '--target', copy.target],
      ...['--initial', copy.initial, '--seed', `${seed}`, ...more],
    ]
    const clientEnv = { ...process.env, TENDERSTOCK_TOKEN: token }
    const copyOf = (
      name: string,
      kind: CopyKind,
      place: string,
      initial: Copy['initial'],
      onStart = () => {},
    ): Copy => {
      const about = { name, kind, target: place, initial, seen: new Map<string, string>() }
      const kept = this.#keep(name, {
        env: clientEnv,
        command: () => {
          onStart()
          return [process.execPath, ...clientArgs(about)]
        },
        onEvent: (event) => this.#onClientEvent(about, event),
      })
      return { ...about, process: kept }
    }
    const luck = this.#random('newcomer')
    const newcomerFile = join(this.#folder, 'newcomer.db')
    const copies = [
      copyOf('postgres', 'postgres', target.urlOf('copy'), 'history'),
      copyOf('sqlite', 'sqlite', join(this.#folder, 'copy.db'), 'history'),
      copyOf('parquet', 'parquet', join(this.#folder, 'tender.parquet'), 'history'),
      // Starts with an empty copy again and again, so that first runs are interrupted as well.
      copyOf('newcomer', 'sqlite', newcomerFile, 'open', () => {
        if (!luck.chance(0.5)) return
        this.#newcomers += 1
        for (const suffix of ['', '-wal', '-shm']) rmSync(newcomerFile + suffix, { force: true })
      }),
    ]
    for (const { process: each } of copies) each.start()

    balancer.setFaults(true)
    const startedAt = Date.now()
    let redisKilledAt = Number.POSITIVE_INFINITY
    const feeding = this.#feed(command)
    const torments = [
      ...apis.map((each) =>
        this.#torment('api', each.name, meanLifeMs.api, (random) => this.#hit('api', each, random, 0.15)),
      ),
      ...publishers.map((each) =>
        this.#torment('publisher', each.name, meanLifeMs.publisher, (random) =>
          this.#hit('publisher', each, random, 0.15),
        ),
      ),
      ...copies.map(({ process: each }) =>
        this.#torment('client', each.name, meanLifeMs.client, (random) => this.#hit('client', each, random, 0)),
      ),
      this.#torment('redis', 'redis', meanLifeMs.redis, async (random) => {
        if (Date.now() - startedAt < redisPeaceMs) return
        redisKilledAt = Math.min(redisKilledAt, Date.now())
        await this.#hit('redis', redis, random, 0)
      }),
      ...[
        { name: 'stock', cluster: stock, meanMs: meanLifeMs.postgres },
        { name: 'target', cluster: target, meanMs: 2 * meanLifeMs.postgres },
      ].map(({ name, cluster, meanMs }) =>
        this.#torment('postgres', name, meanMs, async (random) => {
          const pauseMs = random.integer(0, 2500)
          await cluster.crash()
          this.#count('postgres')
          await delay(pauseMs)
          await cluster.start()
        }),
      ),
      this.#torment('ingest', 'ingest', meanLifeMs.ingest, async () => {
        const [running] = this.#commands
        if (!running) return
        running.kill()
        this.#count('ingest')
      }),
      this.#torment('search', 'search', meanPauseMs.search, (random) => hits.edit(random)),
      this.#torment('lease', 'lease', meanPauseMs.lease, () => hits.endLeases()),
      this.#torment('time', 'time', meanPauseMs.time, () => hits.passTime()),
      this.#observe(copies),
      this.#report(minutes),
    ]
    await this.#untilOver(minutes)
    this.#over.abort()
    await Promise.all(torments)
    balancer.setFaults(false)

    say('chaos: over; last publication, one quiet run per client')
    const documents = await feeding
    await this.#until('everything is up again', () => [...publishers, ...apis].every((each) => each.isReady()))
    for (const publisher of publishers) {
      const code = await publisher.stop('SIGTERM')
      if (code !== 0)
        this.#faults.push(
          `${publisher.name} ended with ${code} after SIGTERM: ${publisher.lines().slice(-5).join(' | ')}`,
        )
    }
    if (documents.length > 0) await mustRun('ingest', this.#write(documents))
    await mustRun('ingest', this.#write(this.#stream.next(noticesPerBatch, Date.now())))
    await mustRun('publish', '--publish-interval-minutes', '0')
    const [newest] = await queryOnce<{ edition: number; stamp: string }>(
      stockUrl,
      'select edition, last_modified::text as stamp from edition order by edition desc limit 1',
    )
    const lastModified = new Date(Number(newest!.stamp)).toISOString()
    for (const port of apiPorts)
      await this.#until(`the API on ${port} serves edition ${newest!.edition}`, async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/v1/tenders?limit=1&updated_since=${lastModified}`, {
          headers: { authorization: `Bearer ${token}` },
        })
        const page = (await answer.json()) as { data?: { lastModified: string }[] }
        return answer.status === 200 && page.data?.[0]?.lastModified === lastModified
      })

    const edition = await editionDump(stockUrl)
    let unequal = 0
    for (const copy of copies) {
      await copy.process.stop('SIGKILL')
      const running = runCommand(clientArgs(copy, '--once'), { cwd: root, env: clientEnv, living: this.#living })
      this.#commands.add(running)
      const { code: exitCode, output } = await running.result
      this.#commands.delete(running)
      if (exitCode !== 0)
        this.#faults.push(`the quiet run of ${copy.name} ended with ${exitCode}: ${output.slice(-1000)}`)
      const held = await readCopy(copy.kind, copy.target)
      this.#look(copy, held)
      const found = mismatches(edition, held, copy.initial === 'history')
      unequal += found.length
      for (const line of found.slice(0, 20)) this.#faults.push(`copy ${copy.name}: ${line}`)
      if (found.length > 20) this.#faults.push(`copy ${copy.name}: ${found.length - 20} more`)
      say(`chaos: copy ${copy.name} holds ${held.size} of ${edition.size} records, ${found.length} mismatches`)
    }
    await this.#checkDigests(stockUrl)
    this.#checkRefusals(balancer.refusals)
    for (const line of balancer.disorder.slice(0, 20)) this.#faults.push(`out of order: ${line}`)
    this.#checkEnds()
    this.#checkLimit(balancer.exchanges, Math.min(redisKilledAt, Date.now()), apis)

    // They match and deliver the rest, and publish no other edition.
    publishEveryMs = 60 * 60_000
    for (const publisher of publishers) publisher.start()
    await hits.endLeases()
    await this.#until('every hit is delivered', () => hits.mustBeDone().then(() => true), longestDeliveryMs)
    await Promise.all(publishers.map((publisher) => publisher.stop('SIGTERM')))
    const hitReport = await hits.compare()
    this.#faults.push(...hitReport.faults)
    const [{ editions }] = (await queryOnce<{ editions: number }>(
      stockUrl,
      'select count(*)::int as editions from edition',
    )) as [{ editions: number }]
    const serverErrors = [...balancer.counts.byStatus].reduce(
      (sum, [status, count]) => sum + (status >= 500 ? count : 0),
      0,
    )
    const completed = this.#runs.get('completed') ?? 0
    const allRuns = [...this.#runs.values()].reduce((sum, count) => sum + count, 0)
    const killCount = [...this.#kills.values()].reduce((sum, count) => sum + count, 0)
    const parts = [...this.#kills].map(([part, count]) => `${part} ${count}`).join(', ')
    const count = (number: number) => number.toLocaleString('en')
    const made = [...this.#stream.made].map(([kind, number]) => `${kind} ${number}`).join(', ')
    say(
      `chaos: notices ${made}; ${edition.size} records; ${this.#newcomers} copies restarted; ${this.#runsResumed} runs resumed; ` +
        `${this.#digests.length} copies compared with their edition in mid-run; answers ${[...balancer.counts.byStatus]
          .sort(([left], [right]) => left - right)
          .map(([status, number]) => `${status}: ${count(number)}`)
          .join(', ')}; ${count(balancer.counts.cut)} cut, ${this.#freezes} freezes`,
    )
    return {
      line:
        `chaos: ${minutes.toFixed(1)} min, seed ${seed}, ${killCount} kills (${parts}), ${editions} editions, ` +
        `${count(allRuns)} runs (${count(completed)} completed), ${count(serverErrors + balancer.counts.unreachable)} answers 5xx, ` +
        `${count(this.#waits)} retries, ${unequal} mismatches in ${copies.length} copies, ${hitReport.line}`,
      faults: this.#faults,
      kills: Object.fromEntries(this.#kills),
      editions,
      completedRuns: completed,
    }
  }

  /** Ends early if it has failed anyway. */
  async #untilOver(minutes: number): Promise<void> {
    const end = Date.now() + minutes * 60_000
    while (Date.now() < end && this.#faults.length + this.#wrongEnds().length < maxFaults) await delay(500)
  }

  async #cluster(name: string, port: number) {
    const folder = join(this.#folder, `postgres-${name}`)
    const cluster = await openPostgresCluster({ binaries: this.#options.postgres, folder, port, living: this.#living })
    this.#closers.push(cluster.end)
    return cluster
  }

  #keep(name: string, options: Omit<Parameters<typeof keepProcess>[0], 'name' | 'cwd' | 'living'>): KeptProcess {
    const kept = keepProcess({ name, cwd: root, living: this.#living, ...options })
    this.#kept.push(kept)
    return kept
  }

  /** A folder with these documents. */
  #write(documents: readonly Document[]): string {
    const folder = mkdtempSync(join(this.#folder, 'notices-'))
    for (const [name, xml] of documents) writeFileSync(join(folder, name), xml)
    return folder
  }

  #count(part: string): void {
    this.#kills.set(part, (this.#kills.get(part) ?? 0) + 1)
  }

  /** Notices arrive all the time; a batch is passed on until it was received. Resolves to the rest at the end. */
  async #feed(command: (...args: string[]) => Promise<{ code: number | null }>): Promise<readonly Document[]> {
    while (!this.#over.signal.aborted) {
      const documents = this.#stream.next(noticesPerBatch, Date.now())
      const folder = this.#write(documents)
      for (;;) {
        if (this.#over.signal.aborted) return documents
        const { code } = await command('ingest', folder)
        if (code === 0) break
        await this.#pause(500)
      }
      rmSync(folder, { recursive: true })
      await this.#pause(1500)
    }
    return []
  }

  /** Kills a part repeatedly, at random moments after it came back. */
  async #torment(part: string, name: string, meanMs: number, strike: (random: Random) => Promise<void>): Promise<void> {
    const random = this.#random(`${part} ${name}`)
    for (;;) {
      await this.#pause(-Math.log(1 - random.next()) * meanMs)
      if (this.#over.signal.aborted) return
      await strike(random)
    }
  }

  async #hit(part: string, kept: KeptProcess, random: Random, freezeShare: number): Promise<void> {
    const [isFreeze, isAtOnce, pauseMs] = [random.chance(freezeShare), random.chance(0.3), random.integer(0, 1000)]
    const forMs = random.integer(500, 4000)
    // Mostly in the middle of its work, sometimes while it is starting.
    if (!isAtOnce) await this.#until(`${kept.name} is up`, () => kept.isReady() || this.#over.signal.aborted)
    if (this.#over.signal.aborted) return
    if (isFreeze) {
      this.#freezes += 1
      return kept.freeze(forMs)
    }
    if (kept.kill(pauseMs)) this.#count(part)
  }

  #onClientEvent(copy: Pick<Copy, 'name' | 'kind' | 'initial'>, event: ProcessEvent): void {
    if (event.event === 'wait') this.#waits += 1
    if (event.event === 'fault') this.#faults.push(`client ${copy.name}: ${event.message}`)
    if (event.event !== 'run') return
    const { result, reason, error, isResumed, updatedSince, digest } = event as { readonly [name: string]: string }
    this.#runs.set(result!, (this.#runs.get(result!) ?? 0) + 1)
    if (isResumed) this.#runsResumed += 1
    // The client must cope with a target that is down; any other failure is an error.
    const isTargetDown = reason === 'sink' && copy.kind === 'postgres'
    if (result === 'aborted' && reason !== 'problem' && reason !== 'unreachable' && !isTargetDown)
      this.#faults.push(`client ${copy.name}: a run was aborted for ${reason}: ${error}`)
    if (digest !== undefined && copy.initial === 'history')
      this.#digests.push({ copy: copy.name, updatedSince: updatedSince!, digest })
  }

  /** During the run: what a reader of a copy sees never goes back in time. */
  async #observe(copies: readonly Copy[]): Promise<void> {
    for (;;) {
      await this.#pause(8000)
      if (this.#over.signal.aborted) return
      for (const copy of copies) {
        if (copy.initial !== 'history') continue
        const held = await readCopy(copy.kind, copy.target).catch(() => undefined)
        if (held) this.#look(copy, held)
      }
    }
  }

  #look(copy: Copy, held: Records): void {
    if (copy.initial !== 'history') return
    for (const [id, before] of copy.seen) {
      const now = held.get(id)?.lastModified
      if (now === undefined) this.#faults.push(`copy ${copy.name}: ${id} is gone`)
      else if (now < before) this.#faults.push(`copy ${copy.name}: ${id} fell from ${before} to ${now}`)
    }
    for (const [id, { lastModified }] of held) copy.seen.set(id, lastModified)
  }

  async #report(minutes: number): Promise<void> {
    const startedAt = Date.now()
    for (;;) {
      await this.#pause(60_000)
      if (this.#over.signal.aborted) return
      const kills = [...this.#kills.values()].reduce((sum, count) => sum + count, 0)
      const passed = Math.round((Date.now() - startedAt) / 60_000)
      this.#options.say(
        `chaos: minute ${passed} of ${minutes}, ${kills} kills, ${this.#runs.get('completed') ?? 0} runs completed, ${this.#faults.length} faults`,
      )
    }
  }

  /** Every complete run left a copy that was equal to one edition, whatever happened meanwhile. */
  async #checkDigests(stockUrl: string): Promise<void> {
    const editions = await queryOnce<{ stamp: string }>(
      stockUrl,
      'select distinct last_modified::text as stamp from edition',
    )
    const stamps = new Set(editions.map(({ stamp }) => new Date(Number(stamp)).toISOString()))
    const expected = new Map<string, string>()
    for (const { copy, updatedSince, digest } of this.#digests) {
      if (!stamps.has(updatedSince)) {
        this.#faults.push(`copy ${copy}: ended a run with ${updatedSince}, which is no edition's last`)
        continue
      }
      if (!expected.has(updatedSince)) expected.set(updatedSince, await editionDigest(stockUrl, updatedSince))
      if (expected.get(updatedSince) !== digest)
        this.#faults.push(`copy ${copy}: after a complete run it was not equal to the edition of ${updatedSince}`)
    }
  }

  #checkRefusals(refusals: readonly string[]): void {
    for (const refusal of refusals.slice(0, 20)) this.#faults.push(`refused: ${refusal}`)
    if (refusals.length > 20) this.#faults.push(`refused: ${refusals.length - 20} more`)
  }

  /** A process may end if something that it needs is down, and says so in a sentence; a stack trace is a bug. */
  #wrongEnds(): OwnEnd[] {
    return this.#kept
      .flatMap((kept) => kept.ownEnds())
      .filter(({ code, said }) => code === null || code === 70 || /^ {4}at /m.test(said))
  }

  #checkEnds(): void {
    const wrong = this.#wrongEnds()
    for (const { name, code, said } of wrong.slice(0, 10))
      this.#faults.push(`${name} ended by itself (${code}): ${said}`)
    if (wrong.length > 10) this.#faults.push(`${wrong.length - 10} more ended by themselves`)
  }

  /** As long as every node reached the shared count, no 60 seconds hold more than the limit. */
  #checkLimit(exchanges: readonly Exchange[], until: number, apis: readonly KeptProcess[]): void {
    if (apis.some((each) => each.lines().some((line) => line.includes('counted per node')))) return
    const accepted = exchanges.filter(({ status, startedAt }) => status === 200 && startedAt < until)
    for (const { startedAt: from } of accepted) {
      const count = accepted.filter((each) => each.startedAt >= from && each.endedAt < from + 60_000).length
      if (count > requestsPerMinute)
        this.#faults.push(`${count} requests were accepted in the minute from ${new Date(from).toISOString()}`)
    }
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#over.signal }).catch(() => {})
  }

  /** Limits the whole time: throws if something does not come back. */
  async #until(what: string, isTrue: () => boolean | Promise<boolean>, longestMs = longestWaitMs): Promise<void> {
    const end = Date.now() + longestMs
    let problem = ''
    while (
      !(await Promise.resolve()
        .then(isTrue)
        .catch((error: unknown) => {
          problem = `, the last time for ${String(error)}`
          return false
        }))
    ) {
      if (Date.now() > end) {
        const said = this.#kept.map((kept) => `${kept.name}:\n${kept.lines().slice(-15).join('\n')}`).join('\n')
        throw new Error(`gave up waiting until ${what}${problem}\n${said}`)
      }
      await delay(100)
    }
  }
}

/** Ports that were free a moment ago. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer()
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return server
    }),
  )
  const ports = servers.map((server) => (server.address() as { readonly port: number }).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

function eventOf(output: string, name: string): ProcessEvent {
  const events = output.split('\n').filter((line) => line.startsWith('{'))
  const found = events.map((line) => JSON.parse(line) as ProcessEvent).find(({ event }) => event === name)
  if (!found) throw new Error(`no event ${name} in ${output}`)
  return found
}
