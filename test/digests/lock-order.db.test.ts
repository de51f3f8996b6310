// Two who change the digests of a person at the same time never wait for each other: everybody locks them in the order
// of their ids, and mails after them. Only a server has transactions that run at the same time.
import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, test, vi } from 'vitest'
import { serviceActor } from '../../src/actions/acting.ts'
import { editDigest, endRecipient, leaveAll, removeDigest, startDigest } from '../../src/actions/digests.ts'
import { deleteSearch } from '../../src/actions/searches.ts'
import { dayMs } from '../../src/domain/time.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { type Executor, inTransaction, type Store } from '../../src/store/database/database.ts'
import { createDigest, listDigests, postponeDigests, recipientHash } from '../../src/store/hits/digests.ts'
import { insertMail, pruneMails } from '../../src/store/people/mails.ts'
import { openTestStore, testDatabaseUrl } from '../world.ts'
import { addSearch, endMails, openDigestWorld } from './digest-world.ts'

const [anna, ben] = ['anna@example.org', 'ben@example.org']
const terms = { rhythm: 'daily', weekday: 'monday', hour: 7, zone: 'Europe/Berlin', language: 'en' } as const

/** Digests whose ids fall while their rows follow each other: d and c are Anna's, b and a are Ben's. */
async function openPair() {
  const store = await openTestStore('server')
  const world = await openDigestWorld(store)
  const searches = [world.searchNo, await addSearch(store, world.organizationId, 'Bridges')]
  const create = (digestId: string, searchNo: number, person: string) =>
    createDigest(store, { digestId, searchNo, person, ...terms, madeDay: 0, dueAt: 0 }, 0)
  for (const [index, digestId] of ['d', 'c', 'b', 'a'].entries())
    await create(digestId, searches[index % 2]!, index < 2 ? anna : ben)
  await insertMail(store.db, { messageId: 'waits', digestId: 'd', content: '{"items":[]}', now: world.now() })
  const url = store.options.databaseUrl!
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  return {
    store,
    world,
    searches,
    create,
    other,
    [Symbol.asyncDispose]: async () => {
      await other.end()
      await store[Symbol.asyncDispose]()
    },
  }
}

type Pair = Awaited<ReturnType<typeof openPair>>

const inOne =
  (work: (trx: Executor) => Promise<unknown>) =>
  ({ store }: Pair): Promise<unknown> =>
    inTransaction(store, work)

const waitingFor = async ({ db }: Pick<Store, 'db'>): Promise<boolean> => {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows.length > 0
}

const acting = { ...serviceActor, now: 1, random: systemRandom, mailDomain: 'example.org' }
const digest = (id: string): string => `select from digest where digest_id = '${id}' for update`
const mail = `select from mail where message_id = 'waits' for update`

const writers: readonly (readonly [string, readonly [string, string], (pair: Pair) => Promise<unknown>])[] = [
  [
    'a new digest',
    [digest('c'), digest('d')],
    async ({ store, world, create }) => create('e', await addSearch(store, world.organizationId, 'Tunnels'), anna),
  ],
  ['other terms', [digest('c'), digest('d')], inOne((trx) => editDigest(trx, acting, 'd', { hour: 9 }))],
  [
    'an end',
    [digest('c'), digest('d')],
    inOne((trx) => endRecipient(trx, acting, { digestId: 'd', error: '' }, 'a.org')),
  ],
  ['a start', [digest('c'), digest('d')], inOne((trx) => startDigest(trx, acting, 'd'))],
  ['a search that somebody leaves', [digest('c'), digest('d')], inOne((trx) => removeDigest(trx, acting, 'd'))],
  ['somebody who leaves all', [digest('c'), digest('d')], inOne((trx) => leaveAll(trx, recipientHash(anna), 0))],
  ['what is postponed', [digest('c'), digest('d')], ({ store }) => postponeDigests(store.db, ['d', 'c'], 5)],
  [
    'a deleted search',
    [digest('b'), digest('d')],
    ({ store, searches }) => inTransaction(store, (trx) => deleteSearch(trx, acting, searches[0]!, 'Roads')),
  ],
  [
    'a deleted search and the other one',
    [digest('a'), digest('d')],
    ({ store, searches }) => inTransaction(store, (trx) => deleteSearch(trx, acting, searches[0]!, 'Roads')),
  ],
  [
    'the third refusal',
    [digest('d'), mail],
    async ({ store, world }) => {
      // the server knows Ben, who was accepted, and not Anna
      await sql`insert into mail (message_id, person, content, state, due_at, created_at, ended_at)
      values ('accepted', ${ben}, '{}', 'sent', 0, 0, ${world.now()})`.execute(store.db)
      await sql`update mail set gone = 2, attempts = 2 where message_id = 'waits'`.execute(store.db)
      await world.send(
        { send: async () => ({ kind: 'refused', error: '550 5.1.1', about: 'recipient' }) },
        {
          renderDigest: () => ({ subject: '', text: '', html: '' }),
        },
      )
      expect((await listDigests(store.db)).filter(({ endedAt }) => endedAt !== null)).toHaveLength(2)
    },
  ],
]

describe.skipIf(testDatabaseUrl === undefined)('beside one who has locked the first and takes the next', () => {
  test.each(writers)('%s waits, and then ends', async (_name, [first, next], write) => {
    await using pair = await openPair()
    await pair.other.query('begin')
    await pair.other.query(first)
    const writing = write(pair)
    writing.catch(() => {})
    await vi.waitUntil(() => waitingFor(pair.store), { timeout: 20_000, interval: 20 })
    await pair.other.query(next)
    await pair.other.query('commit')
    await writing
  })

  test('making digests skips the person', async () => {
    await using pair = await openPair()
    const { store, world, other } = pair
    await endMails(store.db)
    await world.addHit({ title: 'Roads' })
    await world.endEdition()
    await other.query('begin')
    await other.query(digest('c'))
    expect(await world.make()).toBe(1)
    await other.query('commit')
    expect(await world.make()).toBe(1)
  })

  test('deleting old mails skips those that somebody changes', async () => {
    await using pair = await openPair()
    const { store, world, other } = pair
    await sql`insert into mail (message_id, person, content, state, due_at, created_at, ended_at)
      values ('old', ${ben}, '{}', 'sent', 0, 0, 1)`.execute(store.db)
    await sql`update mail set state = 'sent', ended_at = 1`.execute(store.db)
    const left = async () => (await sql`select from mail`.execute(store.db)).rows.length
    await other.query('begin')
    await other.query(mail)
    await pruneMails(store.db, world.now() + 40 * dayMs, 9)
    expect(await left()).toBe(1)
    await other.query('commit')
    await pruneMails(store.db, world.now() + 40 * dayMs, 9)
    expect(await left()).toBe(0)
  })
})
