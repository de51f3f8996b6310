// Where a backup is: a folder or a bucket. A part exists completely and durably, or not at all.
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { closeTree, makeWithParents } from '#flat/files/own-files'
import type { DocumentLocation } from '../../platform/config.ts'
import { OperatorError } from '../../platform/errors.ts'
import { inFolder, syncFolder } from '../../platform/folders.ts'
import { type BucketOptions, openBucket } from '../files/bucket.ts'

/** Written last: without it there is no backup. */
export const manifestName = 'manifest.json'
/** Checksums of the parts, for `sha256sum --check`. */
export const sumsName = 'SHA256SUMS'

export type BackupStorage = {
  /** Name for people. */
  readonly name: string
  /** Resolves when all bytes are durable under that name. */
  readonly put: (name: string, bytes: Buffer) => Promise<void>
  /** Undefined when it is not there. */
  readonly get: (name: string) => Promise<Buffer | undefined>
  /**
   * Prepares it for a new backup. Throws OperatorError when it holds anything but the remains of an interrupted backup.
   */
  readonly clear: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Errors that the operator can fix are OperatorErrors. */
export function openBackupStorage(where: DocumentLocation, options: Omit<BucketOptions, 'named'>): BackupStorage {
  if (where.kind === 'folder') return folderStorage(where.path)
  const bucket = openBucket(where, { ...options, named: 'the address of the backup' })
  const name = `s3://${where.bucket}/${where.prefix}`.replace(/\/$/, '')
  return { ...bucket, name, clear: () => refuseBackup(name, bucket.get) }
}

async function refuseBackup(storage: string, get: BackupStorage['get']): Promise<void> {
  if ((await get(manifestName)) !== undefined)
    throw new OperatorError('backup-exists', `${storage} already holds a backup; pass a new location for each backup.`)
}

/** Whether a drill, which removes old backups, may remove it. */
export const isBackupFile = (name: string): boolean => leftover.test(name) || name === manifestName

const leftover = /^(?:\d{6}-[a-z_]+\.ndjson\.zst|SHA256SUMS|incoming)$/

function folderStorage(folder: string): BackupStorage {
  const get = (name: string) =>
    inFolder(folder, 'a backup', () => readFile(join(folder, name)).catch(undefinedWhenMissing))
  return {
    name: folder,
    get,
    put: (name, bytes) =>
      inFolder(folder, 'a backup', async () => {
        const incoming = join(folder, 'incoming')
        await writeFile(incoming, bytes, { mode: 0o600, flush: true })
        await rename(incoming, join(folder, name))
        await syncFolder(folder)
      }),
    clear: () =>
      inFolder(folder, 'a backup', async () => {
        await makeWithParents(folder)
        await refuseBackup(folder, get)
        const names = await readdir(folder)
        const foreign = names.find((name) => !leftover.test(name))
        if (foreign !== undefined)
          throw new OperatorError(
            'folder-not-empty',
            `The folder ${folder} is not empty (it holds ${foreign}); pass an empty or a new one.`,
          )
        // left by an interrupted backup
        for (const name of names) await rm(join(folder, name))
        await closeTree(folder)
        await syncFolder(dirname(folder))
      }),
    close: async () => {},
  }
}

function undefinedWhenMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
  return undefined
}
