// The drill: restores the newest backup into a scratch database, compares it with what was published, and removes old
// backups. It runs in its own process; the stock itself only learns the result.
import type { KeyObject } from 'node:crypto'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayMs, toInstant } from '../../domain/time.ts'
import { systemClock, systemSleep } from '../../platform/clock.ts'
import { backupLocationOf, checkDatabaseUrl, readConfig } from '../../platform/config.ts'
import { OperatorError } from '../../platform/errors.ts'
import { systemRandom as random } from '../../platform/random.ts'
import { findSecretKey } from '../../platform/sealing.ts'
import { type BackupShelf, openBackupShelf } from '../../store/backup/backup-shelf.ts'
import { restoredName } from '../../store/backup/backup-storage.ts'
import { type Manifest, readManifest, verifyBackup } from '../../store/backup/manifest.ts'
import { removeTables, restoreStock } from '../../store/backup/restore-stock.ts'
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
  /** Tells the stock what was restored; returns the exit code. */
  readonly tellStock: (location: string, facts: { readonly [option: string]: string | number }) => Promise<number>
}

/**
 * Returns the exit code. Throws OperatorError when the newest backup cannot be restored, or is not what was published.
 */
export async function drill(
  { dataFolder, version, tellStock }: DrillOptions,
  { operands, options }: ControlRequest,
  emit: Emit,
): Promise<number> {
  const { databaseUrl, secretKey } = readConfig()
  const key = await findSecretKey({ dataFolder, ...(secretKey && { given: secretKey }) })
  if (key === undefined)
    throw new OperatorError(
      'setting-missing',
      `A drill needs the secret key: name the data folder that has it with --data, or set TENDERSTOCK_SECRET_KEY.`,
    )
  const scratch = scratchOf(options['scratch'], databaseUrl)
  const where = backupLocationOf(operands[0]!)
  const shelf = openBackupShelf(where, { clock: systemClock, sleep: systemSleep, random, version })
  try {
    const startedAt = performance.now()
    const { found, damaged } = await findBackups(shelf, key, emit)
    const newest = found[0]
    if (newest === undefined)
      throw new OperatorError('no-backup', `There is no backup below ${shelf.name} that can be restored.`)
    const storage = shelf.open(newest.place)
    const read = await restoreInto(scratch, { shelf, backup: newest, key, emit })
    const { manifest } = newest
    const facts = { 'taken-at': Date.parse(manifest.takenAt), 'stock-id': manifest.stockId, ...factsFor(read) }
    const told = await tellStock(storage.name, facts)
    if (told !== 0) return told
    await storage.put(restoredName, Buffer.from(`${JSON.stringify({ at: toInstant(systemClock()), ...read })}\n`))
    const removed = await removeOld(shelf, found, Number(options['keep'] ?? 0))
    emit({
      event: 'drilled',
      ...factsOf(storage, manifest),
      digest: read?.digest ?? null,
      seconds: Math.ceil((performance.now() - startedAt) / 1000),
      removed,
      kept: found.length - removed.length,
    })
    return damaged === 0 ? 0 : 1
  } finally {
    await shelf.close()
  }
}

const factsFor = (read: ReadDigest | undefined) => (read ? { edition: read.edition, digest: read.digest } : {})

/** The newest first, and how many are not as they were made. Those of another key or version are only named. */
async function findBackups(
  shelf: BackupShelf,
  key: KeyObject,
  emit: Emit,
): Promise<{ readonly found: readonly FoundBackup[]; readonly damaged: number }> {
  const found: FoundBackup[] = []
  let damaged = 0
  for (const place of await shelf.list()) {
    try {
      found.push({ place, manifest: await readManifest(shelf.open(place), key) })
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      if (error.code === 'backup-damaged' || error.code === 'backup-changed') damaged += 1
      emit({ event: 'warning', message: error.message })
    }
  }
  found.sort((one, other) => Date.parse(other.manifest.takenAt) - Date.parse(one.manifest.takenAt))
  return { found, damaged }
}

/** An empty database of a server, or the folder in which a new embedded one is made. */
type Scratch = { readonly databaseUrl: string } | { readonly folder: string }

function scratchOf(given: unknown, databaseUrl: string | undefined): Scratch {
  if (typeof given !== 'string') return { folder: tmpdir() }
  if (!given.startsWith('postgres')) return { folder: given }
  const address = checkDatabaseUrl(given, '--scratch')
  if (address === databaseUrl)
    throw new OperatorError('options-conflict', '--scratch names the database of the stock; name an empty one.')
  return { databaseUrl: address }
}

/** Leaves nothing behind, whatever happens. Undefined for a stock without an edition. */
async function restoreInto(
  scratch: Scratch,
  work: {
    readonly shelf: BackupShelf
    readonly backup: FoundBackup
    readonly key: KeyObject
    readonly emit: Emit
  },
): Promise<ReadDigest | undefined> {
  const { manifest } = work.backup
  const storage = work.shelf.open(work.backup.place)
  const known = migrationsOf(manifest, storage)
  await verifyBackup(storage, manifest, ({ rows, totalRows }) =>
    work.emit({ event: 'progress', stage: 'verify', done: rows, total: totalRows }),
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
  const name = `The database ${shownAddress(databaseUrl)}`
  const store = await openStore({ databaseUrl, dataFolder: tmpdir(), migrations: known })
  let isOwn = true
  try {
    return await restoreAndRead(store, name, work)
  } catch (error) {
    isOwn = !(error instanceof OperatorError && error.code === 'target-not-empty')
    throw error
  } finally {
    if (isOwn) await removeTables(store.db)
    await store.close()
  }
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
  {
    shelf,
    backup: { place, manifest },
    key,
    emit,
  }: { readonly shelf: BackupShelf; readonly backup: FoundBackup; readonly key: KeyObject; readonly emit: Emit },
): Promise<ReadDigest | undefined> {
  const storage = shelf.open(place)
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

/** Keeps so many, and the newest that a drill has restored; 0 keeps all. Returns the names of what it removed. */
async function removeOld(shelf: BackupShelf, found: readonly FoundBackup[], keep: number): Promise<string[]> {
  if (keep === 0) return []
  const removed: string[] = []
  let hasRestored = false
  for (const [index, { place }] of found.entries()) {
    const isRestored = (await shelf.open(place).get(restoredName)) !== undefined
    const isNewestRestored = isRestored && !hasRestored
    hasRestored ||= isRestored
    if (index < keep || isNewestRestored) continue
    await shelf.remove(place)
    removed.push(place)
  }
  return removed
}
