// Processes that make and send digests are killed, duplicated and restored from a backup, while people change their
// zones and rhythms: each hit is in exactly one digest of each person.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { dayAt } from '../../src/digests/digest-schedule.ts'
import { openMailServer } from '../../src/digests/mail-server.ts'
import { dayMs, hourMs, minuteMs, offsetMsAt } from '../../src/domain/time.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { editDigestNow } from '../../src/service/operations/digest-operations.ts'
import { openStore, type Store } from '../../src/store/database/database.ts'
import { listDigests } from '../../src/store/hits/digests.ts'
import { proofCount } from '../proof/proof-count.ts'
import { randomOf } from '../testing/generate/random.ts'
import { seed } from '../testing/seed.ts'
import { type Engine, engines, openTestStore } from '../world.ts'
import { endMails, openDigestWorld } from './digest-world.ts'
import { headerOf, parseMails, type ReceivedMail, startMailReceiver } from './mail-receiver.ts'

const kills = proofCount({ share: 4, full: 200 })
const rounds = proofCount({ share: 20, full: 3000 })
const program = fileURLToPath(new URL('digester.ts', import.meta.url))
const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Pacific/Auckland',
  'Pacific/Honolulu',
  'Australia/Lord_Howe',
  'America/Nuuk',
]

/** The titles that each mail of each person lists; a mail that arrived several times is one, and the same each time. */
function titlesOf(received: readonly ReceivedMail[]): Map<string, string[][]> {
  const mails = new Map<string, { readonly to: string; readonly text: string }>()
  for (const [index, parsed] of parseMails(received).entries()) {
    const id = headerOf(parsed, 'Message-ID')!
    const mail = { to: received[index]!.to.join(), text: parsed.parts['text/plain']! }
    expect(mails.get(id) ?? mail).toEqual(mail)
    mails.set(id, mail)
  }
  const titles = new Map<string, string[][]>()
  for (const { to, text } of mails.values()) {
    const listed = [...text.matchAll(/^hit-\d+$/gm)].map(([title]) => title)
    const [, count, more] = /^(\d+) new[\s\S]*?(?:And (\d+) more|$)/.exec(text)!
    expect([Number(count), more]).toEqual([listed.length, undefined])
    titles.set(to, [...(titles.get(to) ?? []), listed])
  }
  return titles
}

async function openCrowd(engine: Engine) {
  const random = randomOf(seed)
  const made = await openTestStore(engine)
  const receiver = await startMailReceiver()
  let store: Store = made
  const world = await openDigestWorld(store, Date.parse('2026-03-06T00:20:00Z'))
  /** The hits that each person must receive. */
  const owed = new Map<string, string[]>()
  let hits = 0
  const persons = ['anna', 'ben', 'carla', 'dora'].map((name) => `${name}@example.org`)
  const pick = <T>(list: readonly T[]): T => list[random.integer(0, list.length - 1)]!
  const timing = () => ({
    rhythm: pick(['daily', 'daily', 'weekly', 'at-once']),
    hour: random.integer(0, 23),
    zone: pick(zones),
  })
  const join = async (person: string) => {
    await world.subscribe(person, timing())
    owed.set(person, [])
  }
  const edition = async () => {
    // few enough for one mail to list those of a week
    for (let count = random.integer(0, 1); count > 0; count--) {
      const title = `hit-${++hits}`
      await world.addHit({ title, fitScore: random.integer(1, 100) })
      for (const list of owed.values()) list.push(title)
    }
    await world.endEdition()
  }
  const change = async () => {
    const digest = pick(await listDigests(store.db))
    const request = { command: '', operands: [digest.digestId], options: timing() }
    // it may say that nothing changes
    await editDigestNow({ store, clock: world.clock, random: systemRandom, config: {} }, request, () => {}).catch(
      () => {},
    )
  }
  for (const person of persons.slice(0, 3)) await join(person)
  return {
    made,
    random,
    receiver,
    world,
    owed,
    persons,
    pick,
    join,
    edition,
    change,
    store: () => store,
    reopen: (again: Store) => {
      store = again
      world.reopened(again)
    },
    /** Advances the time by more than a week, so that every digest has come. */
    check: async () => {
      const server = openMailServer(receiver.settings)
      receiver.judge = Object.assign(receiver.judge, { content: undefined, recipient: undefined })
      for (let steps = 0; steps < 17 * 4; steps++) {
        world.advance(6 * hourMs)
        await world.make()
        await world.send(server)
      }
      server.close()
      const titles = titlesOf(receiver.received)
      const sorted = (list: readonly string[]) => [...list].sort()
      for (const [person, list] of owed) expect(sorted((titles.get(person) ?? []).flat()), person).toEqual(sorted(list))
      return [...titles.values()].flat().length
    },
    [Symbol.asyncDispose]: async () => {
      await receiver[Symbol.asyncDispose]()
      await made[Symbol.asyncDispose]()
    },
  }
}

describe.each(engines)('each hit is in exactly one digest of a person (%s)', (engine) => {
  test(
    'when processes are killed between any two steps',
    async () => {
      console.log(`seed ${seed}`)
      await using crowd = await openCrowd(engine)
      const { made, random, receiver, world, edition, change } = crowd
      let killed = 0
      while (killed < kills) {
        await edition()
        if (random.chance(0.3)) await change()
        world.advance(random.integer(1, 30) * hourMs + random.integer(0, 59) * minuteMs)
        // the folder of an embedded stock belongs to one process at a time
        if (engine === 'embedded') await crowd.store().close()
        const child = spawn(
          process.execPath,
          [
            program,
            made.options.dataFolder,
            made.options.databaseUrl ?? '',
            `${receiver.settings.port}`,
            `${world.now()}`,
            `${random.integer(1, 12)}`,
            `${random.chance(0.5) ? 0 : random.integer(1, 15)}`,
          ],
          { stdio: ['ignore', 'pipe', 'inherit'] },
        )
        let said = ''
        child.stdout.on('data', (bytes) => (said += String(bytes)))
        await once(child, 'close')
        if (said === '') killed++
        if (engine === 'embedded') crowd.reopen(await openStore(made.options))
      }
      const mails = await crowd.check()
      console.log(`${engine}: ${killed} kills, ${mails} mails, ${receiver.received.length - mails} sent again`)
      await crowd.store().close()
    },
    60 * 60_000,
  )

  test(
    'when several processes work, crash and restart from a backup, and people change their time zone',
    async () => {
      console.log(`seed ${seed}`)
      await using crowd = await openCrowd(engine)
      const { random, receiver, world, owed, persons, pick, join, edition, change } = crowd
      const { db } = crowd.store()
      const server = openMailServer(receiver.settings)
      const tables = ['hit_mark', 'hit', 'digest', 'mail'] as const
      let backup:
        | { readonly texts: string[]; readonly owed: Map<string, string[]>; readonly received: number }
        | undefined
      receiver.judge.content = () => (random.chance(0.1) ? { code: 451, text: 'Later' } : undefined)
      for (let round = 0; round < rounds; round++) {
        await edition()
        world.advance(random.integer(0, 9) * hourMs + random.integer(0, 59) * minuteMs)
        const crashAt = random.integer(1, 20)
        let steps = 0
        const crash = () => {
          if (++steps === crashAt) throw new Error('a crash')
        }
        const attempts = Array.from({ length: random.integer(1, 3) }, () => world.make(crash).catch(() => {}))
        await Promise.all(attempts)
        await Promise.all(attempts.map(() => world.send(server).catch(() => {})))
        switch (random.integer(0, 9)) {
          case 0:
          case 1:
            await change()
            break
          case 2: {
            const newcomer = persons.find((person) => !owed.has(person))
            if (newcomer) await join(newcomer)
            break
          }
          case 3: {
            const leaver = pick([...owed.keys()])
            if (owed.size < 4) break
            const digest = (await listDigests(db)).find(({ person }) => person === leaver)!
            await sql`delete from digest where digest_id = ${digest.digestId}`.execute(db)
            owed.delete(leaver)
            // the mails of a person who left stay: another one arrives
            persons.splice(persons.indexOf(leaver), 1, `${systemRandom.uuid()}@example.org`)
            break
          }
          case 4: {
            const texts = []
            for (const table of tables)
              texts.push(
                (
                  await sql<{
                    rows: string
                  }>`select coalesce(json_agg(t), '[]')::text as rows from ${sql.table(table)} t`.execute(db)
                ).rows[0]!.rows,
              )
            backup = { texts, owed: structuredClone(owed), received: receiver.received.length }
            break
          }
          case 5: {
            if (!backup || random.chance(0.5)) break
            // what happened since then is undone, also in the mailboxes
            for (const table of [...tables].reverse()) await sql`delete from ${sql.table(table)}`.execute(db)
            for (const [index, table] of tables.entries())
              await sql`
                insert into ${sql.table(table)}
                select * from json_populate_recordset(null::${sql.table(table)}, ${backup.texts[index]!}::json)
              `.execute(db)
            owed.clear()
            for (const [person, list] of structuredClone(backup.owed)) owed.set(person, list)
            receiver.received.length = backup.received
            break
          }
        }
      }
      await crowd.check()
      server.close()
    },
    60 * 60_000,
  )
})

describe.each(engines)('a daily digest (%s)', (engine) => {
  test.each([
    ['spring', '2026-03-04', 36],
    ['autumn', '2026-08-30', 70],
  ])(
    'is sent once on each day of the weeks in which clocks change, at its hour (%s)',
    async (_season, from, days) => {
      await using store = await openTestStore(engine)
      const world = await openDigestWorld(store, Date.parse(`${from}T00:00:00Z`))
      // hours that the clocks skip in one season and show twice in the other
      const terms = [
        ['America/New_York', 2],
        ['America/New_York', 1],
        ['Europe/Berlin', 2],
        ['Europe/Helsinki', 3],
        ['Atlantic/Azores', 0],
        ['America/Santiago', 0],
        ['America/Santiago', 23],
        ['Australia/Lord_Howe', 2],
        ['America/Nuuk', 23],
        ['Pacific/Honolulu', 2],
      ].map(([zone, hour]) => ({
        rhythm: 'daily' as const,
        weekday: 'monday' as const,
        zone: `${zone}`,
        hour: Number(hour),
      }))
      for (const [index, { zone, hour }] of terms.entries())
        await world.subscribe(`${index}@example.org`, { zone, hour })
      for (let halves = 0; halves < days * 24 * 2; halves++) {
        // one hit before each check, so that no digest is empty
        if (halves % 8 === 0) {
          await world.addHit()
          await world.endEdition()
        }
        world.advance(hourMs / 2)
        // a mail that waits holds up the next one
        if ((await world.make()) > 0) await endMails(store.db)
      }
      const { rows } = await sql<{ person: string; at: number }>`
      select digest.person, m.created_at as at from mail m join digest using (digest_id) order by m.created_at`.execute(
        store.db,
      )
      for (const [index, each] of terms.entries()) {
        const made = rows.filter(({ person }) => person === `${index}@example.org`).map(({ at }) => at)
        expect(made.length).toBeGreaterThanOrEqual(days - 1)
        expect(made.map((at) => dayAt(each, at))).toEqual(made.map((_, day) => dayAt(each, made[0]!) + day))
        for (const at of made) {
          // the clocks show the hour, or have just skipped it; half an hour before they did not show it yet
          const [now, before] = [at, at - hourMs / 2].map((moment) => moment + offsetMsAt(each.zone, moment))
          const due = dayAt(each, at) * dayMs + each.hour * hourMs
          expect([now! >= due, before! < due], `${each.zone} ${new Date(at).toISOString()}`).toEqual([true, true])
        }
      }
    },
    10 * 60_000,
  )
})
