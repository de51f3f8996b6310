// The drill: restores the newest backup of a stock into a scratch database, compares it with what was published, and
// removes old backups of this stock. It runs in its own process; the stock itself only learns the result.
import type { KeyObject } from 'node:crypto'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayMs } from '../../domain/time.ts'
import { systemClock, systemSleep } from '../../platform/clock.ts'
import { backupLocationOf, checkDatabaseUrl, readConfig } from '../../platform/config.ts'
import { OperatorError } from '../../platform/errors.ts'
import { systemRandom as random } from '../../platform/random.ts'
import { findSecretKey } from '../../platform/sealing.ts'
import { type BackupShelf, openBackupShelf } from '../../store/backup/backup-shelf.ts'
import type { BackupStorage } from '../../store/backup/backup-storage.ts'
import { type Manifest, readManifest, verifyBackup } from '../../store/backup/manifest.ts'
import { restoreStock } from '../../store/backup/restore-stock.ts'
import { inScratchSchema } from '../../store/backup/scratch-schema.ts'
import { openStore, type Store } from '../../store/database/database.ts'
import { type ReadDigest, readNewestDigest } from '../../store/editions/digest-of-edition.ts'
import { migrate } from '../../store/schema/migrate.ts'
import { shownAddress } from '../../store/server/server-addresses.ts'
import type { ControlRequest } from '../control/control-socket.ts'
import type { Emit } from '../events/command-event.ts'
import { factsOf } from './backup-operations.ts'
import { migrationsOf } from './restore.ts'

type FoundBackup = { readonly place: string; readonly manifest: Manifest }

export type DrillOptions = {
  readonly dataFolder: string
  readonly version: string
  /**
   * Tells the stock what was restored, or asks with nothing but a `stock-id` whether that is its own: then 0, else 1.
   * Returns the exit code.
   */
  readonly tellStock: (location: string, facts: { readonly [option: string]: string | number }) => Promise<number>
}

/** Returns the exit code. Throws OperatorError when no backup can be restored, or it is not what was published. */
export async function drill(
  { dataFolder, version, tellStock }: DrillOptions,
  { operands, options }: ControlRequest,
  emit: Emit,
): Promise<number> {
  const { secretKey } = readConfig()
  const key = await findSecretKey({ dataFolder, ...(secretKey && { given: secretKey }) })
  if (key === undefined)
    throw new OperatorError(
      'setting-missing',
      `A drill needs the secret key: name the data folder that has it with --data, or set TENDERSTOCK_SECRET_KEY.`,
    )
  const scratch = scratchOf(options['scratch'])
  const where = backupLocationOf(operands[0]!)
  const shelf = openBackupShelf(where, { clock: systemClock, sleep: systemSleep, random, version })
  try {
    const startedAt = performance.now()
    let damaged = 0
    const warn = (error: OperatorError) => {
      if (error.code === 'backup-damaged' || error.code === 'backup-changed') damaged += 1
      emit({ event: 'warning', message: error.message })
    }
    const found = await findBackups(shelf, key, warn)
    const own = await ownBackups(found, (stockId) => tellStock(shelf.name, { 'stock-id': stockId }))
    for (const { place, manifest } of own) {
      const storage = shelf.open(place)
      let read: ReadDigest | undefined
      try {
        read = await restoreInto(scratch, { storage, manifest, key, emit })
      } catch (error) {
        if (!(error instanceof OperatorError) || error.code !== 'backup-damaged') throw error
        warn(error)
        continue
      }
      const facts = { 'taken-at': Date.parse(manifest.takenAt), 'stock-id': manifest.stockId, ...factsFor(read) }
      const told = await tellStock(storage.name, facts)
      if (told !== 0) return told
      // while something is wrong, nothing goes, nor what may be of another stock
      const mayRemove = damaged === 0 && manifest.stockId !== ''
      const removed = mayRemove && options['keep'] ? own.slice(Number(options['keep'])) : []
      for (const old of removed) await shelf.remove(old.place)
      emit({
        event: 'drilled',
        ...factsOf(storage, manifest),
        digest: read?.digest ?? null,
        seconds: Math.ceil((performance.now() - startedAt) / 1000),
        removed: removed.map((old) => old.place),
        kept: own.length - removed.length,
      })
      return damaged === 0 ? 0 : 1
    }
    throw new OperatorError('no-backup', `Below ${shelf.name} is no backup of this stock that can be restored.`)
  } finally {
    await shelf.close()
  }
}

const factsFor = (read: ReadDigest | undefined) => (read ? { edition: read.edition, digest: read.digest } : {})

/** The newest first. Those that are not as they were made, or of another key or version, are only named. */
async function findBackups(
  shelf: BackupShelf,
  key: KeyObject,
  warn: (error: OperatorError) => void,
): Promise<readonly FoundBackup[]> {
  const found: FoundBackup[] = []
  for (const place of await shelf.list()) {
    try {
      found.push({ place, manifest: await readManifest(shelf.open(place), key) })
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      warn(error)
    }
  }
  return found.sort((one, other) => Date.parse(other.manifest.takenAt) - Date.parse(one.manifest.takenAt))
}

/** Those of this stock, as several may share a place and a key; else those of stocks that had no edition yet. */
async function ownBackups(
  found: readonly FoundBackup[],
  ask: (stockId: string) => Promise<number>,
): Promise<readonly FoundBackup[]> {
  const byStock = Map.groupBy(found, ({ manifest }) => manifest.stockId)
  for (const [stockId, backups] of byStock) if (stockId !== '' && (await ask(stockId)) === 0) return backups
  return byStock.get('') ?? []
}

/** An empty database of a server, or the folder in which a new embedded one is made. */
type Scratch = { readonly databaseUrl: string } | { readonly folder: string }

function scratchOf(given: unknown): Scratch {
  if (typeof given !== 'string') return { folder: tmpdir() }
  return given.startsWith('postgres') ? { databaseUrl: checkDatabaseUrl(given, '--scratch') } : { folder: given }
}

type Restoring = {
  readonly storage: BackupStorage
  readonly manifest: Manifest
  readonly key: KeyObject
  readonly emit: Emit
}

/** Leaves nothing behind, whatever happens. Undefined for a stock without an edition. */
async function restoreInto(scratch: Scratch, work: Restoring): Promise<ReadDigest | undefined> {
  const { storage, manifest, emit } = work
  const known = migrationsOf(manifest, storage)
  await verifyBackup(storage, manifest, ({ rows, totalRows }) =>
    emit({ event: 'progress', stage: 'verify', done: rows, total: totalRows }),
  )
  if ('folder' in scratch) {
    await removeLeftovers(scratch.folder)
    const dataFolder = await mkdtemp(join(scratch.folder, scratchStart))
    try {
      const store = await openStore({ dataFolder, migrations: known })
      return await restoreAndRead(store, dataFolder, work).finally(store.close)
    } finally {
      await rm(dataFolder, { recursive: true, force: true })
    }
  }
  const { databaseUrl } = scratch
  const target = `The database ${shownAddress(databaseUrl)}`
  return inScratchSchema(databaseUrl, target, async (scratchUrl) => {
    const store = await openStore({ databaseUrl: scratchUrl, dataFolder: tmpdir(), migrations: known })
    return await restoreAndRead(store, target, work).finally(store.close)
  })
}

const scratchStart = 'tenderstock-drill-'

/** Scratch databases of drills that were killed: none runs for a day. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (name.startsWith(scratchStart) && (await stat(path)).mtimeMs < systemClock() - dayMs)
      await rm(path, { recursive: true, force: true })
  }
}

async function restoreAndRead(
  store: Store,
  target: string,
  { storage, manifest, key, emit }: Restoring,
): Promise<ReadDigest | undefined> {
  await restoreStock(store, storage, manifest, {
    target,
    key,
    now: systemClock(),
    randomBytes: random.bytes,
    onProgress: ({ rows, totalRows, table }) =>
      emit({ event: 'progress', stage: 'restore', done: rows, total: totalRows, table }),
  })
  await migrate(store.db, target)
  const read = await readNewestDigest(store.db)
  if (read?.published !== undefined && read.published !== null && read.published !== read.digest)
    throw new OperatorError(
      'backup-damaged',
      `The backup in ${storage.name} was restored, but the records of edition ${read.edition} are not those that ` +
        `were published (${read.digest} instead of ${read.published}); use another backup.`,
    )
  return read
}
