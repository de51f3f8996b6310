// A commit that was not synced is lost in a power cut: these tests fail when the engine does not call fsync.
import fs from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { sql } from 'kysely'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { openTestStore } from '../../../test/world.ts'
import { openEmbedded } from './open-embedded.ts'
import { startParameters } from './start-parameters.ts'
import { SyncNodeFS } from './sync-node-fs.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

async function openHere(folder: string) {
  const fileSystem = new SyncNodeFS(folder)
  const pglite = await PGlite.create({ fs: fileSystem, startParams: [...startParameters] })
  return { fileSystem, pglite }
}

describe('the embedded engine', () => {
  test('forces the write-ahead log to the disk before each commit returns', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tenderstock-test-'))
    const { fileSystem, pglite } = await openHere(folder)
    try {
      await pglite.exec('create table row (id integer)')
      const synced: string[] = []
      const fsyncSync = fs.fsyncSync
      vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
        synced.push(fs.readlinkSync(`/proc/self/fd/${descriptor}`))
        fsyncSync(descriptor)
      })
      for (let commit = 1; commit <= 5; commit++) {
        await pglite.query('insert into row values ($1)', [commit])
        const segments = synced.splice(0).filter((path) => path.includes('/pg_wal/'))
        expect(segments.length).toBeGreaterThan(0)
      }
      await pglite.exec('checkpoint')
      expect(synced.some((path) => path.includes('/base/'))).toBe(true)
      expect(synced.some((path) => path.includes('/global/pg_control'))).toBe(true)
      expect(fileSystem.failure).toBeUndefined()
    } finally {
      await pglite.close()
      await rm(folder, { recursive: true })
    }
  })

  test('remembers an fsync that failed, so that no commit is acknowledged after it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tenderstock-test-'))
    const { fileSystem, pglite } = await openHere(folder)
    await pglite.exec('create table row (id integer)')
    vi.spyOn(fs, 'fsyncSync').mockImplementation(() => {
      throw new Error('EIO: i/o error, fsync')
    })
    await pglite.query('insert into row values (1)').catch(() => {})
    expect(fileSystem.failure).toMatchObject({ message: 'EIO: i/o error, fsync' })
    await rm(folder, { recursive: true })
  })

  test('syncs each commit in its thread, with the settings that make it durable', async () => {
    await using world = await openTestStore('embedded')
    await world.close()
    const store = await openEmbedded({ ...world.options, statementTimeoutMs: 60_000 })
    for (const [name, value] of [
      ['fsync', 'on'],
      ['wal_sync_method', 'fsync'],
      ['synchronous_commit', 'on'],
      ['full_page_writes', 'on'],
      ['data_checksums', 'on'],
    ] as const) {
      const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(store.db)
      expect({ name, value: rows[0]?.value }).toEqual({ name, value })
    }
    for (let commit = 1; commit <= 20; commit++) {
      const before = store.written().syncs
      await store.db
        .insertInto('setting')
        .values({ name: `${commit}`, value: '' })
        .execute()
      expect(store.written().syncs).toBeGreaterThan(before)
    }
    await store.close()
  })
})
