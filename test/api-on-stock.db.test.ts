// The API on a real stock: tokens and cursor keys from the database, editions from the log, restarts in between.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { toInstant } from '../src/domain/time.ts'
import { makeToken } from '../src/domain/token.ts'
import { appendEdition, openEditionLog } from '../src/edition/write/edition-log.ts'
import { systemRandom } from '../src/platform/random.ts'
import { rotateCursorKey } from '../src/store/editions/cursor-keys.ts'
import { changeOrganization, createOrganization, createToken, revokeToken } from '../src/store/people/organizations.ts'
import { startNode } from './stock-node.ts'
import { generateTender } from './testing/generate/stock.ts'
import { engines, openTestStore } from './world.ts'

const start = Date.UTC(2026, 10, 2, 8)
const stock = { seed: 3, count: 40, now: start, size: 'small' } as const

async function fillLog(folder: string, clock: () => number): Promise<void> {
  const log = await openEditionLog(folder, { clock })
  const entries = Array.from({ length: stock.count }, (_, index) => {
    const { id, mergedInto: _merged, archiveReason: _archived, ...content } = generateTender(stock, index)
    const lastModified = start - stock.count + index
    const record = { id, ...content, status: 'open', lastModified: toInstant(lastModified) }
    return { lastModified, body: JSON.stringify(record), sources: '["ted"]' }
  })
  const { count } = stock
  const checks = { ted: start }
  await appendEdition(
    log,
    { edition: 1, lastModified: start - 1, publishedAt: start, records: count, changes: count, checks },
    entries,
  )
  await log.close()
}

describe.each(engines)('the API on a stock (%s)', (engine) => {
  test('C54, C115, C119: a cursor works with either token, on another node, after a restart and after a key rotation', async () => {
    await using store = await openTestStore(engine)
    const folders = [0, 1, 2].map(() => mkdtempSync(join(tmpdir(), 'api-on-stock-')))
    let now = start + 1000
    const clock = () => now
    for (const folder of folders) await fillLog(folder, clock)
    const source = { now, random: systemRandom }
    const { organization } = await createOrganization(store.db, { name: 'One' }, source)
    const { organizationId } = organization
    const make = async (name: string) => {
      const made = await createToken(store, { organizationId, name }, source)
      if (made.kind !== 'created') throw new Error(made.kind)
      return made
    }
    const [first, second] = [await make('first'), await make('second')]

    const ids: string[] = []
    const read = async (response: Response): Promise<string> => {
      expect(response.status).toBe(200)
      const page = (await response.json()) as { data: { id: string }[]; nextCursor: string }
      ids.push(...page.data.map(({ id }) => id))
      return page.nextCursor
    }
    let cursor: string
    {
      await using node = await startNode(store, folders[0]!, clock)
      cursor = await read(await node.get('/v1/tenders?limit=10', first.plaintext))
      cursor = await read(await node.get(`/v1/tenders?limit=10&cursor=${cursor}`, second.plaintext))
    }
    await using node = await startNode(store, folders[0]!, clock)
    await using other = await startNode(store, folders[1]!, clock)
    cursor = await read(await other.get(`/v1/tenders?limit=10&cursor=${cursor}`, first.plaintext))

    // The key is rotated in the store; `other` still seals with the old one, and `node` learns of the new one from the
    // cursor.
    now += 2000
    await rotateCursorKey(store.db, { now, randomBytes: systemRandom.bytes })
    await using third = await startNode(store, folders[2]!, clock)
    const withNewKey = await read(await third.get('/v1/tenders?limit=30', first.plaintext))
    ids.length = 30
    expect(withNewKey.slice(0, 7)).not.toBe(cursor.slice(0, 7))
    expect(await read(await node.get(`/v1/tenders?limit=10&cursor=${withNewKey}`, first.plaintext))).toBeNull()
    expect(await read(await node.get(`/v1/tenders?limit=10&cursor=${cursor}`, first.plaintext))).toBeNull()
    expect(new Set(ids).size).toBe(40)

    // Token rotation: after one is revoked the other still works, and a third works immediately.
    await revokeToken(store, first.token.tokenId, now)
    const replacement = await make('third')
    expect((await node.get('/v1/tenders?limit=1', replacement.plaintext)).status).toBe(200)
    expect((await node.get('/v1/tenders?limit=1', first.plaintext)).status).toBe(401)
    expect((await node.get('/v1/tenders?limit=1', second.plaintext)).status).toBe(200)

    // The contract ends and is extended again: the next query of the store, here caused by an unknown token, is enough.
    const look = () => node.get('/v1/tenders?limit=1', makeToken(systemRandom.bytes))
    await changeOrganization(store, organizationId, { hasApiAccess: false })
    await look()
    expect((await node.get('/v1/tenders?limit=1', second.plaintext)).status).toBe(403)
    await changeOrganization(store, organizationId, { hasApiAccess: true, requestsPerMinute: 120 })
    await look()
    expect((await node.get('/v1/tenders?limit=1', second.plaintext)).headers.get('x-ratelimit-limit')).toBe('120')
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })
})
