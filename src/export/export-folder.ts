// The folder of an export: which export it belongs to, how far an interrupted one got, and what completes it. The
// manifest is written last: a folder without one holds no export yet.
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sumOf } from '#flat/files/durable-files'
import { makeWithParents, shareFile } from '#flat/files/own-files'
import { OperatorError } from '../platform/errors.ts'
import { lockFolder, lockName } from '../platform/folder-lock.ts'
import { inFolder, undefinedWhenMissing } from '../platform/folders.ts'
import { type ExportedFile, writeWhole } from './export-files.ts'

const manifestName = 'manifest.json'
const sumsName = 'SHA256SUMS'
const progressName = 'progress.json'
/** The members of a release package of OCDS. */
export const packageName = 'release-package.json'
const ours =
  /^(?:(?:tenders|lots|releases)-\d{4,}\.(?:csv|ndjson|jsonl|parquet)|sources\.csv|SHA256SUMS|progress\.json|lock\.db(?:-\w+)?|incoming-.*)$/
const isOurs = (name: string): boolean => name === packageName || ours.test(name)

/** What an interrupted export must have in common with the one that continues it. */
export type ExportIdentity = { readonly [name: string]: string | number }

/** How far an export got: everything before `after` is in `files`. */
export type ExportProgress = {
  readonly edition: number
  readonly after: number
  readonly records: number
  readonly merged: number
  readonly digest: string
  readonly recordsBySource: { readonly [sourceId: string]: number }
  readonly files: readonly ExportedFile[]
}

/** Where an export goes, and the umask of who asked for it; absent: of this process. */
export type ExportTarget = { readonly folder: string; readonly umask?: number | undefined }

export type ExportFolder = {
  /** Undefined at the start of an export. */
  readonly progress: ExportProgress | undefined
  readonly note: (progress: ExportProgress) => Promise<void>
  /** Completes the export: nothing is written after this. */
  readonly finish: (manifest: object, files: readonly ExportedFile[]) => Promise<void>
  readonly close: () => void
}

/**
 * Opens a new or empty folder, or that of an interrupted export. Throws OperatorError for any other folder, for one
 * that another process is writing to, and for an export with another identity.
 */
export async function openExportFolder(
  { folder, umask }: ExportTarget,
  identity: ExportIdentity,
): Promise<ExportFolder> {
  await explained(folder, () => makeWithParents(folder, umask))
  refuseForeign(folder, await explained(folder, () => readdir(folder)))
  const unlock = lockFolder(folder, {
    what: 'The folder',
    inUse: 'wait until that export has ended',
    unwritable: 'change its permissions, or pass another --out',
  })
  try {
    const progress = await readProgress(folder, identity)
    await clearRest(folder, new Set(progress?.files.map(({ name }) => name)))
    return {
      progress,
      note: (reached) =>
        explained(folder, () =>
          writeWhole(folder, progressName, `${JSON.stringify({ identity, ...reached }, null, 2)}\n`),
        ),
      finish: (manifest, files) => explained(folder, () => finish({ folder, umask }, manifest, files)),
      close: unlock,
    }
  } catch (error) {
    unlock()
    throw error
  }
}

function refuseForeign(folder: string, names: readonly string[]): void {
  if (names.includes(manifestName))
    throw new OperatorError(
      'export-exists',
      `${folder} already holds an export; pass a folder of its own for each (--out).`,
    )
  const foreign = names.find((name) => !isOurs(name))
  if (foreign !== undefined)
    throw new OperatorError(
      'folder-not-empty',
      `The folder ${folder} is not empty (it holds ${foreign}); pass an empty or a new one (--out).`,
    )
}

async function readProgress(folder: string, identity: ExportIdentity): Promise<ExportProgress | undefined> {
  const text = await explained(folder, () => readFile(join(folder, progressName), 'utf8').catch(undefinedWhenMissing))
  if (text === undefined) return undefined
  const { identity: begun, ...progress } = JSON.parse(text) as ExportProgress & { readonly identity: ExportIdentity }
  const other = Object.keys(identity).find((name) => identity[name] !== begun[name])
  if (other !== undefined)
    throw new OperatorError(
      'export-interrupted',
      `${folder} holds a cut-off export with another ${other} (${begun[other]}, now ${identity[other]}); continue that one, or remove the folder.`,
    )
  for (const { name, sha256 } of progress.files)
    if ((await sumOf(join(folder, name)).catch(undefinedWhenMissing)) !== sha256)
      throw new OperatorError(
        'export-damaged',
        `${join(folder, name)} is not as the export wrote it; remove the folder and begin again.`,
      )
  return progress
}

/** Removes what a killed process was writing. */
async function clearRest(folder: string, kept: ReadonlySet<string>): Promise<void> {
  const names = await readdir(folder)
  for (const name of names)
    if (!kept.has(name) && name !== progressName && !name.startsWith(lockName)) await rm(join(folder, name))
}

/** Until now only the owner of the files could read them. */
async function finish(
  { folder, umask }: ExportTarget,
  manifest: object,
  files: readonly ExportedFile[],
): Promise<void> {
  for (const { name } of files) await shareFile(join(folder, name), umask)
  await writeWhole(folder, sumsName, files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''), umask)
  await rm(join(folder, progressName), { force: true })
  // the lock stays held on the file, which no longer has a name
  await rm(join(folder, lockName), { force: true })
  await writeWhole(folder, manifestName, `${JSON.stringify(manifest, null, 2)}\n`, umask)
}

/** Turns an error of the folder into an OperatorError. */
export const explained = <Result>(folder: string, work: () => Promise<Result>): Promise<Result> =>
  inFolder(folder, 'an export', work)
