// Restores a backup where no stock exists, or checks that it could be restored.
import type { KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { commandActor } from '../../actions/acting.ts'
import { noteRestore } from '../../actions/stock.ts'
import { systemClock } from '../../platform/clock.ts'
import { backupLocationOf, readConfig } from '../../platform/config.ts'
import { OperatorError } from '../../platform/errors.ts'
import { systemRandom as random } from '../../platform/random.ts'
import { findSecretKey } from '../../platform/sealing.ts'
import type { BackupStorage } from '../../store/backup/backup-storage.ts'
import { type Manifest, readManifest, verifyBackup } from '../../store/backup/manifest.ts'
import { assertEmpty, restoreStock } from '../../store/backup/restore-stock.ts'
import { openStore, type StoreOptions } from '../../store/database/database.ts'
import { openDatabaseClock } from '../../store/database/database-clock.ts'
import { measureClock } from '../../store/nodes/look.ts'
import { lostRedactions, noteLost } from '../../store/received/redactions.ts'
import { migrate } from '../../store/schema/migrate.ts'
import { type Migrations, migrations } from '../../store/schema/migrations.ts'
import { shownAddress } from '../../store/server/server-addresses.ts'
import type { ControlRequest } from '../control/control-socket.ts'
import type { Emit } from '../events/command-event.ts'
import { closeFiles } from '../nodes/close-files.ts'
import { factsOf, openNamedStorage } from './backup-operations.ts'
import {
  keepLines,
  noteRestored,
  otherStock,
  type RedactionLine,
  readRedactions,
  redactionLines,
  redactionsFile,
  redactionsIn,
} from './redact-operations.ts'
import { runAlone } from './run-alone.ts'

type Target = StoreOptions & { readonly name: string }

/** Returns the exit code. Throws OperatorError for an incomplete backup, and for a target that is not empty. */
export async function restore(
  {
    dataFolder,
    version,
    signal,
  }: { readonly dataFolder: string; readonly version: string; readonly signal: AbortSignal },
  { operands, options }: ControlRequest,
  emit: Emit,
): Promise<number> {
  const { databaseUrl, secretKey } = readConfig()
  const target: Target = {
    dataFolder,
    ...(databaseUrl !== undefined && { databaseUrl }),
    name: databaseUrl === undefined ? `The data folder ${dataFolder}` : `The database ${shownAddress(databaseUrl)}`,
  }
  const storage = openNamedStorage(operands[0]!, { random, version })
  try {
    const key = await findSecretKey({ dataFolder, ...(secretKey && { given: secretKey }) })
    const isAuthenticated = key !== undefined
    const manifest = await readManifest(storage, key)
    const known = migrationsOf(manifest, storage)
    const redactions = await findRedactions(storage, {
      given: options['redactions'],
      dataFolder,
      operand: operands[0]!,
    })
    await verifyBackup(storage, manifest, ({ rows, totalRows }) =>
      emit({ event: 'progress', stage: 'verify', done: rows, total: totalRows }),
    )
    const facts = factsOf(storage, manifest)
    if (options['dry-run'] === true) {
      const isTargetEmpty = await isEmpty(target)
      const redactionsFrom = redactions.file?.path ?? null
      emit({ event: 'backupVerified', ...facts, redactionsFrom, isTargetEmpty, isAuthenticated })
      return 0
    }
    await closeFiles({ dataFolder }, emit)
    const loading = { storage, manifest, known, emit, redactions: redactions.file, key }
    const { records, applied, lost } = await load(target, loading)
    const lookedAt = applied ? undefined : redactions.lookedAt
    const advice = adviceFor(manifest, { dataFolder, hasKey: isAuthenticated, records, lost, lookedAt })
    const redactionsFrom = applied?.path ?? null
    emit({ event: 'restored', ...facts, redactionsFrom, isAuthenticated, republished: records, advice })
    if (!applied) return 0
    const own = join(resolve(dataFolder), redactionsFile)
    const path = existsSync(own) ? applied.path : await keepLines(dataFolder, applied.lines)
    const request = { command: 'redact import', operands: [path], options: {} }
    return await runAlone({ dataFolder, version, signal }, request, emit)
  } finally {
    await storage.close()
  }
}

type Redactions = {
  readonly path: string
  readonly lines: readonly RedactionLine[]
  /** Named by the operator, who is told if it does not fit. */
  readonly isGiven: boolean
}

/** The file of redactions for a restore: the given one, otherwise the first found in the usual places. */
async function findRedactions(
  storage: BackupStorage,
  { given, dataFolder, operand }: { readonly given: unknown; readonly dataFolder: string; readonly operand: string },
): Promise<{ readonly file: Redactions | undefined; readonly lookedAt: readonly string[] }> {
  if (typeof given === 'string')
    return { file: { path: given, lines: await readRedactions(given), isGiven: true }, lookedAt: [] }
  const [own, inside] = [join(resolve(dataFolder), redactionsFile), `${storage.name}/${redactionsFile}`]
  const where = backupLocationOf(operand)
  const beside = where.kind === 'folder' ? [join(dirname(where.path), redactionsFile)] : []
  const lookedAt = [own, inside, ...beside]
  if (existsSync(own)) return { file: { path: own, lines: await readRedactions(own), isGiven: false }, lookedAt }
  const stored = await storage.get(redactionsFile)
  if (stored) {
    const lines = redactionLines(stored.toString(), inside)
    return { file: { path: inside, lines, isGiven: false }, lookedAt }
  }
  const path = beside.find((each) => existsSync(each))
  return {
    file: path === undefined ? undefined : { path, lines: await readRedactions(path), isGiven: false },
    lookedAt,
  }
}

/** Those of a backup. Throws OperatorError when this program does not have them all. */
export function migrationsOf({ migrations: names, version }: Manifest, storage: BackupStorage): Migrations {
  const unknown = names.filter((name) => !(name in migrations))
  // the backup itself may be of this version, made after going back
  if (unknown.length > 0)
    throw new OperatorError(
      'newer-version',
      `The backup in ${storage.name}, made by version ${version}, holds changes of a newer version of ` +
        `Tenderstock (${unknown.join(', ')}); restore it with that version.`,
    )
  return Object.fromEntries(names.map((name) => [name, migrations[name]!]))
}

/** Does not create a database to find out. */
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
  readonly storage: BackupStorage
  readonly manifest: Manifest
  readonly known: Migrations
  readonly emit: Emit
  readonly redactions: Redactions | undefined
  /** With which the manifest was read. */
  readonly key: KeyObject | undefined
}

type Loaded = {
  /** Ids of redactions that nothing recognizes any more. */
  readonly lost: readonly string[]
  /** How many records the next edition publishes again. */
  readonly records: number
  /** Undefined when there is no file, or it belongs to another stock. */
  readonly applied: Redactions | undefined
}

/** Creates the tables as of the backup's version, and migrates them with its rows in them. */
async function load(target: Target, { storage, manifest, known, emit, redactions, key }: Loading): Promise<Loaded> {
  let applied: Redactions | undefined
  let lost: readonly string[] = []
  const store = await openStore({ ...target, migrations: known })
  try {
    const databaseClock = openDatabaseClock(systemClock)
    await measureClock(store, databaseClock)
    const clock = databaseClock.now
    const { records } = await restoreStock(store, storage, manifest, {
      target: target.name,
      key,
      now: clock(),
      randomBytes: random.bytes,
      onProgress: ({ rows, totalRows, table }) =>
        emit({ event: 'progress', stage: 'restore', done: rows, total: totalRows, table }),
      atEnd: async (trx) => {
        await noteRestore(trx, { ...commandActor, now: clock() }, storage.name, manifest.takenAt)
        // the key of the file was in the backup, sealed
        if (key === undefined && redactions) await noteLost(trx, redactionsIn(redactions.lines))
        lost = await lostRedactions(trx)
        if (key === undefined || !redactions) return
        if (await noteRestored(trx, redactions.lines)) applied = redactions
        else if (redactions.isGiven) throw otherStock(redactions.path)
      },
    })
    await migrate(store.db, target.name)
    return { records, applied, lost }
  } finally {
    await store.close()
  }
}

function adviceFor(
  manifest: Manifest,
  {
    dataFolder,
    hasKey,
    records,
    lost,
    lookedAt,
  }: {
    readonly dataFolder: string
    readonly hasKey: boolean
    readonly records: number
    /** Ids of redactions that nothing recognizes any more. */
    readonly lost: readonly string[]
    /** Where redactions of this stock were looked for without success; undefined when they are applied. */
    readonly lookedAt: readonly string[] | undefined
  },
): string[] {
  const { documentsOutside, takenAt } = manifest
  return [
    ...(hasKey ? [] : keylessAdvice(dataFolder, lost)),
    'All people have to sign in again: sessions and links to sign in are not restored.',
    ...(records > 0
      ? [
          `What was served after ${takenAt} is unknown: the next edition publishes all ${records} records again, and cursors of later editions have expired.`,
        ]
      : []),
    `Everything that was revoked or removed after ${takenAt} is back: revoke or remove it again before the service starts.`,
    ...(lookedAt === undefined || !hasKey
      ? []
      : [
          `No redactions of this stock are in ${lookedAt.join(', ')}: if contact data was redacted after ` +
            `${takenAt}, run \`tenderstock redact import\` with the redactions.jsonl of the data folder in ` +
            'which it was redacted, before the service starts.',
        ]),
    ...(documentsOutside === null
      ? []
      : [`Raw documents are not in the backup: set TENDERSTOCK_DOCUMENTS to ${documentsOutside} again.`]),
  ]
}

/** What the secret key would have opened. */
function keylessAdvice(dataFolder: string, lost: readonly string[]): string[] {
  return [
    'The secret key was not there. If you have it, restore once more into an empty place, with the file ' +
      `secret-key of the old data folder in ${dataFolder}, or with TENDERSTOCK_SECRET_KEY.`,
    'Without it there is no proof that the backup is as it was made. Cursors that were issued before answer ' +
      'cursor-invalid, and clients begin again from their state. Run `tenderstock webhook rotate ID ' +
      '--accept-new-key` for each endpoint.',
    ...(lost.length === 0
      ? []
      : [
          `The values of ${lost.length} redactions are no longer recognized, neither in new notices nor in ` +
            `those that are there: ${lost.join(', ')}. Nothing is published until you repeat \`tenderstock ` +
            'redact` for each of these people, and run `tenderstock publish --override-gate`.',
        ]),
  ]
}
