import { type KyselyPlugin, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { engines, openTestStore } from '../../../test/world.ts'
import { systemRandom as random } from '../../platform/random.ts'
import type { Executor, Store } from '../database/database.ts'
import { createOrganization } from './organizations.ts'
import { addMember, createPerson, type Role } from './people.ts'
import { mailStatusNews, setStatusMails } from './status-mails.ts'

const now = Date.UTC(2026, 10, 23)
const posting = { now, mailDomain: 'example.org' }
const news = {
  about: 'incident',
  event: 'began',
  incidentId: 'i',
  title: 'A "quoted" title\\',
  detail: 'One line.\nAnother: {"personId":"x"}, ünïcode, $1, %s and \u2028.',
  startedAt: now - 1,
} as const

async function subscribe(store: Store, name: string, role: Role | null = 'owner', organizations = ['Acme']) {
  const person = { personId: random.uuid(), mail: `${name}@example.org`, name: '', isOperator: false }
  const { personId } = await createPerson(store.db, person, now)
  for (const each of organizations) {
    const { organization } = await createOrganization(store.db, { name: each }, { now, random })
    if (role) await addMember(store.db, { organizationId: organization.organizationId, personId, role }, now)
  }
  await setStatusMails(store.db, personId, true)
  return personId
}

/** Queues the mails; returns how many statements it took. */
async function statementsOf(db: Executor): Promise<number> {
  let statements = 0
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements++
      return node
    },
    transformResult: async ({ result }) => result,
  }
  await mailStatusNews(db.withPlugin(counter), news, posting)
  return statements
}

const mailsOf = (store: Store) =>
  store.db
    .selectFrom('mail')
    .select(['message_id', 'digest_id', 'person', 'content', 'due_at', 'created_at', 'state'])
    .orderBy('person')
    .execute()

describe.each(engines)('mails about incidents (%s)', (engine) => {
  test('are queued with one statement, however many want them, each once', async () => {
    await using store = await openTestStore(engine)
    const ids: string[] = []
    for (let count = 10; count < 40; count++) ids.push(await subscribe(store, `owner-${count}`))
    await sql`update person set language = 'de' where mail = 'owner-11@example.org'`.execute(store.db)
    expect(await statementsOf(store.db)).toBe(1)
    const mails = await mailsOf(store)
    for (const [index, { content, ...mail }] of mails.entries()) {
      const person = `owner-${10 + index}@example.org`
      expect(mail).toMatchObject({ person, digest_id: null, state: 'due', due_at: now, created_at: now })
      expect(mail.message_id).toMatch(/^<[0-9a-f]{32}@example\.org>$/)
      expect(JSON.parse(content)).toEqual({
        kind: 'statusNews',
        language: index === 1 ? 'de' : 'en',
        data: { ...news, personId: ids[index], at: now },
      })
    }
    expect(new Set(mails.map(({ message_id: id }) => id)).size).toBe(30)
    await statementsOf(store.db)
    expect(await mailsOf(store)).toEqual(mails)
  })

  test('are for Owners who want them and have not left, once for all their organizations', async () => {
    await using store = await openTestStore(engine)
    await subscribe(store, 'anna', 'owner', ['Acme', 'Other'])
    await subscribe(store, 'member', 'member')
    await subscribe(store, 'stranger', null)
    const left = await subscribe(store, 'left')
    const silent = await subscribe(store, 'silent')
    await sql`update person set ended_at = ${now} where person_id = ${left}`.execute(store.db)
    await setStatusMails(store.db, silent, false)
    await statementsOf(store.db)
    expect((await mailsOf(store)).map(({ person }) => person)).toEqual(['anna@example.org'])
  })
})
