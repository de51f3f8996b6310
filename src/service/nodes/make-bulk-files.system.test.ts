import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { entriesOfEdition, infoOfEdition } from '../../../test/edition-of-number.ts'
import { createTestTokens } from '../../../test/testing/test-tokens.ts'
import type { BulkMakingOptions } from '../../edition/bulk/bulk-making.ts'
import { type BulkState, bulkName } from '../../edition/bulk/bulk-state.ts'
import { appendEdition, openEditionLog } from '../../edition/write/edition-log.ts'
import type { Log } from '../../platform/log.ts'
import type { BulkBucket } from './bulk-bucket.ts'
import { makeBulkFiles, removeBulkFiles } from './make-bulk-files.ts'

const waiting = { timeout: 30_000, interval: 50 }

async function openWorld() {
  const dataFolder = mkdtempSync(join(tmpdir(), 'make-bulk-'))
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }))
  const editions = await openEditionLog(join(dataFolder, 'editions'), { clock: () => 0 })
  onTestFinished(() => editions.close())
  await appendEdition(editions, infoOfEdition(1), entriesOfEdition(1))
  const tokens = createTestTokens()
  const folder = join(dataFolder, 'bulk')
  const seen: (BulkState | undefined)[] = []
  const reported: (string | undefined)[] = []
  const begin = (
    bucket?: BulkBucket,
    redactedAt = async () => 0,
    openMaking?: Parameters<typeof makeBulkFiles>[0]['openMaking'],
  ) => {
    const state = {
      setBulk: (bulk: BulkState | undefined) => void seen.push(bulk),
      report: (_topic: string, sentence: string | undefined) => void reported.push(sentence),
    }
    const log = { warn: () => {}, error: () => {} } as unknown as Log
    return makeBulkFiles({
      editions,
      tokens,
      redactedAt,
      dataFolder,
      state,
      log,
      bucket,
      ...(openMaking && { openMaking }),
    })
  }
  const leaveFile = () => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${'a'.repeat(64)}.parquet`), 'left')
  }
  return { dataFolder, tokens, folder, seen, reported, begin, leaveFile }
}

test('files are there while a contract has them, for their owner alone, and are removed with it', async () => {
  const { tokens, folder, seen, begin } = await openWorld()
  const token = tokens.add('one', { hasBulkFiles: true })
  const making = begin()
  onTestFinished(making.close)
  await vi.waitFor(() => expect(seen.at(-1)?.formats).toContain('parquet'), waiting)
  for (const name of readdirSync(folder)) expect([name, statSync(join(folder, name)).mode & 0o077]).toEqual([name, 0])
  tokens.revoke(token)
  await vi.waitFor(() => expect(existsSync(folder)).toBe(false), waiting)
  expect(seen.at(-1)).toBeUndefined()
  // a contract that has them again
  tokens.add('one', { hasBulkFiles: true })
  await vi.waitFor(() => expect(seen.at(-1)?.formats).toContain('parquet'), waiting)
}, 120_000)

/** A bucket that says of its objects when they were put. */
function openBucket(modifiedAt: number) {
  const objects = new Map<string, Buffer>()
  let lists = 0
  const bucket: BulkBucket = {
    put: async (path, bytes) => void objects.set(path, bytes),
    list: async () => {
      lists++
      return [...objects.keys()].map((path) => ({ path, modifiedAt }))
    },
    remove: async (path) => void objects.delete(path),
    tryAddress: async () => {},
    close: async () => {},
  }
  return { bucket, objects, lists: () => lists }
}

test('a bucket holds the files that are named, and none without a contract', async () => {
  const { tokens, folder, seen, begin } = await openWorld()
  const token = tokens.add('one', { hasBulkFiles: true })
  const { bucket, objects } = openBucket(Date.now())
  const making = begin(bucket)
  onTestFinished(making.close)
  await vi.waitFor(() => expect(seen.at(-1)?.inBucket).toHaveLength(seen.at(-1)!.files.length), waiting)
  for (const [name, bytes] of objects) expect(readFileSync(join(folder, name)).equals(bytes)).toBe(true)
  tokens.revoke(token)
  await vi.waitFor(() => expect(objects.size).toBe(0), waiting)
}, 120_000)

test('C164: a file of before a redaction is not named, even while its thread still names it', async () => {
  const { tokens, folder, seen, begin } = await openWorld()
  tokens.add('one', { hasBulkFiles: true })
  const { bucket, objects } = openBucket(Date.now())
  const file = {
    sha256: 'a'.repeat(64),
    bytes: 4,
    rows: 1,
    part: 'snapshot',
    format: 'parquet',
    table: 'tenders',
  } as const
  const base = { edition: 1, publishedAt: 5, checksum: '', lastModified: 1 }
  const bulk: BulkState = { ...base, stockId: '', records: 1, base, redactedAt: 0, formats: ['parquet'], files: [file] }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, bulkName(file)), 'jane')
  let redactedAt = 5
  const nothing = async () => {}
  // it never withdraws anything
  const deaf = ({ onState }: BulkMakingOptions) => {
    queueMicrotask(() => onState(bulk))
    return { send: () => {}, settled: nothing, noteRedaction: () => {}, close: nothing }
  }
  const making = begin(bucket, async () => redactedAt, deaf)
  onTestFinished(making.close)
  await vi.waitFor(() => expect([...objects.keys(), ...(seen.at(-1)?.inBucket ?? [])]).toHaveLength(2), waiting)
  redactedAt = 6
  await vi.waitFor(() => expect([...objects.keys(), ...(seen.at(-1)?.inBucket ?? [])]).toEqual([]), waiting)
}, 60_000)

test('a node that begins leaves the old files of another one, made after the last redaction', async () => {
  const { tokens, seen, begin } = await openWorld()
  tokens.add('one', { hasBulkFiles: true })
  const { bucket, objects, lists } = openBucket(Date.UTC(2026, 0, 2))
  const name = `${'a'.repeat(64)}.parquet`
  objects.set(name, Buffer.from('of another node'))
  const making = begin(bucket, async () => 1)
  onTestFinished(making.close)
  await vi.waitFor(() => expect(seen.at(-1)?.inBucket?.length).toBeGreaterThan(0), waiting)
  expect(lists()).toBeGreaterThan(1)
  expect(objects.has(name)).toBe(true)
}, 120_000)

test('files of an earlier process are removed where no contract has them, or the process no longer serves', async () => {
  const { dataFolder, tokens, folder, begin, leaveFile } = await openWorld()
  tokens.add('one', { hasBulkFiles: false })
  leaveFile()
  const making = begin()
  onTestFinished(making.close)
  await vi.waitFor(() => expect(existsSync(folder)).toBe(false), waiting)
  leaveFile()
  await removeBulkFiles(dataFolder)
  expect(existsSync(folder)).toBe(false)
}, 60_000)

test('files that cannot be made are reported until they are, or nobody may load them', async () => {
  const { tokens, folder, seen, reported, begin } = await openWorld()
  writeFileSync(folder, 'no folder')
  const token = tokens.add('one', { hasBulkFiles: true })
  const making = begin()
  onTestFinished(making.close)
  await vi.waitFor(() => expect(reported.at(-1)).toContain('not up to date'), waiting)
  expect(seen).toEqual([])
  tokens.revoke(token)
  await vi.waitFor(() => expect(reported.at(-1)).toBeUndefined(), waiting)
  tokens.add('one', { hasBulkFiles: true })
  await vi.waitFor(() => expect(seen.at(-1)?.formats).toContain('parquet'), waiting)
  expect(reported.at(-1)).toBeUndefined()
}, 120_000)
