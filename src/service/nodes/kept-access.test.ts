import { createSecretKey, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hourMs } from '../../domain/time.ts'
import { accessPath } from '../../edition/format/bucket-files.ts'
import { openLog } from '../../platform/log.ts'
import { createSealer } from '../../platform/sealing.ts'
import { openAccess, openKeptAccess, readAccess, sealAccess, writeAccess } from './kept-access.ts'

const grant = {
  tokenId: 't',
  tokenHash: 'h',
  expiresAt: undefined,
  organizationId: 'o',
  hasApiAccess: true,
  requestsPerMinute: 60,
}
const lost = () => Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }))

test('kept access is delivered if the database fails, with the same key, for the same database, for a limited time', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'kept-access-'))
  onTestFinished(() => rm(dataFolder, { recursive: true, force: true }))
  const sealer = createSealer(createSecretKey(randomBytes(32)), randomBytes)
  const log = openLog('silent')
  const open = (how: Partial<Parameters<typeof openKeptAccess>[0]> = {}) =>
    openKeptAccess({ dataFolder, address: 'host/name', sealer, log, ...how })
  const source = { serial: async () => 1, touch: async () => {} }

  const first = await open()
  expect(() => first.assertUsable({ now: 0, maxStalenessMs: hourMs })).toThrow(/holds nothing/)
  const close = first.follow({ clock: () => 1000, isAnswering: () => true })
  await first.keepTokens({ ...source, load: async () => [grant] }).load()
  await first.keepCursorKeys(async () => [{ keyId: 1, key: 'aa' }])()
  await close()

  const second = await open()
  expect(second.assertUsable({ now: 1000 + hourMs, maxStalenessMs: hourMs })).toBe(1000)
  expect(() => second.assertUsable({ now: 1001 + hourMs, maxStalenessMs: hourMs })).toThrow(/1970-01-01T00:00:01/)
  expect(await second.keepTokens({ ...source, load: lost }).load()).toEqual([
    Object.fromEntries(Object.entries(grant).filter(([, value]) => value !== undefined)),
  ])
  expect(await second.keepCursorKeys(lost)()).toEqual([{ keyId: 1, key: 'aa' }])

  const limits = { now: 1000, maxStalenessMs: hourMs }
  const others = [
    await open({ address: 'host/other' }),
    await open({ sealer: createSealer(createSecretKey(randomBytes(32)), randomBytes) }),
  ]
  for (const other of others) expect(() => other.assertUsable(limits)).toThrow(/holds nothing/)
  // a node that now reads a bucket does not use what came from a database, and vice versa
  expect(await readAccess(dataFolder, sealer)).toBeUndefined()
  const ofBucket = { writtenAt: 1000, tokenSerial: 7, tokens: [], cursorKeys: [], maintenanceUntil: 5 }
  await writeAccess(dataFolder, sealAccess(sealer, ofBucket))
  expect(await readAccess(dataFolder, sealer)).toEqual(ofBucket)
  const fromBucket = await open()
  expect(() => fromBucket.assertUsable(limits)).toThrow(/holds nothing/)
  const altered = sealAccess(sealer, ofBucket)
  altered[20]! ^= 1
  expect(openAccess(sealer, altered)).toBeUndefined()
  await writeFile(join(dataFolder, accessPath), 'torn')
  const torn = await open()
  expect(() => torn.assertUsable(limits)).toThrow(/holds nothing/)
})
