import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { s3Keys, startS3Store } from '../../../test/imitations/s3-store.ts'
import { openAddresses } from '../../api/bulk/bulk-addresses.ts'
import type { BucketLocation } from '../../platform/config.ts'
import type { Log } from '../../platform/log.ts'
import { keepInBucket, openBulkBucket } from './bulk-bucket.ts'

const waiting = { timeout: 20_000, interval: 20 }

async function openWorld() {
  const store = await startS3Store({ bucket: 'files', region: 'eu-1', clock: Date.now })
  onTestFinished(() => store[Symbol.asyncDispose]())
  const folder = mkdtempSync(join(tmpdir(), 'bulk-bucket-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const location: BucketLocation = {
    ...s3Keys,
    kind: 'bucket',
    bucket: 'files',
    prefix: 'bulk/',
    region: 'eu-1',
    endpoint: store.url,
  }
  const facts = { wanted: [] as string[], isNeeded: true, redactedAt: 0 }
  const failed: string[] = []
  const open = () => {
    const kept = keepInBucket({
      bucket: openBulkBucket(location, '1'),
      folder,
      wanted: () => facts.wanted,
      isNeeded: () => facts.isNeeded,
      redactedAt: () => facts.redactedAt,
      onChange: () => {},
      log: { error: (_: unknown, text: string) => failed.push(text) } as unknown as Log,
      everyMs: 20,
    })
    let closing: Promise<void> | undefined
    const close = () => {
      closing ??= kept.close()
      return closing
    }
    onTestFinished(close)
    return { ...kept, close }
  }
  const make = (text: string): string => {
    const name = `${createHash('sha256').update(text).digest('hex')}.ndjson.gz`
    writeFileSync(join(folder, name), text)
    return name
  }
  const keys = () => [...store.objects.keys()].map((key) => key.replace('files/bulk/', '')).sort()
  return { store, folder, location, facts, failed, open, make, keys }
}

test('what is named is put there, and what is not named any more is removed, but nothing of others', async () => {
  const { store, facts, open, make, keys } = await openWorld()
  store.objects.set('files/bulk/notes.txt', Buffer.from('of the operator'))
  store.objects.set(`files/other/${'b'.repeat(64)}.parquet`, Buffer.from('of another prefix'))
  const [first, second] = [make('first'), make('second')]
  facts.wanted = [first, second]
  const kept = open()
  await vi.waitFor(() => expect(kept.names()).toEqual([first, second].sort()), waiting)
  expect(store.objects.get(`files/bulk/${first}`)?.toString()).toBe('first')
  // the store says that everything is old
  facts.wanted = [second]
  const others = ['notes.txt', `files/other/${'b'.repeat(64)}.parquet`]
  await vi.waitFor(() => expect(keys()).toEqual([second, ...others].sort()), waiting)
  await vi.waitFor(() => expect(kept.names()).toEqual([second]), waiting)
  facts.isNeeded = false
  facts.wanted = []
  await vi.waitFor(() => expect([kept.names(), keys()]).toEqual([[], others.sort()]), waiting)
})

test('C164: a redaction removes what is not named, young or old', async () => {
  const { store, facts, open, make, keys } = await openWorld()
  store.modifiedAt = Date.now()
  const [old, young] = [make('jane.doe'), make('without')]
  facts.wanted = [old]
  const kept = open()
  await vi.waitFor(() => expect(kept.names()).toEqual([old]), waiting)
  // a later edition: links to the first file live on
  facts.wanted = [young]
  await vi.waitFor(() => expect(kept.names()).toEqual([young]), waiting)
  expect(keys()).toEqual([old, young].sort())
  facts.redactedAt = 1
  await vi.waitFor(() => expect(keys()).toEqual([young]), waiting)
  expect(kept.names()).toEqual([young])
})

test('a node that begins leaves what another one made after the last redaction, and removes what was before', async () => {
  const { store, facts, open, keys } = await openWorld()
  const name = `${'c'.repeat(64)}.parquet`
  store.objects.set(`files/bulk/${name}`, Buffer.from('of another node'))
  store.modifiedAt = Date.now()
  facts.redactedAt = Date.now() - 3_600_000
  const kept = open()
  await vi.waitFor(() => expect(store.requests.length).toBeGreaterThan(0), waiting)
  await kept.close()
  expect(keys()).toEqual([name])
  facts.redactedAt = Date.now()
  open()
  await vi.waitFor(() => expect(keys()).toEqual([]), waiting)
})

test('a store that fails is asked again, and nothing is said to be there', async () => {
  const { store, facts, failed, open, make } = await openWorld()
  facts.wanted = [make('first')]
  store.refusal = (method) => (method === 'PUT' ? 403 : undefined)
  const kept = open()
  await vi.waitFor(() => expect(failed).toHaveLength(1), waiting)
  expect(kept.names()).toEqual([])
  store.refusal = () => undefined
  await vi.waitFor(() => expect(kept.names()).toEqual(facts.wanted), waiting)
})

test('C163: an address opens one object without a header, from any byte on, and ends', async () => {
  const { store, location } = await openWorld()
  store.objects.set('files/bulk/a.parquet', Buffer.from('0123456789'))
  const address = (ageMs: number) => openAddresses(location, () => Date.now() - ageMs)('a.parquet')
  const load = async (url: string, headers = {}) => {
    const answer = await fetch(url, { headers })
    return [answer.status, answer.ok ? await answer.text() : '']
  }
  const url = await address(30_000)
  expect(await load(url)).toEqual([200, '0123456789'])
  expect(await load(url, { range: 'bytes=4-' })).toEqual([206, '456789'])
  expect((await load(await address(62_000)))[0]).toBe(403)
  expect((await load(url.replace('a.parquet', 'b.parquet')))[0]).toBe(403)
  expect((await load(url.replace('Expires=60', 'Expires=61')))[0]).toBe(403)
})
