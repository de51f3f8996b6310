// The API processes of the simulated world.
//
// Real: buildApi with its routes, parameters, problems and entity tags; EditionLog, LogState, the query and the pages;
// cursors and their keys; the token table; the rate limit with its fall-back. Modeled: sockets (in-process-app.ts), the
// files of the log (bodies are in memory), and lag: all nodes share one log, each up to the edition that it has.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type CursorKey, type CursorSealer, createCursorSealer } from '../../src/api/cursors/cursor.ts'
import type { Limiter } from '../../src/api/limits/limiter.ts'
import { createLocalLimiter } from '../../src/api/limits/limiter-memory.ts'
import { type SharedAnswer, SharedLimiter } from '../../src/api/limits/limiter-shared.ts'
import { buildApi } from '../../src/api/server.ts'
import { openTokenTable, type TokenSource, type TokenTable } from '../../src/api/tokens/token-table.ts'
import { DigestSum, recordHash } from '../../src/domain/stock-digest.ts'
import type { BodyFiles, BodyKind } from '../../src/edition/format/body-files.ts'
import type { HashFile } from '../../src/edition/format/hash-file.ts'
import type { IndexFile } from '../../src/edition/format/index-file.ts'
import type { Pieces } from '../../src/edition/format/pieces.ts'
import { columnsOf } from '../../src/edition/format/record-columns.ts'
import type { EditionView } from '../../src/edition/read/edition-view.ts'
import type { HeldEdition } from '../../src/edition/read/held-log.ts'
import { type Chunk, newChunk, RecordTable } from '../../src/edition/read/record-table.ts'
import { EditionLog } from '../../src/edition/write/edition-log.ts'
import { LogState } from '../../src/edition/write/log-state.ts'
import { batchOf } from '../../src/edition/write/pack-entries.ts'
import { smallLimiter } from '../testing/small-limiter.ts'
import { type Answer, ask } from './in-process-app.ts'
import { entryOf, type SimulatedEdition, type Version } from './stock.ts'

export const nodeCount = 3

/** Body files in memory. */
class MemoryBodies {
  readonly end = { plain: 0, gzip: 0 }
  readonly #bytes = { plain: Buffer.alloc(16_384), gzip: Buffer.alloc(16_384) }

  append(kind: BodyKind, pieces: readonly Buffer[]): void {
    for (const piece of pieces) {
      while (this.end[kind] + piece.length > this.#bytes[kind].length)
        this.#bytes[kind] = Buffer.concat([this.#bytes[kind], Buffer.alloc(this.#bytes[kind].length)])
      piece.copy(this.#bytes[kind], this.end[kind])
      this.end[kind] += piece.length
    }
  }

  read(kind: BodyKind, target: Buffer, offset: number, length: number, from: number): void {
    this.#bytes[kind].copy(target, offset, from, from + length)
  }
}

const headLength = 85

/**
 * Like piecesOf of src/edition/format/pieces.ts, but what it deflates is in a stored block: 50 µs less for each record.
 */
function quickPieces(body: string): Pieces {
  const plain = Buffer.from(`,${body.slice(0, 45)}"checkedAt":"0000-00-00T00:00:00.000Z",${body.slice(45)}`)
  const stored = (bytes: Buffer): Buffer => {
    const header = Buffer.alloc(5)
    header.writeUInt16LE(bytes.length, 1)
    header.writeUInt16LE(~bytes.length & 0xffff, 3)
    return Buffer.concat([header, bytes])
  }
  return {
    plain,
    gzip: Buffer.concat([stored(plain.subarray(0, headLength)), stored(plain.subarray(headLength))]),
  }
}

const bothVerified = 3

/** Tables of runs that have ended: 1.5 MB to clear for each run otherwise. */
const spareChunks: Chunk[] = []
const maxReusedRows = 1000

/** The log that all nodes share. */
export class SharedLog {
  readonly state: LogState
  /** Like those that LogState holds, but never emptied: a node may lag behind for longer than an edition is held. */
  readonly editions = new Map<number, HeldEdition>()
  readonly #bodies: MemoryBodies

  private constructor(state: LogState, bodies: MemoryBodies) {
    this.state = state
    this.#bodies = bodies
  }

  static async open(): Promise<SharedLog> {
    const bodies = new MemoryBodies()
    const header = Buffer.from(JSON.stringify({ stockId: 'simulated' }))
    const table = new RecordTable(() => spareChunks.pop() ?? newChunk())
    const files = { index: {} as IndexFile, bodies: bodies as unknown as BodyFiles, hashes: {} as HashFile }
    const state = await LogState.fromHeader('', header, files, table)
    return new SharedLog(state, bodies)
  }

  /** Gives its memory to the next run. */
  close(): void {
    const { chunks, count } = this.state.table
    const [chunk] = chunks.splice(0)
    if (!chunk || chunks.length > 0 || count > maxReusedRows) return
    chunk.superseded.fill(0, 0, count)
    chunk.previous.fill(0, 0, count)
    chunk.verified.fill(0, 0, count)
    for (const words of [
      chunk.heldRows,
      chunk.openRows,
      chunk.current,
      chunk.open,
      chunk.lastSuperseded,
      chunk.lastOpenSuperseded,
    ])
      words.fill(0)
    spareChunks.push(chunk)
  }

  readonly #sum = new DigestSum()
  /** By id: positions of the newest version of each record. */
  readonly #hashes = new Map<string, { readonly hash: Buffer; readonly isOpen: boolean }>()

  #digestWith(versions: SimulatedEdition['versions']): string {
    for (const { id, body, isArchived } of versions) {
      const before = this.#hashes.get(id)
      if (before) this.#sum.subtract(before.hash, before.isOpen)
      const entry = { hash: recordHash(JSON.parse(body) as object), isOpen: !isArchived }
      this.#hashes.set(id, entry)
      this.#sum.add(entry.hash, entry.isOpen)
    }
    return this.#sum.digest
  }

  append({ info, versions }: SimulatedEdition): void {
    const entries = versions.map(entryOf)
    const pieces = versions.map(({ body }) => quickPieces(body))
    const columns = versions.map(({ content }) => columnsOf(content))
    const batch = batchOf(info.edition, entries, pieces, columns, this.#bodies.end)
    for (const kind of ['plain', 'gzip'] as const)
      this.#bodies.append(
        kind,
        pieces.map((piece) => piece[kind]),
      )
    this.state.take(batch, bothVerified)
    this.state.commit({
      ...info,
      end: this.state.table.count,
      plainEnd: this.#bodies.end.plain,
      gzipEnd: this.#bodies.end.gzip,
      isComplete: true,
      checksum: this.#digestWith(versions),
    })
    const newest = this.state.newest!
    const held: HeldEdition = { ...newest, checks: new Map(newest.checks), stamps: [] }
    const before = this.editions.get(info.edition - 1)
    if (before) before.next = held
    this.editions.set(info.edition, held)
  }
}

/** A LogState that ends with the edition `shown`; what EditionLog reads of it. */
class LaggingState {
  readonly folder = ''
  readonly isDamaged = false
  readonly isTorn = false
  readonly #log: SharedLog
  readonly #shown: () => number

  constructor(log: SharedLog, shown: () => number) {
    this.#log = log
    this.#shown = shown
  }

  get shown(): HeldEdition | undefined {
    return this.#log.editions.get(this.#shown())
  }

  get editions(): ReadonlyMap<number, HeldEdition> {
    return this.#log.editions
  }

  /** Numbers have no gaps here. */
  editionUpTo(edition: number): HeldEdition | undefined {
    return this.#log.editions.get(edition)
  }

  get table(): LogState['table'] {
    return this.#log.state.table
  }

  get ids(): LogState['ids'] {
    return this.#log.state.ids
  }

  stampOf(position: number, edition: HeldEdition): ReturnType<LogState['stampOf']> {
    return this.#log.state.stampOf(position, edition)
  }

  fill(kind: BodyKind, positions: readonly number[], target: Buffer, offset: number, isChecked: boolean): void {
    this.#log.state.fill(kind, positions, target, offset, isChecked)
  }

  lengthOf(kind: BodyKind, position: number): number {
    return this.#log.state.lengthOf(kind, position)
  }

  async close(): Promise<void> {}
}

/** Hooks that tests may put between the parts of a node. */
export type NodeFaults = {
  readonly reader?: (reader: EditionView, node: ApiNode) => EditionView
  readonly cursors?: (cursors: CursorSealer, node: ApiNode) => CursorSealer
  readonly limiter?: (limiter: Limiter, node: ApiNode) => Limiter
  readonly answer?: (answer: Answer, url: string, node: ApiNode) => Answer
}

/** What the nodes share: the database's keys and tokens, the store of the rate limit, true time. */
export type Backplane = {
  readonly log: SharedLog
  readonly now: () => number
  readonly keys: CursorKey[]
  /** Cursors are written in the next structure, as after a deployment of it. */
  readonly cursorVersion: () => 1 | 2
  readonly tokens: TokenSource
  readonly isLimiterStoreDown: () => boolean
  /** The shared count, and what it reports about itself. */
  readonly takeShared: (key: string, limit: number) => SharedAnswer
  /** Processes that live, for the shares of the limit. */
  readonly processes: () => number
  readonly randomBytes: (count: number) => Buffer
  /** Maximum records on a page, whatever `limit` says (C144 sends 100; the stock is small). */
  readonly pageCap: number
  readonly faults: NodeFaults
}

/** What one of several processes may admit without the shared count. */
const shareOf = (limit: number, processes: number): number => Math.max(1, Math.floor(limit / processes))

/** Which count decided the last request, the shared one or that of the node, and the limit that it applied. */
export type Decision = { readonly counter: 'shared' | 'local'; readonly isAllowed: boolean; readonly limit: number }

export class ApiNode {
  readonly index: number
  readonly backplane: Backplane
  /** The newest edition that this node has; 0 for none. */
  shown = 0
  skewMs = 0
  /** Whether the clock was moved since the node started: its own count of a minute is then not a minute. */
  hasMovedClock = false
  isDown = false
  /** Whether it accepts no new editions until it catches up. */
  isStuck = false
  /** Of the request that is being answered. */
  token = ''
  decision: Decision | undefined
  reader!: EditionView
  tokens!: TokenTable
  cursors!: CursorSealer
  limiter!: Limiter
  #keys: readonly CursorKey[] = []

  constructor(index: number, backplane: Backplane) {
    this.index = index
    this.backplane = backplane
  }

  readonly clock = (): number => this.backplane.now() + this.skewMs

  /** Starts a fresh process: everything that is only in memory is gone. */
  async start(): Promise<void> {
    const { backplane, clock } = this
    const { faults } = backplane
    await this.tokens?.close()
    this.isDown = false
    this.isStuck = false
    this.hasMovedClock = false
    this.#keys = [...backplane.keys]
    const state = new LaggingState(backplane.log, () => this.shown) as unknown as LogState
    const log = new EditionLog('', 0, state, { clock, release: () => {} })
    this.reader = capPages(faults.reader?.(log, this) ?? log, backplane.pageCap)
    const sealer = createCursorSealer({
      ring: {
        keys: () => this.#keys,
        refresh: async () => {
          this.#keys = [...backplane.keys]
        },
      },
      clock,
      randomBytes: backplane.randomBytes,
    })
    const versioned = withSecondVersion(sealer, backplane.cursorVersion)
    this.cursors = faults.cursors?.(versioned, this) ?? versioned
    const limiter = new SharedLimiter({
      local: createLocalLimiter(clock, smallLimiter),
      takeShared: async (key, limit) => {
        if (backplane.isLimiterStoreDown()) throw new Error('the store of the limit does not answer')
        const answer = backplane.takeShared(key, limit)
        this.decision = { counter: 'shared', isAllowed: answer.isAllowed, limit }
        return answer
      },
      giveBack: async () => {},
      probe: async () => {
        if (backplane.isLimiterStoreDown()) throw new Error('the store of the limit does not answer')
      },
      clock,
      processes: backplane.processes,
      close: async () => {},
    })
    const noted: Limiter = {
      take: async (key, limit) => {
        this.decision = undefined
        const admission = await limiter.take(key, limit)
        this.decision ??= {
          counter: 'local',
          isAllowed: admission.isAllowed,
          limit: shareOf(limit, backplane.processes()),
        }
        return admission
      },
      close: () => limiter.close(),
    }
    this.limiter = faults.limiter?.(noted, this) ?? noted
    await this.readTokens()
  }

  /** Checks the tokens as the poll of a running process does. */
  async readTokens(): Promise<void> {
    await this.tokens?.close()
    this.tokens = await openTokenTable({
      source: this.backplane.tokens,
      clock: this.clock,
      pollMs: 3_600_000,
      refreshEveryMs: 0,
    })
  }

  async ask(url: string, token: string, encoding: string): Promise<Answer> {
    const slot = await slotOf(this.index)
    slot.node = this
    this.token = token
    const answer = await ask(slot.app, url, {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      'accept-encoding': encoding,
    })
    return this.backplane.faults.answer?.(answer, url, this) ?? answer
  }

  async stop(): Promise<void> {
    await this.tokens?.close()
  }

  /** Returns the newest version of a record here. */
  versionOf(versions: readonly Version[], id: string): Version | undefined {
    return versions.findLast((version) => version.id === id && version.edition <= this.shown)
  }
}

function capPages(reader: EditionView, pageCap: number): EditionView {
  return {
    get newest() {
      return reader.newest
    },
    edition: (edition) => reader.edition(edition),
    list: (query) => reader.list({ ...query, limit: Math.min(query.limit, pageCap) }),
    find: (id) => reader.find(id),
    meta: (position) => reader.meta(position),
    pageBody: (positions, edition, encoding) => reader.pageBody(positions, edition, encoding),
    record: (position, encoding) => reader.record(position, encoding),
  }
}

/** A later structure of cursors: the text reversed after a mark. All nodes read both structures (C141). */
function withSecondVersion(sealer: CursorSealer, version: () => 1 | 2): CursorSealer {
  const reversed = (text: string): string => [...text].reverse().join('')
  return {
    seal: (position, filter, organizationId) => {
      const text = sealer.seal(position, filter, organizationId)
      return version() === 1 ? text : `_v2_${reversed(text)}`
    },
    open: (text, filter, organizationId) =>
      sealer.open(text.startsWith('_v2_') ? reversed(text.slice(4)) : text, filter, organizationId),
    refresh: sealer.refresh,
  }
}

/** Built servers, one for each node, used by all runs one after the other: building one takes as long as a run. */
type Slot = { readonly app: FastifyInstance; node: ApiNode }
const slots: Promise<Slot>[] = []

function slotOf(index: number): Promise<Slot> {
  slots[index] ??= openSlot()
  return slots[index]
}

async function openSlot(): Promise<Slot> {
  const slot = {} as { app: FastifyInstance; node: ApiNode }
  const current = (): ApiNode => slot.node
  slot.app = buildApi({
    reader: {
      get newest() {
        return current().reader.newest
      },
      edition: (edition) => current().reader.edition(edition),
      list: (query) => current().reader.list(query),
      find: (id) => current().reader.find(id),
      meta: (position) => current().reader.meta(position),
      pageBody: (positions, edition, encoding) => current().reader.pageBody(positions, edition, encoding),
      record: (position, encoding) => current().reader.record(position, encoding),
    },
    tokens: { find: (token) => current().tokens.find(token), close: async () => {} },
    limiter: { take: (key, limit) => current().limiter.take(key, limit), close: async () => {} },
    cursors: {
      seal: (position, filter, organizationId) => current().cursors.seal(position, filter, organizationId),
      open: (text, filter, organizationId) => current().cursors.open(text, filter, organizationId),
      refresh: () => current().cursors.refresh(),
    },
    clock: () => current().clock(),
    random: {
      // Request ids and the spread of Retry-After; must not depend on how many runs the server has seen.
      bytes: (count) => Buffer.alloc(count, 128),
      uuid: () => '00000000-0000-8000-8000-000000000000',
    },
    docsUrl: 'https://docs.example',
    isOverloaded: () => false,
    editionWaitMs: 0,
    refusedPerMinute: Number.MAX_SAFE_INTEGER,
  })
  await slot.app.ready()
  await nextTurn()
  return slot
}
