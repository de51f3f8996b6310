import { describe, expect, test } from 'vitest'
import { openConnections } from '../../../test/testing/open-connections.ts'
import { engines, openTestStore } from '../../../test/world.ts'
import { hashToken } from '../../domain/token.ts'
import { systemRandom as random } from '../../platform/random.ts'
import { readSerials } from '../database/change-signal.ts'
import type { Store } from '../database/database.ts'
import {
  changeOrganization,
  createOrganization,
  createToken,
  findOrganization,
  listOrganizations,
  listTokens,
  loadTokens,
  revokeToken,
  touchTokens,
} from './organizations.ts'

const now = Date.UTC(2026, 0, 1)

async function organization(store: Store): Promise<string> {
  const made = await createOrganization(store.db, { name: 'Acme' }, { now, random })
  return made.organization.organizationId
}

async function madeToken(store: Store, organizationId: string, expiresAt?: number) {
  const wanted = { organizationId, name: 'sync', ...(expiresAt === undefined ? {} : { expiresAt }) }
  const made = await createToken(store, wanted, { now, random })
  if (made.kind !== 'created') throw new Error(made.kind)
  return made
}

describe.each(engines)('organizations and tokens on the %s engine', (engine) => {
  test('an organization is found by name and by ID, and its name is unique', async () => {
    await using store = await openTestStore(engine)
    const first = await createOrganization(store.db, { name: 'Acme', requestsPerMinute: 120 }, { now, random })
    expect(first).toMatchObject({ kind: 'created', organization: { name: 'Acme', requestsPerMinute: 120 } })
    const second = await createOrganization(store.db, { name: 'Acme' }, { now, random })
    expect(second).toEqual({ kind: 'nameTaken', organization: first.organization })
    expect(await findOrganization(store.db, 'Acme')).toEqual(first.organization)
    expect(await findOrganization(store.db, first.organization.organizationId)).toEqual(first.organization)
    expect(await findOrganization(store.db, 'Bolt')).toBeUndefined()
    expect(await listOrganizations(store.db)).toEqual([first.organization])
  })

  test('C114, C121: access and limit of an organization reach its tokens, and the serial rises', async () => {
    await using store = await openTestStore(engine)
    const organizationId = await organization(store)
    await madeToken(store, organizationId)
    const before = await readSerials(store.db)
    expect(await changeOrganization(store, organizationId, { hasApiAccess: false })).toBe(true)
    expect(await changeOrganization(store, organizationId, { requestsPerMinute: 7 })).toBe(true)
    expect(await loadTokens(store.db)).toMatchObject([{ hasApiAccess: false, requestsPerMinute: 7 }])
    expect((await readSerials(store.db)).tokens).toBeGreaterThan(before.tokens)
    expect(await changeOrganization(store, 'unknown', { hasApiAccess: true })).toBe(false)
  })

  test('C115: two tokens are valid at once; a third is refused until one is revoked (C119)', async () => {
    await using store = await openTestStore(engine)
    const organizationId = await organization(store)
    const first = await madeToken(store, organizationId)
    const second = await madeToken(store, organizationId)
    expect((await loadTokens(store.db)).map((token) => token.tokenHash).sort()).toEqual(
      [hashToken(first.plaintext), hashToken(second.plaintext)].sort(),
    )
    expect(await createToken(store, { organizationId, name: 'third' }, { now, random })).toEqual({ kind: 'noFreeSlot' })
    expect(await revokeToken(store, first.token.tokenId, now + 1)).toBe('revoked')
    expect(await revokeToken(store, first.token.tokenId, now + 2)).toBe('ended')
    const third = await madeToken(store, organizationId)
    expect((await loadTokens(store.db)).map((token) => token.tokenId).sort()).toEqual(
      [second.token.tokenId, third.token.tokenId].sort(),
    )
    const revoked = (await listTokens(store.db, organizationId)).find((token) => token.tokenId === first.token.tokenId)
    expect(revoked?.revokedAt).toBe(now + 1)
    expect(await revokeToken(store, 'unknown', now)).toBe('noToken')
    expect(await createToken(store, { organizationId: 'unknown', name: 'x' }, { now, random })).toEqual({
      kind: 'noOrganization',
    })
  })

  test('C116: of 50 parallel creations two succeed, with any earlier revocations', async () => {
    await using store = await openTestStore(engine)
    const organizationId = await organization(store)
    await revokeToken(store, (await madeToken(store, organizationId)).token.tokenId, now)
    await openConnections(store.db)
    const made = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        createToken(store, { organizationId, name: `token ${index}` }, { now, random }),
      ),
    )
    const kinds = made.map((outcome) => outcome.kind)
    expect(kinds.filter((kind) => kind === 'created')).toHaveLength(2)
    expect(kinds.filter((kind) => kind === 'noFreeSlot')).toHaveLength(48)
    expect(await loadTokens(store.db)).toHaveLength(2)
  })

  test('C116: the database refuses a third valid token even from code that forgets the rule', async () => {
    await using store = await openTestStore(engine)
    const organizationId = await organization(store)
    await madeToken(store, organizationId)
    const row = await store.db.selectFrom('api_token').selectAll().executeTakeFirstOrThrow()
    const again = { ...row, token_id: 'another', token_hash: 'another' }
    await expect(store.db.insertInto('api_token').values(again).execute()).rejects.toThrow(/api_token_slot/)
    await expect(
      store.db
        .insertInto('api_token')
        .values({ ...again, slot: 3 })
        .execute(),
    ).rejects.toThrow(/slot/)
  })

  test('an expired token frees its slot', async () => {
    await using store = await openTestStore(engine)
    const organizationId = await organization(store)
    const expired = await madeToken(store, organizationId, now)
    await madeToken(store, organizationId, now + 1)
    await madeToken(store, organizationId)
    const token = (await listTokens(store.db, organizationId)).find(
      (candidate) => candidate.tokenId === expired.token.tokenId,
    )
    expect(token?.revokedAt).toBe(now)
    expect(await createToken(store, { organizationId, name: 'more' }, { now, random })).toEqual({ kind: 'noFreeSlot' })
  })

  test('every change of tokens raises the serial, and a refused one does not', async () => {
    await using store = await openTestStore(engine)
    const organizationId = await organization(store)
    const serials = [(await readSerials(store.db)).tokens]
    const note = async () => serials.push((await readSerials(store.db)).tokens)
    const first = await madeToken(store, organizationId)
    await note()
    await madeToken(store, organizationId)
    await note()
    await createToken(store, { organizationId, name: 'third' }, { now, random })
    await note()
    await revokeToken(store, first.token.tokenId, now)
    await note()
    await revokeToken(store, first.token.tokenId, now)
    await note()
    expect(serials).toEqual([0, 1, 2, 2, 3, 3])
  })

  test('C120: no table holds the plaintext of a token', async () => {
    await using store = await openTestStore(engine)
    const { plaintext, token } = await madeToken(store, await organization(store))
    const rows = JSON.stringify(await store.db.selectFrom('api_token').selectAll().execute())
    expect(rows).not.toContain(plaintext)
    expect(rows).not.toContain(plaintext.slice('tdr_live_'.length, -4))
    expect(JSON.stringify(token)).not.toContain(plaintext.slice('tdr_live_'.length, -4))
  })

  test('the last use is stored every five minutes', async () => {
    await using store = await openTestStore(engine)
    const { token } = await madeToken(store, await organization(store))
    const minute = 60_000
    const seen: (number | null | undefined)[] = []
    for (const at of [now, now + 4 * minute, now + 5 * minute]) {
      await touchTokens(store.db, [token.tokenId], at)
      seen.push((await listTokens(store.db, token.organizationId))[0]?.lastUsedAt)
    }
    await touchTokens(store.db, [], now)
    expect(seen).toEqual([now, now, now + 5 * minute])
  })
})
