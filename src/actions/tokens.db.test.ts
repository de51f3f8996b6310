import { describe, expect, test } from 'vitest'
import { engines, openTestStore } from '../../test/world.ts'
import { dayMs, hourMs, minuteMs } from '../domain/time.ts'
import { systemRandom } from '../platform/random.ts'
import { inTransaction, type Store } from '../store/database/database.ts'
import { addApiUse, allTokens, listApiUse, pruneApiUse } from '../store/people/api-use.ts'
import { listAuditEntries } from '../store/people/audit.ts'
import { createOrganization, limitToken, listTokens } from '../store/people/organizations.ts'
import { addMember, changePerson, createPerson } from '../store/people/people.ts'
import { warnOfTokens } from '../store/people/token-news.ts'
import { commandActor } from './acting.ts'
import { addToken, revokeToken, rotateToken } from './tokens.ts'

const now = Date.UTC(2026, 10, 23, 8, 30)
const at = (later: number) => ({ ...commandActor, now: now + later, random: systemRandom, mailDomain: 'example.org' })

async function organizationIn(store: Store): Promise<string> {
  const { organization } = await createOrganization(store.db, { name: 'Acme' }, at(0))
  return organization.organizationId
}

describe.each(engines)('changes of tokens (%s)', (engine) => {
  test('appear in the audit log of the organization, or do not happen', async () => {
    await using store = await openTestStore(engine)
    const organizationId = await organizationIn(store)
    const by = { actor: 'a@example.org', addressPrefix: '192.0.2.0/24' }
    const failing = inTransaction(store, async (trx) => {
      await addToken(trx, { ...at(0), ...by }, { organizationId, name: 'lost' })
      throw new Error('undone')
    })
    await expect(failing).rejects.toThrow('undone')
    expect(await listTokens(store.db, organizationId)).toEqual([])
    const made = await inTransaction(store, (trx) =>
      addToken(trx, { ...at(0), ...by }, { organizationId, name: 'ERP', days: 90 }),
    )
    if (made.kind !== 'created') throw new Error(made.kind)
    const { tokenId } = made.token
    const rotate = (oldEndsInDays?: number) =>
      inTransaction(store, (trx) => rotateToken(trx, at(dayMs), { tokenId, oldEndsInDays }))
    const rotated = await rotate(7)
    expect(rotated).toMatchObject({
      kind: 'rotated',
      token: { name: 'ERP', expiresAt: now + 91 * dayMs, createdBy: 'operator' },
      old: { tokenId, expiresAt: now + 8 * dayMs },
    })
    expect(await rotate()).toEqual({ kind: 'noFreeSlot' })
    const revoke = () => inTransaction(store, (trx) => revokeToken(trx, at(2 * dayMs), tokenId))
    expect([await revoke(), await revoke()]).toMatchObject([{ kind: 'revoked' }, { kind: 'ended' }])
    expect(await rotate()).toEqual({ kind: 'ended' })
    const entries = await listAuditEntries(store.db, { organizationId, limit: 10 })
    expect(entries.map(({ actor, action, subject, addressPrefix }) => [actor, action, subject, addressPrefix])).toEqual(
      [
        ['operator', 'token.revoke', 'ERP', ''],
        ['operator', 'token.limit', 'ERP', ''],
        ['operator', 'token.create', 'ERP', ''],
        ['a@example.org', 'token.create', 'ERP', '192.0.2.0/24'],
      ],
    )
    expect(JSON.stringify(entries)).not.toContain(made.plaintext)
  })

  test('of a token with an earlier end: its successor lives as long, and a begun day counts whole', async () => {
    await using store = await openTestStore(engine)
    const organizationId = await organizationIn(store)
    const made = await inTransaction(store, (trx) => addToken(trx, at(0), { organizationId, name: 'ERP', days: 90 }))
    if (made.kind !== 'created') throw new Error(made.kind)
    const { tokenId } = made.token
    await limitToken(store.db, tokenId, now + 10 * dayMs + hourMs, now)
    const rotated = await inTransaction(store, (trx) =>
      rotateToken(trx, at(dayMs), { tokenId, oldEndsInDays: undefined }),
    )
    expect(rotated).toMatchObject({ kind: 'rotated', token: { expiresAt: now + 12 * dayMs } })
  })

  test('notify Owners only; an end is announced 30, 7 and 1 days before, once, however many processes look', async () => {
    await using store = await openTestStore(engine)
    const organizationId = await organizationIn(store)
    for (const [mail, role] of [['own@example.org', 'owner'] as const, ['mem@example.org', 'member'] as const])
      await inTransaction(store, async (trx) => {
        const person = { personId: systemRandom.uuid(), mail, name: '', isOperator: false }
        const { personId } = await createPerson(trx, person, now)
        await addMember(trx, { organizationId, personId, role }, now)
      })
    const make = (name: string, days: number) =>
      inTransaction(store, (trx) => addToken(trx, at(0), { organizationId, name, days }))
    const [long, short] = [await make('long', 90), await make('short', 5)]
    if (long.kind !== 'created' || short.kind !== 'created') throw new Error('not created')
    const mails = async () => store.db.selectFrom('mail').selectAll().orderBy('created_at').execute()
    const made = await mails()
    expect(made.map(({ person }) => person)).toEqual(['own@example.org', 'own@example.org'])
    expect(made.map(({ content }) => JSON.parse(content).kind)).toEqual(['tokenCreated', 'tokenCreated'])
    expect(JSON.stringify(made)).not.toContain(long.plaintext)
    const warnings = async (later: number) => {
      await Promise.all([1, 2, 3].map(() => inTransaction(store, (trx) => warnOfTokens(trx, at(later)))))
      const fresh = (await mails()).filter(({ created_at }) => created_at === now + later)
      const ends = fresh.map(({ content }) => JSON.parse(content)).filter(({ kind }) => kind === 'tokenEnds')
      return ends.map(({ data }) => data.name)
    }
    expect(await warnings(0)).toEqual([])
    expect(await warnings(4 * dayMs - 1)).toEqual([])
    expect(await warnings(4 * dayMs)).toEqual(['short'])
    expect(await warnings(60 * dayMs - 1)).toEqual([])
    expect(await warnings(60 * dayMs)).toEqual(['long'])
    // a service that was off reports only what is true now
    expect(await warnings(89 * dayMs + hourMs)).toEqual(['long'])
    expect(await warnings(89 * dayMs + 2 * hourMs)).toEqual([])
    await inTransaction(store, (trx) => limitToken(trx, long.token.tokenId, now + 89 * dayMs, now))
    expect(await warnings(88 * dayMs + hourMs)).toEqual(['long'])
  })

  test('notify every Owner, each in their own language', async () => {
    await using store = await openTestStore(engine)
    const organizationId = await organizationIn(store)
    const owners = [['anna@example.org', 'de'] as const, ['bo@example.org', 'en'] as const, ['cy@example.org'] as const]
    for (const [mail, language] of owners)
      await inTransaction(store, async (trx) => {
        const person = { personId: systemRandom.uuid(), mail, name: '', isOperator: false }
        const { personId } = await createPerson(trx, person, now)
        await addMember(trx, { organizationId, personId, role: 'owner' }, now)
        await changePerson(trx, personId, { name: '', language })
      })
    const mails = async () => {
      const rows = await store.db.selectFrom('mail').select(['person', 'content']).execute()
      return rows.map(({ person, content }) => `${person} ${JSON.parse(content).language} ${JSON.parse(content).kind}`)
    }
    const expected = (kind: string) => [
      `anna@example.org de ${kind}`,
      `bo@example.org en ${kind}`,
      `cy@example.org en ${kind}`,
    ]
    const made = await inTransaction(store, (trx) => addToken(trx, at(0), { organizationId, name: 'ERP' }))
    if (made.kind !== 'created') throw new Error(made.kind)
    expect((await mails()).sort()).toEqual(expected('tokenCreated'))
    await store.db.deleteFrom('mail').execute()
    await inTransaction(store, (trx) => revokeToken(trx, at(1), made.token.tokenId))
    expect((await mails()).sort()).toEqual(expected('tokenRevoked'))
  })

  test('counts of requests are exact by hour and busiest minute when two processes add them', async () => {
    await using store = await openTestStore(engine)
    const organizationId = await organizationIn(store)
    const minute = now - (now % minuteMs)
    const use = (answered: number, refused = 0) => [{ organizationId, tokenId: allTokens, answered, refused }]
    await Promise.all([addApiUse(store.db, minute, use(30)), addApiUse(store.db, minute, use(25, 2))])
    await addApiUse(store.db, minute + minuteMs, use(40))
    await addApiUse(store.db, minute + minuteMs, use(20))
    await addApiUse(store.db, minute, use(4))
    await addApiUse(store.db, minute + hourMs, use(1))
    expect(await listApiUse(store.db, organizationId, 0)).toEqual([
      { hourMs: minute - 30 * minuteMs, answered: 119, refused: 2, peakMinute: 60 },
      { hourMs: minute + 30 * minuteMs, answered: 1, refused: 0, peakMinute: 1 },
    ])
    await pruneApiUse(store.db, now + 401 * dayMs)
    expect(await listApiUse(store.db, organizationId, 0)).toEqual([])
  })
})
