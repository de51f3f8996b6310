// Database, bucket and disks of nodes go back to earlier acknowledged states, in any order, while others remember what
// was lost, and come back later: a number never stands for two contents where anybody can see both. Redis holds nothing
// about editions: limiter-redis.ts alone uses it, for counts of the minute.
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { hourMs } from '../src/domain/time.ts'
import { sha256Of } from '../src/edition/format/bucket-files.ts'
import { bucketSource, newestInBucket } from '../src/edition/write/bucket-source.ts'
import { catchUp, type EditionLog, openEditionLog } from '../src/edition/write/edition-log.ts'
import type { EditionSource, SourceStore } from '../src/edition/write/edition-source.ts'
import { EditionExport } from '../src/edition/write/export-editions.ts'
import { OlderDatabaseError } from '../src/edition/write/take-over.ts'
import { OperatorError } from '../src/platform/errors.ts'
import { systemRandom } from '../src/platform/random.ts'
import { publish } from '../src/publish/publish.ts'
import { keptHead } from '../src/service/nodes/kept-head.ts'
import { witness } from '../src/service/nodes/witness-editions.ts'
import { hear } from '../src/service/operations/roll-call.ts'
import { readTables } from '../src/store/backup/table-copy.ts'
import { LostEditionError } from '../src/store/editions/edition-witness.ts'
import { newestEdition, stockIdOf } from '../src/store/editions/editions.ts'
import { beginEpoch } from '../src/store/editions/older-database.ts'
import { inStockTransaction } from '../src/store/editions/publication.ts'
import type { Bucket } from '../src/store/files/bucket.ts'
import { putNumbered, startOfStock } from './numbered-tenders.ts'
import { proofCount } from './proof/proof-count.ts'
import { randomOf } from './testing/generate/random.ts'
import { seed } from './testing/seed.ts'
import { openTestStore, type TestStore } from './world.ts'

const runs = proofCount({ share: 1, full: 200 })
const steps = proofCount({ share: 24, full: 60 })

/** An edition by number and digest. */
const nameOf = ({ edition, checksum }: { readonly edition: number; readonly checksum?: string | null }) =>
  `${edition} ${checksum}`

/** Rows of all tables, as JSON; a table follows those that it refers to. */
type State = readonly (readonly [table: string, rows: string | null])[]

async function dump({ db }: TestStore, tables: readonly string[]): Promise<State> {
  const each = tables.map((name) => sql`select json_agg(line)::text as rows from ${sql.table(name)} as line`)
  const { rows } = await sql<{ rows: string | null }>`${sql.join(each, sql` union all `)}`.execute(db)
  return tables.map((name, index) => [name, rows[index]!.rows])
}

async function putBack({ db }: TestStore, state: State): Promise<void> {
  await sql`truncate ${sql.join(state.map(([name]) => sql.table(name)))}`.execute(db)
  for (const [name, rows] of state)
    if (rows !== null)
      await sql`insert into ${sql.table(name)} overriding system value
        select * from json_populate_recordset(null::${sql.table(name)}, ${rows}::json)`.execute(db)
}

/** Objects in memory, with conditions. `isAway`: it does not answer. */
function memoryBucket() {
  let objects = new Map<string, Buffer>()
  const state = { isAway: false }
  const answer = <Value>(value: Value): Promise<Value> =>
    state.isAway ? Promise.reject(new OperatorError('bucket-refuses', 'the bucket is away')) : Promise.resolve(value)
  const etagOf = (bytes: Buffer) => sha256Of(bytes)
  const find = (path: string) => {
    const bytes = objects.get(path)
    return answer(bytes && { bytes, etag: etagOf(bytes) })
  }
  const bucket: Bucket = {
    put: async (path, bytes) => answer(void (state.isAway || objects.set(path, bytes))),
    get: async (path) => (await find(path))?.bytes,
    find,
    putIf: async (path, bytes, condition) => {
      const held = (await find(path))?.etag
      const isMet = 'ifMatch' in condition ? held === condition.ifMatch : held === undefined
      if (isMet) objects.set(path, bytes)
      return isMet
    },
    list: (start) =>
      answer([...objects.keys()].filter((path) => path.startsWith(start)).map((path) => ({ path, modifiedAt: 0 }))),
    remove: async (path) => answer(void objects.delete(path)),
    close: async () => {},
  }
  return {
    bucket,
    state,
    dump: () => new Map(objects),
    putBack: (earlier: ReadonlyMap<string, Buffer>) => {
      objects = new Map(earlier)
    },
  }
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof OperatorError)) throw error
  return undefined
}

type Source = SourceStore | EditionSource

/** A process with an edition log: it runs, or ended with a sentence; `isAway`: it reaches nothing. */
class Node {
  readonly name: string
  readonly folder: string
  readonly #clock: () => number
  readonly #sourceOf: () => Source
  log: EditionLog | undefined
  isAway = false
  /** What it showed since its disk was last exchanged. */
  readonly shown = new Map<number, string>()

  constructor(name: string, folder: string, clock: () => number, sourceOf: () => Source) {
    this.name = name
    this.folder = folder
    this.#clock = clock
    this.#sourceOf = sourceOf
  }

  async start(): Promise<void> {
    if (this.log) return
    this.log = await openEditionLog(join(this.folder, 'editions'), { clock: this.#clock })
    await this.look({ isStart: true })
  }

  async stop(): Promise<void> {
    await this.log?.close()
    this.log = undefined
  }

  /** Loads what is new. A process that starts on an older source ends. */
  async look({ isStart = false, isOlderAccepted = false } = {}): Promise<void> {
    if (!this.log || this.isAway) return
    try {
      await catchUp(this.log, this.#sourceOf(), { isOlderAccepted })
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      if (isStart && error instanceof OlderDatabaseError) await this.stop()
    }
  }

  get isServing(): boolean {
    return this.log?.newest !== undefined && !this.log.isReplaced
  }

  async held(): Promise<readonly string[]> {
    return (
      (await this.log?.withHeld(async ({ editions }) => [...editions.values()].map(({ info }) => nameOf(info)))) ?? []
    )
  }

  /** Of an edition that was loaded after its entries were pruned the digest is unknown. */
  async holds(wanted: { readonly edition: number; readonly checksum?: string | null; readonly lastModified: number }) {
    const held = await this.log?.withHeld(async ({ editions }) => editions.get(wanted.edition))
    if (held?.info.lastModified !== wanted.lastModified) return false
    return !held.isComplete || held.info.checksum === wanted.checksum
  }
}

type Counts = { refusals: number; refusing: number; epochs: number; blind: number; published: number }

async function simulate(run: number, counts: Counts): Promise<void> {
  const random = randomOf(seed, run)
  const draw = (below: number) => Math.floor(random.next() * below)
  const pick = <Item>(items: readonly Item[]): Item => items[draw(items.length)]!
  const root = mkdtempSync(join(tmpdir(), 'lost-numbers-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  await using store = await openTestStore('embedded')
  const space = memoryBucket()
  let now = startOfStock
  let version = 0
  let fence = 0
  const clock = () => now
  const nodes = ['first', 'second'].map((name) => new Node(name, join(root, name), clock, () => store))
  const reader = new Node('reader', join(root, 'reader'), clock, () =>
    bucketSource(space.bucket, keptHead(join(root, 'reader'))),
  )
  const publisher = new Node('publisher', join(root, 'publisher'), clock, () => store)
  const all = [...nodes, reader, publisher]
  let exporter: { readonly of: EditionLog; readonly round: () => Promise<unknown> } | undefined
  const story: string[] = []
  const say = (what: string) => void story.push(`${story.length} ${what}`)

  /** Those who reach the database say what they hold, and hear what others hold. */
  const report = async () => {
    for (const node of [...nodes, publisher])
      if (node.log && !node.isAway)
        await witness({ store: { looks: store.db }, editions: node.log }, { witnessId: node.name, name: node.name })
  }
  const lookAll = async () => {
    for (const node of all) if (node !== reader) await node.look()
    for (let turn = 0; turn < 2; turn++) await report()
    await exportNow()
    await reader.look()
    await judge()
  }
  const exportNow = async () => {
    const { log } = publisher
    const newest = await newestEdition(store.db)
    if (!log || publisher.isAway || !newest || nameOf(newest) !== nameOf(log.newest ?? { edition: 0 })) return
    if (exporter?.of !== log) {
      const right = { fence: ++fence, hold: <Result>(work: () => Promise<Result>) => work() }
      const exporting = new EditionExport({ bucket: space.bucket, log, clock })
      exporter = { of: log, round: () => exporting.round(right, 0) }
    }
    await exporter.round().catch(ignoreRefusal)
  }
  /** What is true whenever everybody has looked. */
  const judge = async () => {
    const context = () => `SEED=${seed} run ${run}:\n${story.join('\n')}`
    const served = new Map<number, string>()
    const newest = await newestEdition(store.db)
    for (const node of all) {
      if (node.log?.isReplaced) counts.refusing++
      if (!node.isServing) continue
      const { newest: shown } = node.log!
      const own = node.shown.get(shown!.edition) ?? nameOf(shown!)
      if (!isBlind(shown!.edition)) expect(nameOf(shown!), `${node.name}: two contents in turn; ${context()}`).toBe(own)
      node.shown.set(shown!.edition, nameOf(shown!))
      if (node.isAway) continue
      if (node === reader) {
        // It ignores the head of a publisher that was replaced, of which it may never have held an edition.
        const isHeard = await bucketSource(space.bucket, keptHead(node.folder)).look().catch(ignoreRefusal)
        const head = isHeard && (await newestInBucket(space.bucket))
        if (head) expect(await node.holds(head), `reader serves beside ${nameOf(head)}; ${context()}`).toBe(true)
        continue
      }
      const others = served.get(shown!.edition) ?? nameOf(shown!)
      expect(nameOf(shown!), `${node.name}: two contents at a time; ${context()}`).toBe(others)
      served.set(shown!.edition, nameOf(shown!))
      // the database at most lacks what it serves
      if (newest)
        expect(await node.holds(newest), `${node.name} serves beside ${nameOf(newest)}; ${context()}`).toBe(true)
    }
  }
  /** Numbers that were published again when nobody who knew them could be asked. */
  const blind: [from: number, to: number][] = []
  const isBlind = (number: number) => blind.some(([from, to]) => number >= from && number <= to)
  const callWitnesses = async () => {
    await report()
    await hear(store, space.bucket).catch(() => {})
  }
  const publishNow = async () => {
    now += hourMs
    await publisher.start()
    if (!publisher.log || publisher.isAway) return say('publish: no publisher')
    await putNumbered(store, 0, 1 + draw(4), ++version)
    // Where everything was gone at once, another stock began: those who hold the former one answer 503, and its numbers
    // are not those of this stock.
    const stockId = await stockIdOf(store.db)
    const isOurs = (other: string | undefined) => stockId === '' || other === stockId
    const asked = [...nodes, publisher].filter(({ log, isAway }) => log && !isAway && isOurs(log.stockId))
    const seen = new Set((await Promise.all(asked.map((node) => node.held()))).flat())
    const head = space.state.isAway ? undefined : await bucketSource(space.bucket).look()
    if (head && isOurs(head.stockId)) seen.add(`${head.newest.edition} bucket`)
    const everSeen = Math.max(0, ...all.flatMap(({ shown }) => [...shown.keys()]))
    try {
      await catchUp(publisher.log, store)
      const outcome = await publish(store, { now, minIntervalMs: hourMs, overrideGate: true, callWitnesses })
      if (outcome.kind === 'published') {
        counts.published++
        const known = [...seen].map((name) => Number(name.split(' ')[0]))
        expect(outcome.edition, `SEED=${seed} run ${run}:\n${story.join('\n')}`).toBeGreaterThan(Math.max(0, ...known))
        if (outcome.edition <= everSeen) counts.blind++
        if (outcome.edition <= everSeen) blind.push([outcome.edition, everSeen])
      }
      say(`publish: ${outcome.kind === 'published' ? outcome.edition : outcome.kind}`)
    } catch (error) {
      if (!(error instanceof LostEditionError || error instanceof OlderDatabaseError)) throw error
      counts.refusals++
      say(`publish: refused, ${error.message.slice(0, 70)}`)
    }
  }
  const decide = async () => {
    counts.epochs++
    const node = pick([...nodes, publisher].filter(({ log }) => log !== undefined).concat(publisher))
    if (node.log && draw(2) === 0) {
      say(`decide: ${node.name} accepts`)
      await node.look({ isOlderAccepted: true })
      return
    }
    say('decide: new epoch')
    await callWitnesses()
    await inStockTransaction(store, (trx) => beginEpoch(trx, { now, randomBytes: systemRandom.bytes }))
  }

  const tables = (await readTables(store.db)).filter(({ isUnlogged }) => !isUnlogged).map(({ name }) => name)
  const databases = [await dump(store, tables)]
  const buckets = [space.dump()]
  const disks = new Map(all.map((node) => [node, [] as string[]]))
  const keepAll = async () => {
    databases.push(await dump(store, tables))
    buckets.push(space.dump())
    const node = pick(all)
    const copy = join(root, `${node.name}-${disks.get(node)!.length}`)
    await node.log?.idle()
    if (existsSync(node.folder)) {
      cpSync(node.folder, copy, { recursive: true })
      disks.get(node)!.push(copy)
    }
  }
  const exchange = async (node: Node, isEmpty = draw(2) === 0) => {
    await node.stop()
    node.shown.clear()
    rmSync(node.folder, { recursive: true, force: true })
    const copies = disks.get(node)!
    const copy = isEmpty ? undefined : copies[draw(copies.length)]
    if (copy !== undefined) cpSync(copy, node.folder, { recursive: true })
    say(`disk of ${node.name} ${copy === undefined ? 'is empty' : 'goes back'}`)
    await node.start()
  }
  /** Most losses are of the last states. */
  const back = (count: number) => (draw(3) === 0 ? draw(count) : Math.max(0, count - 2 - draw(5)))
  const loseDatabase = async () => {
    const index = back(databases.length)
    say(`database goes back by ${databases.length - 1 - index} states`)
    await putBack(store, databases[index]!)
  }
  const loseBucket = () => {
    const index = back(buckets.length)
    say(`bucket goes back by ${buckets.length - 1 - index} states`)
    space.putBack(buckets[index]!)
  }
  /** Whoever remembers is away, for a while. */
  const loseWitnesses = async () => {
    for (const node of [...nodes, reader]) node.isAway = true
    if (draw(2) === 0) space.state.isAway = true
    else loseBucket()
    await exchange(publisher, true)
    await loseDatabase()
  }
  const comeBack = () => {
    for (const node of all) node.isAway = false
    space.state.isAway = false
    say('all are back')
  }
  const faults: (() => unknown)[] = [
    loseDatabase,
    loseDatabase,
    loseBucket,
    loseWitnesses,
    comeBack,
    () => exchange(pick(all)),
    () => {
      const node = pick(all)
      node.isAway = !node.isAway
      say(`${node.name} is ${node.isAway ? 'away' : 'back'}`)
    },
    () => {
      space.state.isAway = !space.state.isAway
      say(`bucket is ${space.state.isAway ? 'away' : 'back'}`)
    },
    async () => {
      const node = pick(all)
      say(`${node.name} ${node.log ? 'stops' : 'starts'}`)
      await (node.log ? node.stop() : node.start())
    },
  ]

  const loseDatabaseAndLog = async () => {
    await loseDatabase()
    await exchange(publisher, true)
  }
  /** Each run has these losses: one that nodes and bucket remember, and one that nobody can tell before it is late. */
  const plan: { readonly [step: number]: () => unknown } = {
    0: publishNow,
    1: publishNow,
    2: publishNow,
    3: publishNow,
    4: loseDatabaseAndLog,
    5: publishNow,
    6: decide,
    7: publishNow,
    8: publishNow,
    9: loseWitnesses,
    10: publishNow,
    15: comeBack,
  }
  let refusals = 0
  for (const node of all) await node.start()
  for (let step = 0; step < steps; step++) {
    const isRefused = counts.refusals > refusals
    refusals = counts.refusals
    const planned = plan[step]
    if (planned) await planned()
    else if (step > 3 && draw(3) === 0) await pick(faults)()
    else if (draw(isRefused ? 3 : 20) === 0) await decide()
    else await publishNow()
    await lookAll()
    await keepAll()
  }

  // everything comes back, and the operator decides: nobody is stuck
  space.state.isAway = false
  for (const node of all) node.isAway = false
  say('the end')
  // no epoch follows a stock without an edition: a backup is restored
  if (!(await newestEdition(store.db)))
    await putBack(
      store,
      databases.findLast((state) => state.some(([table, rows]) => table === 'edition' && rows)) ?? [],
    )
  await callWitnesses()
  await inStockTransaction(store, (trx) => beginEpoch(trx, { now, randomBytes: systemRandom.bytes }))
  for (let round = 0; round < 3; round++) {
    for (const node of all) await node.start()
    await publishNow()
    await lookAll()
  }
  const newest = nameOf((await newestEdition(store.db))!)
  for (const node of all) {
    await node.start()
    await node.look({ isOlderAccepted: true })
    expect(node.log && nameOf(node.log.newest!), `${node.name}: SEED=${seed} run ${run}:\n${story.join('\n')}`).toBe(
      newest,
    )
    await node.stop()
  }
}

test(`P1 a number never stands for two contents, whatever goes back (SEED=${seed})`, {
  timeout: 3_600_000,
}, async () => {
  const counts: Counts = { refusals: 0, refusing: 0, epochs: 0, blind: 0, published: 0 }
  for (let run = 0; run < runs; run++) await simulate(run, counts)
  console.log(`lost numbers: ${JSON.stringify(counts)} in ${runs} runs (SEED=${seed})`)
  const { published, refusals, refusing } = counts
  expect(
    [published, refusals + refusing].every((count) => count > 0),
    JSON.stringify(counts),
  ).toBe(true)
})
