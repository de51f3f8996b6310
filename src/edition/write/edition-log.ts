// The edition log: the published data as an append-only log on this machine, answered from memory and the page cache.
// It is a cache of the database: whatever is missing, torn or damaged is loaded from there again.
//
// At any time one generation is read (`#state`), a folder with the files of a LogState. What changes it takes turns
// (`#exclusively`): appending and catching up, the end of a compaction, a checkpoint, closing. Work in the background
// (`#upkeep`) is one thing at a time and prepares beside them: repair first, then compaction, then a checkpoint. A new
// generation takes the place of the one before only whole, in a turn (`#replaceBy`), and after all followers in other
// threads read it; only then are the files of the one before removed.
import { open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { toInstant } from '../../domain/time.ts'
import type { Clock } from '../../platform/clock.ts'
import { lockFolder } from '../../platform/folder-lock.ts'
import { freeBytes } from '../../platform/folders.ts'
import type { EditionRow } from '../../store/editions/editions.ts'
import { type Epoch, epochWithout, forgoEditions, lostName } from '../../store/editions/older-database.ts'
import type { TenderFinder } from '../read/edition-view.ts'
import type { HeldEdition } from '../read/held-log.ts'
import type { LogFollower, LogMessage } from '../read/log-feed.ts'
import { LogView } from '../read/log-view.ts'
import { TenderFinding } from '../read/tender-finding.ts'
import type { TenderQuestion, TendersFound } from '../read/tender-question.ts'
import { Compaction } from './compaction.ts'
import { spareBytes } from './disk-room.ts'
import {
  databaseSource,
  type EditionReads,
  type EditionSource,
  type SourceHead,
  type SourceStore,
} from './edition-source.ts'
import { LogState, type NewEdition, WrongEntriesError } from './log-state.ts'
import { openGeneration, openUpTo } from './open-generation.ts'
import type { NewEntry } from './pack-entries.ts'
import { Packers } from './packers.ts'
import { repair } from './repair.ts'
import { OlderDatabaseError, type Relation, relationOf, takeEditions } from './take-over.ts'
import { WordIndexing } from './word-indexing.ts'

export type EditionLogOptions = {
  readonly clock: Clock
  /** Number of superseded entries that are tolerated before a compaction, whatever their share. */
  readonly toleratedEntries?: number
  /** Number of entries that the next start may replay before a checkpoint is due, whatever their share. */
  readonly toleratedReplay?: number
  /** Called with a sentence for the operator when background work failed; the log continues without it. */
  readonly onWarning?: (warning: string) => void
}

export type CatchUpOptions = {
  /** The operator agreed to replace the log's newest editions with an older database's. */
  readonly isOlderAccepted?: boolean
}

/** Outcome of one state of the database. */
type Step =
  | { readonly kind: 'done'; readonly serial: number }
  | { readonly kind: 'more' }
  | { readonly kind: 'rebuild'; readonly stockId: string }
  | { readonly kind: 'late' }
  | (Extract<Relation, { readonly kind: 'older' }> & { readonly head: SourceHead })

type OlderStep = Extract<Step, { readonly kind: 'older' }>

const sentenceOf = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Minimum number of superseded entries for a compaction: fewer are not worth the effort. */
const defaultToleratedEntries = 10_000
/**
 * Minimum and maximum entries to replay before a checkpoint is due: fewer take some milliseconds, more take over a
 * fifth of a second.
 */
const defaultToleratedReplay = 4096
const longestReplay = 100_000

/** A file that says that the newest editions of this log must not be served. */
const replacedName = 'replaced'
/** The word index, beside the generations. */
const wordsName = 'words'
const generationPattern = /^generation-(\d+)$/

export class EditionLog extends LogView implements TenderFinder {
  readonly #folder: string
  readonly #clock: Clock
  readonly #toleratedEntries: number
  readonly #toleratedReplay: number
  readonly #release: () => void
  #generation: number
  #state: LogState | undefined
  /** Appending and catching up run one after the other in this queue. */
  #lastExclusive: Promise<unknown> = Promise.resolve()
  #isClosed = false
  #isClosing = false
  /** Number of entries checked in this cycle. */
  #checked = 0
  /** How many pieces are due to be read again; a part of one is kept for the next time. */
  #owedPieces = 0
  #serial = -1
  #olderDatabase: string | undefined
  #isReplaced: boolean
  #isContested = false
  #epochs: readonly Epoch[] = []
  /** The generation that lost records without another copy. */
  #lost: LogState | undefined
  /** Background work, while it is in progress. */
  #upkeep: Promise<void> | undefined
  /** More work became due while some was in progress. */
  #isDue = false
  readonly #onWarning: (warning: string) => void
  readonly #followers = new Set<LogFollower>()
  readonly #packers = new Packers()
  readonly #finding = new TenderFinding()
  #indexing: WordIndexing | undefined
  /** Resolves when segments of the word index arrive. */
  #segmentsArrived = Promise.withResolvers<void>()

  constructor(
    folder: string,
    generation: number,
    state: LogState | undefined,
    {
      clock,
      toleratedEntries = defaultToleratedEntries,
      toleratedReplay = defaultToleratedReplay,
      onWarning = () => undefined,
      release,
      isReplaced = false,
    }: EditionLogOptions & { readonly release: () => void; readonly isReplaced?: boolean },
  ) {
    super(clock)
    this.#folder = folder
    this.#release = release
    this.#toleratedEntries = toleratedEntries
    this.#toleratedReplay = toleratedReplay
    this.#generation = generation
    this.#clock = clock
    this.#onWarning = onWarning
    this.#isReplaced = isReplaced
    this.#state = state
    if (state) state.onDamage = () => this.keepUp()
  }

  protected get held(): LogState | undefined {
    return this.#state
  }

  /** Sends everything that is held, then everything new, until the returned function is called. */
  follow(follower: LogFollower): () => void {
    this.#followers.add(follower)
    this.#watch()
    follower.send({ type: 'log', log: this.#state?.snapshot() })
    return () => this.#followers.delete(follower)
  }

  /** Keeps a word index from now on, in a thread of its own. */
  keepFindable(): void {
    if (this.#indexing || this.#isClosing) return
    const indexing = new WordIndexing({
      folder: join(this.#folder, wordsName),
      onSegments: ({ from, segments }) => {
        this.#finding.take(from, segments)
        this.#segmentsArrived.resolve()
        this.#segmentsArrived = Promise.withResolvers()
      },
      onWarning: this.#onWarning,
      onDamage: () => this.reportDamage(),
      onEnd: () => {
        unfollow()
        this.#indexing = undefined
      },
    })
    this.#indexing = indexing
    const unfollow = this.follow(indexing)
  }

  findTenders(question: TenderQuestion): TendersFound {
    this.keepFindable()
    const state = this.#state
    if (!state?.shown) throw new RangeError('no edition is known here')
    const isServed = ({ info }: HeldEdition) => this.edition(info.edition) !== undefined
    return this.#finding.find(state, question, isServed, (position) => this.parsed(position))
  }

  async indexed(waitMs: number): Promise<void> {
    this.keepFindable()
    const timer = delay(waitMs, undefined, { ref: false })
    let isLate = false
    void timer.then(() => {
      isLate = true
    })
    while (this.#state?.shown && !isLate && !this.#finding.isCovered(this.#state))
      await Promise.race([this.#segmentsArrived.promise, timer])
  }

  /** Called when a follower found bytes that are not what was written. */
  reportDamage(): void {
    if (!this.#state) return
    this.#state.isDamaged = true
    this.keepUp()
  }

  #send(message: LogMessage): void {
    for (const follower of this.#followers) follower.send(message)
  }

  /** Resolves when all followers have applied what they received so far. */
  async #settled(): Promise<void> {
    await Promise.all([...this.#followers].map((follower) => follower.settled()))
  }

  #watch(): void {
    this.#state?.watch({
      chunk: (index, chunk) => this.#send({ type: 'chunk', index, chunk: { ...chunk } }),
      shard: (index, slots) => this.#send({ type: 'shard', index, slots }),
      sourceSet: (set) => this.#send({ type: 'sourceSet', set }),
      settled: () => this.#settled(),
      edition: (taken) => this.#send({ type: 'edition', taken }),
    })
  }

  /** Reads from this generation from now on, here and in other threads; the previous one can be closed then. */
  async #switchTo(state: LogState | undefined): Promise<void> {
    this.#state?.watch(undefined)
    this.#state = state
    if (state) state.onDamage = () => this.keepUp()
    if (this.#followers.size === 0) return
    this.#watch()
    this.#send({ type: 'log', log: state?.snapshot() })
    await this.#settled()
  }

  /** Appends an edition from memory: for stocks without a database, and for tests. */
  appendEdition(edition: NewEdition, entries: Iterable<NewEntry> | AsyncIterable<NewEntry>): Promise<void> {
    return this.#withUpkeep(
      this.#exclusively(async () => {
        const state = await this.#appendable('')
        await state.append(edition, entries, { isTarget: true, isShown: true, packers: this.#packers })
        await this.#settled()
      }),
    )
  }

  /** Loads what is new in the database. Returns the number of editions. See `catchUp`. */
  catchUp(from: SourceStore | EditionSource, { isOlderAccepted = false }: CatchUpOptions = {}): Promise<number> {
    const source = 'onOneState' in from ? from : databaseSource(from)
    const store = 'onOneState' in from ? undefined : from
    return this.#withUpkeep(this.#exclusively(() => this.#catchUp(source, store, isOlderAccepted)))
  }

  /** Serial of the editions (change-signal.ts) in the state of the database that was last loaded; -1 before. */
  get serial(): number {
    return this.#serial
  }

  /** The epochs of the stock, as of the last look at its source. */
  get epochs(): readonly Epoch[] {
    return this.#epochs
  }

  /** Undefined before the first edition. */
  override get stockId(): string | undefined {
    return this.#state?.stockId
  }

  /** True while records are lost that only the database can bring back. */
  get isLost(): boolean {
    return this.#lost !== undefined && this.#lost === this.#state && this.#lost.isDamaged
  }

  /**
   * A sentence for the operator while the database lacks the newest editions of this log. Nothing may be published on
   * that database then.
   */
  get olderDatabase(): string | undefined {
    return this.#olderDatabase
  }

  /**
   * The source holds other editions in place of the newest ones of this log, which must not be served then. True until
   * an epoch or an operator gives these up, also after a restart.
   */
  get isReplaced(): boolean {
    return this.#isReplaced || (this.#isContested && this.#olderDatabase !== undefined)
  }

  /** Somebody else holds other content under the number of the newest edition. */
  contest(isContested: boolean): void {
    this.#isContested = isContested
  }

  /** Remembered beside the generations: after a restart the source may not answer. */
  async #setReplaced(isReplaced: boolean): Promise<void> {
    if (isReplaced === this.#isReplaced) return
    this.#isReplaced = isReplaced
    const path = join(this.#folder, replacedName)
    if (isReplaced) await writeFile(path, '', { flush: true })
    else await rm(path, { force: true })
  }

  /** Loading is retried every second after a failure: compaction waits until it succeeded. */
  async #withUpkeep<Result>(append: Promise<Result>): Promise<Result> {
    try {
      const result = await append
      this.keepUp()
      return result
    } finally {
      this.#packers.rest()
    }
  }

  /** Keeps a thread ready for large editions: for services, some time after their start. */
  standBy(): void {
    if (!this.#isClosing) this.#packers.standBy()
  }

  /** Ends that thread, which would keep the process alive. Loading an edition is abandoned. */
  standDown(): void {
    this.#packers.end()
  }

  /** Starts the background work that is due: after each edition, and when the log was opened. */
  keepUp(): void {
    if (this.#isClosing) return
    if (this.#upkeep) this.#isDue = true
    else this.#inBackground(() => this.#keepUp())
  }

  #inBackground(work: () => Promise<unknown>): void {
    this.#upkeep = work()
      .then(
        () => undefined,
        (error: unknown) =>
          this.#onWarning(
            `The edition log could not be tidied (${(error as Error).message}); it is still served, and tidying is retried after the next edition.`,
          ),
      )
      .finally(() => {
        this.#upkeep = undefined
        if (!this.#isDue) return
        this.#isDue = false
        this.keepUp()
      })
  }

  /** Resolves when no background work is in progress. */
  async idle(): Promise<void> {
    while (this.#upkeep) await this.#upkeep
  }

  async #keepUp(): Promise<void> {
    while (!this.#isClosing) {
      const state = this.#state
      if (!state || state.isTorn) return
      if (state.isDamaged) state.isDamaged = !(await this.#repair(state, 0, state.newest?.end ?? 0))
      // The next `catchUp` loads what is lost from the database.
      if (state.isDamaged) return
      const isDone = this.#isCrowded(state)
        ? await this.#compact(state)
        : this.#isLongReplay(state) && (await this.#writeCheckpoint())
      if (!isDone) return
    }
  }

  /** A checkpoint costs in proportion to everything held, and saves the replay of what followed the previous one. */
  #isLongReplay(state: LogState): boolean {
    return state.sinceCheckpoint > Math.max(this.#toleratedReplay, Math.min(state.table.count / 20, longestReplay))
  }

  /** Copying costs in proportion to what is kept, and frees the rest. */
  #isCrowded(state: LogState): boolean {
    return state.removable > Math.max(this.#toleratedEntries, state.table.count / 4)
  }

  /**
   * Replaces the generation with a copy without superseded entries. False if it was replaced by other work meanwhile.
   */
  async #compact(source: LogState): Promise<boolean> {
    const share = 1 - source.removable / source.table.count
    await this.#expectRoom(source.bytes * share + source.lackingBytes, 'a copy without superseded records')
    const isStopped = () => this.#isClosing || this.#state !== source || source.isDamaged
    const fresh = await LogState.create(this.#generationFolder(++this.#generation), source.stockId)
    let isSwitched = false
    try {
      const compaction = new Compaction(source, fresh)
      if (!(await compaction.run(isStopped))) return false
      await fresh.sync()
      await this.#exclusively(async () => {
        if (isStopped() || !(await compaction.run(isStopped))) return
        if (fresh.records !== source.records)
          throw new Error(`the copy holds ${fresh.records} records instead of ${source.records}`)
        await fresh.finish()
        await this.#replaceBy(fresh)
        isSwitched = true
      })
      return isSwitched
    } finally {
      if (!isSwitched) {
        await fresh.close()
        await rm(fresh.folder, { recursive: true, force: true })
      }
    }
  }

  /** Tidying must not take the disk space that editions need. */
  async #expectRoom(bytes: number, purpose: string): Promise<void> {
    if ((await freeBytes(this.#folder)) >= bytes + spareBytes) return
    throw new Error(`no room on the disk for ${purpose}, ${Math.ceil(bytes / 1e6)} MB`)
  }

  /** `aside`: where the files of the previous generation are kept; without it they are removed. */
  async #replaceBy(fresh: LogState, aside?: string): Promise<void> {
    const before = this.#state
    await this.#switchTo(fresh)
    await before?.close()
    if (before && aside !== undefined) await rename(before.folder, aside)
    else if (before) await rm(before.folder, { recursive: true, force: true })
  }

  /**
   * Reads a share of all pieces again, in a cycle, and repairs those that differ from what was written, so that damage
   * is found before it affects both copies of a record. Does nothing while other work is in progress.
   */
  checkSome(share: number): void {
    if (this.#upkeep || this.#isClosing) return
    this.#inBackground(async () => {
      const state = this.#state
      const end = state?.newest?.end ?? 0
      if (!state || state.isDamaged || end === 0) return
      this.#owedPieces = Math.min(end, this.#owedPieces + end * share)
      const pieces = Math.floor(this.#owedPieces)
      if (pieces === 0) return
      this.#owedPieces -= pieces
      const from = this.#checked < end ? this.#checked : 0
      const to = Math.min(end, from + pieces)
      await this.#repair(state, from, to)
      this.#checked = to
    })
  }

  async #repair(state: LogState, from: number, to: number): Promise<boolean> {
    const { repaired, lost } = await repair(state, from, to, () => this.#isClosing || this.#state !== state)
    if (repaired > 0)
      this.#onWarning(`The disk changed ${repaired} pieces of the edition log; they were repaired. Check the disk.`)
    if (lost > 0) {
      this.#onWarning(`The disk lost records of the edition log; it is rebuilt from the database. Check the disk.`)
      state.isDamaged = true
      this.#lost = state
    }
    return lost === 0
  }

  /** Editions wait while memory is copied to the file, but not while the file is synced. */
  async #writeCheckpoint(): Promise<boolean> {
    const written = await this.#exclusively(async () => {
      const state = this.#state
      if (state) await this.#expectRoom(state.checkpointBytes + state.lackingBytes, 'a checkpoint')
      const finish = await state?.writeCheckpoint(() => this.#isClosing)
      return finish && { state, finish }
    })
    try {
      await written?.finish()
    } catch (error) {
      // Its generation may have been replaced meanwhile.
      if (written?.state === this.#state) throw error
    }
    return written !== undefined
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.idle()
    await this.#exclusively(async () => {
      if (this.#isClosed) return
      this.#isClosed = true
      this.#packers.end()
      await this.#indexing?.close()
      const state = this.#state
      await this.#switchTo(undefined)
      await state?.close()
      this.#release()
    })
  }

  /** Runs `work` on the held log while nothing is appended or replaced. Undefined before the first edition. */
  withHeld<Result>(work: (held: LogState) => Promise<Result>): Promise<Result | undefined> {
    return this.#exclusively(async () => {
      const state = this.#state
      return state?.newest && !state.isTorn ? await work(state) : undefined
    })
  }

  #exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#lastExclusive.then(work)
    this.#lastExclusive = turn.catch(() => undefined)
    return turn
  }

  async #catchUp(source: EditionSource, store: SourceStore | undefined, isOlderAccepted: boolean): Promise<number> {
    const before = this.newest?.edition ?? 0
    const state = this.#state
    if (state?.isDamaged) state.isDamaged = !(await this.#repair(state, 0, state.newest?.end ?? 0))
    for (;;) {
      const step = await source.onOneState((reads) => this.#takeSome(reads, source.kind))
      if (step.kind === 'late') return 0
      await this.#setReplaced(step.kind === 'older' && step.isReplaced)
      if (step.kind === 'older') {
        const { head, common } = step
        const epoch = epochWithout(head.epochs, common?.edition ?? 0, this.#state!.newest!.info)
        if (epoch) {
          this.#olderDatabase = undefined
          this.#serial = head.serial
          // until there is something newer, clients are better served by what they have seen
          if (head.target === undefined || head.target.edition < epoch.first) return 0
          await this.#giveUp(source, step)
          continue
        }
        this.#olderDatabase = this.#describeOlder(step, source.kind)
        if (!isOlderAccepted) throw new OlderDatabaseError(this.#olderDatabase)
        await this.#forgo(source, store, step)
        continue
      }
      this.#olderDatabase = undefined
      if (step.kind === 'rebuild') {
        await this.#rebuild(source, step.stockId, { isOlder: false })
        return this.newest?.edition ?? 0
      }
      if (step.kind === 'more') continue
      this.#serial = step.serial
      await this.#settled()
      return this.#countAfter(before)
    }
  }

  #countAfter(edition: number): number {
    let count = 0
    for (const held of this.#state?.editions.keys() ?? []) if (held > edition) count++
    return count
  }

  /** Loads what is new in one state of the database, or a part of it. */
  async #takeSome(reads: EditionReads, kind: EditionSource['kind']): Promise<Step> {
    const head = await reads.head()
    const relation = await relationOf(reads, head, this.#state)
    this.#epochs = head.epochs
    if (relation.kind === 'older') return { ...relation, head }
    const { target, stockId, serial } = head
    if (relation.kind === 'late') return relation
    if (target === undefined) return { kind: 'done', serial }
    const state = await this.#appendable(stockId)
    if (state.isDamaged || state.stockId !== stockId) return { kind: 'rebuild', stockId }
    try {
      const isDone = await takeEditions(reads, state, target, { clock: this.#clock, packers: this.#packers })
      return isDone ? { kind: 'done', serial } : { kind: 'more' }
    } catch (error) {
      if (!(error instanceof WrongEntriesError)) throw error
      if (!(await state.isWhole())) {
        this.#onWarning(
          'According to its checksum, the edition log lost records; it is being rebuilt from the database. Check the disk.',
        )
        return { kind: 'rebuild', stockId }
      }
      throw new WrongEntriesError(
        `${sentenceOf(error.message)}. It was not loaded; the last edition is still served, and loading is ` +
          `retried.${kind === 'database' ? ' Are all servers behind DATABASE_URL in the same state?' : ''}`,
      )
    }
  }

  #describeOlder({ difference, isReplaced }: OlderStep, kind: EditionSource['kind']): string {
    const { edition, publishedAt } = this.#state!.newest!.info
    const served = isReplaced ? ' It was replaced, so it is served no more.' : ''
    const way =
      kind === 'database'
        ? 'Restore a newer state of the database (DATABASE_URL), or continue from this one with --accept-older-database, which keeps the log aside'
        : 'The publisher writes newer editions into the bucket if its database holds them; if it lacks them, ' +
          'decide there, or continue here with --accept-older-database, which keeps the log aside'
    return (
      `The ${kind} is older than the edition log in ${this.#folder}, which holds edition ${edition} of ` +
      `${toInstant(publishedAt)}: ${difference}. Clients may have seen what it lacks.${served} ${way} ` +
      '(docs/operations.md, "An older database").'
    )
  }

  /** Continues from an older database, as the operator decided. */
  async #forgo(source: EditionSource, store: SourceStore | undefined, step: OlderStep): Promise<void> {
    const { newest, editions, table } = this.#state!
    const { info } = newest!
    const common = step.common && editions.get(step.common.edition)
    const from = common?.end ?? 0
    function* ids(): Generator<string> {
      for (let position = from; position < newest!.end; position++) yield table.id(position)
    }
    const names = [...editions.values()].filter((each) => each.end > from || each === newest)
    // a node that reads a bucket publishes nothing: the operator of the publisher has already agreed
    const { changed, unknown } = store
      ? await forgoEditions(store, {
          after: common?.info.lastModified ?? Number.MIN_SAFE_INTEGER,
          names: names.map((each) => lostName(each.info)),
          newest: info,
          common: common?.info.edition ?? 0,
          ids: ids(),
          now: this.#clock(),
        })
      : { changed: 0, unknown: 0 }
    const missing =
      unknown === 0 ? '' : ` ${unknown} records are not in the database until their notices are read again.`
    await this.#giveUp(
      source,
      step,
      ` The older database was accepted: the next edition publishes again ${changed} records that were ` +
        `changed there, with stamps above ${toInstant(info.lastModified)}.${missing}`,
    )
    this.#olderDatabase = undefined
  }

  /**
   * Drops the editions that the database does not have. Everything up to the last common edition is kept where the
   * files prove that they hold it; otherwise all of it is loaded again. What is dropped is kept aside.
   */
  async #giveUp(source: EditionSource, { common, head }: OlderStep, more = ''): Promise<void> {
    const { edition } = this.#state!.newest!.info
    const from = (common?.edition ?? 0) + 1
    const name = `set-aside-edition-${edition}-${toInstant(this.#clock()).replaceAll(':', '')}`
    const aside = join(this.#folder, name)
    const isCut = await this.#cutBack(common, aside)
    if (!isCut) await this.#rebuild(source, head.stockId, { isOlder: true, aside })
    const lost = from === edition ? `edition ${edition} was` : `editions ${from} to ${edition} were`
    const how = isCut ? `the log was cut back to edition ${from - 1}` : 'the log was loaded again'
    this.#onWarning(
      `The ${source.kind} lacks what clients have seen: ${lost} given up, and ${how}; what was given up is kept in ${aside}${isCut ? '.ndjson' : ''}.${more}`,
    )
  }

  /**
   * Makes `common` the last edition of the log. The next generation shares the files of this one, which continues to
   * serve until readers have left it; only then are the files cut off. A process that is killed meanwhile opens with
   * all editions or with those up to `common`. False, and nothing has changed, if the files do not hold all records of
   * `common`, as the digest of the database has it.
   */
  async #cutBack(common: EditionRow | undefined, aside: string): Promise<boolean> {
    const before = this.#state!
    if (common === undefined || common.checksum === null || before.isTorn || before.isDamaged) return false
    const folder = this.#generationFolder(++this.#generation)
    let fresh: LogState | undefined
    try {
      await LogState.linkFiles(before.folder, folder)
      fresh = await openUpTo(folder, common.edition, common.checksum)
      if (fresh) await this.#writeRecords(fresh.newest!.end, aside)
    } catch (error) {
      await fresh?.close()
      fresh = undefined
      this.#onWarning(`The edition log cannot be cut back (${(error as Error).message}).`)
    }
    if (fresh === undefined) {
      await rm(folder, { recursive: true, force: true })
      return false
    }
    await this.#replaceBy(fresh)
    await fresh.endHere()
    return true
  }

  /** Writes the records from this position on into a file, one in each line. */
  async #writeRecords(from: number, path: string): Promise<void> {
    const { newest } = this.#state!
    const file = await open(`${path}.ndjson`, 'w')
    try {
      for (let position = from; position < newest!.end; position++) {
        const { bytes, release } = this.record(position, 'identity')
        await file.write(bytes)
        await file.write('\n')
        release?.()
      }
    } finally {
      await file.close()
    }
  }

  /** Returns the state to append to: read again after a failed append, created when there is none. */
  async #appendable(stockId: string): Promise<LogState> {
    if (this.#state?.isTorn && !this.#state.isSpoiled) await this.#state.rollBack()
    if (this.#state?.isTorn) {
      const torn = this.#state
      await this.#switchTo(await openGeneration(torn.folder, this.#onWarning))
      await torn.close()
    }
    if (this.#state === undefined) {
      const fresh = await LogState.create(this.#generationFolder(++this.#generation), stockId)
      await fresh.finish()
      await this.#switchTo(fresh)
    }
    return this.#state!
  }

  /** Builds the next generation from the database while the present one continues to serve. */
  async #rebuild(
    source: EditionSource,
    stockId: string,
    { isOlder, aside }: { readonly isOlder: boolean; readonly aside?: string },
  ): Promise<void> {
    const fresh = await LogState.create(this.#generationFolder(++this.#generation), stockId)
    try {
      for (let isDone = false; !isDone; )
        isDone = await source.onOneState(async (reads) => {
          const { target } = await reads.head()
          return (
            target === undefined ||
            (await takeEditions(reads, fresh, target, { clock: this.#clock, packers: this.#packers }))
          )
        })
      const built = fresh.shown?.info.edition ?? 0
      if (fresh.newest !== fresh.shown || (!isOlder && built < (this.newest?.edition ?? 0)))
        throw new WrongEntriesError(`The edition log was rebuilt only up to edition ${built}; rebuilding it again.`)
      await fresh.finish()
    } catch (error) {
      await fresh.close()
      await rm(fresh.folder, { recursive: true, force: true })
      throw error
    }
    await this.#replaceBy(fresh, aside)
  }

  #generationFolder(generation: number): string {
    return join(this.#folder, `generation-${generation}`)
  }
}

/**
 * Opens the log in `folder` (created when missing) as far as its files are whole. It serves what it holds immediately,
 * without a database; `catchUp` loads the rest. Throws OperatorError when another process has it open, or it cannot be
 * written.
 */
export async function openEditionLog(folder: string, options: EditionLogOptions): Promise<EditionLog> {
  const release = lockFolder(folder, {
    what: 'The edition log',
    inUse: 'give each process its own folder (--data FOLDER)',
    unwritable: 'change its permissions, or give another folder (--data FOLDER)',
  })
  try {
    const names = await readdir(folder)
    const generations = names
      .flatMap((name) => generationPattern.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => b - a)
    let state: LogState | undefined
    for (const generation of generations) {
      const path = join(folder, `generation-${generation}`)
      state ??= await openGeneration(path, options.onWarning ?? (() => undefined))
      if (state?.folder !== path) await rm(path, { recursive: true, force: true })
    }
    const log = new EditionLog(folder, generations[0] ?? 0, state, {
      ...options,
      release,
      isReplaced: names.includes(replacedName),
    })
    log.keepUp()
    return log
  } catch (error) {
    release()
    throw error
  }
}

/** Appends an edition from memory: for generated stocks and tests. `entries` ascend by lastModified, then id. */
export async function appendEdition(
  log: EditionLog,
  edition: NewEdition,
  entries: Iterable<NewEntry> | AsyncIterable<NewEntry>,
): Promise<void> {
  await log.appendEdition(edition, entries)
}

/**
 * Brings the log up to the newest edition of the database; returns the number of editions loaded. Each becomes visible
 * as a whole. A log that lost records is rebuilt, and replaced when the rebuilt one is ready. Throws WrongEntriesError
 * if an edition was incomplete, and OlderDatabaseError if the database lacks editions of the log; nothing is changed
 * then.
 */
export async function catchUp(
  log: EditionLog,
  source: SourceStore | EditionSource,
  options: CatchUpOptions = {},
): Promise<number> {
  return await log.catchUp(source, options)
}
