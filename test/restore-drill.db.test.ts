// The drill: a stock is backed up while it is written, published and read; it continues, is lost with all its logs, and
// is restored. Nothing that existed when the backup began is missing, and a client that saw what was lost ends with an
// equal copy.
import { createSecretKey } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { memorySink } from '../client/src/sinks/memory-sink.ts'
import { sync } from '../client/src/sync/sync.ts'
import { TenderClient } from '../client/src/tender-client.ts'
import { hourMs, minuteMs } from '../src/domain/time.ts'
import { catchUp } from '../src/edition/write/edition-log.ts'
import { systemRandom } from '../src/platform/random.ts'
import { publish } from '../src/publish/publish.ts'
import { backUpStock } from '../src/store/backup/back-up-stock.ts'
import { openBackupStorage } from '../src/store/backup/backup-storage.ts'
import { readManifest } from '../src/store/backup/manifest.ts'
import { restoreStock } from '../src/store/backup/restore-stock.ts'
import type { Store } from '../src/store/database/database.ts'
import { createOrganization, createToken } from '../src/store/people/organizations.ts'
import { putNumbered, readNewest, startOfStock } from './numbered-tenders.ts'
import { proofCount } from './proof/proof-count.ts'
import { startNode } from './stock-node.ts'
import { engines, openTestStore } from './world.ts'

/** The secret key of every stock here. */
const keys = { key: createSecretKey(Buffer.alloc(32, 7)), randomBytes: systemRandom.bytes }

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** Number of tenders that the backup has; the same number follows after it. */
const tenders = proofCount({ share: 60, full: 20_000 })
/** Required of the full stock only: a busy machine makes the small one slow by chance. */
const maxHoldMs = proofCount({ share: Number.POSITIVE_INFINITY, full: 2_000 })

describe.each(engines)('a restored stock (%s)', (engine) => {
  test('has the content of the backup, and copies of lost editions equal it after their next run', {
    timeout: 900_000,
  }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'restore-drill-'))
    closers.push(() => rm(folder, { recursive: true, force: true }))
    const storage = openBackupStorage(
      { kind: 'folder', path: join(folder, 'backup') },
      { clock: Date.now, sleep: async () => {}, random: systemRandom, version: 'test' },
    )
    let hour = 0
    const clock = () => startOfStock + hour * hourMs + 1
    const publishNext = (store: Store) => {
      hour++
      return publish(store, { now: clock(), minIntervalMs: hourMs, overrideGate: true })
    }
    const store = await openTestStore(engine)
    const { organization } = await createOrganization(
      store.db,
      { name: 'One', requestsPerMinute: 100_000 },
      { now: clock(), random: systemRandom },
    )
    const made = await createToken(
      store,
      { organizationId: organization.organizationId, name: 'sync' },
      { now: clock(), random: systemRandom },
    )
    if (made.kind !== 'created') throw new Error(made.kind)
    const token = made.plaintext
    await putNumbered(store, 0, tenders)
    await publishNext(store)

    const node = await startNode(store, join(folder, 'log'), clock)
    await catchUp(node.log, store)
    const sink = memorySink({ keepsState: true })
    const read = async (origin: string) => {
      const client = new TenderClient({ baseUrl: origin, token, maxWaitMs: 0 })
      const outcome = await sync({ client, sink, initial: 'history' })
      if (outcome.result !== 'completed') throw new Error(JSON.stringify(outcome))
    }
    const cursorOf = async (origin: typeof node) => {
      const page = (await (await origin.get('/v1/tenders?archived=true&limit=5', token)).json()) as {
        nextCursor: string
      }
      return `/v1/tenders?archived=true&limit=5&cursor=${page.nextCursor}`
    }
    await read(node.origin)
    const kept = await cursorOf(node)

    // the backup, while everything keeps running
    let isOver = false
    const load = (async () => {
      for (let version = 1; !isOver; version++) {
        await putNumbered(store, 0, 5, version)
        // an hour of the cursor's 24 each
        if (version > 12) continue
        await publishNext(store)
        await catchUp(node.log, store)
        await read(node.origin)
      }
    })()
    const manifest = await backUpStock(store, storage, { version: 'test', documentsOutside: null, ...keys })
    isOver = true
    await load
    if (engine === 'embedded') {
      console.log(`backup of ${tenders} records: the connection was held for at most ${manifest.longestHoldMs} ms`)
      expect(manifest.longestHoldMs).toBeLessThanOrEqual(maxHoldMs)
    }
    // after the loss only the client has these: changes of old records, and new ones
    await putNumbered(store, tenders >> 1, 2 * tenders, 7)
    await publishNext(store)
    await putNumbered(store, 10, 20, 8)
    await publishNext(store)
    await catchUp(node.log, store)
    const lost = await cursorOf(node)
    await read(node.origin)
    const lastEdition = node.log.newest!.edition
    await node[Symbol.asyncDispose]()
    await store[Symbol.asyncDispose]()
    await rm(join(folder, 'log'), { recursive: true })

    const restored = await openTestStore(engine)
    closers.push(() => restored[Symbol.asyncDispose]())
    hour++
    const summary = await restoreStock(restored, storage, await readManifest(storage, keys.key), {
      target: 'the target',
      now: clock(),
      ...keys,
    })
    expect(summary).toMatchObject({ edition: manifest.edition!.edition, records: tenders })
    const { rows } = await sql<{ count: number }>`select count(*) as count from tender`.execute(restored.db)
    expect(rows[0]!.count).toBe(tenders)
    const again = await startNode(restored, join(folder, 'log'), clock)
    closers.push(() => again[Symbol.asyncDispose]())
    // read completely: a body that waits keeps its connection open
    const statusOf = async (path: string) => {
      const answer = await again.get(path, token)
      await answer.arrayBuffer()
      return answer.status
    }
    await catchUp(again.log, restored)
    expect(await statusOf(kept)).toBe(200)
    const refused = await again.get(lost, token)
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { type: expect.stringContaining('cursor-expired') },
    ])

    // what the portals have published since is read again, but not all of it unchanged
    await putNumbered(restored, tenders >> 1, 2 * tenders, 7)
    // no stamp is at or below the beginning of the epoch, and none ahead of the clock
    const atOnce = await publish(restored, { now: clock(), minIntervalMs: hourMs, overrideGate: true })
    expect(atOnce).toEqual({ kind: 'tooEarly', allowedAt: clock() + 2 * tenders + 1 })
    expect(await publishNext(restored)).toMatchObject({ kind: 'published', changes: 2 * tenders })
    await catchUp(again.log, restored)
    await read(again.origin)
    const published = readNewest(again.log).map((text) => JSON.parse(text) as { id: string })
    const byId = new Map(published.map((record) => [record.id, record]))
    expect(byId.size).toBe(2 * tenders)
    expect(new Map(sink.records)).toEqual(byId)
    // the numbers of lost editions come again, and their cursors stay expired
    for (let version = 20; again.log.newest!.edition < lastEdition; version++) {
      await putNumbered(restored, 0, 1, version)
      await publishNext(restored)
      await catchUp(again.log, restored)
    }
    expect(await statusOf(lost)).toBe(400)
  })

  // before 2020, the time gives no number: as for a stock whose numbers have jumped ahead of it
  test.each([
    ['now', startOfStock],
    ['with numbers ahead of the time', Date.UTC(2019, 0, 1)],
  ])(
    'of a backup that was restored before is followed by nodes that saw the first attempt (%s)',
    async (_, start) => {
      const folder = await mkdtemp(join(tmpdir(), 'restored-twice-'))
      closers.push(() => rm(folder, { recursive: true, force: true }))
      const storage = openBackupStorage(
        { kind: 'folder', path: join(folder, 'backup') },
        { clock: Date.now, sleep: async () => {}, random: systemRandom, version: 'test' },
      )
      let now = start
      const publishNext = (store: Store) => publish(store, { now, minIntervalMs: minuteMs, overrideGate: true })
      {
        await using store = await openTestStore(engine)
        await putNumbered(store, 0, 10)
        await publishNext(store)
        await backUpStock(store, storage, { version: 'test', documentsOutside: null, ...keys })
      }
      let seen = 1
      for (let attempt = 0; attempt < 2; attempt++) {
        await using restored = await openTestStore(engine)
        now += minuteMs
        const manifest = await readManifest(storage, keys.key)
        await restoreStock(restored, storage, manifest, { target: 'the target', now, ...keys })
        await using node = await startNode(restored, join(folder, 'log'), () => now)
        await catchUp(node.log, restored)
        for (let version = 1; version < 4; version++) {
          now += minuteMs
          await putNumbered(restored, attempt, attempt + 5, version)
          expect(await publishNext(restored)).toMatchObject({ kind: 'published' })
          await catchUp(node.log, restored)
          expect(node.log.newest!.edition).toBeGreaterThan(seen)
          seen = node.log.newest!.edition
        }
      }
    },
    120_000,
  )
})
