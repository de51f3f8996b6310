// Proves C115, C119, C120 and D10 to D12 for the table of tokens; the store's own rules are proved next to the store.
import { describe, expect, test } from 'vitest'
import { createTestTokens } from '../../../test/testing/test-tokens.ts'
import { makeToken } from '../../domain/token.ts'
import { systemRandom } from '../../platform/random.ts'
import { openTokenTable } from './token-table.ts'

async function openTable(tokens = createTestTokens(), now = () => 1000) {
  let loads = 0
  let serials = 0
  const source = {
    ...tokens,
    load: () => {
      loads++
      return tokens.load()
    },
    serial: () => {
      serials++
      return tokens.serial()
    },
  }
  const table = await openTokenTable({ source, clock: now, pollMs: 3_600_000, refreshEveryMs: 0 })
  return { tokens, table, counts: () => ({ loads, serials }) }
}

describe('the table of tokens', () => {
  test('C115: both tokens of an organization are known at once, without a promise', async () => {
    const tokens = createTestTokens()
    const both = [tokens.add('one'), tokens.add('one')]
    const { table } = await openTable(tokens)
    for (const token of both)
      expect(table.find(token)).toMatchObject({ state: 'known', grant: { organizationId: 'one' } })
    await table.close()
  })

  test('garbage is refused without a query of the store', async () => {
    const { table, counts } = await openTable()
    const before = counts()
    for (const text of ['', 'x', 'tdr_live_', `tdr_live_${'0'.repeat(36)}`, makeToken(systemRandom.bytes).slice(0, -1)])
      expect(table.find(text)).toEqual({ state: 'wrong' })
    expect(counts()).toEqual(before)
    await table.close()
  })

  test('C119: a new token works at once, a revoked one stops with the next poll', async () => {
    const { tokens, table } = await openTable()
    const token = tokens.add('one')
    expect(await table.find(token)).toMatchObject({ state: 'known' })
    tokens.revoke(token)
    // Any unknown token makes the table query again.
    expect(await table.find(makeToken(systemRandom.bytes))).toEqual({ state: 'wrong' })
    expect(await table.find(token)).toEqual({ state: 'wrong' })
    await table.close()
  })

  test('a thousand unknown tokens at once cost a query or two, and the whole table is read only if it changed', async () => {
    const { table, counts } = await openTable()
    const before = counts()
    const found = await Promise.all(Array.from({ length: 1000 }, () => table.find(makeToken(systemRandom.bytes))))
    expect(found.every(({ state }) => state === 'wrong')).toBe(true)
    expect(counts().serials - before.serials).toBeLessThanOrEqual(2)
    expect(counts().loads).toBe(before.loads)
    await table.close()
  })

  test('an expired token is invalid from that millisecond on', async () => {
    let now = 1000
    const tokens = createTestTokens()
    const token = tokens.add('one', { expiresAt: 2000 })
    const { table } = await openTable(tokens, () => now)
    now = 1999
    expect(await table.find(token)).toMatchObject({ state: 'known' })
    now = 2000
    expect(await table.find(token)).toEqual({ state: 'wrong' })
    await table.close()
  })

  test('while the database is down known tokens work, and unknown ones are not called invalid', async () => {
    const tokens = createTestTokens()
    const known = tokens.add('one')
    const { table } = await openTable(tokens)
    tokens.isDown = true
    expect(table.find(known)).toMatchObject({ state: 'known' })
    expect(await table.find(makeToken(systemRandom.bytes))).toEqual({ state: 'unavailable' })
    tokens.isDown = false
    expect(await table.find(makeToken(systemRandom.bytes))).toEqual({ state: 'wrong' })
    await table.close()
  })

  test('a start without the database succeeds: tokens are found when it is back', async () => {
    const tokens = createTestTokens()
    const token = tokens.add('one')
    tokens.isDown = true
    const { table } = await openTable(tokens)
    expect(await table.find(token)).toEqual({ state: 'unavailable' })
    tokens.isDown = false
    expect(await table.find(token)).toMatchObject({ state: 'known' })
    await table.close()
  })
})
