// The modeled parts of the simulation compared with the real ones: the publisher with publish() on an embedded stock,
// the shared log in memory with an edition log on disk.
import { createSecretKey } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseListQuery } from '../../src/api/parameters/parameters.ts'
import { parseQueryString } from '../../src/api/parameters/query-string.ts'
import { wholePage } from '../../src/edition/format/pieces.ts'
import type { EditionView } from '../../src/edition/read/edition-view.ts'
import { catchUp, openEditionLog } from '../../src/edition/write/edition-log.ts'
import { publish } from '../../src/publish/publish.ts'
import { entriesAfter } from '../../src/store/editions/editions.ts'
import { setSourceCheck } from '../../src/store/received/documents.ts'
import { openModelWorld } from '../model/world.ts'
import { randomOf } from '../testing/generate/random.ts'
import { seed } from '../testing/seed.ts'
import { ApiNode, SharedLog } from './api-node.ts'
import { expectedPage } from './expected.ts'
import { drawFilters } from './filters.ts'
import { parametersOf } from './invariants.ts'
import { Stock, startMs } from './stock.ts'

const hourMs = 3_600_000
const rounds = 50

/** All pages of a list, joined, with the key that each but the last ends with. */
function pagesOf(reader: EditionView, query: string, edition: number, limit: number): string[] {
  const parsed = parseListQuery(parseQueryString(query).values)
  if (!('query' in parsed)) throw new Error(`${query}: ${JSON.stringify(parsed)}`)
  const { filter } = parsed.query
  const pages: string[] = []
  for (let after: { lastModified: number; id: string } | null | undefined; after !== null; ) {
    const { positions, next } = reader.list({ filter, edition, limit, ...(after && { after }) })
    pages.push(
      wholePage(reader.pageBody(positions, edition, 'identity'), next && `${next.lastModified} ${next.id}`).toString(),
    )
    after = next
  }
  return pages
}

describe('the simulated world', () => {
  it('publishes the same as publish(), and serves it as the edition log does', async () => {
    console.log(`cross-check of the simulation: seed ${seed}`)
    const random = randomOf(seed)
    await using world = await openModelWorld(startMs)
    const { db } = world.store
    const stock = new Stock({ random: randomOf(seed, 1), startMs, hasTies: false })
    const shared = await SharedLog.open()
    let now = startMs
    const log = await openEditionLog(join(world.store.options.dataFolder, 'cross-check'), { clock: () => now })
    const node = new ApiNode(0, {
      log: shared,
      now: () => now,
      keys: [{ keyId: 1, key: createSecretKey(Buffer.alloc(32)) }],
      cursorVersion: () => 1,
      tokens: { load: async () => [], serial: async () => 0, touch: async () => {} },
      isLimiterStoreDown: () => false,
      takeShared: () => ({ isAllowed: true, count: 1, waitMs: 60_000, epoch: 'one' }),
      processes: () => 1,
      randomBytes: (count) => Buffer.alloc(count),
      pageCap: 100,
      faults: {},
    })
    await node.start()
    let published = 0
    for (let round = 0; round < rounds; round++) {
      const count = round === 0 ? 12 : random.integer(0, 4)
      for (let index = 0; index < count; index++)
        random.weighted([
          [round === 0 ? 100 : 2, () => stock.create()],
          [3, () => stock.change()],
          [2, () => stock.changeRegion()],
          [2, () => stock.archive(random.pick(['expired', 'cancelled', 'awarded']))],
          [1, () => stock.reopen()],
          [1, () => stock.mergeChain()],
        ] as const)()
      if (round === 0 || random.chance(0.3)) {
        const at = now + random.integer(-hourMs, 0)
        const source = stock.check(at)
        await setSourceCheck(db, source, at)
      }
      await world.put(stock.changed)
      const minIntervalMs = random.pick([0, hourMs])
      const previous = stock.newest
      const outcome = await publish(world.store, { now, minIntervalMs, overrideGate: true })
      if (previous && now - previous.publishedAt < minIntervalMs) expect(outcome.kind).toBe('tooEarly')
      else {
        const edition = stock.cut(now)
        if (!edition) expect(outcome.kind).toBe('nothingNew')
        else {
          stock.commit(edition)
          shared.append(edition)
          node.shown = edition.info.edition
          published++
          const { checks: _checks, ...info } = edition.info
          expect(outcome).toEqual({
            kind: 'published',
            changedRules: [],
            overridden: expect.any(Array),
            warnings: [],
            ...info,
          })
          const stored = await entriesAfter(db, previous?.lastModified ?? 0, info.lastModified, 1000)
          expect(stored.map(({ lastModified, body, sources }) => ({ lastModified, body, sources }))).toEqual(
            edition.versions.map(({ lastModified, body, sources }) => ({
              lastModified,
              body,
              sources: JSON.stringify(sources),
            })),
          )
          await catchUp(log, world.store)
          compareReaders(edition.info.edition)
        }
      }
      now += random.pick([0, 1, 1000, hourMs, 2 * hourMs, 26 * hourMs])
    }
    expect(published).toBeGreaterThan(5)
    await node.stop()
    await log.close()

    function compareReaders(newest: number): void {
      const since = random.pick([undefined, random.pick(stock.versions).lastModified])
      const parameters = parametersOf(random.chance(0.5) ? {} : drawFilters(random))
      if (since !== undefined) parameters.set('updated_since', new Date(since).toISOString())
      else if (random.chance(0.3)) parameters.set('archived', 'true')
      const limit = random.integer(1, 5)
      for (const edition of new Set([newest, Math.max(1, newest - 1)])) {
        const held = log.edition(edition)
        if (held === undefined) continue
        // the simulated log keeps no hashes
        const { checksum: _checksum, ...info } = held
        expect(node.reader.edition(edition)).toMatchObject(info)
        const pages = pagesOf(log, parameters.toString(), edition, limit)
        expect(pagesOf(node.reader, parameters.toString(), edition, limit)).toEqual(pages)
        const { versions } = expectedPage(
          stock,
          parameters,
          { edition, shown: newest, isGone: false, after: undefined },
          1_000_000,
        )
        const ids = pages.flatMap((page) => (JSON.parse(page) as { data: { id: string }[] }).data.map(({ id }) => id))
        expect(ids).toEqual(versions.map(({ id }) => id))
      }
      for (const id of stock.newestOf.keys()) {
        const position = log.find(id)!
        const wire = log.record(position, 'identity').bytes.toString()
        expect(node.reader.record(node.reader.find(id)!, 'identity').bytes.toString()).toBe(wire)
        expect(stock.wire(stock.newestOf.get(id)!, newest)).toBe(wire)
      }
    }
  })
})
