// The commands of tender-sync as a person or a timer uses them: what they print, their exit codes, and what remains
// when they fail.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { fileLock } from '../../client/src/state/file-lock.ts'
import type { TenderRecord } from '../../client/src/types.ts'
import { startOfTests } from '../api-world.ts'
import { plainId } from '../memory-editions.ts'
import { openCommandWorld } from './command-world.ts'

const open = (from: number, to: number, title = 'Made up') =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ id: plainId(from + index), status: 'open' as const, title }))
const awarded = (number: number) => ({
  id: plainId(number),
  status: 'awarded' as const,
  archiveReason: 'awarded' as const,
})
const merged = (number: number, into: number) => ({
  id: plainId(number),
  status: 'merged' as const,
  archiveReason: 'merged' as const,
  mergedInto: plainId(into),
})
const hour = 3_600_000
const recordsOf = (file: string): TenderRecord[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as TenderRecord)
const lastEvent = (out: string) => JSON.parse(out.trimEnd().split('\n').at(-1)!) as Record<string, unknown>

describe('tender-sync run', () => {
  it('loads the copy, then delivers the changes, and reports both in words', async () => {
    await using world = await openCommandWorld()
    const { api, sync, url } = world
    api.editions.publish(startOfTests, open(1, 250))
    const first = await sync(`run ${url} --sink sqlite:$t.db`)
    expect(first).toMatchObject({ code: 0 })
    expect(first.out.replace(/\d+\.\d s|\d+\/s|[\d,]+\/s/g, '…')).toBe(
      `The copy in sqlite ${world.folder}/t.db is up to date.
  run       first run, …
  records   250 records in 3 pages (…)
  of these  250 open
  state     2026-11-02T08:00:00.249Z
`,
    )
    api.editions.publish(startOfTests + hour, [...open(300, 301), awarded(5), merged(7, 8)])
    const delta = await sync(`run ${url} --sink sqlite:$t.db`)
    expect(delta.out).toMatch(
      /delta run, .*\n {2}records {3}5 records in 1 page .*\n {2}of these {2}3 open, 1 archived, 1 merged\n {2}state {5}2026-11-02T09:00:00.003Z/,
    )
    const db = new DatabaseSync(`${world.folder}/t.db`)
    expect(db.prepare('SELECT count(*) n, count(archive_reason) a, count(merged_into) m FROM tender').get()).toEqual({
      n: 252,
      a: 2,
      m: 1,
    })
    db.close()
  })

  it('accepts filters and loads the whole history', async () => {
    await using world = await openCommandWorld()
    const { api, sync, url } = world
    api.editions.publish(startOfTests, [
      ...open(1, 3).map((record) => ({ ...record, cpvCodes: ['45000000'] })),
      { ...awarded(4), cpvCodes: ['45000000'] },
      ...open(5, 6),
    ])
    const line = `run ${url} --sink ndjson:$t.ndjson --filter cpv=45000000,71000000 --initial history`
    expect((await sync(line)).code).toBe(0)
    expect(recordsOf(`${world.folder}/t.ndjson`).map(({ id }) => id)).toEqual([1, 2, 3, 4].map(plainId))
  })

  it('refuses other filters, another URL and another start date for the same copy, unless told to reload (G4)', async () => {
    await using world = await openCommandWorld()
    const { api, sync, url } = world
    api.editions.publish(
      startOfTests,
      open(1, 3).map((record, index) => ({ ...record, nutsCodes: [index === 0 ? 'DE2' : 'AT1'] })),
    )
    expect((await sync(`run ${url} --sink ndjson:$t.ndjson`)).code).toBe(0)
    const other = await sync(`run ${url} --sink ndjson:$t.ndjson --filter nuts=AT`)
    expect(other).toMatchObject({ code: 4 })
    expect(other.err).toMatch(/filters differ from those of the copy.*--new-filters/s)
    expect(recordsOf(`${world.folder}/t.ndjson`)).toHaveLength(3)
    expect(await sync(`run --url http://127.0.0.1:9 --sink ndjson:$t.ndjson`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('tender-sync reset'),
    })
    expect(await sync(`run ${url} --sink ndjson:$t.ndjson --initial history`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--initial open'),
    })
    expect((await sync(`run ${url} --sink ndjson:$t.ndjson --filter nuts=AT --new-filters`)).code).toBe(0)
    expect(recordsOf(`${world.folder}/t.ndjson`)).toHaveLength(2)
  })

  it('exits with 3 while another run is in progress, and says which (C154)', async () => {
    await using world = await openCommandWorld()
    world.api.editions.publish(startOfTests, open(1, 3))
    const held = await fileLock({ path: `${world.folder}/t.db.sync/lock` }).acquire()
    for (const command of ['run', 'verify']) {
      const skipped = await world.sync(`${command} ${world.url} --sink sqlite:$t.db`)
      expect(skipped.code).toBe(3)
      expect(skipped.err).toMatch(/^Skipped: /)
    }
    expect((await world.sync(`run ${world.url} --sink sqlite:$t.db`)).err).toContain(`process ${process.pid} on `)
    expect((await world.sync(`status --sink sqlite:$t.db`)).out).toContain(`held by process ${process.pid}`)
    await held!.release()
    expect((await world.sync(`run ${world.url} --sink sqlite:$t.db`)).code).toBe(0)
  })

  it('exits with 4 and keeps the state if the API refuses, and quotes its reason', async () => {
    await using world = await openCommandWorld()
    const { api, sync, url } = world
    api.editions.publish(startOfTests, open(1, 3))
    expect((await sync(`run ${url} --sink ndjson:$t.ndjson`)).code).toBe(0)
    const refused = await sync(`run ${url} --sink ndjson:$t.ndjson`, { variables: { TENDER_TOKEN: 'tdr_live_wrong' } })
    expect(refused.code).toBe(4)
    expect(refused.err).toMatch(
      /^delta run starts at .*\nGiven up after .*: the API refused\.\n {2}Token missing or invalid \(401\): /,
    )
    expect(refused.err).toContain('as they were')
    const status = await sync('status --sink ndjson:$t.ndjson')
    expect(status.out).toMatch(/state {5}complete up to 2026-11-02T08:00:00.002Z/)
    expect(status.out).toMatch(/last run {2}given up \(problem\)/)
    expect((await sync(`run ${url} --sink ndjson:$t.ndjson`)).code).toBe(0)
  })

  it('reads the token from a file, and a new one without a restart', async () => {
    await using world = await openCommandWorld()
    const { api, sync, url, folder } = world
    api.editions.publish(startOfTests, open(1, 3))
    const line = `run ${url} --sink ndjson:$t.ndjson --token-file $token`
    expect(await sync(line, { variables: {} })).toMatchObject({
      code: 2,
      err: expect.stringContaining('cannot be read'),
    })
    writeFileSync(`${folder}/token`, `${api.token}\n`)
    expect((await sync(line, { variables: {} })).code).toBe(0)
    writeFileSync(`${folder}/token`, 'two words\n')
    expect(await sync(line, { variables: {} })).toMatchObject({
      code: 2,
      err: expect.stringContaining('one token and nothing else'),
    })
    expect(await sync(`run ${url} --sink ndjson:$t.ndjson`, { variables: {} })).toMatchObject({
      code: 2,
      err: expect.stringContaining('TENDER_TOKEN'),
    })
  })

  it('stops at a signal after storing the pages so far, and continues with the next one', async () => {
    await using world = await openCommandWorld()
    const { api, sync, url } = world
    api.editions.publish(startOfTests, open(1, 450))
    const ending = new AbortController()
    let answers = 0
    const counting: typeof fetch = async (input, init) => {
      if (++answers === 3) ending.abort()
      return fetch(input, init)
    }
    const stopped = await sync(`run ${url} --sink sqlite:$t.db`, { signal: ending.signal, fetch: counting })
    expect(stopped.code).toBe(4)
    expect(stopped.err).toMatch(/Stopped after .*\n {2}200 records of 2 pages are kept/)
    expect((await sync('status --sink sqlite:$t.db')).out).toMatch(/no completed run yet; a first run is unfinished at/)
    const resumed = await sync(`run ${url} --sink sqlite:$t.db`)
    expect(resumed.out).toMatch(
      /is complete; the changes since then follow\.\n {2}run {7}first run, resumed.*\n {2}records {3}250 records in 3 pages/,
    )
    expect(resumed.out).toMatch(/up to date\.\n {2}run {7}delta run.*\n {2}records {3}1 record in 1 page/)
    expect((await sync(`verify ${url} --sink sqlite:$t.db`)).code).toBe(0)
  })

  it('with --json prints only JSON lines, the last of which states the outcome', async () => {
    await using world = await openCommandWorld()
    world.api.editions.publish(startOfTests, open(1, 3))
    const done = await world.sync(`run ${world.url} --sink ndjson:$t.ndjson --json`)
    expect(done.err).toBe('')
    expect(lastEvent(done.out)).toMatchObject({
      event: 'end',
      result: 'completed',
      kind: 'first',
      counts: { records: 3 },
    })
    const refused = await world.sync(`run ${world.url} --sink ndjson:$t.ndjson --json`, {
      variables: { TENDER_TOKEN: 'x' },
    })
    expect(lastEvent(refused.out)).toMatchObject({
      event: 'end',
      result: 'aborted',
      reason: 'problem',
      problem: { status: 401 },
    })
    expect(lastEvent((await world.sync('status --sink ndjson:$t.ndjson --json')).out)).toMatchObject({
      event: 'status',
      records: 3,
      statuses: { open: 3 },
      state: { updatedSince: '2026-11-02T08:00:00.002Z' },
      lastRun: { result: 'aborted' },
      lastCompleted: { result: 'completed' },
    })
  })

  it('writes a Prometheus textfile about the last run', async () => {
    await using world = await openCommandWorld()
    world.api.editions.publish(startOfTests, open(1, 3))
    await world.sync(`run ${world.url} --sink ndjson:$t.ndjson --metrics $sync.prom --quiet`)
    const text = readFileSync(`${world.folder}/sync.prom`, 'utf8')
    expect(text).toContain(
      `tender_sync_last_success_timestamp_seconds{sink="ndjson ${world.folder}/t.ndjson"} ${startOfTests / 1000}\n`,
    )
    expect(text).toMatch(/^tender_sync_last_run_records\{.*\} 3$/m)
    expect(text).toMatch(/^tender_sync_last_run_success\{.*\} 1$/m)
  })

  it('keeps the state and lock of a custom sink in the given folder, under a separate name', async () => {
    await using world = await openCommandWorld()
    world.api.editions.publish(startOfTests, open(1, 3))
    const line =
      `run ${world.url} --sink exec --state $state -- ${process.execPath} -e ` +
      "process.stdin.pipe(fs.createWriteStream(process.argv[1],{flags:'a'})) $given"
    expect(await world.sync(line)).toMatchObject({ code: 0 })
    expect(await world.sync(line)).toMatchObject({ code: 0 })
    const events = readFileSync(`${world.folder}/given`, 'utf8').split('\n').slice(0, -1)
    expect(events.map((event) => (JSON.parse(event) as { op: string; record: TenderRecord }).record.id)).toEqual(
      [1, 2, 3].map(plainId),
    )
    expect(await world.sync(`run ${world.url} --sink sqlite:$t.db --state $state`)).toMatchObject({ code: 2 })
  })

  it('reports the error of the target in one sentence', async () => {
    await using world = await openCommandWorld()
    const missing = await world.sync(`run ${world.url} --sink sqlite:$missing/t.db`)
    expect(missing).toMatchObject({ code: 4 })
    expect(missing.err.replaceAll('\n', ' ')).toMatch(
      /^tender-sync: The database .* cannot be used .*: check its folder and its permissions\. \[sink\] $/,
    )
  })
})

describe('tender-sync verify', () => {
  it('finds every kind of damage and ends with 5', async () => {
    await using world = await openCommandWorld()
    const { api, sync, url, folder } = world
    api.editions.publish(startOfTests, [...open(1, 150), awarded(151)])
    await sync(`run ${url} --sink sqlite:$t.db`)
    const equal = await sync(`verify ${url} --sink sqlite:$t.db`)
    expect(equal).toMatchObject({ code: 0 })
    expect(equal.out).toMatch(/equals the stock\.\n {2}held {7}150 {2}by its digest, with one request in/)
    const filtered = await sync(`verify ${url} --sink sqlite:$t.db --filter value_min=0`)
    expect(filtered.out).toMatch(/delivered {4}0 .*\n {2}held {7}150 /)
    const db = new DatabaseSync(`${folder}/t.db`)
    db.exec(`DELETE FROM tender WHERE id = '${plainId(3)}'; UPDATE tender SET status = 'planned' WHERE id = '${plainId(4)}';
      UPDATE tender SET last_modified = '2026-01-01T00:00:00.000Z' WHERE id = '${plainId(5)}'; UPDATE tender SET id = 'stray' WHERE id = '${plainId(6)}'`)
    db.close()
    const damaged = await sync(`verify ${url} --sink sqlite:$t.db`)
    expect(damaged.code).toBe(5)
    expect(damaged.out).toMatch(/differs from the stock in 5 records/)
    const { missing, surplus, differing } = lastEvent(
      (await sync(`verify ${url} --sink sqlite:$t.db --json`)).out,
    ) as Record<string, { id: string }[]>
    expect(missing!.map(({ id }) => id)).toEqual([3, 6].map(plainId))
    expect(surplus!.map(({ id }) => id)).toEqual(['stray'])
    expect(differing!.map(({ id }) => id)).toEqual([4, 5].map(plainId))
  })

  it('counts records published since the last run separately', async () => {
    await using world = await openCommandWorld()
    const { api, sync, url } = world
    api.editions.publish(startOfTests, open(1, 5))
    await sync(`run ${url} --sink ndjson:$t.ndjson`)
    api.editions.publish(startOfTests + hour, [...open(2, 3, 'New title'), ...open(9, 9)])
    const result = await sync(`verify ${url} --sink ndjson:$t.ndjson`)
    expect(result).toMatchObject({ code: 0 })
    expect(result.out).toMatch(/equals edition 1 of the stock; the API has edition 2, which the next run brings/)
    const text = readFileSync(`${world.folder}/t.ndjson`, 'utf8')
    writeFileSync(`${world.folder}/t.ndjson`, text.replace(/"status":"open"/, '"status":"oven"'))
    const damaged = await sync(`verify ${url} --sink ndjson:$t.ndjson`)
    expect(damaged).toMatchObject({ code: 5 })
    expect(damaged.out).toMatch(/differing +1[\s\S]*pending {4}3/)
  })
})

describe('tender-sync reset', () => {
  it('asks for confirmation, does nothing without it, and otherwise reloads the copy', async () => {
    await using world = await openCommandWorld()
    const { api, sync, url, folder } = world
    api.editions.publish(startOfTests, open(1, 5))
    await sync(`run ${url} --sink ndjson:$t.ndjson`)
    expect(await sync('reset --sink ndjson:$t.ndjson')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--yes'),
    })
    expect(await sync('reset --sink ndjson:$t.ndjson', { ask: async () => 'n' })).toMatchObject({
      code: 0,
      out: 'Nothing was changed.\n',
    })
    expect((await sync('status --sink ndjson:$t.ndjson')).out).toContain('complete up to')
    writeFileSync(`${folder}/t.ndjson`, 'spoilt\n')
    expect(await sync(`run ${url} --sink ndjson:$t.ndjson`)).toMatchObject({
      code: 4,
      err: expect.stringContaining('tender-sync reset'),
    })
    expect((await sync('reset --sink ndjson:$t.ndjson', { ask: async () => 'yes' })).code).toBe(0)
    const anew = await sync(`run ${url} --sink ndjson:$t.ndjson`)
    expect(anew.out).toContain('first run')
    expect(recordsOf(`${folder}/t.ndjson`)).toHaveLength(5)
  })
})

describe('tender-sync watch', () => {
  it('runs at once and then every hour at its own minute, despite faults, until it is stopped', async () => {
    await using world = await openCommandWorld()
    const { api, sync, url } = world
    api.editions.publish(startOfTests, open(1, 5))
    const ending = new AbortController()
    const starts: number[] = []
    let slept = 0
    const result = await sync(`watch ${url} --sink ndjson:$t.ndjson --json`, {
      signal: ending.signal,
      random: () => 0.25,
      fetch: async (input, init) => {
        starts.push(api.now)
        if (starts.length === 2) return new Response('{}', { status: 401 })
        if (starts.length === 4) setTimeout(() => ending.abort(), 0)
        return fetch(input, init)
      },
      sleep: async (ms, signal) => {
        signal?.throwIfAborted()
        expect(ms).toBeLessThanOrEqual(60_000)
        // Lets a signal arrive; a real wait does so too.
        if (++slept % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
        api.now += ms
      },
    })
    expect(result.code).toBe(0)
    const quarter = startOfTests + hour / 4
    expect(starts.slice(0, 4)).toEqual([startOfTests, quarter, quarter + hour, quarter + 2 * hour])
    const ends = result.out.split('\n').filter((line) => line.includes('"event":"end"'))
    expect(ends.map((line) => (JSON.parse(line) as { result: string }).result).slice(0, 3)).toEqual([
      'completed',
      'aborted',
      'completed',
    ])
  })
})

describe('tender-sync status', () => {
  it('changes nothing and creates nothing for a copy that does not exist', async () => {
    await using world = await openCommandWorld()
    for (const kind of ['ndjson', 'sqlite']) {
      const status = await world.sync(`status --sink ${kind}:$none`)
      expect(status).toMatchObject({ code: 0 })
      expect(status.out).toMatch(/state {5}none.*\n.*copy {6}empty/)
    }
    expect(existsSync(`${world.folder}/none.sync`)).toBe(false)
    expect(existsSync(`${world.folder}/none`)).toBe(false)
  })
})
