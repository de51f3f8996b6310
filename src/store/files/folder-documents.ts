// Documents in a folder: each is a file that exists completely or not at all, even after a power cut.
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeWithParents } from '#flat/files/own-files'
import type { Clock } from '../../platform/clock.ts'
import { OperatorError } from '../../platform/errors.ts'
import { syncFolder, undefinedWhenMissing } from '../../platform/folders.ts'
import type { Random } from '../../platform/random.ts'
import { documentPath } from './document-path.ts'
import type { OpenDocumentStore, PackedDocument } from './document-store.ts'
import { inParallel } from './in-parallel.ts'

/** Maximum number of files to write in parallel: a disk flushes several about as fast as one. */
const maxWrites = 8
/** How long an incomplete file is kept; after that the process that wrote it is certainly gone. */
const longestWriteMs = 24 * 60 * 60_000

/**
 * Opens the folder, creating it if necessary. A file is written under `incoming/`, flushed, and only then renamed;
 * `put` returns when the names are flushed as well. Any number of processes may share it.
 */
export async function openFolderDocuments(
  folder: string,
  { clock, random }: { readonly clock: Clock; readonly random: Pick<Random, 'uuid'> },
): Promise<OpenDocumentStore> {
  const incoming = join(folder, 'incoming')
  await explained(folder, async () => {
    await makeWithParents(incoming)
    await removeLeftovers(incoming, clock() - longestWriteMs)
    // finds out now, not with the first document, whether it can be written
    await write(join(incoming, `${random.uuid()}.probe`), Buffer.alloc(0), undefined)
  })
  /** Folders whose own names were flushed. */
  const flushedFolders = new Set<string>()

  const put = (documents: readonly PackedDocument[]) =>
    explained(folder, async () => {
      const leaves = new Set<string>()
      await inParallel(documents, maxWrites, async ({ documentId, packed }) => {
        const path = join(folder, documentPath(documentId))
        leaves.add(dirname(path))
        if (await exists(path)) return
        if (!flushedFolders.has(dirname(path))) await makeWithParents(dirname(path))
        await write(join(incoming, random.uuid()), packed, path)
      })
      // also for existing files: the process that wrote them may have been killed before
      await inParallel([...leaves], maxWrites, async (leaf) => {
        await syncFolder(leaf)
        if (flushedFolders.has(leaf)) return
        await syncFolder(dirname(leaf))
        await syncFolder(folder)
        flushedFolders.add(leaf)
      })
    })

  return {
    put,
    get: (documentId) =>
      explained(folder, () => readFile(join(folder, documentPath(documentId))).catch(undefinedWhenMissing)),
    remove: (documentIds) =>
      explained(folder, async () => {
        const paths = documentIds.map((documentId) => join(folder, documentPath(documentId)))
        const leaves = new Set<string>()
        await inParallel(paths, maxWrites, async (path) => {
          if (!(await exists(path))) return
          await rm(path, { force: true })
          leaves.add(dirname(path))
        })
        await inParallel([...leaves], maxWrites, syncFolder)
      }),
    close: async () => {},
  }
}

/** Writes a whole file and flushes it; then renames it, or deletes it if it has no name. */
async function write(temporary: string, bytes: Buffer, path: string | undefined): Promise<void> {
  try {
    await writeFile(temporary, bytes, { flag: 'wx', flush: true })
    if (path === undefined) await rm(temporary)
    else await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(undefinedWhenMissing)) !== undefined
}

async function removeLeftovers(incoming: string, before: number): Promise<void> {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name)
    const found = await stat(path).catch(undefinedWhenMissing)
    if (found && found.mtimeMs < before) await rm(path, { force: true })
  }
}

/** Errors that the operator can fix become a sentence. */
async function explained<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (
      code === undefined ||
      !['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'EIO', 'ENOENT', 'EEXIST'].includes(code)
    )
      throw error
    throw new OperatorError(
      'folder-unusable',
      `The document folder ${folder} cannot be used (${code}); check that it exists, is writable and is not full, or change TENDERSTOCK_DOCUMENTS.`,
      { cause: Object.assign(error as Error, { folder }) },
    )
  }
}
