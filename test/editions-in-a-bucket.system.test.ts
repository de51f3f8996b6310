// Editions through object storage: a publisher exports the content of its log into a bucket of a store that somebody
// else wrote, and nodes follow it there without a database.
import { createSecretKey, randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import pg from 'pg'
// @ts-expect-error: it comes without types
import S3Server from 's3rver'
import { expect, onTestFinished, test, vi } from 'vitest'
import { contentHash } from '../src/consolidate/canonical.ts'
import type { TenderContent } from '../src/domain/tender.ts'
import { dayMs, hourMs } from '../src/domain/time.ts'
import { type BucketHead, hashInPath, sha256Of } from '../src/edition/format/bucket-files.ts'
import { wholePage } from '../src/edition/format/pieces.ts'
import { decodeSegment } from '../src/edition/format/segment.ts'
import { bucketSource } from '../src/edition/write/bucket-source.ts'
import { catchUp, type EditionLog, openEditionLog } from '../src/edition/write/edition-log.ts'
import { EditionExport, ExportLostError } from '../src/edition/write/export-editions.ts'
import { WrongEntriesError } from '../src/edition/write/log-state.ts'
import { OlderDatabaseError } from '../src/edition/write/take-over.ts'
import { openLog as openServiceLog } from '../src/platform/log.ts'
import { systemRandom } from '../src/platform/random.ts'
import { createSealer } from '../src/platform/sealing.ts'
import { publish } from '../src/publish/publish.ts'
import { bucketUse } from '../src/service/nodes/bucket-use.ts'
import { watchBucket } from '../src/service/nodes/bucket-watch.ts'
import { startExport } from '../src/service/nodes/export-editions.ts'
import { openNodeState } from '../src/service/watch/node-state.ts'
import type { Store } from '../src/store/database/database.ts'
import { exportProgress, takeExport, underExport } from '../src/store/editions/edition-export.ts'
import { type Bucket, openBucket } from '../src/store/files/bucket.ts'
import { createOrganization, createToken, revokeToken } from '../src/store/people/organizations.ts'
import { upsertTenders } from '../src/store/stock/tenders.ts'
import { startObjectStore } from './imitations/object-store.ts'
import { generateTender } from './testing/generate/stock.ts'
import { openTestStore, type TestStore, testDatabaseUrl } from './world.ts'

const begin = Date.UTC(2026, 0, 1)
const stock = { seed: 11, count: 0, now: begin, size: 'small' } as const
const free = { fence: 1, hold: <Result>(work: () => Promise<Result>) => work() }

function tenderOf(number: number, version: number): TenderContent {
  const { mergedInto, ...tender } = generateTender(stock, number, version)
  return mergedInto === undefined ? tender : { ...tender, status: 'closed', archiveReason: 'expired' }
}

async function put(store: Store, from: number, to: number, version = 0): Promise<void> {
  const tenders = Array.from({ length: to - from }, (_, index) => tenderOf(from + index, version))
  await upsertTenders(
    store.db,
    tenders.map((tender) => {
      const content = JSON.stringify(tender)
      return {
        tenderId: tender.id,
        foundingKey: tender.id,
        content,
        contentHash: contentHash(content),
        archiveReason: tender.archiveReason ?? null,
        nextTransitionMs: null,
        mergedInto: null,
        sources: '["ted"]',
      }
    }),
  )
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'editions-in-a-bucket-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

type EditionBucket = { readonly bucket: Bucket; readonly folder: string; readonly puts: string[] }

const locationOf = (port: number) =>
  ({
    kind: 'bucket',
    bucket: 'editions',
    prefix: 'stock/',
    region: 'us-east-1',
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    endpoint: `http://127.0.0.1:${port}`,
  }) as const

function bucketAt(port: number): Bucket {
  const bucket = openBucket(locationOf(port), {
    clock: Date.now,
    sleep: async () => {},
    random: systemRandom,
    version: 'test',
    named: 'the address',
  })
  onTestFinished(() => bucket.close())
  return bucket
}

async function openEditionBucket(): Promise<EditionBucket> {
  const folder = newFolder()
  const server = new S3Server({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: folder,
    configureBuckets: [{ name: 'editions', configs: [] }],
  })
  const { port } = await server.run()
  onTestFinished(() => server.close())
  const bucket = bucketAt(port)
  const puts: string[] = []
  const noted: Bucket = {
    ...bucket,
    put: (path, bytes) => {
      puts.push(path)
      return bucket.put(path, bytes)
    },
  }
  return { bucket: noted, folder: join(folder, 'editions', 'stock'), puts }
}

/** The file in which the store keeps an object. */
const fileOf = ({ folder }: EditionBucket, path: string) => join(folder, `${path}._S3rver_object`)

const objectsIn = ({ folder }: EditionBucket, kind: string): string[] => {
  if (!existsSync(join(folder, kind))) return []
  const names = readdirSync(join(folder, kind)).filter((name) => name.endsWith('._S3rver_object'))
  return names.map((name) => `${kind}/${name.slice(0, -'._S3rver_object'.length)}`)
}

type World = {
  readonly store: TestStore
  readonly log: EditionLog
  readonly now: () => number
  /** Publishes an edition some hours later (one), of these records in this version. */
  readonly cut: (from: number, to: number, version: number, hours?: number) => Promise<void>
  readonly openNode: (folder?: string) => Promise<EditionLog>
}

async function openWorld(): Promise<World> {
  const store = await openTestStore(testDatabaseUrl === undefined ? 'embedded' : 'server')
  onTestFinished(() => store[Symbol.asyncDispose]())
  let now = begin
  const openNode = async (folder = newFolder()) => {
    const log = await openEditionLog(folder, { clock: () => now })
    onTestFinished(() => log.close())
    return log
  }
  const log = await openNode()
  return {
    store,
    log,
    now: () => now,
    openNode,
    cut: async (from, to, version, hours = 1) => {
      now += hours * hourMs
      await put(store, from, to, version)
      expect((await publish(store, { now, minIntervalMs: hourMs })).kind).toBe('published')
      await catchUp(log, store)
    },
  }
}

const exporterOf = ({ bucket }: Pick<EditionBucket, 'bucket'>, { log, now }: World, maxEntries?: number) =>
  new EditionExport({ bucket, log, clock: now, ...(maxEntries !== undefined && { maxEntries }) })

/** All records of an edition, byte for byte. */
function read(log: EditionLog, edition = log.newest!.edition): string {
  let text = ''
  for (let after: { lastModified: number; id: string } | undefined; ; ) {
    const { positions, next } = log.list({ filter: { archived: true }, edition, limit: 50, ...(after && { after }) })
    text += wholePage(log.pageBody(positions, edition, 'gzip'), null).toString('latin1')
    if (next === null) return text
    after = next
  }
}

/** When each session of the stock's database began its last query, as another session sees it. */
async function lastQueries({ engine, options }: TestStore): Promise<readonly unknown[]> {
  if (engine === 'embedded') return []
  const outside = new pg.Client({ connectionString: options.databaseUrl! })
  await outside.connect()
  const { rows } = await outside.query(`
    select pid, query_start from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
    and backend_type = 'client backend' order by pid`)
  await outside.end()
  return rows
}

test('ten nodes follow the bucket without querying the database', { timeout: 120_000 }, async () => {
  const [target, world] = [await openEditionBucket(), await openWorld()]
  const exporter = exporterOf(target, world)
  await world.cut(0, 700, 0)
  expect(await exporter.round(free, 0)).toEqual({ edition: 1, snapshotEdition: 1 })
  const nodes = await Promise.all(Array.from({ length: 10 }, () => world.openNode()))
  const allCatchUp = async () => {
    const before = await lastQueries(world.store)
    const editions = await Promise.all(nodes.map((node) => catchUp(node, bucketSource(target.bucket))))
    expect(await lastQueries(world.store)).toEqual(before)
    return new Set(editions)
  }
  expect(await allCatchUp()).toEqual(new Set([1]))
  await world.cut(0, 20, 1)
  await world.cut(690, 720, 2)
  expect(await exporter.round(free, 0)).toEqual({ edition: 3, snapshotEdition: 1 })
  expect(await allCatchUp()).toEqual(new Set([2]))
  for (const node of nodes) {
    expect(node.newest).toEqual(world.log.newest)
    for (const edition of [1, 2, 3]) expect(read(node, edition)).toBe(read(world.log, edition))
  }
  // a node that never saw the database, and one that restarts
  const late = await world.openNode()
  expect(await catchUp(late, bucketSource(target.bucket))).toBe(3)
  expect(read(late)).toBe(read(world.log))
  expect(await catchUp(late, bucketSource(target.bucket))).toBe(0)
})

test('any program can read the objects: each is named by its hash, and a segment is a JSON array', async () => {
  const [target, world] = [await openEditionBucket(), await openWorld()]
  await world.cut(0, 300, 0)
  await exporterOf(target, world).round(free, 0)
  const paths = ['segments', 'snapshots'].flatMap((kind) => objectsIn(target, kind))
  for (const path of paths) expect(sha256Of(readFileSync(fileOf(target, path)))).toBe(hashInPath(path))
  const ids: string[] = []
  for (const path of objectsIn(target, 'segments')) {
    const [head, ...records] = JSON.parse(gunzipSync(readFileSync(fileOf(target, path))).toString())
    expect(head.segment).toBe(1)
    ids.push(...records.map(({ id }: { id: string }) => id))
  }
  expect(new Set(ids).size).toBe(300)
  await expect(decodeSegment(Buffer.from('no gzip'))).rejects.toThrow()
})

test('a damaged or missing segment is refused, written again, and accepted', { timeout: 120_000 }, async () => {
  const [target, world] = [await openEditionBucket(), await openWorld()]
  const exporter = exporterOf(target, world)
  await world.cut(0, 300, 0)
  await exporter.round(free, 0)
  for (const harm of ['damage', 'remove'] as const) {
    const path = objectsIn(target, 'segments')[0]!
    if (harm === 'remove') unlinkSync(fileOf(target, path))
    else {
      const bytes = readFileSync(fileOf(target, path))
      bytes[bytes.length >>> 1]! ^= 1
      writeFileSync(fileOf(target, path), bytes)
    }
    const node = await world.openNode()
    await expect(catchUp(node, bucketSource(target.bucket))).rejects.toThrow(
      harm === 'damage' ? 'is damaged' : 'is missing',
    )
    expect(node.newest).toBeUndefined()
    await exporter.round(free, 0)
    await catchUp(node, bucketSource(target.bucket))
    expect(read(node)).toBe(read(world.log))
    expect(await target.bucket.list('from-nodes/')).toEqual([])
  }
})

test('an exporter that was killed continues where it stopped, and nobody sees half of an edition', async () => {
  const [target, world] = [await openEditionBucket(), await openWorld()]
  await world.cut(0, 110, 0)
  let left = 2
  const dying: Bucket = {
    ...target.bucket,
    put: async (path, bytes) => {
      if (left-- === 0) throw new Error('killed')
      await target.bucket.put(path, bytes)
    },
  }
  await expect(exporterOf({ bucket: dying }, world, 40).round(free, 0)).rejects.toThrow('killed')
  expect(await bucketSource(target.bucket).look()).toBeUndefined()
  expect(target.puts.length).toBe(2)
  await exporterOf(target, world, 40).round(free, 0)
  const segments = target.puts.filter((path) => path.startsWith('segments/'))
  expect(segments.length).toBe(3)
  expect(new Set(segments).size).toBe(3)
  // nothing is written again by one that starts when everything exists
  const before = target.puts.length
  await exporterOf(target, world).round(free, 0)
  expect(target.puts.length).toBe(before)
})

test('only one of two exporters writes; the one that lost the lease writes no head', async () => {
  const [target, world] = [await openEditionBucket(), await openWorld()]
  const { store } = world
  await world.cut(0, 50, 0)
  const first = (await takeExport(store.db, 0))!
  expect(await takeExport(store.db, 0)).toBeUndefined()
  const rightOf = (fence: number) => ({
    fence,
    hold: async <Result>(work: () => Promise<Result>): Promise<Result> => {
      let value: { readonly result: Result } | undefined
      await underExport(store, fence, async () => {
        value = { result: await work() }
      })
      if (!value) throw new ExportLostError('lost')
      return value.result
    },
  })
  const frozen = exporterOf(target, world)
  await frozen.round(rightOf(first), 0)
  await sql`update edition_export set until_ms = 1`.execute(store.db)
  const second = (await takeExport(store.db, 7))!
  expect(second).toBe(8)
  await world.cut(0, 10, 1)
  await exporterOf(target, world).round(rightOf(second), 0)
  await world.cut(0, 10, 2)
  await expect(frozen.round(rightOf(first), 0)).rejects.toThrow(ExportLostError)
  const head = JSON.parse((await target.bucket.get('head.json'))!.toString()) as BucketHead
  expect([head.fence, head.newest.edition]).toEqual([second, 2])
  // a node that saw the newer head does not accept one that an older exporter writes late
  const source = bucketSource(target.bucket)
  await source.look()
  await target.bucket.put('head.json', Buffer.from(JSON.stringify({ ...head, fence: first })))
  await expect(source.look()).rejects.toThrow('was replaced')
})

test('a node that was off for days continues from the snapshot, and old objects are removed', {
  timeout: 240_000,
}, async () => {
  const [target, world] = [await openEditionBucket(), await openWorld()]
  const exporter = exporterOf(target, world, 16)
  await world.cut(0, 60, 0)
  await exporter.round(free, 0)
  const folder = newFolder()
  const node = await world.openNode(folder)
  await catchUp(node, bucketSource(target.bucket))
  await node.close()
  const first = [...objectsIn(target, 'segments'), ...objectsIn(target, 'snapshots')]
  for (let version = 1; version <= 28; version++) {
    // the second half of the records does not change after the third edition
    await world.cut(0, version <= 2 ? 60 : 30, version, 3)
    await exporter.round(free, 0)
    // the store dates objects by a clock that stands still here
    for (const kind of ['segments', 'manifests', 'snapshots'])
      for (const path of objectsIn(target, kind)) {
        const file = fileOf(target, path)
        if (statSync(file).mtimeMs > Date.now() - 3600_000) utimesSync(file, world.now() / 1000, world.now() / 1000)
      }
  }
  const head = JSON.parse((await target.bucket.get('head.json'))!.toString()) as BucketHead
  // segments of unchanged records are named by the next snapshot, not packed again
  expect(target.puts.filter((path) => path.startsWith('segments/')).length).toBeGreaterThan(0)
  expect(new Set(target.puts).size).toBe(target.puts.length)
  expect(head.newest.edition).toBe(29)
  expect(29 - head.snapshot.edition).toBeLessThanOrEqual(8)
  const left = [...objectsIn(target, 'segments'), ...objectsIn(target, 'snapshots')]
  expect(left.filter((path) => first.includes(path))).toEqual([])
  const back = await world.openNode(folder)
  expect(back.newest?.edition).toBe(1)
  await catchUp(back, bucketSource(target.bucket))
  expect(read(back)).toBe(read(world.log))
  // cursors of a day ago continue on a node that is new
  const fresh = await world.openNode()
  await catchUp(fresh, bucketSource(target.bucket))
  expect(read(fresh, 29 - 7)).toBe(read(world.log, 29 - 7))
})

test('after a redaction nothing older is left in the bucket', async () => {
  const [target, world] = [await openEditionBucket(), await openWorld()]
  const exporter = exporterOf(target, world)
  await world.cut(0, 40, 0)
  await exporter.round(free, 0)
  const before = objectsIn(target, 'segments')
  const redactedAt = world.now() + 1
  await exporter.round(free, redactedAt)
  expect(objectsIn(target, 'segments')).toEqual(before)
  await world.cut(0, 5, 1)
  await exporter.round(free, redactedAt)
  const after = objectsIn(target, 'segments')
  expect(after.filter((path) => before.includes(path))).toEqual([])
  expect(objectsIn(target, 'manifests')).toEqual([])
  const texts = after.map((path) => gunzipSync(readFileSync(fileOf(target, path))).toString())
  expect(texts.flatMap((text) => JSON.parse(text).slice(1)).length).toBe(40)
})

test('a bucket of another stock, or of an older state, is refused', async () => {
  const [target, world, other] = [await openEditionBucket(), await openWorld(), await openWorld()]
  await world.cut(0, 40, 0)
  await world.cut(0, 4, 1)
  await exporterOf(target, world).round(free, 0)
  const node = await world.openNode()
  await catchUp(node, bucketSource(target.bucket))
  await other.cut(0, 40, 0)
  await exporterOf(target, other).round({ ...free, fence: 2 }, 0)
  await expect(catchUp(node, bucketSource(target.bucket))).rejects.toThrow(OlderDatabaseError)
  expect(read(node)).toBe(read(world.log))
})

test('a conditional PUT to an imitated store does not replace a head that changed in the meantime', async () => {
  const world = await openWorld()
  const bucket = bucketAt((await startObjectStore()).port)
  await world.cut(0, 40, 0)
  let isOvertaken = false
  const overtaken: Bucket = {
    ...bucket,
    putIf: async (path, bytes, condition) => {
      if (isOvertaken) {
        isOvertaken = false
        // another exporter, with a later right, writes between our check and our PUT
        const head = JSON.parse(bytes.toString()) as BucketHead
        await bucket.put(path, Buffer.from(JSON.stringify({ ...head, fence: 9 })))
      }
      return bucket.putIf(path, bytes, condition)
    },
  }
  const exporter = exporterOf({ bucket: overtaken }, world)
  await exporter.round(free, 0)
  await world.cut(0, 4, 1)
  isOvertaken = true
  await expect(exporter.round(free, 0)).rejects.toThrow(ExportLostError)
  expect((JSON.parse((await bucket.get('head.json'))!.toString()) as BucketHead).fence).toBe(9)
})

test('whatever PUT is lost, or object disappears, the exporter goes on and the bucket becomes whole', {
  timeout: 120_000,
}, async () => {
  const world = await openWorld()
  await world.cut(0, 60, 0)
  await world.cut(0, 5, 1)
  const harms = ['forgotten', 'lost', 'broken'] as const
  let puts = 0
  for (let lost = 0; lost <= puts; lost++)
    for (const harm of harms) {
      const store = await startObjectStore()
      const bucket = bucketAt(store.port)
      const exporter = exporterOf({ bucket }, world, 16)
      let count = 0
      store.fault = (method) => (method === 'PUT' && count++ === lost ? harm : undefined)
      const node = await world.openNode()
      // an answer that got lost is repeated by the client of the store; nothing else is thrown
      await exporter.round(free, 0)
      puts = Math.max(puts, count)
      for (let round = 0; round < 3; round++) {
        await catchUp(node, bucketSource(bucket)).catch((error: unknown) =>
          expect(error).toBeInstanceOf(WrongEntriesError),
        )
        await exporter.round(free, 0)
      }
      await catchUp(node, bucketSource(bucket))
      expect(read(node), `${harm} ${lost}`).toBe(read(world.log))
    }
  expect(puts).toBeGreaterThan(4)
  // objects that disappear while the exporter runs
  const store = await startObjectStore()
  const bucket = bucketAt(store.port)
  const exporter = exporterOf({ bucket }, world, 16)
  await exporter.round(free, 0)
  for (const path of [...store.versions.keys()]) {
    await bucket.remove(path)
    const node = await world.openNode()
    for (let round = 0; round < 3; round++) {
      await catchUp(node, bucketSource(bucket)).catch((error: unknown) =>
        expect(error).toBeInstanceOf(WrongEntriesError),
      )
      await exporter.round(free, 0)
    }
    await catchUp(node, bucketSource(bucket))
    expect(read(node), path).toBe(read(world.log))
  }
})

test('tokens are encrypted in the bucket: a revoked one is refused within a minute, and uses are reported once', {
  timeout: 120_000,
}, async () => {
  const [target, world] = [await openEditionBucket(), await openWorld()]
  const { store } = world
  const secretKey = randomBytes(32)
  const circumstances = { now: Date.now(), random: systemRandom }
  const made = await createOrganization(store.db, { name: 'Acme' }, circumstances)
  const { organizationId } = made.organization
  const token = await createToken(store, { organizationId, name: 'sync' }, circumstances)
  if (token.kind !== 'created') throw new Error(token.kind)
  await world.cut(0, 40, 0)
  const log = openServiceLog('error')
  const concerns: (string | undefined)[] = []
  const exporting = startExport({
    store,
    bucket: target.bucket,
    editions: world.log,
    clock: Date.now,
    random: systemRandom,
    secretKey,
    log,
    report: (concern) => concerns.push(concern),
  })
  onTestFinished(() => exporting.close())
  await vi.waitFor(
    async () => expect(await exportProgress(store.db)).toMatchObject({ edition: 1, concern: null }),
    20_000,
  )
  const sealed = (await target.bucket.get('access.sealed'))!
  expect(sealed.includes(organizationId)).toBe(false)

  const sealerOf = (key: Uint8Array) => createSealer(createSecretKey(key), systemRandom.bytes)
  const dataFolder = newFolder()
  const place2 = { bucket: target.bucket, source: bucketSource(target.bucket), state: openNodeState(), log, dataFolder }
  const clocks = { clock: Date.now, steadyClock: () => performance.now() }
  await expect(watchBucket({ ...place2, ...clocks, sealer: sealerOf(randomBytes(32)) })).rejects.toThrow(
    "is not the publisher's",
  )
  const sealer = sealerOf(secretKey)
  const watch = await watchBucket({ ...place2, ...clocks, sealer })
  onTestFinished(() => watch.close())
  expect((await watch.look()).edition).toBe(1)
  expect(await watch.cursorKeys()).toHaveLength(1)
  const known = async () => {
    await watch.tokens.serial()
    return (await watch.tokens.load()).map(({ tokenId }) => tokenId)
  }
  expect(await known()).toEqual([token.token.tokenId])
  await revokeToken(store, token.token.tokenId, Date.now())
  const revokedAt = performance.now()
  await vi.waitFor(async () => expect(await known()).toEqual([]), { timeout: 60_000, interval: 500 })
  expect(performance.now() - revokedAt).toBeLessThan(60_000)
  // the copy in the data folder is enough for a node whose bucket is unreachable
  const away = { ...target.bucket, get: async () => Promise.reject(new Error('away')) }
  const alone = await watchBucket({ ...place2, ...clocks, bucket: away, source: bucketSource(away), sealer })
  alone.close()
  expect(await alone.tokens.load()).toEqual([])

  const minuteMs = begin + dayMs
  const use = { organizationId, tokenId: token.token.tokenId, answered: 3, refused: 1 }
  await bucketUse(target.bucket, sealer, systemRandom).add({ name: 'one', minuteMs, minutes: [use] })
  await vi.waitFor(async () => expect(await target.bucket.list('from-nodes/')).toEqual([]), {
    timeout: 30_000,
    interval: 500,
  })
  const { rows } = await sql`select answered, refused from api_use`.execute(store.db)
  expect(rows).toEqual([{ answered: 3, refused: 1 }])
  expect(concerns.filter(Boolean)).toEqual([])
})
