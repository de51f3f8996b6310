import { createSecretKey, hash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterEach, describe, expect, test } from 'vitest'
import { startApi, startOfTests } from '../../../test/api-world.ts'
import { createTestTokens, type TestTokens } from '../../../test/testing/test-tokens.ts'
import { type BulkFile, type BulkState, bulkName, linkLifeMs } from '../../edition/bulk/bulk-state.ts'
import { systemRandom } from '../../platform/random.ts'
import type { ApiOptions } from '../server.ts'
import { createBulkLinks } from './bulk-links.ts'
import { bulkManifestSchema } from './bulk-manifest.ts'
import { manifestsPerMinute } from './bulk-serving.ts'
import { rangeOf } from './serve-files.ts'

const path = '/bulk/editions/latest'
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

type Manifest = { readonly files: readonly { readonly url: string; readonly sha256: string }[] }

/** An API with one file of these bytes, for a token of an organization whose contract has files. */
async function openWorld(content = Buffer.from(systemRandom.bytes(100_000)), change: Partial<ApiOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'bulk-'))
  closers.push(() => rmSync(folder, { recursive: true, force: true }))
  const sha256 = hash('sha256', content)
  const file: BulkFile = {
    sha256,
    bytes: content.length,
    rows: 7,
    part: 'snapshot',
    format: 'ndjson',
    table: 'tenders',
  }
  writeFileSync(join(folder, bulkName(file)), content)
  const checksum = `open=${'a'.repeat(64)}, all=${'b'.repeat(64)}`
  const elsewhere = new Map<string, string>()
  const shown: { state: BulkState | undefined } = {
    state: {
      stockId: 'stock',
      edition: 7,
      publishedAt: startOfTests,
      lastModified: startOfTests - 1,
      records: 7,
      checksum,
      base: { edition: 7, publishedAt: startOfTests, checksum, lastModified: startOfTests - 1 },
      redactedAt: 0,
      formats: ['ndjson'],
      files: [file],
    },
  }
  const keys = [{ keyId: 1, key: createSecretKey(systemRandom.bytes(32)) }]
  const linksAt = (clock: () => number) =>
    createBulkLinks({ ring: { keys: () => keys, refresh: async () => {} }, clock, randomBytes: systemRandom.bytes })
  const known: { now: () => number; tokens: TestTokens } = { now: () => startOfTests, tokens: createTestTokens() }
  const world = await startApi({
    bulk: {
      folder,
      state: () => shown.state,
      addressOf: (name) => (elsewhere.has(name) ? Promise.resolve(elsewhere.get(name)!) : undefined),
      links: linksAt(() => known.now()),
      grantOf: (tokenId) => known.tokens.grants.find((grant) => grant.tokenId === tokenId),
    },
    ...change,
  })
  closers.push(() => world[Symbol.asyncDispose]())
  known.now = () => world.now
  known.tokens = world.tokens
  const token = world.tokens.add('two', { hasBulkFiles: true })
  const authorization = `Bearer ${token}`
  const ask = () => world.get(path, { authorization })
  const manifest = async () => (await (await ask()).json()) as Manifest
  const load = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(new URL(url, world.origin + path), { headers, method })
  return { ...world, world, shown, elsewhere, folder, content, file, token, ask, manifest, load, linksAt }
}

const slugOf = async (answer: Response): Promise<string> =>
  ((await answer.json()) as { type: string }).type.split('#error-')[1]!

describe('manifest', () => {
  test('C162: names the files of the edition by links that need no token, and follows its schema', async () => {
    const { ask, load, content } = await openWorld()
    const answer = await ask()
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    const manifest = (await answer.json()) as Manifest
    const ajv = new Ajv2020()
    formats.default(ajv)
    expect(ajv.validate(JSON.parse(JSON.stringify(bulkManifestSchema)), manifest), JSON.stringify(ajv.errors)).toBe(
      true,
    )
    expect(manifest).toMatchObject({
      edition: 7,
      lastModified: '2026-11-02T07:59:59.999Z',
      digest: { open: 'a'.repeat(64), all: 'b'.repeat(64) },
      linksUntil: '2026-11-02T14:00:00.000Z',
    })
    const whole = await load(manifest.files[0]!.url)
    expect(whole.headers.get('content-encoding')).toBeNull()
    expect(whole.headers.get('content-type')).toBe('application/gzip')
    expect(Buffer.from(await whole.arrayBuffer()).equals(content)).toBe(true)
  })

  test('C162: is for organizations whose contract has files, and has a limit of its own', async () => {
    const { world, ask, shown } = await openWorld()
    expect((await fetch(world.origin + path)).status).toBe(401)
    // organization `one` has none
    const refused = await world.get(path)
    expect(refused.status).toBe(403)
    expect(await slugOf(refused)).toBe('no-bulk-access')
    for (let count = 0; count < manifestsPerMinute; count++) expect((await ask()).status).toBe(200)
    const limited = await ask()
    expect([limited.status, limited.headers.get('x-ratelimit-limit')]).toEqual([429, `${manifestsPerMinute}`])
    world.now += 61_000
    expect(
      (await world.get(`${path}?x=1`, { authorization: `Bearer ${world.tokens.add('three', { hasBulkFiles: true })}` }))
        .status,
    ).toBe(400)
    shown.state = undefined
    const none = await ask()
    expect([none.status, Number(none.headers.get('retry-after')) > 0]).toEqual([503, true])
  })
})

describe('files', () => {
  test('go on from a byte, for one range, by the tag of the file', async () => {
    const { manifest, load, content, file } = await openWorld()
    const { url } = (await manifest()).files[0]!
    const rest = await load(url, { range: 'bytes=99000-', 'if-range': `"${file.sha256}"` })
    expect([rest.status, rest.headers.get('content-range')]).toEqual([206, 'bytes 99000-99999/100000'])
    expect(Buffer.from(await rest.arrayBuffer()).equals(content.subarray(99_000))).toBe(true)
    expect((await load(url, { range: 'bytes=100000-' })).status).toBe(416)
    const head = await load(url, {}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([
      200,
      '100000',
      `"${file.sha256}"`,
    ])
    expect((await load(url, {}, 'POST')).status).toBe(405)
  })

  test.each([
    ['bytes=0-', undefined, { from: 0, to: 9 }],
    ['bytes=3-5', undefined, { from: 3, to: 5 }],
    ['bytes=3-99', undefined, { from: 3, to: 9 }],
    ['bytes=-4', undefined, { from: 6, to: 9 }],
    ['bytes=-99', undefined, { from: 0, to: 9 }],
    ['bytes=-0', undefined, 'none'],
    ['bytes=10-', undefined, 'none'],
    ['bytes=5-3', undefined, undefined],
    ['bytes=0-1,3-4', undefined, undefined],
    ['bytes=-', undefined, undefined],
    ['lines=0-', undefined, undefined],
    ['bytes=3-', '"other"', undefined],
    ['bytes=3-', '"tag"', { from: 3, to: 9 }],
  ])('range %s, if %s', (asked, ifRange, expected) => {
    expect(rangeOf(asked, ifRange, { size: 10, tag: '"tag"' })).toEqual(expected)
  })

  test('C163: what the bucket holds is loaded there, while the link is open and the file has not been withdrawn', async () => {
    const { world, manifest, load, file, folder, elsewhere } = await openWorld()
    const { url } = (await manifest()).files[0]!
    elsewhere.set(bulkName(file), 'https://bucket.example.org/x?X-Amz-Signature=1')
    const asked = () => fetch(new URL(url, world.origin + path), { redirect: 'manual' })
    const answer = await asked()
    expect([answer.status, answer.headers.get('location'), answer.headers.get('cache-control')]).toEqual([
      302,
      elsewhere.get(bulkName(file)),
      'private, no-store',
    ])
    expect((await load(url, {}, 'HEAD')).status).toBe(200)
    const [grant] = world.tokens.grants.splice(1, 1)
    expect((await asked()).status).toBe(403)
    world.tokens.grants.push(grant!)
    rmSync(join(folder, bulkName(file)))
    expect((await asked()).status).toBe(404)
  })

  test('C163: a link ends with its time, its token and the contract, and opens no other file', async () => {
    const { world, manifest, load, token, file, linksAt, folder } = await openWorld()
    const { url } = (await manifest()).files[0]!
    const refused = async (other: string) => {
      const answer = await load(other)
      expect([answer.status, await slugOf(answer)], other).toEqual([403, 'link-ended'])
    }
    await refused(url.replace(/.$/, (letter) => (letter === 'A' ? 'Q' : 'A')))
    await refused(url.replace(/\?.*/, ''))
    await refused(url.replace(/\?link=/, '?link=x&link='))
    await refused(`../files/../${url.slice('../files/'.length)}`.replace('../files/../', '../files/%2e%2e%2f'))
    const other = 'c'.repeat(64)
    writeFileSync(join(folder, `${other}.ndjson.gz`), 'other')
    await refused(url.replace(file.sha256, other))
    const [grant] = world.tokens.grants.splice(1, 1)
    await refused(url)
    world.tokens.grants.push({ ...grant!, hasBulkFiles: false })
    await refused(url)
    world.tokens.grants.splice(1, 1, grant!)
    expect((await load(url)).status).toBe(200)
    world.now += linkLifeMs
    await refused(url)
    expect(await linksAt(() => world.now).open('', file.sha256)).toBeUndefined()
    expect(token).toBeTruthy()
  })

  test('C164: a file that was deleted is not found, and a transfer of it ends', async () => {
    const { manifest, load, folder, file } = await openWorld(Buffer.alloc(60_000_000))
    const { url } = (await manifest()).files[0]!
    const transfer = await load(url)
    rmSync(join(folder, bulkName(file)))
    const gone = await load(url)
    expect([gone.status, await slugOf(gone)]).toEqual([404, 'not-found'])
    // what is not read waits, and ends at the next check
    await new Promise((done) => setTimeout(done, 11_000))
    await expect(transfer.arrayBuffer()).rejects.toThrow()
  }, 30_000)
})
