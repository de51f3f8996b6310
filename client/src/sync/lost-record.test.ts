// Records that the copy holds and the stock no longer has: looked up one by one, closed once, and said.
import { describe, expect, it } from 'vitest'
import { madeUpRecord } from '../../test/fake-api.ts'
import { ProblemError } from '../problem-error.ts'
import { memorySink } from '../sinks/memory-sink.ts'
import { memoryState } from '../state/memory-state.ts'
import type { TenderRecord } from '../types.ts'
import { DigestSum, isOpenRecord, webRecordHash } from './copy-digest.ts'
import { lostVersion } from './lost-record.ts'
import { type SyncEvent, type SyncOptions, sync } from './sync.ts'
import type { TenderSource } from './walk-run.ts'

const hourMs = 3_600_000
const time = (hour: number): string => new Date(Date.UTC(2026, 10, 2) + hour * hourMs).toISOString()

/** A service whose stock and edition the test sets. */
function service() {
  const stock = new Map<string, TenderRecord>()
  const hashes = new Map<TenderRecord, Awaited<ReturnType<typeof webRecordHash>>>()
  let edition = 0
  let hour = 0
  const faults = { slug: 'not-found', failAfterPages: Number.POSITIVE_INFINITY }
  let pages = 0
  let asked: string[] = []
  const client: TenderSource = {
    page: async ({ updated_since, cursor, limit = 100 }) => {
      if (pages++ >= faults.failAfterPages) throw new Error('stopped')
      const sum = new DigestSum()
      for (const record of stock.values()) {
        // a record never changes here: another one takes its place
        const hash = hashes.get(record) ?? (await webRecordHash(record))
        hashes.set(record, hash)
        sum.add(hash, isOpenRecord(record), record.lastModified)
      }
      const found = [...stock.values()]
        .filter((record) => updated_since !== undefined || isOpenRecord(record))
        .filter(({ lastModified }) => updated_since === undefined || lastModified >= updated_since)
        .sort((a, b) => (a.lastModified + a.id < b.lastModified + b.id ? -1 : 1))
      const from = Number(cursor ?? 0)
      const { open, all } = sum.digest
      const nextCursor = from + limit < found.length ? String(from + limit) : null
      return { data: found.slice(from, from + limit), nextCursor, edition, digest: { open, all }, sentAt: time(hour) }
    },
    get: async (id) => {
      asked.push(id)
      const record = stock.get(id)
      if (record) return record
      const type = `https://docs.test.example/access#error-${faults.slug}`
      throw new ProblemError({ type, title: 'Not found', status: 404, detail: '', instance: '' })
    },
  }
  return {
    client,
    faults,
    /** Publishes these records, at this edition. */
    publish: (to: number, ids: readonly string[], change: Partial<TenderRecord> = {}) => {
      edition = to
      hour++
      for (const id of ids) stock.set(id, madeUpRecord({ id, lastModified: time(hour), ...change }))
    },
    forget: (ids: readonly string[]) => {
      for (const id of ids) stock.delete(id)
    },
    takeAsked: () => {
      const taken = asked
      asked = []
      pages = 0
      return taken
    },
  }
}

function copyOf({ client }: Pick<ReturnType<typeof service>, 'client'>, isStaged: boolean) {
  const sink = memorySink({ isStaged })
  const state = memoryState()
  return {
    sink,
    state,
    run: async (options: Partial<SyncOptions> = {}) => {
      const events: SyncEvent[] = []
      const outcome = await sync({ client, sink, state, on: (event) => void events.push(event), ...options })
      return {
        end: outcome.result === 'aborted' ? outcome.reason : outcome.result,
        warnings: outcome.result === 'completed' ? (outcome.warnings ?? []) : [],
        repairs: events.filter(({ type }) => type === 'differs').length,
        lost: events.flatMap((event) => (event.type === 'lost' ? event.ids : [])),
      }
    },
    lost: () => [...sink.records.values()].filter(({ status }) => status === 'lost').map(({ id }) => id),
  }
}

const ids = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `r${String(from + index).padStart(4, '0')}`)
const fine = { end: 'completed', warnings: [], repairs: 0, lost: [] }

/** A copy of edition 5, and a service that was restored to less, in a new epoch. */
async function restored({
  lost,
  isStaged = true,
  initial = 'open',
}: {
  readonly lost: readonly string[]
  readonly isStaged?: boolean
  readonly initial?: 'open' | 'history'
}) {
  const api = service()
  api.publish(5, ids(1, 20))
  api.publish(5, lost)
  const copy = copyOf(api, isStaged)
  expect(await copy.run({ initial })).toEqual(fine)
  api.forget(lost)
  api.publish(2000, ids(1, 20))
  api.takeAsked()
  return { api, copy }
}

describe.each([true, false])('D59: a record that the stock lost, in a target that is staged: %s', (isStaged) => {
  it.each(['open', 'history'] as const)('is looked up, closed and said once (%s)', async (initial) => {
    const { api, copy } = await restored({ lost: ['lost'], isStaged, initial })
    const sentence = expect.stringContaining('no longer has 1 record of the copy')
    expect(await copy.run({ initial })).toEqual({ end: 'completed', warnings: [sentence], repairs: 1, lost: ['lost'] })
    expect(api.takeAsked()).toEqual(['lost'])
    for (let edition = 2001; edition < 2004; edition++) {
      api.publish(edition, ids(4, 5))
      expect(await copy.run({ initial })).toEqual(fine)
    }
    expect(api.takeAsked()).toEqual([])
    api.publish(2004, ['lost'])
    expect(await copy.run({ initial })).toEqual(fine)
    expect(copy.lost()).toEqual([])
  })

  it('more than can be looked up at first: after the changes since, all of them', async () => {
    const lost = ids(1001, 1700)
    const { api, copy } = await restored({ lost: [...lost, 'archived'], isStaged })
    api.publish(2000, ['archived'], { status: 'awarded', archiveReason: 'awarded' })
    const { warnings, ...run } = await copy.run()
    expect(run).toEqual({ end: 'completed', repairs: 1, lost })
    expect(warnings).toEqual([expect.stringContaining('no longer has 700 records of the copy; they are closed')])
    expect(copy.lost()).toHaveLength(700)
    expect(await copy.run()).toEqual(fine)
  })

  it('is closed also if the repair was interrupted, wherever', async () => {
    for (let failAfterPages = 1; failAfterPages < 9; failAfterPages++) {
      const { api, copy } = await restored({ lost: ['lost'], isStaged })
      Object.assign(api.faults, { failAfterPages })
      await copy.run({ limit: 5 })
      api.takeAsked()
      api.faults.failAfterPages = Number.POSITIVE_INFINITY
      for (let runs = 0; runs < 2; runs++) expect(await copy.run({ limit: 5 })).toMatchObject({ end: 'completed' })
      expect(copy.lost()).toEqual(['lost'])
      expect(await copy.run()).toEqual(fine)
    }
  })
})

describe('what is no proof that a record is lost leaves it as it is', () => {
  it('a 404 of something between the client and the API', async () => {
    const { api, copy } = await restored({ lost: ['lost'] })
    api.faults.slug = 'something-else'
    expect(await copy.run()).toMatchObject({ end: 'differs', lost: [] })
    expect(copy.lost()).toEqual([])
  })

  it('an edition that is older than that of the copy', async () => {
    const { api, copy } = await restored({ lost: ['lost'] })
    api.publish(4, ids(1, 20))
    expect(await copy.run()).toEqual(fine)
    expect(copy.lost()).toEqual([])
  })

  it('a first run into a target that held records before: nobody knows of which edition', async () => {
    const { api, copy } = await restored({ lost: ['lost'], isStaged: false })
    await copy.state.clear()
    const { lost } = await copy.run()
    expect(api.takeAsked()).toContain('lost')
    // The comparison at its end proves it: then the copy's edition is known.
    expect(lost).toEqual(['lost'])
  })
})

describe('the version of a lost record', () => {
  it('has the content of the held one, its time, and a status and reason of its own', () => {
    const held = madeUpRecord({ id: 'a', title: 'Works', cpvCodes: ['1'], status: 'awarded', archiveReason: 'awarded' })
    expect(lostVersion({ id: 'a', lastModified: held.lastModified }, held)).toEqual({
      ...held,
      status: 'lost',
      archiveReason: 'lost',
    })
    expect(lostVersion({ id: 'a', lastModified: held.lastModified }, undefined)).toMatchObject({ id: 'a', title: '' })
  })

  it('adds nothing to the digest of a copy', async () => {
    const sum = new DigestSum()
    const lost = lostVersion({ id: 'a', lastModified: time(1) }, undefined)
    sum.add(await webRecordHash(lost), isOpenRecord(lost), lost.lastModified)
    expect(sum.digest).toMatchObject({ open: '0'.repeat(64), all: '0'.repeat(64), records: 1 })
  })
})
