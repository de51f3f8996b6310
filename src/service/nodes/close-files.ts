// Closes to others what earlier versions, or whoever made the folder, left open to them in the data folder and in the
// folder of raw documents. Entries of others and folders that belong to others (mounts) are left; `doctor` names them.
import { lstat, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { closeTree } from '#flat/files/own-files'
import { bulkFolder } from '../../edition/bulk/bulk-state.ts'
import { accessPath } from '../../edition/format/bucket-files.ts'
import type { Config } from '../../platform/config.ts'
import { lockName } from '../../platform/folder-lock.ts'
import { undefinedWhenMissing } from '../../platform/folders.ts'
import { secretKeyFile } from '../../platform/sealing.ts'
import type { Emit } from '../events/command-event.ts'

/** First words of the names that the service uses in its data folder. */
const namesInData = [
  ...['database', 'editions', 'frozen-samples', 'scratch', 'control', 'trial-token', 'redactions'],
  ...[accessPath, bulkFolder, lockName, secretKeyFile],
]
const isOfData = (name: string): boolean => namesInData.some((start) => name.startsWith(start))
/** `documentPath` and where files are written before they get their name. */
const isOfDocuments = (name: string): boolean => /^(?:[0-9a-f]{2}|incoming)$/.test(name)

/** Called at each start, before anything is opened. Says what it closed. */
export async function closeFiles(
  { dataFolder, documents }: { readonly dataFolder: string } & Pick<Config, 'documents'>,
  emit: Emit,
): Promise<void> {
  const folders = [{ folder: resolve(dataFolder), isOurs: isOfData, entersClosed: true }]
  // millions of files: a folder that is closed already hides them
  if (documents?.kind === 'folder')
    folders.push({ folder: resolve(documents.path), isOurs: isOfDocuments, entersClosed: false })
  for (const { folder, isOurs, entersClosed } of folders) {
    const closed = await closeOurs(folder, isOurs, entersClosed)
    if (closed > 0)
      emit({
        event: 'warning',
        message:
          `${closed} ${closed === 1 ? 'file or folder' : 'files and folders'} in ${folder} could be read or ` +
          'changed by other users of this machine; now only by their owner.',
      })
  }
}

/** The folder itself only if nothing else is in it: somebody may have named one that holds more than the stock. */
async function closeOurs(folder: string, isOurs: (name: string) => boolean, entersClosed: boolean): Promise<number> {
  const stats = await lstat(folder).catch(undefinedWhenMissing)
  if (!stats?.isDirectory()) return 0
  if (!entersClosed && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0) return 0
  const names = await readdir(folder)
  if (names.every(isOurs)) {
    const closed = await closeTree(folder, { entersClosed })
    // there was nothing to read in an empty one
    return names.length === 0 ? 0 : closed
  }
  let closed = 0
  for (const name of names.filter(isOurs)) closed += await closeTree(join(folder, name), { entersClosed })
  return closed
}
