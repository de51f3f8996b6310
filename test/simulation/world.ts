// One simulated run: a stock that is published, three API nodes, clients that sync, and everything that goes wrong
// between them, in an order that one seed decides. True time is a number that the scheduler moves.
import { createSecretKey } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type { SyncOutcome } from '../../client/src/sync/sync.ts'
import type { CursorKey } from '../../src/api/cursors/cursor.ts'
import { createLocalLimiter } from '../../src/api/limits/limiter-memory.ts'
import { hashToken, makeToken } from '../../src/domain/token.ts'
import type { TokenGrant } from '../../src/store/people/organizations.ts'
import { type Random, randomOf } from '../testing/generate/random.ts'
import { smallLimiter } from '../testing/small-limiter.ts'
import { ApiNode, type NodeFaults, nodeCount, SharedLog } from './api-node.ts'
import { type ClientFaults, ClientProcess, type Pending, type SimulatedClient } from './client-process.ts'
import { changedFilters } from './filters.ts'
import type { Answer } from './in-process-app.ts'
import { Invariants } from './invariants.ts'
import { createDurable } from './memory-sink.ts'
import { type Operation, operations, type Profile, profileOf } from './profile.ts'
import { installRuntime } from './runtime.ts'
import { isShipped, ShippedTarget } from './shipped-sinks.ts'
import { type PublisherFaults, Stock, startMs } from './stock.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const yearMs = 365 * dayMs
const requestTimeoutMs = 60_000
const organizationId = 'organisation-1'

/** A mistake that is planted in the world, to see that it is found. */
export type Planted = {
  readonly name: string
  readonly publisher?: PublisherFaults
  /** The fault in one sentence. */
  readonly mistake?: string
  /** Invariants that are ignored, so that later ones must find it. */
  readonly blind?: readonly string[]
  readonly node?: NodeFaults
  readonly client?: ClientFaults
}

export type RunOptions = {
  readonly seed: number
  /** Operations left out, and bounds, when a failing run is shrunk. */
  readonly without?: ReadonlySet<string>
  readonly maxSteps?: number
  readonly maxClients?: number
  readonly planted?: Planted
  /** A different course of the clients' clocks; nothing else may differ (C149). */
  readonly clockStream?: number
  readonly trace?: boolean
}

export type RunResult = {
  readonly operations: number
  readonly faults: number
  readonly requests: number
  readonly completed: number
  readonly publications: number
  readonly mismatch: { readonly invariant: string; readonly detail: string; readonly step: number } | undefined
  readonly trace: readonly string[]
  /** Every request with its time: equal for equal seeds, whatever the clients' clocks say. */
  readonly sent: string
}

/** Runs one seed to its end. */
export async function simulateRun(options: RunOptions): Promise<RunResult> {
  const world = await World.open(options)
  try {
    return await world.run()
  } finally {
    await world.close()
  }
}

/** Maximum steps of calm: waits that these do not end are no longer waits. */
const maxQuietSteps = 4000

class World {
  readonly seed: number
  readonly profile: Profile
  readonly stock: Stock
  readonly log: SharedLog
  readonly nodes: readonly ApiNode[]
  readonly clients: SimulatedClient[] = []
  readonly invariants: Invariants
  now = startMs
  step = 0
  isQuiet = false
  readonly #planted: Planted
  readonly #random: Random
  readonly #network: Random
  readonly #jitter: Random
  readonly #clocks: Random
  readonly #clientDraws: Random
  readonly #keys: CursorKey[] = []
  readonly #grants: TokenGrant[] = []
  readonly #processes: ClientProcess[] = []
  readonly #isTracing: boolean
  readonly #trace: string[] = []
  readonly #weights: readonly (readonly [number, Operation])[]
  readonly #maxSteps: number
  #tokenSerial = 0
  #cursorVersion: 1 | 2 = 1
  #isLimiterStoreDown = false
  #publisherShiftMs = 0
  #requestsPerMinute: number
  #faults = 0
  #requests = 0
  #completed = 0
  #sent = ''

  static async open(options: RunOptions): Promise<World> {
    installRuntime()
    const world = new World(options, await SharedLog.open())
    for (const node of world.nodes) await node.start()
    return world
  }

  private constructor(options: RunOptions, log: SharedLog) {
    const { seed, planted = { name: 'nothing' }, without = new Set<string>() } = options
    this.seed = seed
    this.log = log
    this.#planted = planted
    this.#isTracing = options.trace ?? false
    this.#random = randomOf(seed, 1)
    this.#network = randomOf(seed, 2)
    this.#jitter = randomOf(seed, 3)
    this.#clocks = randomOf(seed, 100 + (options.clockStream ?? 0))
    this.#clientDraws = randomOf(seed, 7)
    const bytes = randomOf(seed, 4)
    const randomBytes = (count: number): Buffer => {
      const buffer = Buffer.allocUnsafe(count)
      for (let index = 0; index < count; index++) buffer[index] = Math.floor(bytes.next() * 256)
      return buffer
    }
    this.#randomBytes = randomBytes
    this.profile = profileOf(seed, without)
    this.#maxSteps = Math.min(this.profile.steps, options.maxSteps ?? Number.POSITIVE_INFINITY)
    this.#requestsPerMinute = this.profile.requestsPerMinute
    this.stock = new Stock({
      random: randomOf(seed, 6),
      startMs,
      hasTies: this.profile.hasTies,
      faults: planted.publisher,
    })
    this.invariants = new Invariants(this, planted.blind ?? [])
    this.#turnKey()
    const token = this.#addToken()
    this.#newestToken = token
    const shared = createLocalLimiter(() => this.now, smallLimiter)
    this.nodes = Array.from(
      { length: nodeCount },
      (_, index) =>
        new ApiNode(index, {
          log,
          now: () => this.now,
          keys: this.#keys,
          cursorVersion: () => this.#cursorVersion,
          tokens: {
            load: async () => [...this.#grants],
            serial: async () => this.#tokenSerial,
            touch: async () => {},
          },
          isLimiterStoreDown: () => this.#isLimiterStoreDown,
          takeShared: (key, limit) => {
            const { isAllowed, remaining, resetSeconds } = shared.take(key, limit)
            // Whole seconds, rounded down, so that no answer holds for longer than it is true.
            return { isAllowed, count: limit - remaining, waitMs: (resetSeconds - 1) * 1000, epoch: 'one' }
          },
          processes: () => nodeCount,
          randomBytes,
          pageCap: this.profile.pageCap,
          faults: planted.node ?? {},
        }),
    )
    for (const [index, profile] of this.profile.clients.slice(0, options.maxClients ?? 3).entries()) {
      const durable = createDurable()
      this.clients.push({
        index,
        profile,
        filters: profile.filters,
        token,
        durable,
        target: isShipped(profile.kind) ? new ShippedTarget(profile.kind, durable) : undefined,
        lockHolder: undefined,
        clockShiftMs: this.#drawShift(),
      })
    }
    this.#weights = operations
      .filter((name) => !['overlap', 'crash', 'httpFault', 'sinkFault'].includes(name))
      .map((name) => [this.profile.weights[name], name] as const)
  }
  readonly #randomBytes: (count: number) => Buffer

  // --- small things ---

  #note(text: string): void {
    if (!this.#isTracing) return
    const ms = this.now - startMs
    const part = (value: number, width: number) => String(Math.floor(value)).padStart(width, '0')
    const [minutes, seconds] = [part((ms / minuteMs) % 60, 2), part((ms / 1000) % 60, 2)]
    const clock = `${Math.floor(ms / hourMs)}h${minutes}m${seconds}.${part(ms % 1000, 3)}`
    this.#trace.push(`#${this.step} ${clock} ${text}`)
  }

  #drawShift(): number {
    return this.#clocks.pick([0, 0, 1, -1]) * this.#clocks.integer(0, 10 * yearMs)
  }

  #turnKey(): void {
    this.#keys.push({ keyId: this.#keys.length + 1, key: createSecretKey(this.#randomBytes(32)) })
  }

  #addToken(): string {
    const token = makeToken(this.#randomBytes)
    this.#tokenSerial++
    this.#grants.push({
      tokenId: `token-${this.#tokenSerial}`,
      tokenHash: hashToken(token),
      expiresAt: undefined,
      organizationId,
      hasApiAccess: true,
      requestsPerMinute: this.#requestsPerMinute,
    })
    return token
  }

  get requestsPerMinute(): number {
    return this.#requestsPerMinute
  }

  /** The token of a process is one that the service knows at present. */
  isTokenValid({ token }: ClientProcess): boolean {
    const hash = hashToken(token)
    return this.#grants.some(({ tokenHash }) => tokenHash === hash)
  }

  #fault(process?: ClientProcess): void {
    this.#faults++
    if (process) process.faults++
  }

  // --- the run ---

  async run(): Promise<RunResult> {
    for (let index = 0; index < this.profile.records; index++) this.stock.create()
    this.#publish('before')
    for (const node of this.nodes) node.shown = 1
    while (this.step < this.#maxSteps && !this.invariants.mismatch) await this.#next()
    if (!this.invariants.mismatch) await this.#calmDown()
    return {
      operations: this.step,
      faults: this.#faults,
      requests: this.#requests,
      completed: this.#completed,
      publications: this.stock.editions.length,
      mismatch: this.invariants.mismatch,
      trace: this.#trace,
      sent: this.#sent,
    }
  }

  async close(): Promise<void> {
    for (const process of this.#processes) process.kill()
    for (const { target } of this.clients) target?.close()
    for (const node of this.nodes) await node.stop()
    this.log.close()
  }

  async #next(): Promise<void> {
    this.step++
    const random = this.#random
    const ready = this.#readyProcesses()
    const idle = this.clients.filter((client) => !this.#runningOf(client))
    if (random.chance(this.profile.eventRate)) return this.#happen(random.weighted(this.#weights))
    if (idle.length > 0 && (ready.length === 0 || random.chance(0.15))) {
      await this.#start(random.pick(idle))
      return
    }
    if (ready.length === 0) return this.#wakeNext()
    const process = random.pick(ready)
    const { weights, crashRate } = this.profile
    if (weights.overlap > 0 && random.chance(0.01)) return this.#overlap(process.client)
    if (crashRate > 0 && random.chance(crashRate)) return this.#crash(process)
    await this.#release(process, random.pick(this.#readyOf(process)))
  }

  #runningOf(client: SimulatedClient): ClientProcess | undefined {
    return this.#processes.find((process) => process.client === client && process.isAlive)
  }

  #readyOf(process: ClientProcess): Pending[] {
    return [...process.pending].filter(({ wakeAt }) => wakeAt === undefined || wakeAt <= this.now)
  }

  #readyProcesses(): ClientProcess[] {
    return this.#processes.filter((process) => process.isAlive && this.#readyOf(process).length > 0)
  }

  /** Nobody can do anything before the next sleep ends. */
  async #wakeNext(): Promise<void> {
    const times = this.#processes.flatMap((process) =>
      process.isAlive ? [...process.pending].map(({ wakeAt }) => wakeAt ?? this.now) : [],
    )
    if (times.length === 0) return
    this.now = Math.max(this.now, Math.min(...times))
    this.#note('time passes until the next sleeper wakes')
  }

  async #start(client: SimulatedClient): Promise<ClientProcess> {
    if (this.#random.chance(0.5)) client.token = this.#newestToken
    const process = this.#spawn(client)
    this.#processes.push(process)
    this.#note(`client ${client.index} (${client.profile.kind}, ${client.profile.initial}) starts a run`)
    await process.settle()
    this.#afterStep(process)
    return process
  }

  #spawn(client: SimulatedClient): ClientProcess {
    const index = this.#processes.findIndex((process) => process.client === client && !process.isAlive)
    if (index >= 0) this.#processes.splice(index, 1)
    return new ClientProcess({
      client,
      now: () => this.now,
      random: this.#jitter.next,
      onFilterChange: this.isQuiet || this.#random.chance(0.5) ? 'restart' : 'refuse',
      watch: this.invariants.watchOf(client),
      faults: this.#planted.client ?? {},
    })
  }

  /** C154: while a run is in progress, the next one is skipped. */
  async #overlap(client: SimulatedClient): Promise<void> {
    this.#note(`client ${client.index} is started a second time`)
    const second = this.#spawnBeside(client)
    await second.settle()
    if (second.outcome?.result !== 'skipped')
      this.invariants.report('C154', `a second run of client ${client.index} was not skipped`)
    second.kill()
  }

  #spawnBeside(client: SimulatedClient): ClientProcess {
    return new ClientProcess({
      client,
      now: () => this.now,
      random: this.#jitter.next,
      onFilterChange: 'refuse',
      watch: this.invariants.watchOf(client),
      faults: this.#planted.client ?? {},
    })
  }

  /** Ends a process before or after what it is about to do. */
  async #crash(process: ClientProcess): Promise<void> {
    this.#fault()
    const pending = this.#random.pick([...process.pending])
    const isAfter =
      pending !== undefined && pending.sent === undefined && pending.wakeAt === undefined && this.#random.chance(0.5)
    if (isAfter) pending.happen()
    this.#note(
      `client ${process.client.index} is killed ${isAfter ? 'after' : 'before'} ${pending?.step ?? 'anything'}`,
    )
    process.kill()
    const { target } = process.client
    if (target && this.#clientDraws.chance(0.5)) {
      target.cutPower(this.#clientDraws)
      this.#note(`the power of client ${process.client.index} fails`)
    }
    this.invariants.onCrash(process)
  }

  async #release(process: ClientProcess, pending: Pending): Promise<void> {
    if (pending.sent) await this.#serve(process, pending)
    else {
      const isFaulty =
        !this.isQuiet &&
        pending.wakeAt === undefined &&
        !pending.step.startsWith('sink.discard') &&
        this.#random.chance(this.profile.sinkFaultRate)
      this.now += pending.wakeAt === undefined ? this.#random.integer(0, 40) : 0
      this.#note(`client ${process.client.index}: ${pending.step}${isFaulty ? ' fails' : ''}`)
      if (isFaulty) {
        this.#fault(process)
        // Half of the failures come after the effect: the acknowledgement is lost.
        if (this.#random.chance(0.5))
          pending.happenUnheard!(new Error('the connection broke before the acknowledgement'))
        else pending.fail(new Error('no space left on device'))
      } else pending.happen()
      await process.settle()
    }
    this.#afterStep(process)
  }

  #afterStep(process: ClientProcess): void {
    if (process.isAlive) return
    const outcome = process.outcome
    this.#note(`client ${process.client.index}: ${describe(outcome)}`)
    if (process.crash !== undefined) this.invariants.report('sync rejects', String(process.crash))
    if (outcome?.result === 'completed') this.#completed++
    if (outcome) this.invariants.onOutcome(process, outcome)
  }

  // --- requests ---

  async #serve(process: ClientProcess, pending: Pending): Promise<void> {
    const network = this.#network
    const { url, token, signal } = pending.sent!
    const target = new URL(url)
    const path = target.pathname + target.search
    this.now += network.integer(1, 400)
    this.#requests++
    this.#sent += `${this.now} ${process.client.index} ${path}\n`
    this.invariants.onRequest(process, target)
    const node = network.pick(this.nodes)
    const fault = this.#drawHttpFault()
    const where = `client ${process.client.index}: GET ${path.replace(/cursor=([\w-]{0,6})[\w-]*/, 'cursor=$1…')}`
    const fail = async (text: string): Promise<void> => {
      this.#fault(process)
      this.#note(`${where}: ${text}`)
      this.invariants.onFailure(process, target, undefined)
      pending.fail(new TypeError('fetch failed'))
      await process.settle()
    }
    if (node.isDown || fault === 'refused') return fail(`node ${node.index} refuses the connection`)
    if (fault !== undefined && !bodyFaults.has(fault)) {
      const answer = this.#injected(fault)
      this.#fault(process)
      this.#note(`${where}: ${answer.status} on the way`)
      this.invariants.onFailure(process, target, answer)
      pending.answer!(responseOf(answer.status, answer.headers, answer.body))
      await process.settle()
      return
    }
    const hadKnown = node.reader.newest?.edition
    const answer = await node.ask(path, token, this.profile.isGzip ? 'gzip' : 'identity')
    this.invariants.onAnswer({ process, node, target, answer: plain(answer), shown: hadKnown ?? 0 })
    if (fault === 'lost') return fail(`node ${node.index} answers ${answer.status}, the answer is lost`)
    const { status, headers, body } = plain(answer)
    if (this.#isTracing)
      this.#note(
        `${where}: node ${node.index} (edition ${hadKnown}) ${status}${status === 200 ? ` ${sizeOf(body)}` : ''}${fault ? `, ${fault}` : ''}`,
      )
    if (fault !== undefined && body.length > 2) {
      this.#fault(process)
      // The status of a refusal counts even if its body broke off, or does not end. The wait for an answer that does
      // not end is over after 60 s, and the waits count from then.
      if (fault === 'stall') this.now += requestTimeoutMs
      this.invariants.onFailure(process, target, status === 200 ? undefined : { status, headers })
      const part = body.subarray(0, network.integer(1, body.length - 1))
      pending.answer!(
        fault === 'cut' ? responseOf(status, headers, part) : brokenResponse(status, headers, part, fault, signal),
      )
      if (fault === 'stall') {
        for (let turn = 0; turn < 20; turn++) await undefined
        pending.timer?.ring()
      }
      await process.settle()
      return
    }
    if (status >= 500) process.faults++
    if (status === 200) this.invariants.onDelivered(process, target, body)
    else this.invariants.onFailure(process, target, { status, headers })
    pending.answer!(responseOf(status, headers, body))
    await process.settle()
  }

  #drawHttpFault(): HttpFault | undefined {
    if (this.isQuiet || !this.#network.chance(this.profile.httpFaultRate)) return undefined
    return this.#network.pick(httpFaults)
  }

  /** An answer of something between the client and the API. */
  #injected(fault: HttpFault): Answer {
    const network = this.#network
    const status = Number(fault)
    const headers: { [name: string]: string } = {
      'content-type': network.pick(['text/html', 'application/problem+json']),
    }
    if (status === 429 || status === 503) {
      const seconds = network.integer(1, 90)
      const form = network.pick(['seconds', 'date', 'none'] as const)
      if (form === 'seconds') headers['retry-after'] = String(seconds)
      if (form === 'date') {
        const serverNow = Math.floor(this.now / 1000) * 1000 + network.integer(-5, 5) * minuteMs
        headers.date = new Date(serverNow).toUTCString()
        headers['retry-after'] = new Date(serverNow + seconds * 1000).toUTCString()
      }
    }
    const body = network.chance(0.5) ? '<html>Bad</html>' : `{"type":"about:blank","status":${status}}`
    return { status, headers, body: Buffer.from(body) }
  }

  // --- what else happens ---

  async #happen(operation: Operation): Promise<void> {
    const { stock } = this
    const random = this.#random
    switch (operation) {
      case 'create':
        return this.#note(`a tender is new: ${stock.create()}`)
      case 'change':
        return this.#note(`a tender changes: ${stock.change()}`)
      case 'region':
        return this.#note(`a region changes: ${stock.changeRegion()}`)
      case 'archive': {
        const reason = random.pick(['expired', 'cancelled', 'awarded'] as const)
        return this.#note(`a tender is ${reason}: ${stock.archive(reason)}`)
      }
      case 'reopen':
        return this.#note(`a tender is open again: ${stock.reopen()}`)
      case 'merge':
        return this.#note(`a tender is merged: ${stock.merge()}`)
      case 'mergeChain':
        return this.#note(`a chain is merged: ${stock.mergeChain()}`)
      case 'check':
        return this.#note(`a source is checked: ${stock.check(this.now + this.#publisherShiftMs)}`)
      case 'publish':
        return this.#publish('no')
      case 'publishCrash':
        this.#fault()
        return this.#publish(random.pick(['before', 'after'] as const))
      case 'lag':
        return this.#lag(random.pick(this.nodes))
      case 'catchUp':
        return this.#catchUp(random.pick(this.nodes))
      case 'restartNode':
        return this.#restartNode(random.pick(this.nodes))
      case 'stopNode':
        return this.#stopNode(random.pick(this.nodes))
      case 'nodeClock':
        return this.#moveNodeClock(random.pick(this.nodes))
      case 'publisherClock':
        this.#publisherShiftMs = random.integer(-30, 5) * minuteMs
        return this.#note(`the publisher's clock is off by ${this.#publisherShiftMs / minuteMs} minutes`)
      case 'advance':
        this.now += random.pick([1, 1000, minuteMs, 10 * minuteMs, hourMs, 3 * hourMs, 13 * hourMs])
        return this.#note('time passes')
      case 'advanceDay':
        this.now += dayMs + 1
        return this.#note('24 h and 1 ms pass')
      case 'rotateToken':
        return this.#rotateToken(false)
      case 'revokeToken':
        return this.#rotateToken(true)
      case 'exhaustQuota':
        return this.#exhaustQuota()
      case 'limiterStore':
        this.#isLimiterStoreDown = !this.#isLimiterStoreDown
        if (this.#isLimiterStoreDown) this.#fault()
        return this.#note(`the store of the limit is ${this.#isLimiterStoreDown ? 'down' : 'up'}`)
      case 'changeLimit':
        return this.#changeLimit()
      case 'cursorKey':
        this.#turnKey()
        return this.#note('the key of cursors turns')
      case 'cursorVersion':
        this.#cursorVersion = this.#cursorVersion === 1 ? 2 : 1
        return this.#note(`cursors have structure ${this.#cursorVersion}`)
      case 'changeFilters':
        return this.#changeFilters(random.pick(this.clients))
      case 'clientClock':
        for (const client of this.clients) if (!this.#runningOf(client)) client.clockShiftMs = this.#drawShift()
        return this.#note("clients' clocks jump")
      case 'archiveMany':
        return this.#note(`${stock.archiveMany(random.pick(['expired', 'cancelled', 'awarded']))} tenders are archived`)
      case 'forgetState':
        return this.#forgetState(random.pick(this.clients))
      case 'abort':
        return this.#abort()
    }
  }

  #publish(crash: 'no' | 'before' | 'after'): void {
    const { stock, profile } = this
    const isFirst = stock.newest === undefined
    const now = this.now + this.#publisherShiftMs
    const previous = stock.newest
    if (previous && now - previous.publishedAt < profile.minIntervalMs) {
      // Too early (P7): half of the time the world waits for it, else the publisher comes back later.
      if (this.#random.chance(0.5)) return void this.#note('too early to publish')
      this.now += previous.publishedAt + profile.minIntervalMs - now
    }
    const at = this.now + this.#publisherShiftMs
    if (previous && at < previous.publishedAt) return void this.#note('too early to publish: the clock was set back')
    if (crash === 'before' && !isFirst) return void this.#note('the publisher dies before its commit')
    const edition = stock.cut(at)
    if (!edition) return void this.#note('nothing new to publish')
    stock.commit(edition)
    this.log.append(edition)
    this.invariants.onPublished(edition)
    const records = edition.versions.map(
      ({ id, content }) => `${id.slice(0, 4)} ${content.archiveReason ?? content.status}`,
    )
    const end = crash === 'after' ? '; the publisher dies after its commit' : ''
    this.#note(`edition ${edition.info.edition}: ${records.join(', ')}${end}`)
    if (crash === 'after') return
    for (const node of this.nodes)
      if (!node.isDown && !node.isStuck && !this.#random.chance(this.profile.lagRate)) node.shown = edition.info.edition
  }

  #lag(node: ApiNode): void {
    this.#fault()
    node.isStuck = true
    this.#note(`node ${node.index} takes no new editions`)
  }

  #catchUp(node: ApiNode): void {
    const { newest } = this.stock
    if (newest === undefined || node.isDown) return
    node.isStuck = false
    node.shown = this.#random.chance(0.5) ? newest.edition : Math.min(newest.edition, node.shown + 1)
    this.#note(`node ${node.index} has edition ${node.shown}`)
  }

  /** A restarted process has what its disk has: everything, less after a disk was lost, or nothing yet. */
  async #restartNode(node: ApiNode): Promise<void> {
    this.#fault()
    const isLagging = this.profile.weights.lag > 0
    node.shown = this.#random.weighted([
      [4, node.shown],
      [isLagging ? 2 : 0, this.#random.integer(0, node.shown)],
      [isLagging ? 1 : 0, 0],
    ])
    node.skewMs = this.#random.integer(-20, 20) * 1000
    await node.start()
    this.#note(`node ${node.index} restarts with edition ${node.shown}`)
    this.invariants.onNodeRestart(node)
  }

  async #stopNode(node: ApiNode): Promise<void> {
    if (node.isDown) {
      await node.start()
      this.invariants.onNodeRestart(node)
    } else {
      this.#fault()
      node.isDown = true
    }
    this.#note(`node ${node.index} is ${node.isDown ? 'down' : 'up'}`)
  }

  #moveNodeClock(node: ApiNode): void {
    this.#fault()
    node.skewMs = this.#random.weighted([
      [3, this.#random.integer(-25, 25) * 1000],
      [1, this.#random.integer(-30, 0) * minuteMs],
    ])
    node.hasMovedClock = true
    this.#note(`the clock of node ${node.index} is off by ${node.skewMs / 1000} s`)
  }

  /** Overlapping rotation (two tokens at most), or all tokens revoked while the customer still uses them. */
  async #rotateToken(isAbrupt: boolean): Promise<void> {
    const gone = isAbrupt ? this.#grants.splice(0) : this.#grants.splice(0, Math.max(0, this.#grants.length - 1))
    this.#newestToken = this.#addToken()
    this.#fault()
    // Nodes that poll only later continue to load what is gone.
    for (const node of this.nodes) if (isAbrupt || this.#random.chance(0.5)) await node.readTokens()
    for (const client of this.clients) if (!isAbrupt && this.#random.chance(0.6)) client.token = this.#newestToken
    if (gone.length > 0) for (const process of this.#processes) process.faults++
    this.#note(isAbrupt ? 'the tokens are revoked at once' : `a token is added, ${gone.length} revoked`)
  }
  #newestToken = ''

  #exhaustQuota(): void {
    const shared = this.nodes[0]!
    let taken = 0
    while (
      taken < this.#requestsPerMinute &&
      !this.#isLimiterStoreDown &&
      shared.backplane.takeShared(organizationId, this.#requestsPerMinute).isAllowed
    ) {
      this.invariants.onForeignRequest()
      taken++
    }
    this.#note(`somebody else of the organisation takes ${taken} requests`)
  }

  async #changeLimit(): Promise<void> {
    this.#requestsPerMinute = this.#random.pick([3, 6, 12, 60, 700])
    for (const [index, grant] of this.#grants.entries())
      this.#grants[index] = { ...grant, requestsPerMinute: this.#requestsPerMinute }
    this.#tokenSerial++
    for (const node of this.nodes) await node.readTokens()
    this.#note(`the limit is ${this.#requestsPerMinute} now`)
  }

  #changeFilters(client: SimulatedClient): void {
    if (this.#runningOf(client)) return
    client.filters = changedFilters(this.#clientDraws, client.filters)
    this.#note(`client ${client.index} changes its filters to ${JSON.stringify(client.filters)}`)
  }

  /** Somebody resets the state, or restores a machine without it: the next run is a first one into a full target. */
  #forgetState(client: SimulatedClient): void {
    if (this.#runningOf(client) || client.target) return
    client.durable.state = undefined
    this.#note(`the state of client ${client.index} is gone`)
  }

  async #abort(): Promise<void> {
    const process = this.#processes.find(({ isAlive }) => isAlive)
    if (!process) return
    this.#fault(process)
    this.#note(`client ${process.client.index} is asked to stop`)
    process.aborting.abort(new Error('stopped'))
    if (process.pending.size === 0) await process.settle()
    this.#afterStep(process)
  }

  // --- the end ---

  /** Nothing fails any more: every client must reach the newest edition. */
  async #calmDown(): Promise<void> {
    this.isQuiet = true
    this.#note('calm')
    this.#isLimiterStoreDown = false
    for (const client of this.clients) client.token = this.#newestToken
    for (const node of this.nodes) {
      if (node.skewMs !== 0) node.hasMovedClock = true
      node.skewMs = 0
      if (node.isDown) {
        await node.start()
        this.invariants.onNodeRestart(node)
      }
      await node.readTokens()
      node.shown = this.stock.newest!.edition
    }
    for (const process of this.#processes) {
      // An earlier process may hold a token that is gone, or be in the middle of its waits.
      if (process.isAlive) {
        process.kill()
        this.invariants.onCrash(process)
      }
    }
    let steps = 0
    for (const client of this.clients) {
      for (let attempt = 0; ; attempt++) {
        const process = await this.#start(client)
        while (process.isAlive && !this.invariants.mismatch) {
          this.step++
          if (++steps > maxQuietSteps)
            return this.invariants.report('liveness', `client ${client.index} does not come to an end`)
          const ready = this.#readyOf(process)
          if (ready.length === 0) await this.#wakeNext()
          else await this.#release(process, ready[0]!)
        }
        if (this.invariants.mismatch) return
        const { outcome } = process
        if (outcome?.result === 'completed' && !outcome.isResumed) break
        if (attempt === 4)
          return this.invariants.report('liveness', `client ${client.index} does not complete: ${describe(outcome)}`)
      }
      this.invariants.onQuiet(client)
      if (this.invariants.mismatch) return
    }
  }
}

const httpFaults = ['refused', '429', '503', '503', '500', '502', '504', 'lost', 'reset', 'cut', 'stall'] as const
type HttpFault = (typeof httpFaults)[number]
const bodyFaults: ReadonlySet<HttpFault> = new Set<HttpFault>(['lost', 'reset', 'cut', 'stall'])

function plain(answer: Answer): Answer {
  if (answer.headers['content-encoding'] !== 'gzip') return answer
  return { ...answer, body: gunzipSync(answer.body) }
}

function responseOf(status: number, headers: { readonly [name: string]: string }, body: Buffer): Response {
  const { 'content-encoding': _encoding, 'content-length': _length, ...rest } = headers
  return new Response(status === 304 ? null : new Uint8Array(body), { status, headers: rest })
}

/** A body that breaks off, or that never ends. */
function brokenResponse(
  status: number,
  headers: { readonly [name: string]: string },
  part: Buffer,
  fault: HttpFault,
  signal: AbortSignal | undefined,
): Response {
  const { 'content-encoding': _encoding, 'content-length': _length, ...rest } = headers
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(new Uint8Array(part))
      if (fault === 'stall') signal?.addEventListener('abort', () => controller.error(signal.reason), { once: true })
    },
    pull: (controller) => {
      if (fault === 'reset') controller.error(new TypeError('terminated'))
    },
  })
  return new Response(stream, { status, headers: rest })
}

const sizeOf = (body: Buffer): string => {
  const parsed = JSON.parse(body.toString()) as {
    readonly data?: readonly { readonly id: string }[]
    readonly nextCursor?: unknown
  }
  return parsed.data
    ? `${parsed.data.map(({ id }) => id.slice(0, 4)).join(' ')}${parsed.nextCursor === null ? ' end' : ' …'}`
    : 'record'
}

function describe(outcome: SyncOutcome | undefined): string {
  if (!outcome) return 'no outcome'
  if (outcome.result === 'aborted') return `aborted: ${outcome.reason}: ${String(outcome.error).slice(0, 200)}`
  return outcome.result === 'completed'
    ? `completed (${outcome.kind}${outcome.isResumed ? ', resumed' : ''}), state ${outcome.updatedSince}`
    : outcome.result
}
