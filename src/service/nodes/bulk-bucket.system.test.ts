import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { s3Keys, startS3Store } from '../../../test/imitations/s3-store.ts'
import { openAddresses } from '../../api/bulk/bulk-addresses.ts'
import type { BucketLocation } from '../../platform/config.ts'
import type { Log } from '../../platform/log.ts'
import { type BulkBucket, keepInBucket, openBulkBucket } from './bulk-bucket.ts'

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
  const facts = { wanted: [] as string[] | undefined, isNeeded: true, redactedAt: 0, aheadMs: 0, lists: 0 }
  const failed: string[] = []
  const open = (change: Partial<BulkBucket> = {}, wanted: () => string[] | undefined = () => facts.wanted) => {
    const bucket = openBulkBucket(location, '1')
    const list: BulkBucket['list'] = (...asked) => {
      facts.lists++
      return (change.list ?? bucket.list)(...asked)
    }
    const kept = keepInBucket({
      bucket: { ...bucket, ...change, list },
      folder,
      wanted,
      isNeeded: () => facts.isNeeded,
      redactedAt: () => facts.redactedAt,
      onChange: () => {},
      log: { error: (_: unknown, text: string) => failed.push(text) } as unknown as Log,
      everyMs: 20,
      answerMs: 2000,
      clock: () => Date.now() + facts.aheadMs,
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
  /** Resolves when what the bucket holds was looked at `ms` later: the look after it has begun. */
  const lookAgain = async (ms = minuteMs) => {
    for (const later of [ms, minuteMs]) {
      const before = facts.lists
      facts.aheadMs += later
      await vi.waitFor(() => expect(facts.lists).toBeGreaterThan(before), waiting)
    }
  }
  return { store, folder, location, facts, failed, open, make, keys, lookAgain }
}

/** More than the time between two listings. */
const minuteMs = 61_000
const hourMs = 3_600_000
/** Ends with its signal alone. */
const silence = (signal?: AbortSignal) =>
  new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

test('what is named is put there, and what was not named for 6 hours is removed, but nothing of others', async () => {
  const { store, facts, open, make, keys, lookAgain } = await openWorld()
  store.objects.set('files/bulk/notes.txt', Buffer.from('of the operator'))
  store.objects.set(`files/other/${'b'.repeat(64)}.parquet`, Buffer.from('of another prefix'))
  const [first, second] = [make('first'), make('second')]
  facts.wanted = [first, second]
  const kept = open()
  await vi.waitFor(() => expect(kept.names()).toEqual([first, second].sort()), waiting)
  expect(store.objects.get(`files/bulk/${first}`)?.toString()).toBe('first')
  // the store says that everything is old, but other nodes may still name it
  facts.wanted = [second]
  const others = ['notes.txt', `files/other/${'b'.repeat(64)}.parquet`]
  await vi.waitFor(() => expect(kept.names()).toEqual([second]), waiting)
  await lookAgain(5.9 * hourMs)
  expect(keys()).toEqual([first, second, ...others].sort())
  await lookAgain(0.2 * hourMs)
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
  const namedMeanwhile: string[][] = []
  const kept = open({
    remove: async (name) => {
      namedMeanwhile.push([...kept.names()])
      store.objects.delete(`files/bulk/${name}`)
    },
  })
  await vi.waitFor(() => expect(kept.names()).toEqual([old]), waiting)
  // a later edition: links to the first file live on
  facts.wanted = [young]
  await vi.waitFor(() => expect(kept.names()).toEqual([young]), waiting)
  expect(keys()).toEqual([old, young].sort())
  facts.redactedAt = 1
  await vi.waitFor(() => expect(keys()).toEqual([young]), waiting)
  expect(kept.names()).toEqual([young])
  facts.wanted = []
  facts.redactedAt = 2
  await vi.waitFor(() => expect(keys()).toEqual([]), waiting)
  expect(namedMeanwhile).toEqual([[young], []])
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
  // the clock of the store may be later
  facts.redactedAt = store.modifiedAt - 9 * 60_000
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

test('what is there comes from the server while the store fails', async () => {
  const { store, facts, open, make, lookAgain } = await openWorld()
  facts.wanted = [make('first')]
  const kept = open()
  await vi.waitFor(() => expect(kept.names()).toEqual(facts.wanted), waiting)
  store.refusal = () => 403
  await lookAgain()
  await vi.waitFor(() => expect(kept.names()).toEqual([]), waiting)
  store.refusal = () => undefined
  await vi.waitFor(() => expect(kept.names()).toEqual(facts.wanted), waiting)
})

test('what is there comes from the server while the store does not answer', async () => {
  const { location, facts, failed, open, make } = await openWorld()
  const { list } = openBulkBucket(location, '1')
  let isSilent = false
  facts.wanted = [make('first')]
  const kept = open({ list: (start, signal) => (isSilent ? silence(signal) : list(start, signal)) })
  await vi.waitFor(() => expect(kept.names()).toEqual(facts.wanted), waiting)
  isSilent = true
  facts.aheadMs += minuteMs
  await vi.waitFor(() => expect(kept.names()).toEqual([]), waiting)
  await vi.waitFor(() => expect(failed).toHaveLength(1), waiting)
})

test('an object that is put slowly holds up neither a redaction nor the stop', async () => {
  const { store, facts, failed, open, make, keys } = await openWorld()
  const [old, slow, next] = [make('jane.doe'), make('slow'), make('next')]
  let puts = 0
  const put = (_path: string, _bytes: Buffer, signal?: AbortSignal) => {
    puts++
    return silence(signal)
  }
  store.objects.set(`files/bulk/${old}`, Buffer.from('jane.doe'))
  store.modifiedAt = Date.now()
  facts.wanted = [old, slow]
  const kept = open({ put })
  await vi.waitFor(() => expect([puts, kept.names()]).toEqual([1, [old]]), waiting)
  facts.wanted = [next]
  facts.redactedAt = 1
  await vi.waitFor(() => expect([puts, keys()]).toEqual([2, []]), waiting)
  await kept.close()
  expect(failed).toEqual([])
})

test('an aborted request of a bucket ends with the reason, also between tries', async () => {
  const { store, location } = await openWorld()
  const bucket = openBulkBucket(location, '1')
  onTestFinished(() => bucket.close())
  const ending = new AbortController()
  store.refusal = () => {
    ending.abort(new Error('stopped'))
    return 503
  }
  await expect(bucket.put('a.parquet', Buffer.from('a'), ending.signal)).rejects.toThrow('stopped')
  expect(store.requests).toHaveLength(1)
})

test('a node that does not know its files yet removes nothing, however old, and later counts from then on', async () => {
  const { store, facts, open, make, keys, lookAgain } = await openWorld()
  const [named, other] = [make('named'), `${'c'.repeat(64)}.parquet`]
  for (const name of [named, other]) store.objects.set(`files/bulk/${name}`, Buffer.from('named'))
  facts.wanted = undefined
  const kept = open()
  await lookAgain(10 * hourMs)
  await lookAgain(10 * hourMs)
  expect([kept.names(), keys()]).toEqual([[], [named, other].sort()])
  facts.wanted = [named]
  await lookAgain()
  await lookAgain(5.9 * hourMs)
  expect([kept.names(), keys()]).toEqual([[named], [named, other].sort()])
  await lookAgain(0.2 * hourMs)
  expect(keys()).toEqual([named])
})

test('what one of two nodes names stays while the other names something else, and is removed a day later', async () => {
  const { facts, open, make } = await openWorld()
  const objects = new Map<string, number>()
  const now = () => Date.now() + facts.aheadMs
  const [puts, removed]: [string[], string[]] = [[], []]
  const shared: Partial<BulkBucket> = {
    list: async () => [...objects].map(([path, modifiedAt]) => ({ path, modifiedAt })),
    put: async (path) => {
      puts.push(path)
      objects.set(path, now())
    },
    remove: async (path) => {
      removed.push(path)
      objects.delete(path)
    },
    tryAddress: async () => {},
  }
  const [one, two] = [make('one'), make('two')]
  const first = open(shared, () => [one])
  open(shared, () => [two])
  await vi.waitFor(() => expect([...puts].sort()).toEqual([one, two].sort()), waiting)
  const pass = async (hours: number, nodes: number) => {
    for (let hour = 0; hour < hours; hour++) {
      const before = facts.lists
      facts.aheadMs += hourMs
      await vi.waitFor(() => expect(facts.lists).toBeGreaterThanOrEqual(before + nodes), waiting)
    }
  }
  await pass(60, 2)
  expect(removed).toEqual([])
  // twice a day each
  expect([puts.length > 6, puts.length <= 12]).toEqual([true, true])
  await first.close()
  await pass(10, 1)
  expect(removed).toEqual([])
  await pass(16, 1)
  expect(removed).toEqual([one])
})

test('what is named again is not over', async () => {
  const { facts, open, make, keys, lookAgain } = await openWorld()
  const [one, two] = [make('one'), make('two')]
  facts.wanted = [one, two]
  const kept = open()
  await vi.waitFor(() => expect(kept.names()).toHaveLength(2), waiting)
  facts.wanted = [two]
  await lookAgain()
  await lookAgain(4 * hourMs)
  facts.wanted = [one, two]
  await lookAgain()
  facts.wanted = [two]
  await lookAgain()
  await lookAgain(4 * hourMs)
  expect([kept.names(), keys()]).toEqual([[two], [one, two].sort()])
})

test('addresses that open nothing are not given to clients', async () => {
  const { store, facts, failed, open, make, keys } = await openWorld()
  facts.wanted = [make('first')]
  store.refusal = (method, path) => (method === 'GET' && path !== '/files' ? 403 : undefined)
  const kept = open()
  await vi.waitFor(() => expect(failed).toHaveLength(1), waiting)
  expect([kept.names(), keys()]).toEqual([[], facts.wanted])
  // what was opened before
  store.refusal = () => undefined
  await vi.waitFor(() => expect(kept.names()).toEqual(facts.wanted), waiting)
  store.refusal = (method, path) => (method === 'GET' && path !== '/files' ? 403 : undefined)
  facts.aheadMs += minuteMs
  await vi.waitFor(() => expect(kept.names()).toEqual([]), waiting)
  // a redaction is not held up
  facts.redactedAt = 1
  facts.wanted = [make('second')]
  await vi.waitFor(() => expect(keys()).toEqual(facts.wanted), waiting)
})

test('a failure does not say the address that was tried', async () => {
  const { store, location } = await openWorld()
  const bucket = openBulkBucket(location, '1')
  onTestFinished(() => bucket.close())
  store.faults.push('broken')
  const failure = bucket.tryAddress('a.parquet', AbortSignal.timeout(waiting.timeout))
  await expect(failure).rejects.toThrow(/bulk\/a\.parquet.* could not be read/)
  await expect(failure).rejects.not.toThrow('Signature')
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
