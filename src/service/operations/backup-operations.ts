// Backing up an open stock, copying it to a server, and the next epoch of one that was recovered by other means.

import { addEpoch, noteBackup, noteDrill, noteExport } from '../../actions/stock.ts'
import { toInstant } from '../../domain/time.ts'
import { systemClock, systemSleep } from '../../platform/clock.ts'
import { backupLocationOf, type Config, checkDatabaseUrl } from '../../platform/config.ts'
import { OperatorError } from '../../platform/errors.ts'
import { backUpStock } from '../../store/backup/back-up-stock.ts'
import { type BackupStorage, openBackupStorage } from '../../store/backup/backup-storage.ts'
import { exportStock, previewExport } from '../../store/backup/export.ts'
import type { Manifest } from '../../store/backup/manifest.ts'
import { fullDiskSentence } from '../../store/connections/full-disk.ts'
import { inTransaction } from '../../store/database/database.ts'
import { checksumOf, stockIdOf } from '../../store/editions/editions.ts'
import { inStockTransaction } from '../../store/editions/publication.ts'
import { saveLastBackup, saveLastDrill } from '../../store/nodes/last-backup.ts'
import {
  actingNow,
  actingOf,
  type Operation,
  type Operations,
  type ServiceContext,
} from '../control/operation-context.ts'
import type { BackupFacts } from '../events/backup-events.ts'
import { openStockKey } from '../hits/webhook-sealer.ts'

/** Opens the folder or bucket that an argument names; requests over the network use the machine's own time. */
export function openNamedStorage(
  text: string,
  { random, version }: Pick<ServiceContext, 'random' | 'version'>,
): BackupStorage {
  return openBackupStorage(backupLocationOf(text), { clock: systemClock, sleep: systemSleep, random, version })
}

/** Not in the queue of operations that write much: rounds continue meanwhile. */
export const backUp: Operation = async (context, { operands }, emit) => {
  const { store, version, config, random } = context
  const storage = openNamedStorage(operands[0]!, context)
  try {
    await noteBackup(store.db, actingNow(context), storage.name)
    const startedAt = performance.now()
    const manifest = await backUpStock(store, storage, {
      version,
      key: await openStockKey(context),
      randomBytes: random.bytes,
      documentsOutside: documentsOutside(config),
      onProgress: ({ rows, totalRows, table }) =>
        emit({ event: 'progress', stage: 'backup', done: rows, total: totalRows, table }),
      ...(context.signal && { signal: context.signal }),
    })
    const seconds = Math.ceil((performance.now() - startedAt) / 1000)
    await saveLastBackup(store.db, Date.parse(manifest.takenAt))
    emit({ event: 'backedUp', ...factsOf(storage, manifest), longestHoldMs: manifest.longestHoldMs, seconds })
    return 0
  } catch (error) {
    const full = fullDiskSentence(error, storage.name)
    if (full === undefined) throw error
    throw new OperatorError(
      'disk-full',
      `${full} The interrupted backup stays in ${storage.name}; the same command clears it and starts over.`,
      { cause: error },
    )
  } finally {
    await storage.close()
  }
}

/**
 * What a drill restored, compared with this stock, and noted in it: `drill.ts` calls this when it has restored it, and
 * before that to ask which of the backups are of this stock (0).
 */
const noteDrilled: Operation = async (context, { operands, options }, _emit) => {
  const { store } = context
  const [location, edition] = [operands[0]!, Number(options['edition'] ?? 0)]
  return inTransaction(store, async (trx) => {
    if (options['taken-at'] === undefined) return options['stock-id'] === (await stockIdOf(trx)) ? 0 : 1
    const published = await checksumOf(trx, edition)
    if (published !== undefined && published !== options['digest'])
      throw new OperatorError(
        'backup-damaged',
        `The backup in ${location} was restored, but this stock published edition ${edition} with other records ` +
          `(${published} instead of ${options['digest']}); find out which of the two was changed.`,
      )
    const takenAt = Number(options['taken-at'])
    await noteDrill(trx, actingNow(context), location, toInstant(takenAt))
    await saveLastDrill(trx, takenAt)
    return 0
  })
}

/** Copies an embedded stock to a PostgreSQL server. */
const exportDatabase: Operation = async (context, { options, operands }, emit) => {
  const { store } = context
  if (store.engine === 'server')
    throw new OperatorError(
      'options-conflict',
      'This copies an embedded stock to a server; unset DATABASE_URL and pass the folder with --data.',
    )
  const target = checkDatabaseUrl(operands[0]!, 'URL')
  if (options['dry-run'] === true) {
    const { rows: tables, ...preview } = await previewExport(store, target)
    const rows = Object.values(tables).reduce((sum, each) => sum + each, 0)
    emit({ event: 'exportPreview', ...preview, rows, tables })
    return preview.usedTable === null ? 0 : 1
  }
  // what it wrote after the copy would be missing there, and an edition's number would stand for two contents
  if (context.rounds !== undefined)
    throw new OperatorError(
      'service-running',
      'A service runs on this stock: stop it, then export, and start it with the new DATABASE_URL.',
    )
  await noteExport(store.db, actingNow(context), new URL(target))
  const { rows } = await exportStock(store, target, (progress) =>
    emit({
      event: 'progress',
      stage: 'export',
      done: progress.rows,
      total: progress.totalRows,
      table: progress.table,
    }),
  )
  emit({ event: 'exported', rows: Object.values(rows).reduce((sum, each) => sum + each, 0), tables: rows })
  return 0
}

/** For the database that holds the stock now: after a recovery it is unknown what was served since. */
export const beginNewEpoch: Operation = async (context, _request, emit) => {
  const begun = await inStockTransaction(context.store, (trx) => addEpoch(trx, actingOf(context)))
  const { records, edition } = begun!
  emit({
    event: 'note',
    message:
      `A new epoch begins after edition ${edition}: the next edition publishes ${records} records again, and ` +
      'all people have to sign in again. Restart every process that serves this database.',
  })
  return 0
}

export const factsOf = (storage: BackupStorage, manifest: Manifest): BackupFacts => ({
  location: storage.name,
  takenAt: manifest.takenAt,
  edition: manifest.edition?.edition ?? null,
  rows: manifest.rows,
  parts: manifest.parts.length,
  bytes: manifest.bytes,
  documentsOutside: manifest.documentsOutside,
})

function documentsOutside({ documents }: Config): string | null {
  if (documents === undefined) return null
  if (documents.kind === 'folder') return `folder:${documents.path}`
  return `s3://${documents.bucket}/${documents.prefix}`.replace(/\/$/, '')
}

export const operations = {
  backup: backUp,
  drill: noteDrilled,
  'database export': exportDatabase,
  'database new-epoch': beginNewEpoch,
} satisfies Operations
