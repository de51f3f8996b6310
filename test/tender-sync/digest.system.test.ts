// Copies that lose records, or hold old ones or wrong bytes, damaged by other programs: the next run finds a lost or
// old record and repairs the copy, the next verify finds any value that was changed.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startOfTests } from '../api-world.ts'
import { plainId } from '../memory-editions.ts'
import { hasPython } from '../state-digest.ts'
import { type CommandWorld, openCommandWorld } from './command-world.ts'

const hour = 3_600_000
const serverUrl = process.env.TEST_DATABASE_URL
const lot = { lotId: 'LOT-0001', status: 'open' as const, title: 'Roof', cpvCodes: ['45000000'], nutsCodes: ['DE212'] }
const records = (from: number, to: number, title = 'Works') =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    id: plainId(from + index),
    title: `${title}, part ${from + index}`,
    lots: [lot],
    contractAmount: { value: 1000 + index, currency: 'EUR', estimated: false },
  }))
const awarded = (number: number) => ({
  id: plainId(number),
  status: 'awarded' as const,
  archiveReason: 'awarded' as const,
})

const python = (program: string, ...args: readonly string[]): string =>
  execFileSync('python3', ['-c', program, ...args], { encoding: 'utf8' })
/** Runs statements with Python's own SQLite. */
const inSqlite = (file: string, sql: string): string =>
  python(
    'import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.executescript(sys.argv[2]); db.commit()',
    file,
    sql,
  )
/** In the last letter of a text, or in the middle of a compressed file. */
const flipBit = (file: string, before: string): string =>
  python(
    'import sys; f = open(sys.argv[1], "r+b"); b = f.read(); i = b.find(sys.argv[2].encode()) + ' +
      'len(sys.argv[2]) - 1; i = i if sys.argv[2].encode() in b else len(b) // 2; f.seek(i); ' +
      'f.write(bytes([b[i] ^ 1]))',
    ...[file, before],
  )
const events = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
const typesOf = (out: string) => events(out).map(({ event }) => event)

async function verified(world: CommandWorld, sink: string): Promise<Record<string, unknown>> {
  return events((await world.sync(`verify ${world.url} --sink ${sink} --json`)).out).at(-1)!
}

describe.skipIf(!hasPython)('D59: a copy that another program damaged', () => {
  it.each([
    ['a title', "UPDATE tender SET title = 'Works, part 8' WHERE title = 'Works, part 7'"],
    ['one letter of the record', "UPDATE tender SET record = replace(record, 'Works, part 7\"', 'Works, part 8\"')"],
    ['a lot', "UPDATE tender_lot SET title = 'Root' WHERE position = 0 AND tender_id LIKE '%07'"],
    [
      'a code',
      "DELETE FROM tender_nuts WHERE tender_id LIKE '%07' AND lot_id = ''; UPDATE tender_cpv SET code = '45000001' WHERE tender_id LIKE '%07'",
    ],
    ['a hash', "UPDATE tender SET record_hash = zeroblob(32) WHERE id LIKE '%07'"],
  ])('is found by verify in SQLite: %s', async (_what, sql) => {
    await using world = await openCommandWorld()
    world.api.editions.publish(startOfTests, records(1, 30))
    await world.sync(`run ${world.url} --sink sqlite:$t.db`)
    expect(await verified(world, 'sqlite:$t.db')).toMatchObject({ result: 'equal', by: 'digest', edition: 1, held: 30 })
    inSqlite(join(world.folder, 't.db'), sql)
    expect(await verified(world, 'sqlite:$t.db')).toMatchObject({
      result: 'different',
      differing: [{ id: plainId(7) }],
    })
  })

  it.each(['ndjson', 'csv', 'parquet'] as const)('is found by verify in a file: a flipped bit in %s', async (kind) => {
    await using world = await openCommandWorld()
    world.api.editions.publish(startOfTests, records(1, 30))
    await world.sync(`run ${world.url} --sink ${kind}:$t.${kind}`)
    expect(await verified(world, `${kind}:$t.${kind}`)).toMatchObject({ result: 'equal', by: 'digest' })
    flipBit(join(world.folder, `t.${kind}`), 'part 7')
    expect(await verified(world, `${kind}:$t.${kind}`)).toMatchObject({ result: 'different' })
  })

  it('that lost a row or has an old one again in SQLite is repaired by the next run, which keeps closed records closed', async () => {
    await using world = await openCommandWorld()
    const { api, sync, url, folder } = world
    const file = join(folder, 't.db')
    api.editions.publish(startOfTests, records(1, 30))
    await sync(`run ${url} --sink sqlite:$t.db`)
    inSqlite(file, "CREATE TABLE old AS SELECT * FROM tender WHERE id LIKE '%09'")
    api.editions.publish(startOfTests + hour, [...records(9, 9, 'Other works'), awarded(3)])
    expect(typesOf((await sync(`run ${url} --sink sqlite:$t.db --json`)).out)).not.toContain('differs')
    inSqlite(file, "DELETE FROM tender WHERE id LIKE '%09' OR id LIKE '%12'; INSERT INTO tender SELECT * FROM old")
    const { code, out } = await sync(`run ${url} --sink sqlite:$t.db --json`)
    expect(code).toBe(0)
    expect(typesOf(out)).toContain('differs')
    expect(await verified(world, 'sqlite:$t.db')).toMatchObject({ result: 'equal', by: 'digest', edition: 2, held: 30 })
    const statuses = python(
      'import sqlite3, sys; print(*[r[0] for r in sqlite3.connect(sys.argv[1]).execute("select status from tender where id like ?", ["%03"])])',
      file,
    )
    expect(statuses.trim()).toBe('awarded')
    expect(typesOf((await sync(`run ${url} --sink sqlite:$t.db --json`)).out)).not.toContain('differs')
  })

  it.skipIf(!serverUrl || spawnSync('psql', ['--version']).status !== 0)(
    'in PostgreSQL is found: a changed value by verify, a lost row by the next run',
    async () => {
      await using world = await openCommandWorld()
      const { api, sync, url } = world
      const psql = (sql: string) =>
        execFileSync('psql', [serverUrl!, '-v', 'ON_ERROR_STOP=1', '-qAtc', sql], { encoding: 'utf8' })
      const name = `digest_${process.pid}`
      const sink = `postgres:${serverUrl} --option schema=${name}`
      try {
        // The newest record is delivered again with every run, and proves nothing.
        api.editions.publish(startOfTests, [awarded(31), ...records(1, 30)])
        expect((await sync(`run ${url} --sink ${sink} --initial history`)).code).toBe(0)
        expect(await verified(world, sink)).toMatchObject({ result: 'equal', by: 'digest', held: 31 })
        const damages = [
          `update ${name}.tender set contract_value = 1 where title = 'Works, part 7'`,
          `update ${name}.tender set record = jsonb_set(record, '{title}', '"Works, part 8"') where title = 'Works, part 7'`,
          `update ${name}.tender_lot set title = 'Root' where tender_id = '${plainId(7)}'`,
          `delete from ${name}.tender_cpv where tender_id = '${plainId(7)}'`,
        ]
        for (const damage of damages) {
          psql(`create table ${name}.kept as select * from ${name}.tender; ${damage}`)
          expect(await verified(world, sink)).toMatchObject({ result: 'different', differing: [{ id: plainId(7) }] })
          psql(`drop table ${name}.kept; delete from ${name}.tender where id = '${plainId(7)}'`)
          const { code, out } = await sync(`run ${url} --sink ${sink} --initial history --json`)
          expect([code, typesOf(out).includes('differs')]).toEqual([0, true])
          expect(await verified(world, sink)).toMatchObject({ result: 'equal', by: 'digest', held: 31 })
        }
        psql(`delete from ${name}.tender where id = '${plainId(31)}'`)
        expect(typesOf((await sync(`run ${url} --sink ${sink} --initial history --json`)).out)).toContain('differs')
        expect(await verified(world, sink)).toMatchObject({ result: 'equal', held: 31 })
      } finally {
        psql(`drop schema if exists ${name} cascade`)
      }
    },
  )
})

/** A node that leaves a record out of its pages, as many times as `times` says. */
const leavingOut = (id: string, times: number): typeof globalThis.fetch => {
  let left = times
  return async (input, init) => {
    const response = await globalThis.fetch(input, init)
    const text = await response.text()
    const body = JSON.parse(text) as { data?: { id: string }[] }
    const { headers, status } = response
    if (left === 0 || !body.data?.some((record) => record.id === id)) return new Response(text, { headers, status })
    left--
    const data = body.data.filter((record) => record.id !== id)
    return new Response(JSON.stringify({ ...body, data }), {
      headers: new Headers([...headers].filter(([name]) => !/content-(length|encoding)/.test(name))),
      status,
    })
  }
}

describe('D59: a node that leaves a record out', () => {
  it.each(['sqlite:$t.db', 'ndjson:$t.ndjson', 'exec:cat'])(
    'once is noticed, and the same run repairs %s',
    async (sink) => {
      await using world = await openCommandWorld()
      const { api, sync, url } = world
      api.editions.publish(startOfTests, records(1, 30))
      const state = sink.startsWith('exec') ? ' --state $state' : ''
      const { code, out, err } = await sync(`run ${url} --sink ${sink}${state} --json`, {
        fetch: leavingOut(plainId(7), 1),
      })
      expect([code, err]).toEqual([0, ''])
      expect(typesOf(out).filter((type) => type === 'differs')).toHaveLength(1)
      expect(events((await sync(`verify ${url} --sink ${sink}${state} --json`)).out).at(-1)).toMatchObject({
        result: 'equal',
        by: 'digest',
        held: 30,
      })
    },
  )

  it('always causes one full run; then the error says what to do, and later runs repeat only the error', async () => {
    await using world = await openCommandWorld()
    const { api, sync, url } = world
    api.editions.publish(startOfTests, records(1, 30))
    let requests = 0
    const lossy = leavingOut(plainId(7), Number.POSITIVE_INFINITY)
    const fetch: typeof globalThis.fetch = (input, init) => {
      requests++
      return lossy(input, init)
    }
    const first = await sync(`run ${url} --sink sqlite:$t.db`, { fetch })
    expect(first.code).not.toBe(0)
    expect(first.err.replaceAll(/\s+/g, ' ')).toMatch(
      /differs from edition 1, and a run over all records did not repair it\. Rebuild the copy/,
    )
    // Such a run reached its end, and everything is committed.
    expect(first.err.replaceAll(/\s+/g, ' ')).toContain('Everything that was delivered is in the copy')
    expect(first.err).not.toContain('as they were')
    expect(requests).toBeLessThanOrEqual(3)
    requests = 0
    expect((await sync(`run ${url} --sink sqlite:$t.db`, { fetch })).code).toBe(first.code)
    expect(requests).toBe(1)
    await sync('reset --sink sqlite:$t.db --yes')
    expect((await sync(`run ${url} --sink sqlite:$t.db`)).code).toBe(0)
    expect(await verified(world, 'sqlite:$t.db')).toMatchObject({ result: 'equal', by: 'digest', held: 30 })
  })
})

describe.skipIf(!hasPython)('D58: the program on the page for other clients', () => {
  it('computes the digest that the API states', async () => {
    await using world = await openCommandWorld()
    const { api, sync, url, folder } = world
    api.editions.publish(startOfTests, [...records(1, 30), awarded(31)])
    await sync(`run ${url} --sink ndjson:$t.ndjson --initial history`)
    const page = readFileSync(new URL('../../docs/sync/digest.md', import.meta.url), 'utf8')
    const program = /```python\n([\s\S]*?)```/.exec(page)![1]!
    const file = join(folder, 'digest.py')
    writeFileSync(file, `${program}\nimport sys\nprint(digest(map(json.loads, open(sys.argv[1], encoding="utf-8"))))\n`)
    const served = (await api.get('/v1/tenders?limit=1')).headers.get('x-stock-digest')
    expect(execFileSync('python3', [file, join(folder, 't.ndjson')], { encoding: 'utf8' }).trim()).toBe(served)
  })
})
