// What must hold after every step (docs/sync/proof.md). The first violation is stored as the run's mismatch.
import type { SyncState } from '../../client/src/sync/sink.ts'
import type { SyncOutcome } from '../../client/src/sync/sync.ts'
import type { SyncFilters } from '../../client/src/sync/sync-filters.ts'
import type { TenderList, TenderRecord } from '../../client/src/types.ts'
import { toInstant } from '../../src/domain/time.ts'
import type { ApiNode } from './api-node.ts'
import type { ClientProcess, SimulatedClient } from './client-process.ts'
import { type After, expectedPage, isAskedFor } from './expected.ts'
import type { Answer } from './in-process-app.ts'
import type { Held, SinkWatch } from './memory-sink.ts'
import { isDirect, type Profile } from './profile.ts'
import { isVisible, type SimulatedEdition, type Stock, type Version } from './stock.ts'

const minuteMs = 60_000
const windowMs = minuteMs
const dayMs = 24 * 60 * minuteMs
const heldMs = 25 * 60 * minuteMs
const skewMs = minuteMs
const archiveFloor = '2022-01-01T00:00:00.000Z'
/** Above it the limit is counted by the second. */
const exactLimit = 600

/** What is checked. */
export type WatchedWorld = {
  readonly now: number
  readonly step: number
  readonly stock: Stock
  readonly profile: Profile
  readonly requestsPerMinute: number
  readonly isTokenValid: (process: ClientProcess) => boolean
}

export type Mismatch = { readonly invariant: string; readonly detail: string; readonly step: number }

/** A run as its cursors carry it: from a request without cursor to the page without one. */
type Chain = {
  readonly edition: number
  readonly since: string | null
  readonly largest: number | undefined
  /** R5 was needed on the way. */
  readonly isGone: boolean
  readonly query: string
}
type Issued = Chain & { readonly after: After; readonly issuedAt: number }

/** The facts known about one client. */
type Known = {
  /** `id@lastModified` of everything that was delivered to it. */
  readonly delivered: Set<string>
  readonly deliveredTimes: Set<string>
  /** The newest edition from which anything was delivered. */
  newestSeen: number
  lastChain: Chain | undefined
  /** A first run wrote into a target that was not empty and that shows writes at once. */
  isFilledTwice: boolean
}

const keyOf = (record: TenderList['data'][number] | undefined): After | undefined =>
  record && { lastModified: Date.parse(record.lastModified), id: record.id }

/** The state of one process's retries. */
type Retries = {
  url: string | undefined
  notBefore: number
  failures: number
  mustStop: string | undefined
}

const queryOf = (parameters: URLSearchParams): string =>
  [...parameters]
    .filter(([name]) => name !== 'limit' && name !== 'cursor')
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('&')

export const parametersOf = (filters: SyncFilters): URLSearchParams => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) if (value !== undefined) parameters.set(name, String(value))
  return parameters
}

export class Invariants {
  mismatch: Mismatch | undefined
  readonly #world: WatchedWorld
  readonly #blind: readonly string[]
  readonly #cursors = new Map<string, Issued>()
  readonly #versions = new Map<string, Version>()
  readonly #known = new Map<SimulatedClient, Known>()
  readonly #retries = new WeakMap<ClientProcess, Retries>()
  /** The newest version of each record that was delivered to a process. */
  readonly #delivered = new WeakMap<ClientProcess, Map<string, { readonly ms: number; readonly isOpen: boolean }>>()
  readonly #authentic = new WeakSet<object>()
  readonly #filtersOfHash = new Map<string, string>()
  #sharedCount: number[] = []
  readonly #localCounts = new Map<ApiNode, number[]>()
  /** Everything that was accepted, by either count. */
  #wholeCount: number[] = []
  #limitSeen = 0
  #limitChangedAt = Number.NEGATIVE_INFINITY
  /** What the last answer of a node was, until it is delivered or lost. */
  #current: { readonly chain: Chain | undefined; readonly edition: number } | undefined

  /** `blind` names invariants that are ignored: for tests of the others. */
  constructor(world: WatchedWorld, blind: readonly string[]) {
    this.#world = world
    this.#blind = blind
  }

  report(invariant: string, detail: string): void {
    if (this.#blind.includes(invariant)) return
    this.mismatch ??= { invariant, detail, step: this.#world.step }
  }

  #knownOf(client: SimulatedClient): Known {
    let known = this.#known.get(client)
    if (!known) {
      known = {
        delivered: new Set(),
        deliveredTimes: new Set(),
        newestSeen: 0,
        lastChain: undefined,
        isFilledTwice: false,
      }
      this.#known.set(client, known)
    }
    return known
  }

  #retriesOf(process: ClientProcess): Retries {
    let retries = this.#retries.get(process)
    if (!retries) {
      retries = { url: undefined, notBefore: 0, failures: 0, mustStop: undefined }
      this.#retries.set(process, retries)
    }
    return retries
  }

  #deliveredTo(process: ClientProcess) {
    let delivered = this.#delivered.get(process)
    if (!delivered) {
      delivered = new Map()
      this.#delivered.set(process, delivered)
    }
    return delivered
  }

  // --- publication ---

  onPublished({ info, versions }: SimulatedEdition): void {
    const previous = this.#world.stock.edition(info.edition - 1)?.info
    for (const version of versions) {
      this.#versions.set(`${version.id}@${version.lastModified}`, version)
      if (previous && version.lastModified <= previous.lastModified)
        this.report('P2', `${version.id} of edition ${info.edition} is not later than edition ${previous.edition}`)
    }
  }

  // --- requests ---

  onRequest(process: ClientProcess, target: URL): void {
    const { now } = this.#world
    const retries = this.#retriesOf(process)
    const url = target.pathname + target.search
    if (retries.mustStop !== undefined) this.report('C153', `a request after ${retries.mustStop}: ${url}`)
    if (retries.url !== undefined) {
      if (retries.url !== url) this.report('C152', `${retries.url} was not repeated, but ${url}`)
      if (now < retries.notBefore)
        this.report('C152 C153', `${url} is repeated ${retries.notBefore - now} ms too early`)
    }
    retries.url = undefined
    if (target.pathname !== '/v1/tenders') return
    const { searchParams } = target
    const { client } = process
    const known = this.#knownOf(client)
    const wanted = parametersOf(client.filters)
    const since = searchParams.get('updated_since')
    if (since !== null) wanted.set('updated_since', since)
    if (queryOf(wanted) !== queryOf(searchParams)) this.report('C144', `not the client's filters: ${url}`)
    if (searchParams.get('limit') !== '100') this.report('C144', `not limit=100: ${url}`)
    const cursor = searchParams.get('cursor')
    if (cursor !== null) {
      const issued = this.#cursors.get(cursor)
      if (!issued) this.report('C145', `a cursor that nobody issued: ${url}`)
      else if (issued.query !== queryOf(searchParams)) this.report('C150', `a cursor with other parameters: ${url}`)
      return
    }
    const { state } = client.durable
    const isOwnState =
      state !== undefined && this.#filtersOfHash.get(state.filterHash) === JSON.stringify(client.filters)
    if (isOwnState && state.updatedSince !== undefined) {
      if (since !== state.updatedSince)
        this.report('C150 C155', `updated_since=${since}, but the state is ${state.updatedSince}`)
    } else if (since !== null && since !== archiveFloor && !known.deliveredTimes.has(since))
      this.report('C149', `updated_since=${since} was never delivered`)
  }

  /** The client receives no usable answer: none at all, or a refusal. */
  onFailure(process: ClientProcess, target: URL, answer: Pick<Answer, 'status' | 'headers'> | undefined): void {
    const { now } = this.#world
    const retries = this.#retriesOf(process)
    const url = target.pathname + target.search
    const status = answer?.status
    if (answer && (status === 429 || status === 503)) {
      retries.url = url
      retries.notBefore = now + waitOf(answer.headers)
      return
    }
    if (status === undefined || status >= 500) {
      retries.failures++
      if (retries.failures > 5) {
        retries.mustStop = `six failures of ${url}`
        return
      }
      retries.url = url
      retries.notBefore = now + 2 ** (retries.failures - 1) * minuteMs
      return
    }
    retries.failures = 0
    if (status === 401 || status === 403) {
      process.faults++
      retries.mustStop = `${status}`
    }
  }

  /** A node's own answer, whether or not it arrives. */
  onAnswer(options: {
    readonly process: ClientProcess
    readonly node: ApiNode
    readonly target: URL
    readonly answer: Answer
    readonly shown: number
  }): void {
    const { process, node, target, answer, shown } = options
    const { status, headers } = answer
    this.#current = undefined
    this.#checkQuota(node, status)
    const cursor = target.searchParams.get('cursor')
    const issued = cursor === null ? undefined : this.#cursors.get(cursor)
    const describe = (): string =>
      `${status} from node ${node.index} (edition ${shown}): ${answer.body.toString().slice(0, 200)}`
    switch (status) {
      case 200:
        if (shown === 0) return void this.report('R1', describe())
        if (Number.parseInt(headers['x-stock-state'] ?? '', 10) !== this.#checkBody(options, issued))
          this.report('R1', `x-stock-state: ${headers['x-stock-state']}`)
        return
      case 429:
        return
      case 400: {
        const slug = /#error-([a-z-]+)"/.exec(answer.body.toString())?.[1]
        const ageMs = issued === undefined ? Number.NaN : node.clock() - issued.issuedAt
        // Days that pass between pages: a run gives up after a few restarts, and the next one continues.
        if (slug === 'cursor-expired' && ageMs > dayMs) {
          process.faults++
          return
        }
        // The clocks of nodes are more than a minute apart: an answer may be a refusal, but never wrong.
        if (slug === 'cursor-invalid' && ageMs < -skewMs) {
          process.faults++
          return
        }
        return void this.report('C50', describe())
      }
      case 401:
        if (this.#world.isTokenValid(process)) this.report('401', describe())
        return
      case 404:
        if (node.versionOf(this.#world.stock.versions, target.pathname.split('/').at(-1)!))
          this.report('404', describe())
        return
      case 503:
        if (shown !== 0 && !(issued !== undefined && issued.edition > shown)) this.report('5xx', describe())
        return
      default:
        this.report('5xx', describe())
    }
  }

  /** Compares a page or a record with what it must be; the edition that the answer must name. */
  #checkBody(
    { node, target, answer, shown }: { node: ApiNode; target: URL; answer: Answer; shown: number },
    issued: Issued | undefined,
  ): number {
    const { stock, profile } = this.#world
    const text = answer.body.toString()
    if (target.pathname !== '/v1/tenders') {
      const version = node.versionOf(stock.versions, target.pathname.split('/').at(-1)!)
      if (!version || text !== stock.wire(version, shown))
        this.report('by id', `not the newest version: ${text.slice(0, 300)}`)
      this.#current = { chain: undefined, edition: shown }
      return shown
    }
    const edition = issued?.edition ?? shown
    if (edition > shown) this.report('R3', `a page of edition ${edition} from a node that has ${shown}`)
    if (issued && node.clock() - issued.issuedAt > dayMs) this.report('C49', 'an expired cursor was taken')
    const isGone = edition !== shown && node.reader.edition(edition) === undefined
    if (isGone) {
      const followedAt = stock.edition(edition + 1)?.info.publishedAt ?? Number.POSITIVE_INFINITY
      if (Math.max(node.clock(), stock.edition(shown)!.info.publishedAt) - followedAt <= heldMs)
        this.report('R4', `edition ${edition} is gone too early`)
    }
    const { searchParams } = target
    const { versions, hasMore } = expectedPage(
      stock,
      searchParams,
      { edition, shown, isGone, after: issued?.after },
      profile.pageCap,
    )
    const head = `{"data":[${versions.map((version) => stock.wire(version, isGone ? shown : edition)).join(',')}],"nextCursor":`
    const isExpected = text.startsWith(head)
    const found = isExpected ? undefined : (JSON.parse(text) as TenderList)
    const next = found ? found.nextCursor : (JSON.parse(text.slice(head.length, -1)) as string | null)
    if (!isExpected || (next !== null) !== hasMore)
      this.report(
        'page',
        `edition ${edition}, node ${node.index} (${shown}), ${target.search}: expected ${head.slice(0, 2000)}${hasMore}, found ${text.slice(0, 2000)}`,
      )
    const last = found ? keyOf(found.data.at(-1)) : versions.at(-1)
    const chain: Chain = {
      edition,
      since: searchParams.get('updated_since'),
      largest: last?.lastModified ?? issued?.largest,
      isGone: isGone || issued?.isGone === true,
      query: queryOf(searchParams),
    }
    if (typeof next === 'string' && last)
      this.#cursors.set(next, {
        ...chain,
        after: { lastModified: last.lastModified, id: last.id },
        issuedAt: node.clock(),
      })
    this.#current = { chain, edition: isGone ? shown : edition }
    return isGone ? shown : edition
  }

  onDelivered(process: ClientProcess, target: URL, body: Buffer): void {
    const retries = this.#retriesOf(process)
    retries.failures = 0
    const known = this.#knownOf(process.client)
    const current = this.#current
    const parsed = JSON.parse(body.toString()) as TenderList | TenderRecord
    const delivered = this.#deliveredTo(process)
    for (const { id, lastModified, archiveReason } of 'data' in parsed ? parsed.data : [parsed]) {
      const ms = Date.parse(lastModified)
      known.delivered.add(`${id}@${ms}`)
      known.deliveredTimes.add(lastModified)
      if (ms >= (delivered.get(id)?.ms ?? 0)) delivered.set(id, { ms, isOpen: archiveReason === undefined })
    }
    if (!current) return
    known.newestSeen = Math.max(known.newestSeen, current.edition)
    if (target.pathname === '/v1/tenders') known.lastChain = current.chain
  }

  // --- quota ---

  onForeignRequest(): void {
    this.#seeLimit()
    this.#sharedCount.push(this.#world.now)
    this.#wholeCount.push(this.#world.now)
  }

  onNodeRestart(node: ApiNode): void {
    this.#localCounts.delete(node)
  }

  /** Requests under a limit above the exact ones are stamped to the second, whoever sends them. */
  #seeLimit(): void {
    const { now, requestsPerMinute } = this.#world
    if (requestsPerMinute === this.#limitSeen) return
    this.#limitSeen = requestsPerMinute
    this.#limitChangedAt = now
  }

  #checkQuota(node: ApiNode, status: number): void {
    const { decision } = node
    node.decision = undefined
    if (!decision) {
      if (status === 429) this.report('429', 'a 429 that no count decided')
      return
    }
    const { counter, isAllowed } = decision
    const { now, requestsPerMinute } = this.#world
    // Without the shared count a node holds its share.
    const { limit } = decision
    this.#seeLimit()
    const isExact = requestsPerMinute <= exactLimit && now - this.#limitChangedAt > 2 * windowMs
    const localNow = node.clock()
    const local = (this.#localCounts.get(node) ?? []).filter((at) => at > localNow - windowMs)
    this.#localCounts.set(node, local)
    this.#sharedCount = this.#sharedCount.filter((at) => at > now - windowMs)
    const isJudged = counter === 'shared' || !node.hasMovedClock
    const count = counter === 'shared' ? this.#sharedCount.length : local.length
    if (isJudged && isAllowed && count >= limit)
      this.report('quota', `${count + 1} accepted in 60 s by the ${counter} count, the limit is ${limit}`)
    this.#wholeCount = this.#wholeCount.filter((at) => at > now - windowMs)
    // A node that continues from the last shared answer may deny below its share what all together have used up.
    const isUsedUp = counter === 'local' && this.#wholeCount.length >= requestsPerMinute
    if (isJudged && isExact && !isAllowed && count < limit && !isUsedUp)
      this.report('429', `refused with ${count} of ${limit} in the last 60 s by the ${counter} count`)
    if ((status === 429) === isAllowed) this.report('429', `the count says ${isAllowed}, the answer ${status}`)
    if (!isAllowed) return
    if (counter === 'shared') this.#sharedCount.push(now)
    this.#wholeCount.push(now)
    local.push(localNow)
  }

  // --- copies ---

  watchOf(client: SimulatedClient): SinkWatch {
    const filters = JSON.stringify(client.filters)
    return {
      onBegin: ({ kind, resumed }) => {
        // The next process may still write into the target what was delivered to a killed one.
        const known = this.#knownOf(client)
        const isEmpty = client.durable.copy.size === 0 && known.delivered.size === 0
        if (kind === 'first' && !resumed && isDirect(client.profile.kind) && !isEmpty) known.isFilledTwice = true
      },
      onWrite: (before, after) => {
        if (before && after.record.lastModified < before.record.lastModified)
          this.report(
            'G5',
            `${after.record.id} falls from ${before.record.lastModified} to ${after.record.lastModified} in the copy of client ${client.index}`,
          )
      },
      onMerge: ({ record, into }, isSurvivorHeld) => {
        if (!isSurvivorHeld) this.report('C158', `${record.id} is merged into ${into}, which is not there`)
      },
      onState: (before, after) => this.#onState(client, filters, before, after),
      onBroken: (detail) => this.report('contract', `client ${client.index}: ${detail}`),
      onFound: (acknowledged, found) => {
        if (acknowledged?.updatedSince !== undefined && (found?.updatedSince ?? '') < acknowledged.updatedSince)
          this.report(
            'lost',
            `${acknowledged.updatedSince} was acknowledged, and client ${client.index} finds ${found?.updatedSince}`,
          )
      },
    }
  }

  /**
   * `filters` are those with which the process was started: the report of a killed one may arrive after they have
   * changed.
   */
  #onState(
    client: SimulatedClient,
    filters: string,
    before: SyncState | undefined,
    after: SyncState | undefined,
  ): void {
    if (after) this.#filtersOfHash.set(after.filterHash, filters)
    const isSameCopy = before !== undefined && this.#filtersOfHash.get(before.filterHash) === filters
    if (isSameCopy && before.updatedSince !== undefined && (after?.updatedSince ?? '') < before.updatedSince)
      this.report('T falls', `from ${before.updatedSince} to ${after?.updatedSince}, client ${client.index}`)
    const known = this.#knownOf(client)
    for (const time of [after?.updatedSince, after?.run?.largest])
      if (time !== undefined && time !== before?.updatedSince && !known.deliveredTimes.has(time))
        this.report('C147 C149', `the state ${time} is no time that was delivered`)
  }

  onCrash(process: ClientProcess): void {
    this.#retries.delete(process)
  }

  onOutcome(process: ClientProcess, outcome: SyncOutcome): void {
    const { client } = process
    // Nothing here loses a record of a copy, so no copy may differ, whatever node answered and whatever failed.
    if (process.events.some(({ type }) => type === 'differs'))
      this.report('D59', `the copy of client ${client.index} (${client.profile.kind}) was taken for another edition`)
    if (outcome.result === 'completed') {
      this.#checkDelivered(process)
      return void this.#checkCopy(client, false)
    }
    if (outcome.result === 'skipped') return
    const { reason, error } = outcome
    if (reason === 'filters-changed') {
      const { state } = client.durable
      if (!state || this.#filtersOfHash.get(state.filterHash) === JSON.stringify(client.filters))
        this.report('G4', 'the filters are the same, but the run was refused')
      return
    }
    if (reason === 'behind') {
      const edition = this.#knownOf(client).lastChain?.edition ?? 0
      if (edition >= this.#knownOf(client).newestSeen)
        this.report('behind', `client ${client.index} was told that edition ${edition} is older than its copy`)
      return
    }
    if (process.faults === 0 || reason === 'feed' || reason === 'state' || reason === 'lock-lost')
      this.report('abort', `client ${client.index} aborted without cause: ${reason}: ${String(error)}`)
  }

  /** A completed run misses nothing that was delivered to it; archived records may be unknown to the target. */
  #checkDelivered(process: ClientProcess): void {
    const { copy } = process.client.durable
    for (const [id, { ms, isOpen }] of this.#delivered.get(process) ?? []) {
      const held = copy.get(id)
      if (isOpen && !(held && Date.parse(held.record.lastModified) >= ms))
        this.report(
          'delivered',
          `client ${process.client.index} was given ${id} of ${toInstant(ms)} and holds ${held?.record.lastModified}`,
        )
    }
  }

  /** After a run without faults: the copy is equal to the newest edition, including merges. */
  onQuiet(client: SimulatedClient): void {
    this.#checkCopy(client, true)
    const { newest } = this.#world.stock
    const chain = this.#knownOf(client).lastChain
    if (chain?.edition !== newest?.edition) this.report('liveness', `the last run ended in edition ${chain?.edition}`)
    const isWhole = Object.values(client.filters).every((value) => value === undefined)
    const copy = client.durable.state?.copy
    if (isWhole && client.durable.state && (copy?.isDifferent !== false || copy.edition !== newest?.edition))
      this.report('D59', `client ${client.index} (${client.profile.kind}) did not compare: ${JSON.stringify(copy)}`)
  }

  #checkCopy(client: SimulatedClient, isFinal: boolean): void {
    const known = this.#knownOf(client)
    const chain = known.lastChain
    const name = `client ${client.index} (${client.profile.kind})`
    if (!chain) return void this.report('copy', `${name} completed without a page`)
    const { stock } = this.#world
    const { copy } = client.durable
    const parameters = parametersOf(client.filters)
    const bound = stock.edition(chain.edition)!.info.lastModified
    const { newestSeen } = known
    /**
     * Replaced in an edition that the client saw before: a node that lagged delivered the old one, the next run repeats
     * it.
     */
    const isLate = (version: Version): boolean =>
      !isFinal &&
      version.supersededBy !== 0 &&
      (chain.isGone || (chain.edition < newestSeen && version.supersededBy <= newestSeen))
    for (const version of stock.versions) {
      if (!isVisible(version, chain.edition) || !isAskedFor(version.content, parameters)) continue
      const held = copy.get(version.id)
      const at = `${version.id} of ${toInstant(version.lastModified)}, edition ${chain.edition}, ${name}`
      if (!held) {
        const mayBeUnknown = version.isArchived && client.profile.initial === 'open'
        if (!mayBeUnknown && !isLate(version)) this.report('copy', `lacks ${at}`)
        continue
      }
      const heldMs = Date.parse(held.record.lastModified)
      if (heldMs === version.lastModified) continue
      if (heldMs > bound && known.delivered.has(`${version.id}@${heldMs}`)) continue
      // G1 concerns records that the target held as unfinished. Records that were archived before and are archived now
      // were not delivered with either.
      if (known.isFilledTwice && version.isArchived && held.record.archiveReason !== undefined) continue
      if (!isLate(version)) this.report('copy', `holds ${held.record.lastModified} of ${at}`)
    }
    for (const held of copy.values()) this.#checkAuthentic(held, name)
    if (isFinal) for (const held of copy.values()) this.#checkHow(held, client, name)
  }

  /** A copy contains nothing that was not published exactly so, except `checkedAt` (C26). */
  #checkAuthentic({ record }: Held, name: string): void {
    if (this.#authentic.has(record)) return
    const { checkedAt: _checkedAt, ...rest } = record
    const version = this.#versions.get(`${record.id}@${Date.parse(record.lastModified)}`)
    if (!version || version.trueBody !== JSON.stringify(rest))
      this.report('copy', `${name} holds what was never published: ${JSON.stringify(rest).slice(0, 500)}`)
    this.#authentic.add(record)
  }

  /** C157, C158: closed records are closed, merged ones are merged with a survivor that exists. */
  #checkHow({ record, how, into }: Held, client: SimulatedClient, name: string): void {
    const expected =
      record.archiveReason === undefined ? 'upsert' : record.archiveReason === 'merged' ? 'merge' : 'close'
    if (how !== expected) this.report('C157 C158', `${name} took ${record.id} (${record.archiveReason}) by ${how}`)
    if (how === 'merge' && !client.durable.copy.has(into!))
      this.report('C158', `${name} lacks ${into}, the survivor of ${record.id}`)
  }
}

/** C152: Retry-After in seconds, as a date compared with the answer's own Date, or 60 s. */
function waitOf(headers: { readonly [name: string]: string }): number {
  const text = headers['retry-after']
  if (text === undefined) return minuteMs
  if (/^\d+$/.test(text)) return Number(text) * 1000
  return Date.parse(text) - Date.parse(headers.date!)
}
