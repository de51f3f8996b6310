// What the answers of a mail server mean beside what it answered before: who is gone, what is tried again, and what
// waits meanwhile. No network.
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { serviceActor } from '../../src/actions/acting.ts'
import { startDigest } from '../../src/actions/digests.ts'
import { writeAccountMail } from '../../src/console/mails/write-mails.ts'
import type { MailAttempt } from '../../src/digests/mail-schedule.ts'
import type { MailServer } from '../../src/digests/mail-server.ts'
import type { SendOptions } from '../../src/digests/send-mails.ts'
import { dayMs, hourMs, minuteMs } from '../../src/domain/time.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { inTransaction } from '../../src/store/database/database.ts'
import { listDigests } from '../../src/store/hits/digests.ts'
import { saveMaintenance } from '../../src/store/nodes/maintenance.ts'
import { type StatusNews, setStatusMails } from '../../src/store/people/status-mails.ts'
import { type Engine, engines, openTestStore } from '../world.ts'
import { openDigestWorld } from './digest-world.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const accepted: MailAttempt = { kind: 'accepted' }
const noRecipient: MailAttempt = { kind: 'refused', error: '550 5.1.1', about: 'recipient' }
const noContent: MailAttempt = { kind: 'refused', error: '554 5.7.1', about: 'content' }
const notNow: MailAttempt = { kind: 'refused', error: '451 4.7.1', about: 'later' }
const unreachable: MailAttempt = { kind: 'unreachable', error: 'ECONNREFUSED' }

const serverOf = (answer: (person: string) => MailAttempt): Pick<MailServer, 'send'> => ({
  send: async ({ to }) => answer(to),
})

async function opened(engine: Engine) {
  const store = await openTestStore(engine)
  closers.push(() => store[Symbol.asyncDispose]())
  const world = await openDigestWorld(store)
  return {
    store,
    world,
    edition: async (title: string) => {
      await world.addHit({ title })
      await world.endEdition()
    },
    /** The only mail that is due. */
    due: async () => {
      const { rows } = await sql<{ gone: number; refusals: number; attempts: number }>`
        select coalesce(gone, 0) as gone, coalesce(refusals, 0) as refusals, attempts from mail where state = 'due'`.execute(
        store.db,
      )
      expect(rows).toHaveLength(1)
      return rows[0]!
    },
    /** The server accepted a mail to another person at a time. */
    acceptedAt: (at: number) =>
      sql`insert into mail (message_id, person, content, state, due_at, created_at, ended_at)
        values (${`at ${at}`}, 'other@example.org', '{}', 'sent', 0, 0, ${at})`.execute(store.db),
    states: async () => {
      const { rows } = await sql<{ state: string; person: string }>`
        select m.state, g.person from mail m join digest g using (digest_id) order by m.created_at`.execute(store.db)
      return rows.map(({ state, person }) => `${person.split('@')[0]} ${state}`)
    },
  }
}

describe.each(engines)('an answer about a recipient (%s)', (engine) => {
  /** How often Anna was counted as gone, an hour after her mail was made and refused. */
  async function goneAfter(acceptedAgoMs: number | undefined, waitMs = hourMs) {
    const { world, edition, due, acceptedAt } = await opened(engine)
    await world.subscribe('anna@example.org', { rhythm: 'at-once' })
    await edition('hit-1')
    await world.make()
    world.advance(waitMs)
    if (acceptedAgoMs !== undefined) await acceptedAt(world.now() - acceptedAgoMs)
    await world.send(serverOf(() => noRecipient))
    return (await due()).gone
  }

  test('counts if the server accepted another mail since this one was made', async () => {
    expect(await goneAfter(hourMs / 2)).toBe(1)
  })

  test('does not count if it accepted none, or only before this one was made', async () => {
    expect([await goneAfter(undefined), await goneAfter(2 * hourMs)]).toEqual([0, 0])
  })

  test('does not count if it accepted none for a day', async () => {
    expect([await goneAfter(25 * hourMs, 3 * dayMs), await goneAfter(23 * hourMs, 3 * dayMs)]).toEqual([0, 1])
  })
})

describe.each(engines)('no answer (%s)', (engine) => {
  test('is no refusal at the first attempt, and one at the next if the server accepts other mails', async () => {
    const { world, edition, due, acceptedAt } = await opened(engine)
    await world.subscribe('anna@example.org', { rhythm: 'at-once' })
    await edition('hit-1')
    await world.make()
    await acceptedAt(world.now())
    const server = serverOf(() => unreachable)
    await expect(world.send(server)).rejects.toThrow('ECONNREFUSED')
    expect(await due()).toEqual({ gone: 0, refusals: 0, attempts: 1 })
    world.advance(2 * minuteMs)
    await world.send(server)
    expect(await due()).toEqual({ gone: 0, refusals: 1, attempts: 2 })
    world.advance(2 * hourMs)
    await expect(world.send(server)).rejects.toThrow('ECONNREFUSED')
    expect(await due()).toEqual({ gone: 0, refusals: 1, attempts: 3 })
  })
})

describe.each(engines)('a mail with hits that was not accepted yet (%s)', (engine) => {
  const people = Array.from({ length: 12 }, (_, index) => `person-${index}@example.org`)

  /** Titles of the hits of each mail that a person received. */
  function collecting() {
    const titles: { [person: string]: string[][] } = {}
    const server: Pick<MailServer, 'send'> = {
      send: async ({ to, text }) => {
        titles[to] = [...(titles[to] ?? []), [...text.matchAll(/^hit-\d+$/gm)].map(([title]) => title)]
        return accepted
      },
    }
    return { titles, server }
  }

  test('is the only one of its person while the server is away, tried or not, and no hit is lost', async () => {
    const { world, edition, states } = await opened(engine)
    for (const person of people) await world.subscribe(person, { rhythm: 'at-once' })
    for (let hour = 1; hour <= 6; hour++) {
      await edition(`hit-${hour}`)
      await world.make()
      await world.send(serverOf(() => unreachable)).catch(() => {})
      world.advance(hourMs)
    }
    expect(await states()).toHaveLength(people.length)
    const { titles, server } = collecting()
    for (let look = 0; look < 4; look++) {
      await world.make()
      await world.send(server)
      world.advance(1.2 * hourMs)
    }
    expect(Object.keys(titles).sort()).toEqual([...people].sort())
    for (const mails of Object.values(titles))
      expect(mails.map((each) => each.sort())).toEqual([['hit-1'], ['hit-2', 'hit-3', 'hit-4', 'hit-5', 'hit-6']])
  })

  test('holds up the next until it is accepted or given up, and nobody else', async () => {
    const { world, edition, states } = await opened(engine)
    for (const person of people.slice(0, 2)) await world.subscribe(person, { rhythm: 'at-once' })
    const { titles, server } = collecting()
    let isRefusing = true
    for (let hour = 1; hour <= 8 * 24; hour++) {
      if (hour % 24 === 1) await edition(`hit-${Math.ceil(hour / 24)}`)
      await world.make()
      await world.send({
        send: async (mail, signal) => (isRefusing && mail.to === people[0] ? notNow : server.send(mail, signal)),
      })
      const mine = (await states()).filter((each) => each.startsWith('person-0'))
      // once it is given up, the next is accepted
      if (mine[0]!.endsWith('given-up')) isRefusing = false
      else expect(mine).toEqual(['person-0 due'])
      world.advance(hourMs)
    }
    expect(isRefusing).toBe(false)
    expect(titles[people[1]!]).toEqual(Array.from({ length: 8 }, (_, day) => [`hit-${day + 1}`]))
    // the first was given up with its hit
    expect(titles[people[0]!]!.flat().sort()).toEqual([2, 3, 4, 5, 6, 7, 8].map((day) => `hit-${day}`))
  })

  test('stays given up when the mails are started again, if its content was refused', async () => {
    const { store, world, edition, states } = await opened(engine)
    const id = await world.subscribe('anna@example.org', { rhythm: 'at-once' })
    await edition('hit-1')
    await world.make()
    for (let half = 0; half < 48; half++) {
      await world.send(serverOf(() => noContent))
      world.advance(hourMs / 2)
    }
    expect(await states()).toEqual(['anna given-up'])
    await sql`update digest set ended_at = ${world.now()}`.execute(store.db)
    await inTransaction(store, (trx) => startDigest(trx, { ...serviceActor, now: world.now() }, id.toLowerCase()))
    expect((await listDigests(store.db)).map(({ endedAt }) => endedAt)).toEqual([null])
    expect(await states()).toEqual(['anna given-up'])
  })
})

describe.each(engines)('a mail that the API is closed (%s)', (engine) => {
  test('is not sent when it is open again, early or by itself', async () => {
    const { store, world } = await opened(engine)
    const until = world.now() + hourMs
    await sql`insert into person (person_id, mail, name, created_at) values ('p', 'owner@example.org', '', 0)`.execute(
      store.db,
    )
    await sql`insert into membership (organization_id, person_id, role, created_at)
      values (${world.organizationId}, 'p', 'owner', 0)`.execute(store.db)
    await setStatusMails(store.db, 'p', true)
    const write = async (event: StatusNews['event'], at = until) => {
      const data = { about: 'maintenance', event, until: at, personId: 'p', at: 0 }
      const context = { store, clock: world.clock, random: systemRandom, origin: 'https://x', brand: { name: 'X' } }
      const taken = {
        messageId: 'm',
        digestId: null,
        person: 'owner@example.org',
        content: JSON.stringify({ kind: 'statusNews', language: 'en', data }),
        attempts: 0,
        refusals: 0,
        gone: 0,
        createdAt: 0,
        takenUntil: 0,
      }
      return (await writeAccountMail(context, taken))?.subject
    }
    const all = async () => [await write('began'), await write('changed'), await write('ended')]
    const [began, changed, ended] = [
      'The API is closed for maintenance',
      'The maintenance ends at another time',
      'The maintenance is over',
    ]
    await saveMaintenance(store.db, until)
    expect(await all()).toEqual([began, changed, ended])
    await saveMaintenance(store.db, undefined)
    expect(await all()).toEqual([undefined, undefined, ended])
    await saveMaintenance(store.db, until)
    world.advance(hourMs)
    expect(await all()).toEqual([undefined, undefined, ended])
    // it was prolonged: the first end has passed
    await saveMaintenance(store.db, until + hourMs)
    expect([await write('began'), await write('changed', until + hourMs)]).toEqual([undefined, changed])
  })
})

test.each(engines)(
  'a mail that cannot be written is given up in the end, and holds up no other (%s)',
  async (engine) => {
    const { world, edition, states } = await opened(engine)
    for (const person of ['anna@example.org', 'ben@example.org']) await world.subscribe(person, { rhythm: 'at-once' })
    await edition('hit-1')
    await world.make()
    const renderDigest: SendOptions['renderDigest'] = ({ person }) => {
      if (person.startsWith('anna')) throw new TypeError('no title')
      return { subject: 'Hits', text: 'hit-1', html: '<p>hit-1</p>' }
    }
    for (let look = 0; look < 10; look++) {
      await world.send(
        serverOf(() => accepted),
        { renderDigest },
      )
      world.advance(13 * hourMs)
    }
    expect((await states()).sort()).toEqual(['anna given-up', 'ben sent'])
  },
)
