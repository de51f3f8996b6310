// kill -9 at any moment after forms were sent: each change exists completely with its entry of the audit log, or not at
// all; and the same forms, sent again to the next process, create nothing twice.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { keyHashOf } from '../../src/console/frame/directory.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { allowLoopbackWebhooks } from '../../src/service/hits/loopback-webhooks.ts'
import { inTransaction, openStore, type Store } from '../../src/store/database/database.ts'
import { createOrganization } from '../../src/store/people/organizations.ts'
import { addMember, createPerson } from '../../src/store/people/people.ts'
import { startSession } from '../../src/store/people/sessions.ts'
import { insertAlarm } from '../../src/store/sources/source-health.ts'
import { proofCount } from '../proof/proof-count.ts'
import { engines, openTestStore, type TestStore } from '../world.ts'
import { startOfConsole as now } from './console-world.ts'

const program = join(import.meta.dirname, 'console-process.ts')
const kills = proofCount({ share: 2, full: 60 })

type Form = { readonly [name: string]: string }
/** One form, the number of things it creates, and the number of entries in the audit log. */
type Sent = {
  readonly path: string
  readonly form: Form
  readonly counted: (store: Store) => Promise<readonly [things: number, entries: number]>
}
type Round = { readonly cookie: string; readonly sent: readonly Sent[] }

const formKey = () => Buffer.from(systemRandom.bytes(16)).toString('base64url')

/**
 * Creates a separate organization with an Owner who is also an operator, and a form of every kind that creates
 * something.
 */
async function prepare(store: Store, round: number): Promise<Round> {
  const name = `Round ${round}`
  const { organization } = await createOrganization(
    store.db,
    { name, hasApiAccess: true },
    { now, random: systemRandom },
  )
  const { organizationId } = organization
  const cookie = Buffer.from(systemRandom.bytes(32)).toString('base64url')
  await inTransaction(store, async (trx) => {
    const wanted = { personId: systemRandom.uuid(), mail: `p${round}@example.org`, name: '', isOperator: true }
    const { personId } = await createPerson(trx, wanted, now)
    await addMember(trx, { organizationId, personId, role: 'owner' }, now)
    const session = { sessionId: keyHashOf(cookie), personId, createdAt: now, seenAt: now, signedInAt: now }
    await startSession(trx, { ...session, agent: 'test', addressPrefix: '' }, undefined)
  })
  await insertAlarm(store.db, { sourceId: 'doe', kind: 'silent', raisedAt: round, detail: '', share: 1 })
  const at = `/o/${organizationId}`
  const unique = `form ${round}.`
  const mail = (who: string) => `${who}${round}@example.org`
  const entriesOf = async ({ db }: Store, action: string, subject: string) =>
    (
      await db
        .selectFrom('audit_entry')
        .select('entry_no')
        .where('action', '=', action)
        .where('subject', 'like', `%${subject}%`)
        .execute()
    ).length
  const made = (
    path: string,
    form: Form,
    action: string,
    subject: string,
    things: (store: Store) => Promise<readonly unknown[]>,
  ): Sent => ({
    path,
    form: { 'form-key': formKey(), ...form },
    counted: async (each) => [(await things(each)).length, await entriesOf(each, action, subject)],
  })
  const sent: Sent[] = [
    made(`${at}/settings/api-access/tokens`, { name: unique, days: '' }, 'token.create', unique, ({ db }) =>
      db.selectFrom('api_token').select('token_id').where('name', '=', unique).execute(),
    ),
    made(`${at}/people/invite`, { mail: mail('m'), role: 'member' }, 'member.invite', mail('m'), ({ db }) =>
      db.selectFrom('invitation').select('invitation_id').where('mail', '=', mail('m')).execute(),
    ),
    made(
      `${at}/searches/new`,
      { name: unique, words: 'asphalt', threshold: '40', profile: '', do: 'save' },
      'search.create',
      unique,
      ({ db }) =>
        db
          .selectFrom('saved_search')
          .innerJoin('saved_search_version', 'saved_search_version.search_no', 'saved_search.search_no')
          .select('search_id')
          .where('name', '=', unique)
          .execute(),
    ),
    made(`${at}/profiles/new`, { name: unique, words: 'asphalt', do: 'save' }, 'profile.create', unique, ({ db }) =>
      db.selectFrom('company_profile').select('profile_id').where('name', '=', unique).execute(),
    ),
    made(
      `${at}/webhooks/new`,
      { address: 'http://127.0.0.1:9/', description: unique, kind: 'search.hit', which: 'all' },
      'webhook.create',
      unique,
      ({ db }) =>
        db
          .selectFrom('webhook_endpoint')
          .innerJoin('webhook_secret', 'webhook_secret.endpoint_no', 'webhook_endpoint.endpoint_no')
          .select('endpoint_id')
          .where('description', '=', unique)
          .execute(),
    ),
    made(
      '/operator/organizations/new/save',
      { name: `Customer ${unique}`, starts: '2026-11-23', 'last-day': '', limit: '60', note: '', owner: mail('o') },
      'member.invite',
      mail('o'),
      ({ db }) =>
        db
          .selectFrom('organization')
          .innerJoin('contract', 'contract.organization_id', 'organization.organization_id')
          .innerJoin('invitation', 'invitation.organization_id', 'organization.organization_id')
          .select('invitation_id')
          .where('name', '=', `Customer ${unique}`)
          .execute(),
    ),
    made('/operator/incidents', { title: unique, detail: 'x', started: '' }, 'incident.create', unique, ({ db }) =>
      db.selectFrom('incident').select('incident_id').where('title', '=', unique).execute(),
    ),
  ]
  return { cookie, sent }
}

async function startConsole(
  on: TestStore['options'],
): Promise<{ readonly child: ChildProcess; readonly origin: string }> {
  const child = spawn(process.execPath, [program, JSON.stringify({ on, start: now })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  // without a database server it says first what is skipped
  for await (const line of createInterface({ input: child.stdout! }))
    if (line.startsWith('http:')) return { child, origin: line }
  throw new Error('the console did not start')
}

const sendAll = (origin: string, { cookie, sent }: Round) =>
  Promise.allSettled(
    sent.map(async ({ path, form }) => {
      const answer = await fetch(origin + path, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams(form),
        headers: { 'sec-fetch-site': 'same-origin', cookie: `session=${cookie}` },
      })
      return `${path} ${answer.status} ${answer.status < 400 ? '' : /class="why"[^>]*>([^<]*)/.exec(await answer.text())?.[1]}`
    }),
  )

describe.each(engines)('a console that is killed (%s)', (engine) => {
  test('leaves no change half done, and repeats none', { timeout: 60_000 + kills * 60_000 }, async () => {
    const stock = await openTestStore(engine)
    onTestFinished(() => stock[Symbol.asyncDispose]())
    await allowLoopbackWebhooks(stock, true)
    const rounds: Round[] = []
    for (let round = 0; round <= kills; round++) rounds.push(await prepare(stock, round))
    // one process at a time has an embedded stock
    if (engine === 'embedded') await stock.close()
    const counts = async ({ sent }: Round) => {
      const store = engine === 'embedded' ? await openStore(stock.options) : stock
      const found = await Promise.all(sent.map(({ counted }) => counted(store)))
      if (engine === 'embedded') await store.close()
      return found
    }
    let { child, origin } = await startConsole(stock.options)
    const begun = performance.now()
    const [first, ...others] = rounds as [Round, ...Round[]]
    for (const answer of await sendAll(origin, first))
      expect(answer).toMatchObject({ status: 'fulfilled', value: expect.stringMatching(/ [23]\d\d $/) })
    const tookMs = performance.now() - begun
    let [whole, none] = [0, 0]
    for (const round of others) {
      await Promise.all([
        sendAll(origin, round),
        // early moments are more frequent: one form takes only a part of the time of all
        sleep(Math.random() ** 2 * tookMs).then(() => {
          child.kill('SIGKILL')
          return once(child, 'exit')
        }),
      ])
      for (const [index, count] of (await counts(round)).entries()) {
        expect([round.sent[index]!.path, count[0]]).toEqual([round.sent[index]!.path, count[1]])
        expect(count[0]).toBeLessThanOrEqual(1)
        if (count[0] === 1) whole++
        else none++
      }
      ;({ child, origin } = await startConsole(stock.options))
      await sendAll(origin, round)
    }
    child.kill('SIGKILL')
    await once(child, 'exit')
    console.log(`console: ${kills} kills (${engine}), ${whole} changes whole, ${none} not made`)
    for (const round of rounds)
      expect((await counts(round)).map((count, index) => [round.sent[index]!.path, ...count])).toEqual(
        round.sent.map(({ path }) => [path, 1, 1]),
      )
  })
})
