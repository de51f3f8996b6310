// Mails and a real SMTP receiver that is away, slow, refuses, or hangs up: each letter is delayed, none is lost, and
// none is sent twice where the outcome can be known.
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { serviceActor } from '../../src/actions/acting.ts'
import { startDigest } from '../../src/actions/digests.ts'
import { type MailServer, openMailServer } from '../../src/digests/mail-server.ts'
import { dayMs, hourMs, minuteMs } from '../../src/domain/time.ts'
import { inTransaction } from '../../src/store/database/database.ts'
import { listDigests } from '../../src/store/hits/digests.ts'
import { listAuditEntries } from '../../src/store/people/audit.ts'
import { countMails } from '../../src/store/people/mails.ts'
import { type Engine, engines, openTestStore } from '../world.ts'
import { openDigestWorld } from './digest-world.ts'
import { headerOf, type MailReceiver, parseMails, startMailReceiver } from './mail-receiver.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function opened(engine: Engine) {
  const store = await openTestStore(engine)
  closers.push(() => store[Symbol.asyncDispose]())
  const receiver = await startMailReceiver()
  closers.push(() => receiver[Symbol.asyncDispose]())
  const server = openMailServer(receiver.settings)
  closers.push(server.close)
  const world = await openDigestWorld(store)
  const edition = async (title: string) => {
    await world.addHit({ title })
    await world.endEdition()
  }
  return { store, receiver, server, world, edition }
}

/** The titles of the hits that each person received, a list for each mail. */
function titlesOf({ received }: Pick<MailReceiver, 'received'>): { readonly [person: string]: string[][] } {
  const titles: { [person: string]: string[][] } = {}
  for (const [index, { parts }] of parseMails(received).entries()) {
    const listed = [...parts['text/plain']!.matchAll(/^hit-\d+$/gm)].map(([title]) => title)
    const person = received[index]!.to.join()
    titles[person] = [...(titles[person] ?? []), listed]
  }
  return titles
}

describe.each(engines)('letters (%s)', (engine) => {
  test('survive a mail server that is away for twelve days: one waits for each person, and the next has the rest', async () => {
    const { store, receiver, server, world, edition } = await opened(engine)
    const people = ['anna@example.org', 'ben@example.org'] as const
    await world.subscribe(people[0], { rhythm: 'daily', hour: 7, zone: 'Europe/Berlin' })
    await world.subscribe(people[1], { rhythm: 'at-once' })
    await receiver[Symbol.asyncDispose]()
    const hits = Array.from({ length: 12 }, (_, day) => `hit-${day}`)
    for (const hit of hits) {
      await edition(hit)
      for (let quarters = 0; quarters < 4; quarters++) {
        world.advance(6 * hourMs)
        await world.make()
        await world.send(server).catch(() => {})
      }
    }
    const counts = await countMails(store.db)
    expect(counts).toMatchObject({ due: 2, givenUp: 0, lastError: expect.stringContaining('ECONNREFUSED') })
    expect(world.now() - counts.failingSince!).toBeGreaterThan(11 * dayMs)
    const back = await startMailReceiver({}, receiver.settings.port)
    closers.push(() => back[Symbol.asyncDispose]())
    for (let hours = 0; hours < 26; hours++) {
      world.advance(1.2 * hourMs)
      await world.send(server)
      await world.make()
    }
    await world.send(server)
    const titles = titlesOf(back)
    for (const person of people) {
      expect(titles[person]).toHaveLength(2)
      expect(titles[person]!.flat().sort()).toEqual([...hits].sort())
    }
    expect(await countMails(store.db)).toMatchObject({ due: 0, givenUp: 0, failingSince: null, lastError: null })
  })

  test('come once from a server that greylists, and from one that refuses everybody at the connection', async () => {
    const { receiver, server, world, edition } = await opened(engine)
    await world.subscribe('anna@example.org', { rhythm: 'at-once' })
    await edition('hit-1')
    await world.make()
    receiver.judge.connection = () => ({ code: 554, text: 'No service for you' })
    await expect(world.send(server)).rejects.toThrow(/No service|554/)
    receiver.judge.connection = () => undefined
    let asked = 0
    receiver.judge.recipient = () => (++asked < 3 ? { code: 451, text: '4.7.1 Greylisted, try again' } : undefined)
    for (let minutes = 0; minutes < 60; minutes += 5) {
      world.advance(5.5 * minuteMs)
      await world.send(server)
    }
    expect(asked).toBe(3)
    expect(titlesOf(receiver)).toEqual({ 'anna@example.org': [['hit-1']] })
  })

  test('come once from a server that hangs up in the middle of the content', async () => {
    const { receiver, server, world, edition } = await opened(engine)
    await world.subscribe('anna@example.org', { rhythm: 'at-once' })
    await edition('hit-1')
    await world.make()
    let cuts = 0
    receiver.judge.cut = () => ++cuts <= 2
    for (const minutes of [2, 6]) {
      await expect(world.send(server)).rejects.toThrow(/closed|ended|reset|EPIPE/i)
      world.advance(minutes * minuteMs)
    }
    await world.send(server)
    expect(cuts).toBe(3)
    expect(titlesOf(receiver)).toEqual({ 'anna@example.org': [['hit-1']] })
  })

  test('that are never answered are given up where others are accepted, and not where nothing is', async () => {
    const { store, server, world, edition } = await opened(engine)
    await world.subscribe('anna@example.org', { rhythm: 'at-once' })
    await world.subscribe('ben@example.org', { rhythm: 'at-once' })
    let [attempts, failures] = [0, 0]
    const unanswered = { kind: 'unreachable', error: 'no answer' } as const
    const silentFor = (person: string): Pick<MailServer, 'send'> => ({
      send: async (mail, signal) => {
        if (!mail.to.includes(person)) return server.send(mail, signal)
        attempts++
        return unanswered
      },
    })
    const day = async (to: Pick<MailServer, 'send'>, name: number) => {
      for (let half = 0; half < 48; half++) {
        await edition(`hit-${100 * name + half}`)
        await world.make()
        for (let look = 0; look < 2; look++) await world.send(to).catch(() => failures++)
        world.advance(hourMs / 2)
      }
    }
    await day(silentFor(''), 1)
    expect(await countMails(store.db)).toMatchObject({ due: 2, givenUp: 0 })
    expect(failures).toBeGreaterThan(20)
    ;[attempts, failures] = [0, 0]
    for (let name = 2; name < 9; name++) await day(silentFor('anna@'), name)
    expect(attempts).toBeLessThan(30)
    // the server works: only before it accepted anything was this not known
    expect(failures).toBeLessThan(3)
    expect((await countMails(store.db)).givenUp).toBe(1)
  })

  test('that were accepted are not sent again, though the database failed or the time was up', async () => {
    const { store, receiver, server, world, edition } = await opened(engine)
    await world.subscribe('anna@example.org', { rhythm: 'at-once' })
    await edition('hit-1')
    await world.make()
    const rename = (from: string, to: string) =>
      sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(store.db)
    const failing: Pick<MailServer, 'send'> = {
      send: async (mail, signal) => {
        const attempt = await server.send(mail, signal)
        await rename('mail', 'mail_away')
        return attempt
      },
    }
    await expect(world.send(failing)).rejects.toThrow(/mail/)
    await rename('mail_away', 'mail')
    // at once: another process may send it when the lease has ended
    await world.send(server)
    expect(await countMails(store.db)).toMatchObject({ due: 0 })
    world.advance(hourMs)
    await edition('hit-2')
    await world.make()
    await world.send({
      send: (mail, signal) => {
        world.advance(hourMs)
        return server.send(mail, signal)
      },
    })
    await sql`update mail set taken_until = 0`.execute(store.db)
    await world.send(server)
    expect(titlesOf(receiver)).toEqual({ 'anna@example.org': [['hit-1'], ['hit-2']] })
    // the time of the first was up
    await edition('hit-3')
    await world.make()
    await world.send({
      send: async (mail, signal) => {
        const attempt = await server.send(mail, signal)
        await sql`update mail set taken_until = taken_until - 1`.execute(store.db)
        return attempt
      },
    })
    world.advance(hourMs)
    await world.send(server)
    expect(titlesOf(receiver)['anna@example.org']).toHaveLength(3)
  })
})

describe.each(engines)('a recipient whom the server does not know (%s)', (engine) => {
  const unknown = (name: string) => (address: string) =>
    address.startsWith(name) ? { code: 550, text: '5.1.1 No such user' } : undefined

  test('gets no more letters after the third refusal; Owners hear of it; started again, nothing is missing', async () => {
    const { store, receiver, server, world, edition } = await opened(engine)
    await sql`
      insert into person (person_id, mail, name, created_at) values ('owner', 'owner@example.org', 'Olga', 0)`.execute(
      store.db,
    )
    await sql`
      insert into membership (organization_id, person_id, role, created_at)
      values (${world.organizationId}, 'owner', 'owner', 0)`.execute(store.db)
    const id = await world.subscribe('gone@example.org', { hour: 7 })
    await world.subscribe('well@example.org', { hour: 7 })
    receiver.judge.recipient = unknown('gone')
    const givenUp: string[] = []
    const told: string[] = []
    const days = async (from: number, to: number) => {
      for (let day = from; day <= to; day++) {
        await edition(`hit-${day}`)
        for (let hours = 0; hours < 24; hours += 3) {
          world.advance(3 * hourMs)
          await world.make()
          await world.send(server, {
            onGivenUp: ({ person, error }) => givenUp.push(`${person} ${error}`),
            renderAccountMail: async ({ person, content }) => {
              told.push(`${person} ${content}`)
              return { subject: 'x', text: 'x', html: 'x' }
            },
          })
        }
      }
    }
    await days(1, 6)
    expect(givenUp).toEqual([expect.stringMatching(/^gone@example\.org .*5\.1\.1 No such user/)])
    expect(told).toEqual([expect.stringMatching(/^owner@example\.org .*"kind":"lettersEnded".*gone@example\.org/)])
    expect(titlesOf(receiver)['well@example.org']).toHaveLength(6)
    const { organizationId } = world
    const entries = await listAuditEntries(store.db, { organizationId, limit: 9 })
    expect(entries.map(({ action, subject, actor }) => [action, subject, actor])).toEqual([
      ['digest.end', 'gone@example.org', 'service'],
      ['digest.create', 'well@example.org', 'operator'],
      ['digest.create', 'gone@example.org', 'operator'],
    ])
    const listed = await listDigests(store.db)
    expect(listed.map(({ person, endedAt }) => [person, endedAt === null])).toEqual([
      ['gone@example.org', false],
      ['well@example.org', true],
    ])
    receiver.judge.recipient = () => undefined
    const start = () =>
      inTransaction(store, (trx) => startDigest(trx, { ...serviceActor, now: world.now() }, id.toLowerCase()))
    expect([await start(), await start()]).toEqual([{ kind: 'started' }, { kind: 'unchanged' }])
    await days(7, 7)
    const titles = titlesOf(receiver)['gone@example.org']!
    expect(titles.flat().sort()).toEqual([1, 2, 3, 4, 5, 6, 7].map((day) => `hit-${day}`))
    expect(headerOf(parseMails(receiver.received).at(-1)!, 'Subject')).toContain('new tender')
  })

  test('is not ended by a server that refuses everybody, and greylisting in between changes nothing', async () => {
    const { store, receiver, server, world, edition } = await opened(engine)
    for (const name of ['anna', 'ben']) await world.subscribe(`${name}@example.org`, { rhythm: 'at-once' })
    await edition('hit-1')
    await world.make()
    receiver.judge.recipient = () => ({ code: 550, text: '5.1.1 No such user' })
    for (let hours = 0; hours < 4 * 24; hours += 2) {
      await world.send(server)
      world.advance(2 * hourMs)
    }
    expect((await listDigests(store.db)).map(({ endedAt }) => endedAt)).toEqual([null, null])
    receiver.judge.recipient = () => undefined
    world.advance(dayMs * 1.2)
    await world.send(server)
    expect(titlesOf(receiver)).toEqual({ 'anna@example.org': [['hit-1']], 'ben@example.org': [['hit-1']] })
  })
})

describe('a slow server', () => {
  const mail = { to: 'anna@example.org', subject: 'x', text: 'x', html: '<p>x', at: 0 }

  test('gets a mail once: it greets after 30 seconds, and answers 20 seconds after the content', async () => {
    await using receiver = await startMailReceiver()
    receiver.judge.connection = async () => void (await delay(30_500))
    await using other = await startMailReceiver()
    other.judge.content = async () => void (await delay(20_000))
    const sent = [receiver, other].map(async ({ settings }) => {
      const server = openMailServer(settings)
      const attempt = await server.send({ ...mail, messageId: '<x@example.org>' }, new AbortController().signal)
      server.close()
      return attempt
    })
    expect(await Promise.all(sent)).toEqual([{ kind: 'accepted' }, { kind: 'accepted' }])
    expect([receiver.received.length, other.received.length]).toEqual([1, 1])
  }, 120_000)
})
