// Restores a backup where no stock is, or checks that it could be restored.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../platform/clock.ts'
import { readConfig } from '../platform/config.ts'
import { OperatorError } from '../platform/errors.ts'
import { systemRandom as random } from '../platform/random.ts'
import type { BackupPlace } from '../store/backup/backup-place.ts'
import { type Manifest, readManifest, verifyBackup } from '../store/backup/manifest.ts'
import { assertEmpty, restoreStock } from '../store/backup/restore-stock.ts'
import { openStore, type StoreOptions } from '../store/database.ts'
import { openDatabaseClock } from '../store/database-clock.ts'
import { measureClock } from '../store/look.ts'
import { migrate } from '../store/migrate.ts'
import { type Migrations, migrations } from '../store/migrations.ts'
import { placeOf } from '../store/server/open-server.ts'
import { factsOf, placeNamed } from './backup-operations.ts'
import type { Emit } from './command-event.ts'
import { noteCommand } from './command-note.ts'
import type { ControlRequest } from './control-socket.ts'

type Target = StoreOptions & { readonly name: string }

/** Returns the exit code. Throws OperatorError for a backup that is not whole, and for a target that is not empty. */
export async function restore(
  { dataFolder, version }: { readonly dataFolder: string; readonly version: string },
  { operands, options }: ControlRequest,
  emit: Emit,
): Promise<number> {
  const { databaseUrl, secretKey } = readConfig()
  const target: Target = {
    dataFolder,
    ...(databaseUrl !== undefined && { databaseUrl }),
    name: databaseUrl === undefined ? `The data folder ${dataFolder}` : `The database ${placeOf(databaseUrl)}`,
  }
  const place = placeNamed(operands[0]!, { random, version })
  try {
    const manifest = await readManifest(place)
    const known = migrationsOf(manifest, place)
    await verifyBackup(place, manifest, ({ rows, totalRows }) =>
      emit({ event: 'progress', stage: 'verify', done: rows, total: totalRows }),
    )
    const facts = factsOf(place, manifest)
    if (options['dry-run'] === true) {
      emit({ event: 'backupVerified', ...facts, isTargetEmpty: await isEmpty(target) })
      return 0
    }
    const records = await load(target, { place, manifest, known, emit })
    const advice = adviceFor(manifest, { dataFolder, hasKey: secretKey !== undefined, records })
    emit({ event: 'restored', ...facts, republished: records, advice })
    return 0
  } finally {
    await place.close()
  }
}

function migrationsOf({ migrations: names, version }: Manifest, place: BackupPlace): Migrations {
  if (names.some((name) => !(name in migrations)))
    throw new OperatorError(
      `The backup in ${place.name} was made by a newer version of Tenderstock (${version}); update the program.`,
    )
  return Object.fromEntries(names.map((name) => [name, migrations[name]!]))
}

/** Where no database is, none is made to find out. */
async function isEmpty(target: Target): Promise<boolean> {
  if (target.databaseUrl === undefined && !existsSync(join(target.dataFolder, 'database'))) return true
  if (target.databaseUrl === undefined) return false
  const store = await openStore(target)
  try {
    await assertEmpty(store.db, target.name)
    return true
  } catch (error) {
    if (error instanceof OperatorError) return false
    throw error
  } finally {
    await store.close()
  }
}

type Loading = {
  readonly place: BackupPlace
  readonly manifest: Manifest
  readonly known: Migrations
  readonly emit: Emit
}

/** The tables are made as the backup knows them, and brought up to date with its rows in them. */
async function load(target: Target, { place, manifest, known, emit }: Loading): Promise<number> {
  const store = await openStore({ ...target, migrations: known })
  try {
    const databaseClock = openDatabaseClock(systemClock)
    await measureClock(store, { ownClock: systemClock, databaseClock })
    const clock = databaseClock.now
    const { records } = await restoreStock(store, place, manifest, {
      target: target.name,
      now: clock(),
      randomBytes: random.bytes,
      onProgress: ({ rows, totalRows, table }) =>
        emit({ event: 'progress', stage: 'restore', done: rows, total: totalRows, table }),
      atEnd: (trx) =>
        noteCommand(
          trx,
          { clock },
          { action: 'stock.restore', subject: place.name, detail: { takenAt: manifest.takenAt } },
        ),
    })
    await migrate(store.db, target.name)
    return records
  } finally {
    await store.close()
  }
}

function adviceFor(
  manifest: Manifest,
  { dataFolder, hasKey, records }: { readonly dataFolder: string; readonly hasKey: boolean; readonly records: number },
): string[] {
  const { documentsOutside, takenAt } = manifest
  return [
    hasKey
      ? 'The key that seals secrets is not in a backup: TENDERSTOCK_SECRET_KEY must be the one that the service had when the backup was made.'
      : `The key that seals secrets is not in a backup: put the file secret-key of the old data folder into ${dataFolder}, or set TENDERSTOCK_SECRET_KEY; without it, run \`tenderstock webhook rotate\` for each endpoint.`,
    ...(records > 0
      ? [
          `Nobody knows what was served after ${takenAt}: the next edition publishes all ${records} records again, and cursors of later editions have expired.`,
        ]
      : []),
    `What was revoked, removed or redacted after ${takenAt} is as before: do it again, and run \`tenderstock redact import\` with the newest redactions.jsonl, before the service starts.`,
    ...(documentsOutside === null
      ? []
      : [`Raw documents are not in the backup: give the service ${documentsOutside} as TENDERSTOCK_DOCUMENTS again.`]),
  ]
}
