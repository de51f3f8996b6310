// A service that stops after a mail server accepted mails, while the database is away: what was accepted is stored
// before the end if the database comes back, and the end does not wait for it any longer.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { systemRandom } from '../../src/platform/random.ts'
import { startMails } from '../../src/service/hits/mail-digests.ts'
import { engines, openTestStore, type TestStore } from '../world.ts'
import { openDigestWorld } from './digest-world.ts'
import { startMailReceiver } from './mail-receiver.ts'

const rename = (from: string, to: string, { db }: TestStore) =>
  sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(db)

/** The server has accepted a mail, and the table of mails went away before that was stored. */
async function openStopped(store: TestStore) {
  const receiver = await startMailReceiver()
  const dataFolder = await mkdtemp(join(tmpdir(), 'tenderstock-mails-'))
  const world = await openDigestWorld(store)
  await world.subscribe('anna@example.org', { rhythm: 'at-once' })
  await world.addHit({ title: 'hit-1' })
  await world.endEdition()
  receiver.judge.content = async () => void (await rename('mail', 'mail_away', store))
  const concerns: (string | undefined)[] = []
  const warned = vi.fn()
  const mails = startMails({
    store,
    dataFolder,
    clock: world.clock,
    random: systemRandom,
    config: {},
    mail: receiver.settings,
    log: { error: () => {}, warn: warned } as never,
    report: (concern) => concerns.push(concern),
    renderAccountMail: async () => undefined,
    renderDigest: () => ({ subject: 'x', text: 'x', html: 'x' }),
    onGivenUp: () => {},
  })
  await vi.waitUntil(() => concerns.length > 0, { timeout: 20_000, interval: 5 })
  expect(receiver.received).toHaveLength(1)
  return {
    mails,
    warned,
    [Symbol.asyncDispose]: async () => {
      await receiver[Symbol.asyncDispose]()
      await rm(dataFolder, { recursive: true })
    },
  }
}

const stateOf = async ({ db }: TestStore) => (await sql<{ state: string }>`select state from mail`.execute(db)).rows

test.each(engines)('stores that the mail was accepted (%s)', async (engine) => {
  await using store = await openTestStore(engine)
  await using stopped = await openStopped(store)
  const closing = stopped.mails.close()
  await rename('mail_away', 'mail', store)
  await closing
  expect(await stateOf(store)).toEqual([{ state: 'sent' }])
  expect(stopped.warned).not.toHaveBeenCalled()
})

test.each(engines)('ends without the database, and says what may be sent again (%s)', async (engine) => {
  await using store = await openTestStore(engine)
  await using stopped = await openStopped(store)
  await stopped.mails.close()
  expect(stopped.warned).toHaveBeenCalledWith({ mails: 1 }, expect.stringContaining('sent again'))
  await rename('mail_away', 'mail', store)
  expect(await stateOf(store)).toEqual([{ state: 'due' }])
})
