// Readers of a cluster run: what every answer says is judged, and how long reads stop is measured.
import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'
import { memorySink } from '../../../client/src/sinks/memory-sink.ts'
import { sync } from '../../../client/src/sync/sync.ts'
import { TenderClient } from '../../../client/src/tender-client.ts'
import type { TenderRecord } from '../../../client/src/types.ts'
import type { Random } from '../../testing/generate/random.ts'
import type { AnswerJudge, Page } from './answer-judge.ts'
import type { ClusterNode, ClusterWorld } from './cluster-world.ts'

/** As the sample of HAProxy has it: after this time a node that does not answer is given up. */
const longestAnswerMs = 10_000
/** How long a node may need after a fault of its own or of the database until it has the newest edition. */
const catchUpMs = 90_000
/** How long nothing may be published, whatever happens: a frozen publisher, and a failover beside it. */
const longestWithoutEditionMs = 180_000
/** How long a crawl insists on its next page. */
const insistMs = 120_000
/** Milliseconds that replace one minute of the client's waits. */
const haste = 200

type Answer = { readonly status: number; readonly text: string; readonly page?: Page }

export type ReaderCounts = {
  probes: number
  /** Answers of HAProxy that were none of the service's, or not 200. */
  failed: number
  retried: number
  runs: number
  brokenRuns: number
  limited: number
  longestGapMs: number
  slowestMs: number
  shed: number
}

/** What fetch failed with, in its own words and those of the connection. */
const causeOf = (error: unknown) => `${error} ${inspect((error as Error).cause)}`

export class ClusterReaders {
  readonly counts: ReaderCounts = {
    probes: 0,
    failed: 0,
    retried: 0,
    runs: 0,
    brokenRuns: 0,
    limited: 0,
    longestGapMs: 0,
    slowestMs: 0,
    shed: 0,
  }
  readonly sink = memorySink({ keepsState: true })
  /** The edition that each node showed last. */
  readonly editionOf = new Map<string, number>()
  readonly #world: ClusterWorld
  readonly #judge: AnswerJudge
  readonly #random: Random
  readonly #over = new AbortController()

  constructor(world: ClusterWorld, judge: AnswerJudge, random: Random) {
    this.#world = world
    this.#judge = judge
    this.#random = random
  }

  stop(): void {
    this.#over.abort()
  }

  async run(): Promise<void> {
    const { nodes } = this.#world
    await Promise.all([
      this.#probeBalancer(),
      ...nodes.map((node) => this.#probeNode(node, this.#over.signal)),
      this.#repeat('crawl', 2500, () => this.#crawl()),
      this.#repeat('delta', 1200, () => this.#delta()),
      this.#repeat('client', 2500, () => this.#sync()),
      ...nodes.map((_, index) =>
        this.#repeat('limit', 1100, async () => {
          await this.#world.limited.ask(index).then(
            () => this.counts.limited++,
            () => {},
          )
        }),
      ),
      this.#watchLag(),
    ])
  }

  async #repeat(what: string, pauseMs: number, work: () => Promise<unknown>): Promise<void> {
    while (!this.#over.signal.aborted) {
      await work().catch((error: unknown) => this.#judge.tell(`${what}: ${String(error).slice(0, 500)}`))
      await this.#pause(pauseMs)
    }
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#over.signal }).catch(() => {})
  }

  async #get(origin: string, query: string): Promise<Answer> {
    const response = await fetch(`${origin}/v1/tenders?${query}`, {
      headers: { authorization: `Bearer ${this.#world.token}` },
      signal: AbortSignal.timeout(60_000),
    })
    const text = await response.text()
    if (response.status !== 200) return { status: response.status, text }
    const body = JSON.parse(text) as { data: TenderRecord[]; nextCursor: string | null }
    const [, edition, at] = /^(\d+); (\S+)$/.exec(response.headers.get('x-stock-state') ?? '') ?? []
    const page = {
      ...body,
      edition: Number(edition),
      publishedAt: Date.parse(at ?? ''),
      digest: response.headers.get('x-stock-digest'),
    }
    return { status: 200, text, page }
  }

  /** Whether a node was struck, or had just been, while a request through HAProxy was on its way. */
  #isNodeStruck(from: number, graceMs: number): boolean {
    return this.#world.nodes.some(({ name }) => this.#world.log.touches(name, from, Date.now(), graceMs))
  }

  /** One request every quarter of a second, whether the one before was answered or not. */
  async #probeBalancer(): Promise<void> {
    const { counts } = this
    let lastAt = Date.now()
    // what this process itself was late counts for nobody
    let lateMs = 0
    const pending = new Set<Promise<void>>()
    const probe = async () => {
      const sentAt = Date.now()
      const answer = await this.#get(this.#world.origin, 'limit=2').catch(causeOf)
      counts.probes++
      counts.slowestMs = Math.max(counts.slowestMs, Date.now() - sentAt)
      if (typeof answer === 'object' && answer.page) {
        counts.longestGapMs = Math.max(counts.longestGapMs, Date.now() - lastAt)
        if (Date.now() - lastAt > longestAnswerMs + lateMs)
          this.#judge.tell(`reads stopped for ${Date.now() - lastAt} ms, and this process for ${lateMs} ms`)
        lastAt = Date.now()
        lateMs = 0
        await this.#judge.page(answer.page, 'probe')
        return
      }
      counts.failed++
      const said = typeof answer === 'string' ? answer : `${answer.status} ${answer.text.slice(0, 300)}`
      if (!this.#isNodeStruck(sentAt, 2 * longestAnswerMs))
        this.#judge.tell(`HAProxy answered without a reason after ${Date.now() - sentAt} ms: ${said}`)
    }
    while (!this.#over.signal.aborted) {
      const one = probe().finally(() => pending.delete(one))
      pending.add(one)
      const pausedAt = Date.now()
      await this.#pause(250)
      lateMs += Math.max(0, Date.now() - pausedAt - 250)
    }
    await Promise.all(pending)
  }

  /** What one node shows never goes back, and it answers unless it was struck. */
  async #probeNode(node: ClusterNode, over: AbortSignal): Promise<void> {
    const { name, origin } = node
    let newest = 0
    while (!over.aborted) {
      const sentAt = Date.now()
      const answer = await this.#get(origin, 'limit=2').catch(causeOf)
      if (typeof answer === 'object' && answer.page) {
        const { edition } = answer.page
        if (edition < newest) this.#judge.tell(`${name} shows edition ${edition} after ${newest}`)
        newest = edition
        this.editionOf.set(name, edition)
        const ready = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(60_000) }).catch(() => undefined)
        const said = (await ready?.json().catch(() => ({}))) as { edition?: number; editionAgeSeconds?: number }
        if (said?.edition !== undefined) this.#judge.age(said.edition, said.editionAgeSeconds ?? 0, name)
        await this.#judge.page(answer.page, name)
      } else if (typeof answer === 'object' && answer.status === 503 && answer.text.includes('overload')) {
        this.counts.shed++
      } else if (!this.#world.log.touches(name, sentAt, Date.now(), 3000)) {
        const said = typeof answer === 'string' ? answer : `${answer.status} ${answer.text.slice(0, 300)}`
        this.#judge.tell(`${name} answered without a reason: ${said}`)
      }
      await delay(500, undefined, { signal: over }).catch(() => {})
    }
  }

  /** The node that was off: at its first answer it has what is new, and then it is as any other. */
  async probeReturned(forMs: number): Promise<void> {
    const node = this.#world.returning!
    const before = this.#judge.newest
    const first = await this.#get(node.origin, 'limit=2')
    if (!first.page) this.#judge.tell(`${node.name} answers ${first.status} when it is ready`)
    else if (first.page.edition < before && !this.#world.log.touches('database', Date.now(), Date.now(), catchUpMs))
      this.#judge.tell(`${node.name} shows edition ${first.page.edition} when it is ready, and ${before} is published`)
    const over = AbortSignal.timeout(forMs)
    const crawling = this.#crawl([node.origin]).catch((error: unknown) => this.#judge.tell(`${node.name}: ${error}`))
    await Promise.all([this.#probeNode(node, over), crawling])
  }

  /** Pages from HAProxy, or each from another node. */
  async #pages(query: string, origins?: readonly string[]): Promise<readonly Page[]> {
    const asked =
      origins ?? (this.#random.chance(0.5) ? [this.#world.origin] : this.#world.nodes.map((each) => each.origin))
    const pages: Page[] = []
    for (let cursor = ''; ; ) {
      const page = await this.#insist(() => asked[(pages.length + this.counts.retried) % asked.length]!, query + cursor)
      if (!page) return []
      pages.push(page)
      if (page.nextCursor === null) return pages
      cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
    }
  }

  /** A page, whatever fails meanwhile; undefined if the run is over. A refusal is a fault. */
  async #insist(origin: () => string, query: string): Promise<Page | undefined> {
    for (const end = Date.now() + insistMs; ; this.counts.retried++) {
      const answer = await this.#get(origin(), query).catch(() => undefined)
      if (answer?.page) return answer.page
      if (answer && answer.status < 500)
        throw new Error(`${query} is refused: ${answer.status} ${answer.text.slice(0, 300)}`)
      if (this.#over.signal.aborted) return undefined
      if (Date.now() > end) throw new Error(`no answer for ${insistMs} ms: ${query} ${answer?.text.slice(0, 300)}`)
      await this.#pause(300)
    }
  }

  async #crawl(origins?: readonly string[]): Promise<void> {
    const pages = await this.#pages('limit=100&archived=true', origins)
    if (pages.length > 0) await this.#judge.crawl(pages, 'crawl')
  }

  async #delta(): Promise<void> {
    const since = this.#judge.anyStamp((count) =>
      this.#random.chance(0.9)
        ? count - 1 - this.#random.integer(0, Math.min(count - 1, 200))
        : this.#random.integer(0, count - 1),
    )
    if (since === undefined) return
    const pages = await this.#pages(`limit=50&updated_since=${new Date(since).toISOString()}`)
    if (pages.length > 0) await this.#judge.delta(pages, since, 'delta')
  }

  /** A run of the client, which compares its copy with the digest of the edition. */
  async #sync(): Promise<boolean> {
    const client = new TenderClient({
      baseUrl: this.#world.origin,
      token: this.#world.token,
      sleep: async (ms, signal) => {
        await delay(Math.max(20, ms / haste), undefined, signal ? { signal } : {})
      },
      random: this.#random.next,
    })
    const outcome = await sync({ client, sink: this.sink, initial: 'history' })
    this.counts.runs++
    if (outcome.result !== 'aborted') return true
    this.counts.brokenRuns++
    if (outcome.reason !== 'problem' && outcome.reason !== 'unreachable')
      this.#judge.tell(`a run of the client: ${JSON.stringify(outcome)}`)
    return false
  }

  /** A last run of the client, when all is well. */
  async finish(): Promise<void> {
    if (!(await this.#sync()) && !(await this.#sync())) this.#judge.tell('the last run of the client did not complete')
  }

  /** No node stays behind, and editions do not stop. */
  async #watchLag(): Promise<void> {
    const behind = new Map<string, { readonly edition: number; readonly since: number }>()
    const told = new Set<string>()
    let isStopped = false
    while (!this.#over.signal.aborted) {
      await this.#pause(1000)
      const now = Date.now()
      for (const { name } of this.#world.nodes) {
        const shown = this.editionOf.get(name) ?? 0
        const isStruck = ['database', name, 'clock'].some((target) => this.#world.log.touches(target, now, now))
        const known = behind.get(name)
        if (isStruck || shown >= this.#judge.newest || (known && shown >= known.edition)) behind.delete(name)
        else if (!known) behind.set(name, { edition: this.#judge.newest, since: now })
        else if (now - known.since > catchUpMs && !told.has(`${name} ${known.edition}`)) {
          told.add(`${name} ${known.edition}`)
          this.#judge.tell(`${name} shows edition ${shown} ${now - known.since} ms after ${known.edition} was seen`)
        }
      }
      const isLong = now - this.#judge.newestAt > longestWithoutEditionMs
      if (isLong && !isStopped)
        this.#judge.tell(`nothing was published for ${longestWithoutEditionMs} ms after edition ${this.#judge.newest}`)
      isStopped = isLong
    }
  }
}
