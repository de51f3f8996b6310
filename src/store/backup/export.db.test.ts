import { tmpdir } from 'node:os'
import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { openEmptyDatabase, openTestStore, testDatabaseUrl } from '../../../test/world.ts'
import { consolidate } from '../../consolidate/consolidate.ts'
import { hourMs } from '../../domain/time.ts'
import { ingest } from '../../ingest/ingest.ts'
import { OperatorError } from '../../platform/errors.ts'
import { systemRandom as random } from '../../platform/random.ts'
import { publish } from '../../publish/publish.ts'
import { sampleDocuments } from '../../simulator/samples/sample-documents.ts'
import type { ReceivedDocument } from '../../sources/files.ts'
import { inTransaction, openStore, type Store } from '../database/database.ts'
import { addAuditEntry } from '../people/audit.ts'
import { createInvitation } from '../people/invitations.ts'
import { insertMail } from '../people/mails.ts'
import { linkIdentity } from '../people/oidc-identities.ts'
import { createOrganization, createToken, loadTokens } from '../people/organizations.ts'
import { addPasskey } from '../people/passkeys.ts'
import { addMember, createPerson } from '../people/people.ts'
import { createSignInLink, startSession } from '../people/sessions.ts'
import { takeSignInAttempt } from '../people/sign-in-attempts.ts'
import { exportStock } from './export.ts'

const now = Date.UTC(2026, 0, 1)

async function fill(store: Store): Promise<void> {
  await sql`insert into source_document
    select 'd' || i, 'ted', 'a/b#' || repeat('ß€𝄞 "\\', i % 50), ${now}, i, 1,
      case when i % 7 = 0 then decode(repeat('00ff5c22', i % 50), 'hex') end from generate_series(1, 5000) i`.execute(
    store.db,
  )
  await sql`insert into notice select 'n' || i, 'd' || i, '/', 'k', 'ted', 'ted', 'competition',
    case when i % 2 = 0 then ${now}::bigint end, '{}', i % 3 = 0 from generate_series(1, 5000) i`.execute(store.db)
  await sql`insert into notice_link select 'l' || i % 7, 'n' || i from generate_series(1, 5000) i`.execute(store.db)
  await sql`insert into edition values (1, ${now}, ${now}, 1, 1, '{}')`.execute(store.db)
  await sql`insert into edition_entry values (${now}, 1, 't', '{"id":"t"}', '["ted"]')`.execute(store.db)
  const { organization } = await createOrganization(store.db, { name: 'Acme' }, { now, random })
  await createToken(store, { organizationId: organization.organizationId, name: 'sync' }, { now, random })
}

const tables = ['source_document', 'notice', 'notice_link', 'edition', 'edition_entry', 'change_signal'] as const

describe.skipIf(testDatabaseUrl === undefined)('an export to a server', () => {
  test('copies every row and can be used at once', async () => {
    await using store = await openTestStore('embedded')
    await using target = await openEmptyDatabase()
    await fill(store)
    const seen: string[] = []
    const summary = await exportStock(store, target.url, ({ table, rows, totalRows }) => {
      if (rows === totalRows) seen.push(table)
    })
    expect(summary.rows).toMatchObject({ source_document: 5000, notice: 5000, notice_link: 5000, api_token: 1 })
    expect(seen).toEqual(expect.arrayContaining(['notice', 'tender', 'api_token']))
    const copy = await openStore({ databaseUrl: target.url, dataFolder: tmpdir() })
    for (const table of tables) {
      const order = sql.raw('1, 2')
      const from = await sql`select * from ${sql.table(table)} order by ${order}`.execute(store.db)
      const to = await sql`select * from ${sql.table(table)} order by ${order}`.execute(copy.db)
      // one engine delivers bytes as Buffer, the other as Uint8Array
      const inHex = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value)
      const inOrder = (rows: unknown[]) =>
        rows.map((row) => JSON.stringify(Object.entries(row as object).map(([, value]) => inHex(value)))).sort()
      expect(inOrder(to.rows)).toEqual(inOrder(from.rows))
    }
    expect(await loadTokens(copy.db)).toEqual(await loadTokens(store.db))
    await copy.close()
  })

  test('refuses a database that is not empty, and says so', async () => {
    await using store = await openTestStore('embedded')
    await using target = await openEmptyDatabase()
    const other = await openStore({ databaseUrl: target.url, dataFolder: tmpdir() })
    await createOrganization(other.db, { name: 'Acme' }, { now, random })
    const refused = exportStock(store, target.url)
    await expect(refused).rejects.toThrow(OperatorError)
    await expect(refused).rejects.toThrow(/is not empty \(its table organization has rows\); pass an empty one/)
    await other.close()
  })

  test('leaves nothing behind if it is interrupted', async () => {
    await using store = await openTestStore('embedded')
    await using target = await openEmptyDatabase()
    await fill(store)
    const cut = exportStock(store, target.url, ({ table, rows }) => {
      if (table === 'notice' && rows > 0) throw new Error('cut off')
    })
    await expect(cut).rejects.toThrow('cut off')
    const summary = await exportStock(store, target.url)
    expect(summary.rows.notice).toBe(5000)
  })
})

const samples: readonly ReceivedDocument[] = (['ted', 'doe', 'gb-find-a-tender'] as const).flatMap((portal) =>
  sampleDocuments(now, portal, now).map((each) => ({
    address: `${portal}/${each.path}`,
    bytes: Buffer.from(each.write()),
  })),
)

async function* stream(documents: readonly ReceivedDocument[]) {
  yield* documents
}

/** One round of the service: reads, consolidates and publishes new documents. */
async function runPipeline(store: Store, documents: readonly ReceivedDocument[], at: number) {
  await ingest(store, { sourceId: 'samples', documents: stream(documents), clock: () => at })
  await consolidate(store, { now: at })
  return publish(store, { now: at, minIntervalMs: hourMs, overrideGate: true })
}

/** All rows of all tables, read with another driver or by the engine itself, as the database writes them. */
async function everything(ask: (query: string) => Promise<{ rows: unknown[] }>): Promise<Record<string, string[]>> {
  const { rows: found } = await ask(
    "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not like 'kysely%' order by 1",
  )
  const contents: Record<string, string[]> = {}
  for (const { name } of found as { name: string }[]) {
    const { rows } = await ask(`select row_to_json(t)::text as row from "${name}" t`)
    contents[name] = (rows as { row: string }[]).map(({ row }) => row).sort()
  }
  return contents
}

/** A person with a session and a passkey, an invitation with its link, and rows numbered by the database. */
async function fillConsoleTables(store: Store): Promise<void> {
  const { organization } = await createOrganization(store.db, { name: 'Acme' }, { now, random })
  const { organizationId } = organization
  const [personId, hash] = ['p', '00ff'.repeat(16)]
  await inTransaction(store, async (trx) => {
    await createPerson(trx, { personId, mail: 'anna@example.org', name: 'Anna', isOperator: true }, now)
    await addMember(trx, { organizationId, personId, role: 'owner' }, now)
    const times = { createdAt: now, seenAt: now, signedInAt: now }
    await startSession(trx, { sessionId: hash, personId, ...times, agent: '', addressPrefix: '' }, undefined)
    const asked = { organizationId, mail: 'ida@example.org', role: 'member', invitedBy: 'Anna' } as const
    await createInvitation(trx, { invitationId: 'i', ...asked }, now)
    await createSignInLink(trx, { keyHash: hash, invitationId: 'i', now })
    const passkey = { credentialId: 'c', personId, publicKey: Buffer.from('00ff5c22', 'hex'), counter: 1 }
    await addPasskey(trx, { ...passkey, transports: ['internal'], name: 'Laptop', createdAt: now })
    await linkIdentity(trx, { issuer: 'https://login.example.org', subject: 's' }, personId, now)
    await insertMail(trx, { messageId: 'm', person: 'anna@example.org', content: '{}', now })
    const entry = {
      at: now,
      actor: 'operator',
      organizationId,
      subject: 's',
      addressPrefix: '',
    }
    await addAuditEntry(trx, { ...entry, action: 'token.create', detail: {} })
    await takeSignInAttempt(trx, { networkHash: 'aa', pairHash: 'bb' }, now)
  })
}

/** A search and an endpoint, which the database numbers. */
async function fillHitTables(store: Store): Promise<void> {
  const { organization } = await createOrganization(store.db, { name: 'Acme' }, { now, random })
  const { organizationId } = organization
  await sql`insert into saved_search (search_id, organization_id, name, created_at, created_by)
    values ('s', ${organizationId}, 'Roads', ${now}, 'test')`.execute(store.db)
  await sql`insert into webhook_endpoint
      (endpoint_id, organization_id, address, description, from_edition, kinds, requests_per_second, created_at)
    values ('e', ${organizationId}, 'https://example.org/', '', 1, '[]', 10, ${now})`.execute(store.db)
}

const asking = (store: Store) => (query: string) => sql.raw(query).execute(store.db)

async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

describe.skipIf(testDatabaseUrl === undefined)('an export of a stock that the pipeline made', () => {
  test.each([
    ['nothing at all', 0, 60],
    ['one document', 1, 60],
    ['many documents, then one', samples.length - 1, samples.length],
    ['half of many documents', Math.floor(samples.length / 2), samples.length],
  ])('continues as the original does: %s', async (_, first, last) => {
    await using store = await openTestStore('embedded')
    await using target = await openEmptyDatabase()
    await runPipeline(store, samples.slice(0, first), now)
    const summary = await exportStock(store, target.url)
    expect(summary.rows.source_document).toBe(first)
    const copy = await openStore({ databaseUrl: target.url, dataFolder: tmpdir() })
    const outcomes: unknown[] = []
    for (const each of [store, copy]) {
      for (let round = 1; round <= 2; round++) {
        const documents = samples.slice(0, round === 1 ? Math.ceil((first + last) / 2) : last)
        outcomes.push(await runPipeline(each, documents, now + round * hourMs))
      }
    }
    const [one, two, ...ofCopy] = outcomes
    expect(one).toMatchObject({ kind: 'published' })
    expect(ofCopy).toEqual([one, two])
    // the stock's ID is created with its first edition, which each of the two made separately if nothing was published
    // before
    const isSame = (name: string) => first > 0 || name !== 'setting'
    // they are on two servers
    for (const each of [store, copy]) await sql`delete from setting where name = 'history'`.execute(each.db)
    const original = await everything(asking(store))
    const copied = await everything(asking(copy))
    expect(Object.keys(copied)).toEqual(Object.keys(original))
    for (const name of Object.keys(original).filter(isSame)) expect(copied[name], name).toEqual(original[name])
    await copy.close()
  })

  test('copies every sequence, and every column that the database fills, with rows of each', async () => {
    await using store = await openTestStore('embedded')
    await using target = await openEmptyDatabase()
    await runPipeline(store, samples.slice(0, 60), now)
    await fillHitTables(store)
    await fillConsoleTables(store)
    const { rows: sequences } = await sql<{ name: string }>`
      select sequencename as name from pg_sequences where schemaname = 'public' order by 1`.execute(store.db)
    expect(sequences.length).toBeGreaterThan(0)
    for (const [index, { name }] of sequences.entries())
      await sql`select setval(${name}::regclass, ${1000 + index}::bigint, ${index % 2 === 0}::boolean)`.execute(
        store.db,
      )
    const { rows: filled } = await sql<{ table: string; column: string }>`
      select attrelid::regclass::text as table, attname as column from pg_attribute
      join pg_class on pg_class.oid = attrelid left join pg_attrdef on adrelid = attrelid and adnum = attnum
      where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
      and relname not like 'kysely%'
      and (attidentity <> '' or attgenerated <> '' or pg_get_expr(adbin, adrelid) like 'nextval%')`.execute(store.db)
    expect(filled).toContainEqual({ table: 'match_record', column: 'record_no' })
    await exportStock(store, target.url)
    await withClient(target.url, async (client) => {
      for (const [index, { name }] of sequences.entries()) {
        const { rows } = await client.query(`select nextval('${name}') as next`)
        expect(rows, name).toEqual([{ next: `${1000 + index + (index % 2 === 0 ? 1 : 0)}` }])
      }
      for (const { table, column } of filled) {
        const { rows } = await client.query(`select count("${column}") as count from "${table}"`)
        expect(Number(rows[0].count), `rows of ${table}, whose ${column} the database fills`).toBeGreaterThan(0)
      }
    })
  })
})

// Examples of everything that later migrations may contain.
const planted = [
  'create table planted_always (id bigint generated always as identity primary key, name text not null)',
  'create table planted_default (id integer generated by default as identity (start with 5 increment by 3) primary key, name text)',
  'create table planted_serial (id serial primary key, at timestamptz not null, share double precision, big bigint)',
  `create table planted_computed (a integer not null, b text not null, both_together text generated always as (b || a) stored,
    primary key (b, a))`,
  'create unlogged table planted_unlogged (yes boolean primary key, bytes bytea)',
  'create table planted_empty (id uuid primary key, parent uuid references planted_empty, owner bigint references planted_always)',
  'create sequence planted_sequence',
  'create view planted_view as select name from planted_always',
]
const plantedRows = [
  "insert into planted_always (name) select 'n' || i from generate_series(1, 2500) i",
  "insert into planted_default (name) values ('ß'), (null)",
  `insert into planted_serial (at, share, big) values ('2026-01-01 12:00:00.123456+01', 0.1::float8 + 0.2, 9223372036854775807),
    ('infinity', 'NaN', -9223372036854775808), ('0044-03-15 BC', '-Infinity', 0)`,
  // names whose order differs between the collations of the two engines
  'insert into planted_computed (a, b) select i, chr(65 + i % 26) || chr(97 + i * 7 % 26) || case when i % 2 ' +
    "= 0 then '-' else '_' end || chr(228 + i % 5) from generate_series(1, 5000) i",
  "insert into planted_unlogged values (true, '\\x005c22ff'), (false, null)",
  "select nextval('planted_sequence') from generate_series(1, 41)",
]

describe.skipIf(testDatabaseUrl === undefined)('an export of tables that a later migration may bring', () => {
  test('copies identities, serials, computed columns, sequences and types of every kind', async () => {
    await using store = await openTestStore('embedded')
    await using target = await openEmptyDatabase()
    for (const statement of [...planted, ...plantedRows]) await sql.raw(statement).execute(store.db)
    await withClient(target.url, async (client) => {
      await client.query(planted.join(';'))
      // how this server writes times and bytes is not a difference in the rows
      const name = new URL(target.url).pathname.slice(1)
      await client.query(`alter database ${name} set timezone to 'Asia/Tokyo'`)
      await client.query(`alter database ${name} set datestyle to 'German'`)
      await client.query(`alter database ${name} set bytea_output to 'escape'`)
      await client.query(`alter database ${name} set extra_float_digits to 0`)
    })
    await exportStock(store, target.url)
    const numbered = [
      "insert into planted_always (name) values ('next')",
      "insert into planted_default (name) values ('next')",
      "insert into planted_serial (at) values ('2026-02-01')",
      "insert into planted_computed (a, b) select nextval('planted_sequence')::integer, 'next'",
    ]
    for (const statement of numbered) await sql.raw(statement).execute(store.db)
    const copied = await withClient(target.url, async (client) => {
      await client.query("set timezone to 'GMT'; set bytea_output to 'hex'; set extra_float_digits to 1")
      for (const statement of numbered) await client.query(statement)
      return everything((query) => client.query(query))
    })
    const original = await everything(asking(store))
    expect(original.planted_default!.join()).toContain('{"id":11,"name":"next"}')
    expect(copied).toEqual(original)
  })

  test.each([
    ['a table without a primary key', 'create table planted (name text)', /planted has no primary key/],
    ['a materialized view', 'create materialized view planted as select 1 as one', /does not know .* planted/],
    [
      'a partitioned table',
      'create table planted (id integer primary key) partition by range (id)',
      /does not know .* planted/,
    ],
  ])('refuses what it could not copy: %s', async (_, statement, message) => {
    await using store = await openTestStore('embedded')
    await using target = await openEmptyDatabase()
    await sql.raw(statement).execute(store.db)
    await expect(exportStock(store, target.url)).rejects.toThrow(message)
  })
})
