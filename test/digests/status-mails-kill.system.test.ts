// Whoever announces incidents and maintenance is killed at any moment, and whoever sends the mails crashes: each event
// of the audit log reaches each subscriber once, except that the API is closed where it is open again.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { writeAccountMail } from '../../src/console/mails/write-mails.ts'
import { openMailServer } from '../../src/digests/mail-server.ts'
import { sendMails } from '../../src/digests/send-mails.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { inTransaction } from '../../src/store/database/database.ts'
import { createOrganization } from '../../src/store/people/organizations.ts'
import { addMember, createPerson } from '../../src/store/people/people.ts'
import { setStatusMails } from '../../src/store/people/status-mails.ts'
import { proofCount } from '../proof/proof-count.ts'
import { randomOf } from '../testing/generate/random.ts'
import { seed } from '../testing/seed.ts'
import { engines, openTestStore } from '../world.ts'
import { headerOf, parseMails, startMailReceiver } from './mail-receiver.ts'

const kills = proofCount({ share: 3, full: 60 })
const program = fileURLToPath(new URL('announcer.ts', import.meta.url))
const subscribers = ['anna@example.org', 'bert@example.org']
const later = Date.UTC(2030, 0, 1)

test.skipIf(!engines.includes('server'))(
  'each event is in exactly one mail to each subscriber, whatever is killed',
  async () => {
    console.log(`seed ${seed}`)
    const random = randomOf(seed)
    await using store = await openTestStore('server')
    await using receiver = await startMailReceiver()
    const circumstances = { now: 0, random: systemRandom }
    const { organization } = await createOrganization(store.db, { name: 'Acme' }, circumstances)
    for (const mail of subscribers)
      await inTransaction(store, async (trx) => {
        const person = { personId: systemRandom.uuid(), mail, name: '', isOperator: false }
        const { personId } = await createPerson(trx, person, 0)
        await addMember(trx, { organizationId: organization.organizationId, personId, role: 'owner' }, 0)
        await setStatusMails(trx, personId, true)
      })
    for (let killed = 0; killed < kills; killed++) {
      const start = Date.UTC(2026, 10, 23) + killed * 1e9
      const { dataFolder, databaseUrl = '' } = store.options
      const child = spawn(process.execPath, [program, dataFolder, databaseUrl, `${start}`], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(child.stdout, 'data')
      await delay(random.integer(0, 300))
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
    }
    // one answer in five is lost, after which a process gives up
    receiver.judge.content = () => (random.chance(0.2) ? 'hang up' : undefined)
    const server = openMailServer(receiver.settings)
    const context = {
      store,
      clock: () => later,
      random: systemRandom,
      origin: 'https://x.example',
      brand: { name: 'X' },
    }
    const send = (clock: () => number) =>
      sendMails(
        {
          store,
          clock,
          random: () => 0.5,
          server,
          leaving: {
            all: () => '',
            oneSearch: () => '',
            status: (id) => `https://x.example/unsubscribe/status?token=${id}`,
          },
          accepted: new Map(),
          endRecipient: async () => {},
          renderDigest: () => ({ subject: '', text: '', html: '' }),
          renderAccountMail: (mail, leaving) => writeAccountMail(context, mail, leaving),
        },
        new AbortController().signal,
      )
    const dueNow = async () =>
      (await sql<{ count: number }>`select count(*)::integer as count from mail where state = 'due'`.execute(store.db))
        .rows[0]!.count
    for (let day = 0; (await dueNow()) > 0; day++) {
      expect(day).toBeLessThan(400)
      if (day === 20) receiver.judge.content = () => undefined
      await send(() => later + day * 86_400_000).catch(() => {})
    }
    server.close()
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from audit_entry where action like 'incident.%' or action = 'maintenance.off'
    `.execute(store.db)
    const events = rows[0]!.count
    expect(events).toBeGreaterThan(0)
    const ids = new Map<string, Set<string>>()
    for (const [index, mail] of parseMails(receiver.received).entries()) {
      const to = receiver.received[index]!.to.join()
      ids.set(to, (ids.get(to) ?? new Set()).add(headerOf(mail, 'Message-ID')!))
      expect(headerOf(mail, 'List-Unsubscribe')).toContain('https://x.example/unsubscribe/status?token=')
      expect(headerOf(mail, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click')
    }
    console.log(`${kills} kills, ${events} events, ${receiver.received.length} mails arrived`)
    expect([...ids.keys()].sort()).toEqual(subscribers)
    for (const each of ids.values()) expect(each.size).toBe(events)
  },
  30 * 60_000,
)
