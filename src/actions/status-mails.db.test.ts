// Which mails incidents and maintenance queue: each event once for each Owner who asked, whatever else happens.
import { expect, test } from 'vitest'
import { engines, openTestStore } from '../../test/world.ts'
import { writeAccountMail } from '../console/mails/write-mails.ts'
import type { RenderedMail } from '../digests/send-mails.ts'
import { dayMs, hourMs } from '../domain/time.ts'
import { systemRandom } from '../platform/random.ts'
import { type Executor, inTransaction } from '../store/database/database.ts'
import { createOrganization } from '../store/people/organizations.ts'
import { addMember, changeMember, changePerson, createPerson } from '../store/people/people.ts'
import { setStatusMails } from '../store/people/status-mails.ts'
import { listMaintenances } from '../store/screens/maintenances.ts'
import { addIncident, editIncident, endIncident, incidentVersion } from './incidents.ts'
import { closeApi, openApi } from './maintenance.ts'

const start = Date.UTC(2026, 10, 23, 8)
const by = { actor: 'op@example.org', addressPrefix: '', random: systemRandom, mailDomain: 'example.org' }

async function openWorld(engine: (typeof engines)[number]) {
  const store = await openTestStore(engine)
  const organizations: string[] = []
  for (const name of ['Acme', 'Bell']) {
    const { organization } = await createOrganization(store.db, { name }, { now: start, random: systemRandom })
    organizations.push(organization.organizationId)
  }
  const [acme, bell] = organizations as [string, string]
  const run = <T>(work: (trx: Executor) => Promise<T>) => inTransaction(store, work)
  const person = async (name: string, roles: readonly [string, 'owner' | 'member'][], language?: 'de') => {
    const mail = `${name}@example.org`
    const { personId } = await run((trx) =>
      createPerson(trx, { personId: systemRandom.uuid(), mail, name: '', isOperator: false }, start),
    )
    for (const [organizationId, role] of roles)
      await run((trx) => addMember(trx, { organizationId, personId, role }, start))
    if (language) await run((trx) => changePerson(trx, personId, { name: '', language }))
    await run((trx) => setStatusMails(trx, personId, true))
    return personId
  }
  const anna = await person('anna', [
    [acme, 'owner'],
    [bell, 'owner'],
  ])
  const bert = await person('bert', [[bell, 'owner']], 'de')
  await person('cleo', [[acme, 'member']])
  const dora = await person('dora', [[acme, 'owner']])
  await run((trx) => setStatusMails(trx, dora, false))
  const queued = () => store.db.selectFrom('mail').selectAll().orderBy('created_at').orderBy('person').execute()
  return {
    store,
    run,
    acme,
    bell,
    anna,
    bert,
    /** Kind of event and person of all mails that wait, and empties the box. */
    taken: async () => {
      const mails = await queued()
      await store.db.deleteFrom('mail').execute()
      return mails.map(({ person: to, content }) => {
        const { data, language } = JSON.parse(content)
        return `${to!.split('@')[0]} ${language} ${data.about} ${data.event}`
      })
    },
    /** What leaves, as it is when it leaves. */
    written: async (leave?: string) => {
      const context = {
        store,
        clock: () => start,
        random: systemRandom,
        origin: 'https://x.example',
        brand: { name: 'X' },
      }
      const leaving = { all: () => '', oneSearch: () => '', status: () => leave! }
      const mails: RenderedMail[] = []
      for (const mail of await queued()) {
        const taken = { content: mail.content, person: mail.person! } as Parameters<typeof writeAccountMail>[1]
        const rendered = await writeAccountMail(context, taken, leave === undefined ? undefined : leaving)
        if (rendered) mails.push(rendered)
      }
      return mails
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

const input = { title: 'Late', detail: 'TED answers slowly.\n\nWe wait.', startedAt: start }
const bothHear = (what: string) => [`anna en ${what}`, `bert de ${what}`]

test.each(engines)('each event of an incident is mailed once to each Owner who asked (%s)', async (engine) => {
  await using world = await openWorld(engine)
  const { run, taken } = world
  const at = (ms: number) => ({ ...by, now: start + ms })
  const undone = run(async (trx) => {
    await addIncident(trx, at(0), input)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(await taken()).toEqual([])
  const incidentId = await run((trx) => addIncident(trx, at(0), input))
  expect(await taken()).toEqual(bothHear('incident began'))
  const edit = (detail: string) => (trx: Executor) =>
    editIncident(trx, at(hourMs), { incidentId, seen: incidentVersion(input), input: { ...input, detail } })
  // of several at once one changes it, and the others are refused
  await Promise.all([1, 2, 3].map((count) => run(edit(`News ${count}`))))
  expect(await taken()).toEqual(bothHear('incident changed'))
  expect((await run(edit('late'))).kind).toBe('stale')
  await Promise.all([1, 2, 3].map((ms) => run((trx) => endIncident(trx, at(dayMs + ms), incidentId))))
  expect(await taken()).toEqual(bothHear('incident ended'))
})

test.each(engines)('maintenance is mailed when it begins, moves and ends (%s)', async (engine) => {
  await using world = await openWorld(engine)
  const { run, taken, store } = world
  const at = (ms: number) => ({ ...by, now: start + ms })
  const close = (until: number, ms: number) => run((trx) => closeApi(trx, at(ms), start + until))
  await Promise.all([1, 2, 3].map((ms) => close(hourMs, ms)))
  expect(await taken()).toEqual(bothHear('maintenance began'))
  await Promise.all([4, 5].map((ms) => close(2 * hourMs, ms)))
  expect(await taken()).toEqual(bothHear('maintenance changed'))
  await Promise.all([1, 2].map((ms) => run((trx) => openApi(trx, at(hourMs + ms)))))
  expect(await taken()).toEqual(bothHear('maintenance ended'))
  // one that ends at its time needs no word
  await close(3 * hourMs, 2 * hourMs)
  expect(await run((trx) => openApi(trx, at(4 * hourMs)))).toBe(false)
  expect(await taken()).toEqual(bothHear('maintenance began'))
  const [second, first, ...more] = await listMaintenances(store.db, start - 1, 9)
  expect(more).toEqual([])
  expect(second).toMatchObject({ startedAt: start + 2 * hourMs, until: start + 3 * hourMs })
  expect(first!.until).toBeLessThanOrEqual(start + hourMs + 2)
  expect(first!.startedAt).toBeLessThan(start + 4)
})

test('a mail that waits leaves in the words of its event, and not to who left or is no Owner any more', async () => {
  await using world = await openWorld('embedded')
  const { run, written, anna, bert, bell } = world
  await run((trx) => addIncident(trx, { ...by, now: start }, input))
  const [english, german] = await written('https://x.example/unsubscribe/status?token=t')
  expect(english).toMatchObject({
    subject: 'Incident: Late',
    unsubscribeUrl: 'https://x.example/unsubscribe/status?token=t',
  })
  expect(english!.text).toMatch(
    /^Incident: Late\n\nSince 23 Nov 2026, 08:00 UTC\n\nTED answers slowly\.\n\nWe wait\.\n/,
  )
  expect(english!.text).toContain('End these mails: https://x.example/unsubscribe/status?token=t')
  expect(german!.subject).toBe('Störung: Late')
  expect(german!.html).toContain('lang="de"')
  // without an address of the API, the page of the console ends them
  const [plain] = await written()
  expect(plain!.unsubscribeUrl).toBeUndefined()
  expect(plain!.text).toContain('End these mails: https://x.example/me/status-mails')
  await run((trx) => setStatusMails(trx, anna, false))
  expect(await written()).toHaveLength(1)
  await run((trx) => changeMember(trx, { organizationId: bell, personId: bert }, 'member'))
  expect(await written()).toEqual([])
})
