// The PostgreSQL sink on a real server (TEST_DATABASE_URL), directly and through a pooler: the conformance of all
// sinks, then what only it promises.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hasPgbouncer, type Pooler, startPgbouncer } from '../../../test/pgbouncer.ts'
import { openEmptyDatabase } from '../../../test/world.ts'
import type { Hit } from '../hits/hit.ts'
import { openPostgresHits } from '../hits/postgres-hits.ts'
import type { Run, Sink } from '../sync/sink.ts'
import {
  archivedOf,
  idOf,
  mergedOf,
  recordOf,
  type SeenRecord,
  type SinkWorld,
  sinkConformance,
} from '../testing/sink-conformance.ts'
import type { TenderRecord } from '../types.ts'
import { SinkBusyError, SinkError } from './faults/sink-error.ts'
import { PostgresSession } from './postgres/postgres-session.ts'
import { openPostgresSink } from './postgres-sink.ts'
import { lotColumns as flatLotColumns, tenderColumns as flatTenderColumns, lotsOf } from './record/flat-tender.ts'
import { recordHash } from './record/record-hash.ts'

const connectionString = process.env.TEST_DATABASE_URL
if (!connectionString) console.log('skipped: the PostgreSQL sink (no TEST_DATABASE_URL)')
else if (!hasPgbouncer) console.log('skipped: the PostgreSQL sink behind PgBouncer (no pgbouncer)')

const first = { kind: 'first', filterHash: 'f1', resumed: false, keepArchived: false } as const
const delta = { ...first, kind: 'delta' } as const
const state = { schema: 1, filterHash: 'f1', updatedSince: '2026-03-02T09:00:00.000Z' } as const

let admin: pg.Client
let schemas = 0
const used: string[] = []
const nextSchema = (): string => {
  const name = `sink_test_${process.pid}_${++schemas}`
  used.push(name)
  return name
}
const query = async <Row>(sql: string, values: unknown[] = []) => (await admin.query(sql, values)).rows as Row[]

beforeAll(async () => {
  if (!connectionString) return
  admin = new pg.Client({ connectionString })
  await admin.connect()
})
afterAll(async () => {
  if (!connectionString) return
  for (const schema of used) await admin.query(`drop schema if exists ${schema} cascade`)
  await admin.end()
})

async function seen(schema: string): Promise<Map<string, SeenRecord>> {
  const [exists] = await query('select 1 from pg_tables where schemaname = $1 and tablename = $2', [schema, 'tender'])
  if (!exists) return new Map()
  const found = await query<{ record: TenderRecord; merged_into: string | null; archive_reason: string | null }>(
    `select record, merged_into, archive_reason from ${schema}.tender`,
  )
  return new Map(
    found.map(({ record, merged_into, archive_reason }) => [
      record.id,
      {
        state: archive_reason === null ? 'open' : archive_reason === 'merged' ? 'merged' : 'closed',
        lastModified: record.lastModified,
        title: record.title,
        ...(merged_into !== null && { mergedInto: merged_into }),
        record,
      },
    ]),
  )
}

const madeUpHit = {
  type: 'search.hit',
  timestamp: '2026-03-02T09:00:00.000Z',
  webhookId: 'msg_1',
  receivedAt: '2026-03-02T09:00:01.000Z',
  data: {
    hitId: idOf(9),
    edition: 1,
    search: { id: idOf(8), name: 'Works', version: 1 },
    fitScore: 50,
    tender: { id: idOf(1), lastModified: '2026-03-02T09:00:00.000Z', status: 'open', title: 'Works' },
  },
} as unknown as Hit

/** The server ends the session that is within a transaction of a run. */
const endTransaction = (schema: string) =>
  query('select pg_terminate_backend(pid) from pg_locks where relation = $1::regclass and pid <> pg_backend_pid()', [
    `${schema}.sync_run`,
  ])

const pooled = 'through PgBouncer in transaction mode'
describe.skipIf(!connectionString).each(hasPgbouncer ? ['directly', pooled] : ['directly'])(
  'PostgreSQL sink, %s',
  (way) => {
    let pooler: Pooler | undefined
    const isPooled = way === pooled
    const address = () => pooler?.url ?? connectionString!
    const open = (schema: string) => openPostgresSink({ connectionString: address(), schema })
    beforeAll(async () => {
      if (isPooled) pooler = await startPgbouncer(connectionString!)
    })
    afterAll(() => pooler?.[Symbol.asyncDispose]())

    /** Behind a pooler nobody sees that a process is gone: time passes instead. */
    async function forget(schema: string): Promise<void> {
      if (isPooled) await query(`update ${schema}.sync_run set alive_until = now() - interval '1 ms'`)
    }

    async function makeWorld(): Promise<SinkWorld> {
      const schema = nextSchema()
      return {
        open: async () => open(schema),
        seen: () => seen(schema),
        // Identifies row versions: xmin names the transaction that wrote each.
        writes: async () => {
          const [row] = await query<{ written: string }>(
            `select sum(('x' || md5(id::text || xmin::text))::bit(32)::bigint) as written from ${schema}.tender`,
          )
          return Number(row!.written)
        },
        crash: async (sink) => {
          // The connection ends, as when the process is gone.
          if (pooler) await pooler.cut()
          else await query(`select pg_terminate_backend(pid) from ${schema}.sync_run where pid is not null`)
          await sink.end().catch(() => undefined)
          await forget(schema)
        },
        close: async () => {},
      }
    }

    for (const { name, run } of sinkConformance(makeWorld)) test(name, run)

    /** Whose first runs come from files: nothing of them is kept before their end. */
    async function makeWorldOfFiles(): Promise<SinkWorld> {
      const world = await makeWorld()
      const ofFiles = (sink: Sink): Sink =>
        Object.create(sink, {
          commitsPages: { value: false },
          begin: { value: (run: Run) => sink.begin({ ...run, isFromFiles: run.kind === 'first' && !run.resumed }) },
        })
      return { ...world, open: async () => ofFiles(await world.open()) }
    }
    for (const { name, run } of sinkConformance(makeWorldOfFiles)) test(`from files: ${name}`, run)

    test('runs in a row all get the schema, and leave no lock and no setting to other clients', async () => {
      const schema = nextSchema()
      const other = new pg.Client({ connectionString: address() })
      await other.connect()
      onTestFinished(() => other.end())
      for (let hour = 0; hour < 8; hour++) {
        const sink = open(schema)
        await sink.begin(hour === 0 ? first : delta)
        await other.query('select 1')
        await sink.upsert([recordOf(1, hour)])
        await sink.commit({ ...state, run: { kind: 'delta', cursor: 'c' } }, 'page')
        await other.query('select 1')
        await sink.upsert([recordOf(2, hour)])
        await sink.commit(state, 'run')
        await sink.end()
      }
      expect([...(await seen(schema)).values()].map(({ title }) => title)).toEqual([
        recordOf(1, 7).title,
        recordOf(2, 7).title,
      ])
      expect(await query(`select token from ${schema}.sync_run`)).toEqual([{ token: null }])
      const locks = `select pid from pg_locks where locktype = 'advisory' and granted
        and ((classid::bigint << 32) | objid::bigint) = hashtextextended($1, 0)`
      expect(await query(locks, [`tender-sync ${schema}`])).toEqual([])
      for (let session = 0; session < 6; session++)
        expect((await other.query('show jit')).rows).toEqual([{ jit: 'on' }])
    })

    test('C154 of many that begin at once one gets the schema, each time', async () => {
      const schema = nextSchema()
      const sinks = Array.from({ length: 6 }, () => open(schema))
      for (let round = 0; round < 10; round++) {
        const begun = await Promise.allSettled(sinks.map((sink) => sink.begin(round === 0 ? first : delta)))
        expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
        for (const result of begun)
          if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(SinkBusyError)
        const writer = sinks[begun.findIndex(({ status }) => status === 'fulfilled')]!
        // those that were refused clean up after themselves alone
        await Promise.all(sinks.map((sink) => (sink === writer ? undefined : sink.discard())))
        await writer.upsert([recordOf(1, round)])
        await writer.commit(state, 'run')
      }
      await Promise.all(sinks.map((sink) => sink.end()))
      expect((await seen(schema)).get(idOf(1))?.title).toBe(recordOf(1, 9).title)
    })

    test('a run that was not heard of, and replaced, writes nothing more, and removes nothing of the other one', async () => {
      const schema = nextSchema()
      const [late, next] = [open(schema), open(schema)]
      await late.begin(first)
      await late.upsert([recordOf(1)])
      await late.commit({ ...state, run: { kind: 'first', cursor: 'late' } }, 'page')
      await query(`update ${schema}.sync_run set alive_until = now() - interval '1 ms'`)
      await next.begin(first)
      await next.upsert([recordOf(2)])
      const ofNext = { ...state, run: { kind: 'first', cursor: 'next' } } as const
      await next.commit(ofNext, 'page')
      await expect(late.upsert([recordOf(3)])).rejects.toThrow('took over the schema')
      await expect(late.commit(state, 'run')).rejects.toThrow('took over the schema')
      await expect(late.state.save(state)).rejects.toThrow('took over the schema')
      await expect(late.state.clear()).rejects.toThrow('took over the schema')
      await late.discard()
      expect(await next.state.load()).toEqual(ofNext)
      // another process that forgets the state meanwhile is refused
      await expect(late.state.clear()).rejects.toThrow(SinkBusyError)
      await late.end()
      await next.upsert([recordOf(4)])
      await next.commit(state, 'run')
      await next.end()
      expect([...(await seen(schema)).keys()].sort()).toEqual([idOf(2), idOf(4)])
    })

    test('between its pages a run says that it lives, and closed it is forgotten at once', async () => {
      const schema = nextSchema()
      const session = new PostgresSession(address(), schema, 2000)
      await session.begin()
      const until = async () => (await query<{ at: Date }>(`select alive_until as at from ${schema}.sync_run`))[0]!.at
      const begun = await until()
      await expect.poll(until, { timeout: 60_000 }).not.toEqual(begun)
      await session.close()
      const after = open(schema)
      await after.begin(first)
      await after.end()
    })

    test('tables of the version before are migrated', async () => {
      const schema = nextSchema()
      const sink = open(schema)
      await sink.state.load()
      await sink.end()
      await query(`drop table ${schema}.sync_run`)
      await query(`delete from ${schema}.sync_version where version >= 2`)
      const again = open(schema)
      await again.begin(first)
      await again.commit(state, 'run')
      await again.end()
    })

    test('columns of new members are added to an older copy, with the values of its records', async () => {
      const schema = nextSchema()
      const sink = open(schema)
      await sink.begin(first)
      await sink.upsert([recordOf(1)])
      await sink.commit(state, 'run')
      await sink.end()
      const shown = `select tender_open.title, tender_open.contract_value::text, lot.title as lot
        from ${schema}.tender_open join ${schema}.tender_lot lot on tender_id = id order by position`
      const before = await query(shown)
      await query(`alter table ${schema}.tender drop column title cascade, drop column contract_value cascade`)
      await query(`alter table ${schema}.tender_lot drop column title cascade`)
      const again = open(schema)
      await again.state.load()
      await again.end()
      expect(await query(shown)).toEqual(before)
    })

    test('a hit is durable before it is confirmed, and only its own transaction is', async () => {
      await using database = await openEmptyDatabase()
      const direct = new pg.Client({ connectionString: database.url })
      await direct.connect()
      await direct.query(
        `do $$ begin execute format('alter database %I set synchronous_commit = off', current_database()); end $$`,
      )
      await using through = isPooled ? await startPgbouncer(database.url, { size: 1 }) : undefined
      const hits = await openPostgresHits({ connectionString: through?.url ?? database.url })
      await direct.query(
        `create table committed (durably text);
         create function note() returns trigger language plpgsql as
           'begin insert into committed values (current_setting(''synchronous_commit'')); return null; end';
         create constraint trigger note after insert on tenderstock.hit deferrable initially deferred
           for each row execute function note()`,
      )
      expect(await hits.put(madeUpHit)).toBe('new')
      await hits.end()
      const { rows: committed } = await direct.query('select durably from committed')
      await direct.end()
      expect(committed).toEqual([{ durably: 'on' }])
      if (!through) return
      const other = new pg.Client({ connectionString: through.url })
      await other.connect()
      expect((await other.query('show synchronous_commit')).rows).toEqual([{ synchronous_commit: 'off' }])
      await other.end()
    })

    test('C154 while one run writes, another is refused; after it, and after a crash of it, not', async () => {
      const schema = nextSchema()
      const one = open(schema)
      const two = open(schema)
      await one.begin(first)
      await expect(two.begin(first)).rejects.toThrow('Another tender-sync is writing to')
      await one.commit(state, 'run')
      await two.begin(delta)
      await two.upsert([recordOf(1)])
      await two.end()
      await one.begin(delta)
      expect(await one.held([idOf(1)])).toEqual(new Map())
      await one.end()
    })

    test('C160 a connection lost within a page fails the run: its commit never saves a state without its records', async () => {
      const schema = nextSchema()
      const sink = open(schema)
      await sink.begin(first)
      await sink.upsert([recordOf(1)])
      await sink.commit(state, 'run')
      for (const isReadBetween of [false, true]) {
        await sink.begin(delta)
        await sink.upsert([recordOf(1, 1), recordOf(2)])
        await endTransaction(schema)
        // Reading connects again; the run must not continue with that connection all the same.
        if (isReadBetween) await expect.poll(() => sink.state.load().catch(() => 'lost')).toEqual(state)
        await expect(sink.upsert([recordOf(3)])).rejects.toThrow()
        await expect(sink.commit({ ...state, updatedSince: '2027-01-01T00:00:00.000Z' }, 'run')).rejects.toThrow(
          'lost during the run',
        )
        await expect(sink.held([])).rejects.toThrow('lost during the run')
        expect(await sink.state.load()).toEqual(state)
      }
      await sink.begin(delta)
      await sink.upsert([recordOf(1, 1), recordOf(2)])
      await sink.commit(state, 'run')
      expect(await sink.held([idOf(1), idOf(2), idOf(3)])).toEqual(
        new Map([
          [idOf(1), recordOf(1, 1).lastModified],
          [idOf(2), recordOf(2).lastModified],
        ]),
      )
      await sink.end()
    })

    test('C154 a run waits until the server has undone the one before it, whose connection was lost', async () => {
      const schema = nextSchema()
      const sink = open(schema)
      await sink.begin(first)
      const other = new pg.Client({ connectionString: connectionString! })
      await other.connect()
      await other.query(`begin; select from ${schema}.sync_run for update`)
      const begun = sink.begin(first)
      await expect.poll(() => query(`select from ${schema}.sync_run for update skip locked`)).toEqual([])
      await other.end()
      await begun
      await sink.commit(state, 'run')
      await sink.end()
    })

    test('records and state are one transaction: if the state cannot be saved, no record is visible', async () => {
      const schema = nextSchema()
      const sink = open(schema)
      await sink.begin(first)
      await sink.upsert([recordOf(1)])
      await sink.commit(state, 'run')
      await query(
        `create function ${schema}.refuse() returns trigger language plpgsql as 'begin raise ''disk full''; end'`,
      )
      await query(`create trigger refuse before update on ${schema}.sync_state execute function ${schema}.refuse()`)
      for (const run of [delta, first]) {
        await sink.begin(run)
        await sink.upsert([recordOf(1, 1), recordOf(2)])
        await expect(sink.commit(state, 'run')).rejects.toThrow('disk full')
        expect([...(await seen(schema)).values()].map(({ title }) => title)).toEqual([recordOf(1).title])
      }
      await query(`drop trigger refuse on ${schema}.sync_state`)
      await sink.begin(delta)
      await sink.upsert([recordOf(1, 1)])
      await sink.commit(state, 'run')
      await sink.end()
      expect([...(await seen(schema)).values()].map(({ title }) => title)).toEqual([recordOf(1, 1).title])
    })
  },
)

describe.skipIf(!connectionString)('PostgreSQL sink', () => {
  const open = (schema: string, repoint: readonly string[] = []) =>
    openPostgresSink({ connectionString: connectionString!, schema, repoint })

  test('its flat columns hold the same as those of the other sinks', async () => {
    const schema = nextSchema()
    const sink = open(schema)
    const records = [recordOf(1), recordOf(2, 0, { contractAmount: null, lots: [], cpvCodes: [], nutsCodes: [] })]
    await sink.begin(first)
    await sink.upsert(records)
    await sink.commit(state, 'run')
    await sink.end()
    const plain = (row: { [name: string]: unknown }) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
      )
    const numbered = (names: readonly string[], row: { [name: string]: unknown }) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          names.includes(name) && value !== null ? Number(value) : value,
        ]),
      )
    const numbers = (columns: readonly { name: string; type: string }[]) =>
      columns.filter(({ type }) => type === 'number').map(({ name }) => name)
    for (const record of records) {
      const [row] = await query<{ [name: string]: unknown }>(`select * from ${schema}.tender where id = $1`, [
        record.id,
      ])
      const expected = Object.fromEntries(flatTenderColumns.map(({ name, of }) => [name, of(record)]))
      const { record: _record, record_hash: _hash, ...found } = numbered(numbers(flatTenderColumns), plain(row!))
      expect(found).toEqual(expected)
      const lots = await query<{ [name: string]: unknown }>(
        `select * from ${schema}.tender_lot where tender_id = $1 order by position`,
        [record.id],
      )
      expect(lots.map((lot) => numbered(numbers(flatLotColumns), plain(lot)))).toEqual(
        lotsOf(record).map((lot) => Object.fromEntries(flatLotColumns.map(({ name, of }) => [name, of(lot)]))),
      )
    }
  })

  test('a first load from files leaves the keys, indexes and rows of any other', async () => {
    const records = [
      recordOf(1),
      archivedOf(2, 1),
      recordOf(3),
      { ...recordOf(4), title: 'Tab\tand\\line\nand \0 \ud800' },
    ]
    const [loaded, staged] = [nextSchema(), nextSchema()]
    const fill = async (schema: string, isFromFiles: boolean) => {
      const sink = openPostgresSink({ connectionString: connectionString!, schema })
      await sink.begin({ ...first, keepArchived: true, isFromFiles })
      expect(sink.commitsPages).toBe(!isFromFiles)
      await sink.upsert([...records, recordOf(5)] as never)
      // a later version, an older one, and the same one
      for (const version of [2, 1, 2]) await sink.upsert([recordOf(3, version)] as never)
      expect((await sink.record!(idOf(3)))?.lastModified).toBe(recordOf(3, 2).lastModified)
      for (const version of [2, 1, 2]) await sink.upsert([recordOf(3, version), recordOf(5, version)] as never)
      await sink.commit(state, 'run')
      expect(sink.commitsPages).toBe(true)
      const rows: unknown[] = []
      for await (const row of sink.readBack!.rows()) rows.push([row.content === recordHash(row.record!), row.record])
      await sink.end()
      const kept = await query<{ text: string }>(
        `select replace(indexdef, $1, '') as text from pg_indexes where schemaname = $1 union all
         select conname || replace(pg_get_constraintdef(oid), $1, '') from pg_constraint where connamespace = $1::regnamespace
         union all select 'removed ' || removed::text from ${schema}.sync_run order by 1`,
        [schema],
      )
      return { rows, kept }
    }
    const made = await fill(loaded, true)
    expect(made).toEqual(await fill(staged, false))
    expect(made.rows).toHaveLength(5)
    expect(made.rows.every((row) => (row as [boolean])[0])).toBe(true)
  })

  test('a first load that ended early leaves nothing, and whatever comes next has its keys', async () => {
    const schema = nextSchema()
    const open = () => openPostgresSink({ connectionString: connectionString!, schema })
    const keys = async () =>
      (await query(`select 1 from pg_constraint where connamespace = $1::regnamespace and contype = 'f'`, [schema]))
        .length
    const sink = open()
    await sink.begin({ ...first, isFromFiles: true })
    expect(await keys()).toBe(0)
    await sink.upsert([recordOf(1)])
    await sink.held([idOf(1)])
    await endTransaction(schema)
    await expect(sink.commit(state, 'run')).rejects.toThrow('connection')
    await sink.end().catch(() => {})
    await using again = open()
    await again.begin(first)
    expect(await keys()).toBe(3)
    await again.upsert([recordOf(2)])
    await again.commit(state, 'run')
    expect([...(await seen(schema)).keys()]).toEqual([idOf(2)])
    // a copy that holds something is replaced as ever, by a staged run
    await again.begin({ ...first, isFromFiles: true })
    expect([again.commitsPages, await keys()]).toEqual([true, 3])
  })

  test('a reader who holds the tables only keeps their keys in place', async () => {
    const schema = nextSchema()
    await using sink = openPostgresSink({ connectionString: connectionString!, schema })
    await sink.state.load()
    const reader = new pg.Client({ connectionString })
    await reader.connect()
    onTestFinished(() => reader.end())
    await reader.query(`begin; select * from ${schema}.tender`)
    await sink.begin({ ...first, isFromFiles: true })
    await sink.upsert([recordOf(1)])
    await sink.commit(state, 'run')
    expect([...(await seen(schema)).keys()]).toEqual([idOf(1)])
  })

  test('each code of tender and lots appears once', async () => {
    const schema = nextSchema()
    const sink = open(schema)
    await sink.begin(first)
    await sink.upsert([
      recordOf(1, 0, {
        cpvCodes: ['45000000', '71000000', '45000000'],
        nutsCodes: [],
        realizedLocation: { country: 'DE', nuts: 'DE300' },
        lots: [
          { lotId: 'LOT-0001', status: 'open', cpvCodes: ['71000000', '79000000'], nutsCodes: ['DE212'] },
          { lotId: 'LOT-0002', status: 'open', cpvCodes: ['79000000'], nutsCodes: ['DE212'] },
        ],
      }),
    ])
    await sink.commit(state, 'run')
    await sink.end()
    expect(await query(`select lot_id, code, is_lot from ${schema}.tender_cpv order by 1, 2`)).toEqual([
      { lot_id: '', code: '45000000', is_lot: false },
      { lot_id: '', code: '71000000', is_lot: false },
      { lot_id: 'LOT-0001', code: '71000000', is_lot: true },
      { lot_id: 'LOT-0001', code: '79000000', is_lot: true },
      { lot_id: 'LOT-0002', code: '79000000', is_lot: true },
    ])
    expect(await query(`select lot_id, code from ${schema}.tender_nuts order by 1`)).toEqual([
      { lot_id: 'LOT-0001', code: 'DE212' },
      { lot_id: 'LOT-0002', code: 'DE212' },
    ])
    expect(await query(`select region from ${schema}.tender`)).toEqual([{ region: 'DE300' }])
  })

  test('NUL characters and lone surrogates, which jsonb refuses, do not stop a run', async () => {
    const schema = nextSchema()
    const sink = open(schema)
    await sink.begin(first)
    await sink.upsert([recordOf(1, 0, { title: 'a\0b\ud800c \\u0000 \u{1F3D7}' })])
    await sink.commit(state, 'run')
    await sink.end()
    expect(await query(`select title from ${schema}.tender`)).toEqual([{ title: 'ab\ufffdc \\u0000 \u{1F3D7}' }])
  })

  test("your own tables follow a merge to the one that remains, with the merge's transaction", async () => {
    const schema = nextSchema()
    await query(`create schema ${schema}`)
    await query(`create table ${schema}.opportunity (name text, tender_id uuid)`)
    await query(`create table ${schema}.remark (tender text)`)
    const sink = open(schema, [`${schema}.opportunity.tender_id`, `${schema}.remark.tender`])
    await sink.begin(first)
    await sink.upsert([recordOf(1), recordOf(2), recordOf(3)])
    await sink.commit(state, 'run')
    await query(`insert into ${schema}.opportunity values ('ours', $1), ('other', $2)`, [idOf(2), idOf(3)])
    await query(`insert into ${schema}.remark values ($1)`, [idOf(2)])
    await sink.begin(delta)
    await sink.merge([{ record: mergedOf(2, 1, 1), into: idOf(1) }])
    await sink.discard()
    const pointed = () => query(`select name, tender_id from ${schema}.opportunity order by name desc`)
    expect(await pointed()).toEqual([
      { name: 'ours', tender_id: idOf(2) },
      { name: 'other', tender_id: idOf(3) },
    ])
    await sink.begin(delta)
    await sink.merge([{ record: mergedOf(2, 1, 1), into: idOf(1) }])
    await sink.commit(state, 'run')
    expect(await pointed()).toEqual([
      { name: 'ours', tender_id: idOf(1) },
      { name: 'other', tender_id: idOf(3) },
    ])
    expect(await query(`select tender from ${schema}.remark`)).toEqual([{ tender: idOf(1) }])
    // A chain that still has two steps ends at its last record in the view.
    await sink.begin(delta)
    await sink.merge([{ record: mergedOf(1, 2, 3), into: idOf(3) }])
    await sink.commit(state, 'run')
    await sink.end()
    expect(await query(`select id, survivor_id from ${schema}.tender_survivor order by id`)).toEqual([
      { id: idOf(1), survivor_id: idOf(3) },
      { id: idOf(2), survivor_id: idOf(3) },
    ])
    expect(await query(`select id from ${schema}.tender_open`)).toEqual([{ id: idOf(3) }])
  })

  test('archived lots and codes go with the content that no longer has them', async () => {
    const schema = nextSchema()
    const sink = open(schema)
    await sink.begin(first)
    await sink.upsert([recordOf(1), recordOf(2)])
    await sink.commit(state, 'run')
    await sink.begin(delta)
    await sink.close([{ ...archivedOf(1, 1), lots: [], cpvCodes: ['72000000'], nutsCodes: [] }])
    await sink.commit(state, 'run')
    await sink.end()
    expect(await query(`select tender_id from ${schema}.tender_lot`)).toHaveLength(2)
    expect(await query(`select code from ${schema}.tender_cpv where tender_id = $1`, [idOf(1)])).toEqual([
      { code: '72000000' },
    ])
  })

  test('every column has its comment for BI tools', async () => {
    const schema = nextSchema()
    const sink = open(schema)
    await sink.state.load()
    await sink.end()
    const bare = await query(
      `select table_name, column_name from information_schema.columns
       where table_schema = $1 and table_name in ('tender', 'tender_lot') and column_name <> 'tender_id'
         and col_description(format('%I.%I', table_schema, table_name)::regclass, ordinal_position) is null`,
      [schema],
    )
    expect(bare).toEqual([])
  })

  test('a schema of a newer version is refused with what to do; two processes that start together create one', async () => {
    const schema = nextSchema()
    const sinks = [open(schema), open(schema), open(schema)]
    expect(await Promise.all(sinks.map((sink) => sink.state.load()))).toEqual([undefined, undefined, undefined])
    for (const sink of sinks) await sink.end()
    await query(`insert into ${schema}.sync_version (version) values (99)`)
    const late = open(schema)
    await expect(late.state.load()).rejects.toThrow('update it')
    await late.end()
  })

  test('an unreachable server makes the call fail, and the next call tries again', async () => {
    const sink = openPostgresSink({ connectionString: 'postgres://nobody@127.0.0.1:1/none' })
    await expect(sink.begin(first)).rejects.toThrow('ECONNREFUSED')
    await expect(sink.begin(first)).rejects.toThrow('ECONNREFUSED')
    await sink.end()
    expect(() => openPostgresSink({ connectionString: '', schema: 'a"; drop' })).toThrow('letters, digits')
  })

  test('what PostgreSQL refuses is said in words that name the fix, and never the password', async () => {
    const schema = nextSchema()
    const account = `loader_${process.pid}`
    const to = (change: (url: URL) => void, options: { schema?: string } = {}) => {
      const url = new URL(connectionString!)
      change(url)
      return openPostgresSink({ connectionString: url.href, ...options })
    }
    const asLoader = (url: URL) => Object.assign(url, { username: account, password: 'very-secret' })
    await query(`create role ${account} login password 'very-secret'`)
    try {
      const refusals = [
        [
          to((url) => Object.assign(url, { pathname: '/no_such_one' })),
          /no_such_one.*create it \(createdb no_such_one\)/,
        ],
        [to((url) => Object.assign(url, { username: 'no_such_account' })), /refuses the account .*no_such_account/],
        [to(asLoader, { schema }), new RegExp(`The account ${account} lacks a right .*CREATE on the database`)],
      ] as const
      for (const [sink, words] of refusals) {
        const error: unknown = await sink.state.load().catch((caught: unknown) => caught)
        expect(error).toBeInstanceOf(SinkError)
        expect(String(error)).toMatch(words)
        expect(String(error)).not.toContain('very-secret')
        await sink.end()
      }
      await query(`create schema ${schema} authorization ${account}`)
      const sink = to(asLoader, { schema })
      await sink.begin(first)
      await sink.upsert([recordOf(1)])
      await sink.commit(state, 'run')
      await query(`alter table ${schema}.tender drop column title cascade`)
      await sink.begin(delta)
      await expect(
        (async () => {
          await sink.upsert([recordOf(1, 1)])
          await sink.commit(state, 'run')
        })(),
      ).rejects.toThrow(/not as this sink made them \(column "title"/)
      await sink.end()
    } finally {
      await query(`drop owned by ${account} cascade`)
      await query(`drop role ${account}`)
    }
  })
})
