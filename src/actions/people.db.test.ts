import { expect, test } from 'vitest'
import { anna, newOrganization, now, openActingWorld, run, store } from '../../test/acting-world.ts'
import { systemRandom } from '../platform/random.ts'
import { listAuditEntries } from '../store/people/audit.ts'
import { addMember, findPersonByMail, listPeople, setOperator } from '../store/people/people.ts'
import { listSessions, startSession } from '../store/people/sessions.ts'
import { editMember } from './members.ts'
import { addFirstPerson, addPasskey, addSignInLink, removePasskey, usePasskey } from './people.ts'

const hashOf = () => Buffer.from(systemRandom.bytes(32)).toString('hex')

const actions = async () =>
  (await listAuditEntries(store.db, { limit: 20 })).map(({ action, subject }) => `${action} ${subject}`)
const link = async (typed: string | undefined, isOperator = false) => {
  const mail = typed?.includes('@') ? typed.toLowerCase() : undefined
  const made = await run((trx) => addSignInLink(trx, anna, { keyHash: hashOf(), typed, mail, isOperator }))
  return made.kind === 'made' ? made.person.mail : made.kind
}

openActingWorld()

test('a link goes to the only operator, to whoever is known, and makes nobody but a new operator', async () => {
  expect([await link(undefined), await link('nobody')]).toEqual(['first', 'noAddress'])
  await run((trx) => addFirstPerson(trx, anna, 'anna@example.org'))
  expect([await link(undefined), await link('ANNA@example.org'), await link('anna')]).toEqual([
    'anna@example.org',
    'anna@example.org',
    'noAddress',
  ])
  expect([await link('ben@example.org'), (await listPeople(store.db)).length]).toEqual(['unknown', 1])
  expect([await link('ben@example.org', true), await link('ben@example.org')]).toEqual([
    'ben@example.org',
    'ben@example.org',
  ])
  expect((await findPersonByMail(store.db, 'ben@example.org'))?.isOperator).toBe(true)
  // two operators: which one is meant?
  expect(await link(undefined)).toBe('several')
  expect((await actions()).filter((action) => action === 'console.link ben@example.org')).toHaveLength(2)
})

test('an operator’s link makes a known person an operator; another link does not', async () => {
  const isOperator = async () => (await findPersonByMail(store.db, 'cleo@example.org'))?.isOperator
  await link('cleo@example.org', true)
  const { personId } = (await findPersonByMail(store.db, 'cleo@example.org'))!
  await run((trx) => setOperator(trx, personId, false))
  await link('cleo@example.org')
  expect(await isOperator()).toBe(false)
  await link('cleo@example.org', true)
  expect(await isOperator()).toBe(true)
})

test('a change of a role ends the sessions of the person; an own one stays', async () => {
  const { organizationId } = await newOrganization()
  const people = await listPeople(store.db)
  const sessions = new Map<string, string[]>()
  for (const { personId, mail } of people) {
    await run((trx) => addMember(trx, { organizationId, personId, role: 'owner' }, now))
    const own = [hashOf(), hashOf()]
    for (const sessionId of own)
      await run((trx) =>
        startSession(
          trx,
          { sessionId, personId, createdAt: now, seenAt: now, signedInAt: now, agent: '', addressPrefix: '' },
          undefined,
        ),
      )
    sessions.set(mail, own)
  }
  const left = async (mail: string) => {
    const { personId } = people.find((each) => each.mail === mail)!
    return (await listSessions(store.db, now))
      .filter((each) => each.personId === personId)
      .map((each) => each.sessionId)
  }
  const demote = (mail: string) => {
    const { personId } = people.find((each) => each.mail === mail)!
    const but = sessions.get(mail)![0]!
    return run((trx) => editMember(trx, anna, { organizationId, personId, role: 'member', but }))
  }
  await demote('ben@example.org')
  expect(await left('ben@example.org')).toEqual([])
  await demote('anna@example.org')
  expect(await left('anna@example.org')).toEqual([sessions.get('anna@example.org')![0]])
})

test('a passkey whose count does not rise is blocked, and only that leaves an entry', async () => {
  const { personId, mail } = (await findPersonByMail(store.db, 'anna@example.org'))!
  const passkey = {
    credentialId: 'key',
    personId,
    publicKey: systemRandom.bytes(8),
    counter: 5,
    transports: [],
    name: 'Phone',
  }
  const add = () => run((trx) => addPasskey(trx, anna, passkey))
  expect([await add(), await add()]).toEqual(['added', 'exists'])
  const use = (counter: number, madeAt = now) =>
    run((trx) =>
      usePasskey(trx, { now, addressPrefix: '' }, { credentialId: 'key', name: 'Phone', mail, counter, madeAt }),
    )
  const before = (await actions()).length
  expect(await use(6, now + 1)).toBe('counted')
  expect((await actions()).length).toBe(before)
  expect(await use(6, now + 2)).toBe('blocked')
  expect((await actions())[0]).toBe(`passkey.block ${mail}`)
  expect(await use(9, now + 3)).toBe('refused')
  expect((await actions()).length).toBe(before + 1)
  const remove = () => run((trx) => removePasskey(trx, anna, { credentialId: 'key', personId }))
  expect([await remove(), await remove()]).toEqual(['Phone', undefined])
  expect((await actions()).slice(0, 2)).toEqual(['passkey.remove Phone', `passkey.block ${mail}`])
})
