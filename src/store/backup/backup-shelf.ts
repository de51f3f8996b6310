// The folder, or the part of a bucket, below which each backup has a place of its own: which there are, and removing
// one.
import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DocumentLocation } from '../../platform/config.ts'
import { inFolder } from '../../platform/folders.ts'
import { type BucketOptions, openBucket } from '../files/bucket.ts'
import { type BackupStorage, isBackupFile, manifestName, openBackupStorage } from './backup-storage.ts'

export type BackupShelf = {
  /** Name for people. */
  readonly name: string
  /** Names of the places that hold a whole backup. */
  readonly list: () => Promise<readonly string[]>
  readonly open: (place: string) => BackupStorage
  /**
   * Removes the files of a backup. The manifest goes last: what was interrupted is listed, and removed the next time.
   */
  readonly remove: (place: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** Errors that the operator can fix are OperatorErrors. */
export function openBackupShelf(where: DocumentLocation, options: Omit<BucketOptions, 'named'>): BackupShelf {
  const open: BackupShelf['open'] = (place) =>
    where.kind === 'folder'
      ? openBackupStorage({ ...where, path: join(where.path, place) }, options)
      : openBackupStorage({ ...where, prefix: `${where.prefix}${place}/` }, options)
  if (where.kind === 'folder') return { ...folderShelf(where.path), open }
  const bucket = openBucket(where, { ...options, named: 'the address of the backups' })
  return {
    name: `s3://${where.bucket}/${where.prefix}`.replace(/\/$/, ''),
    open,
    list: async () =>
      (await bucket.list('')).flatMap(({ path }) => {
        const [place, file, ...more] = path.split('/')
        return file === manifestName && more.length === 0 ? [place!] : []
      }),
    remove: async (place) => {
      const paths = (await bucket.list(`${place}/`)).map(({ path }) => path)
      for (const path of manifestLast(paths)) if (isBackupFile(path.slice(place.length + 1))) await bucket.remove(path)
    },
    close: bucket.close,
  }
}

const manifestLast = (paths: readonly string[]): string[] => {
  const isManifest = (path: string) => path.endsWith(manifestName)
  return [...paths.filter((path) => !isManifest(path)), ...paths.filter(isManifest)]
}

const folderShelf = (folder: string): Omit<BackupShelf, 'open'> => ({
  name: folder,
  list: () =>
    inFolder(folder, 'backups', async () => {
      const places = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory())
      const files = await Promise.all(places.map(({ name }) => readdir(join(folder, name)).catch((): string[] => [])))
      return places.flatMap(({ name }, index) => (files[index]!.includes(manifestName) ? [name] : []))
    }),
  remove: (place) =>
    inFolder(folder, 'backups', async () => {
      const path = join(folder, place)
      for (const name of manifestLast(await readdir(path))) if (isBackupFile(name)) await rm(join(path, name))
      // what somebody else put there stays, with its folder
      await rmdir(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOTEMPTY') throw error
      })
    }),
  close: async () => {},
})
