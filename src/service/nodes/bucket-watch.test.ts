// What a node takes from the bucket, and what it remembers after a restart.
import { createSecretKey, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hourMs } from '../../domain/time.ts'
import { bucketSource } from '../../edition/write/bucket-source.ts'
import { Retryable } from '../../platform/http.ts'
import { openLog } from '../../platform/log.ts'
import { createSealer } from '../../platform/sealing.ts'
import { judgeReadiness } from '../watch/judge-readiness.ts'
import { openNodeState } from '../watch/node-state.ts'
import { watchBucket } from './bucket-watch.ts'
import { type Access, sealAccess } from './kept-access.ts'
import { keptHead } from './kept-head.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bucket-watch-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('a node remembers which publishers were replaced; an epoch lets their fences begin again', async () => {
  const folder = newFolder()
  const head = { format: 1, stockId: 'a', redactedAt: 0, newest: { edition: 1, hash: '' }, snapshot: null }
  let bytes = ''
  const bucket = { get: async () => Buffer.from(bytes), put: async () => {} }
  /** Looks as a process that has just been started. */
  const look = (fence: number, how: { stockId?: string; first?: number } = {}) => {
    const { stockId = 'a', first } = how
    bytes = JSON.stringify({ ...head, stockId, fence, ...(first !== undefined && { epochs: [{ first }] }) })
    return bucketSource(bucket, keptHead(folder)).look()
  }
  expect(await look(5)).toMatchObject({ fence: 5 })
  await expect(look(4)).rejects.toThrow('was replaced')
  expect(await look(2, { first: 2001 })).toMatchObject({ fence: 2 })
  await expect(look(1, { first: 2001 })).rejects.toThrow('was replaced')
  await expect(look(1)).rejects.toThrow('was replaced')
  expect(await look(1, { stockId: 'b' })).toMatchObject({ stockId: 'b' })
})

test('what lacks a change is refused whatever its time; a silent publisher ends with 503', async () => {
  const dataFolder = newFolder()
  const sealer = createSealer(createSecretKey(randomBytes(32)), randomBytes)
  let [now, sealed]: [number, Buffer] = [10 * hourMs, Buffer.alloc(0)]
  const grant = { tokenHash: 'h', expiresAt: undefined, organizationId: 'o', hasApiAccess: true }
  const put = (access: Partial<Access>, ...tokenIds: string[]) => {
    const tokens = tokenIds.map((tokenId) => ({ ...grant, tokenId, requestsPerMinute: 60 }))
    sealed = sealAccess(sealer, { writtenAt: now, tokenSerial: 7, epoch: 0, tokens, cursorKeys: [], ...access })
  }
  const bucket = { get: async (path: string) => (path === 'access.sealed' ? sealed : undefined), put: async () => {} }
  const state = openNodeState()
  const restart = async () => {
    const clocks = { clock: () => now, steadyClock: () => now }
    const watch = await watchBucket({
      bucket,
      source: bucketSource(bucket),
      sealer,
      dataFolder,
      state,
      log: openLog('silent'),
      ...clocks,
    })
    watch.close()
    const known = (await watch.tokens.load()).map(({ tokenId }) => tokenId)
    const held = { known: 1, held: 1, isDamaged: false, isReplaced: false }
    return [...known, judgeReadiness(hourMs)({ now, answeredAt: now, accessAt: watch.accessAt?.(), ...held })]
  }
  put({}, 'kept')
  expect(await restart()).toEqual(['kept', undefined])
  // older, of the same age, and later
  for (const later of [-hourMs, 0, hourMs]) {
    put({ tokenSerial: 6, writtenAt: now + later }, 'kept', 'revoked')
    expect(await restart()).toEqual(['kept', undefined])
  }
  put({ tokenSerial: 8 })
  expect(await restart()).toEqual([undefined])
  // a restored stock, even by a clock that is behind
  put({ tokenSerial: 3, epoch: 2001, writtenAt: now - hourMs / 2 }, 'restored')
  expect(await restart()).toEqual(['restored', undefined])
  // a later epoch is not undone by the former one
  put({ tokenSerial: 9, writtenAt: now + hourMs }, 'former')
  expect(await restart()).toEqual(['restored', undefined])
  now += hourMs
  expect(await restart()).toEqual(['restored', 'access'])
  put({ tokenSerial: 4, epoch: 2001 }, 'new')
  expect(await restart()).toEqual(['new', undefined])
})

test('a bucket that answers what cannot be used is not called silent', async () => {
  const dataFolder = newFolder()
  const sealer = createSealer(createSecretKey(randomBytes(32)), randomBytes)
  const access: Access = { writtenAt: 0, tokenSerial: 1, tokens: [], cursorKeys: [] }
  const sealed = sealAccess(sealer, access)
  let [now, head]: [number, () => Buffer] = [0, () => Buffer.from('no JSON')]
  const get = async (path: string) => (path === 'access.sealed' ? sealed : head())
  const bucket = { get, put: async () => {} }
  const state = openNodeState()
  const clocks = { clock: () => now, steadyClock: () => now }
  const parts = { bucket, source: bucketSource(bucket), sealer, dataFolder, state, log: openLog('silent') }
  const watch = await watchBucket({ ...parts, ...clocks })
  onTestFinished(() => watch.close())
  const said = async (text: string) => {
    now += 20_000
    await expect(watch.look()).rejects.toThrow()
    await expect.poll(() => state.snapshot().degraded.join(' '), { timeout: 10_000 }).toContain(text)
  }
  await said('The bucket answers, but its head has not been usable for')
  head = () => {
    throw new Retryable('no route')
  }
  await said('The bucket has not answered for')
})
