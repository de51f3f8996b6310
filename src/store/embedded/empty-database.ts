// A copy of the empty database that the engine made first: creating one takes the engine some seconds, copying it a
// moment. It is kept beside the installed engine, and its absence or a failure costs time alone.

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startParameters } from './start-parameters.ts'
import { syncTree } from './sync-node-fs.ts'

/**
 * Folder of the copy: `node_modules/.cache/tenderstock/…`, by the engine's version and parameters, and closed: earlier
 * versions left one that everybody could change. Undefined where the engine is not installed in a `node_modules`.
 */
function copyFolder(): string | undefined {
  try {
    const engine = dirname(dirname(fileURLToPath(import.meta.resolve('@electric-sql/pglite'))))
    const modules = dirname(dirname(engine))
    if (!modules.endsWith('node_modules')) return undefined
    const { version } = JSON.parse(readFileSync(join(engine, 'package.json'), 'utf8')) as { readonly version: string }
    const name = hash('sha256', JSON.stringify([version, startParameters, 'closed'])).slice(0, 16)
    return join(modules, '.cache', 'tenderstock', `empty-database-${name}`)
  } catch {
    return undefined
  }
}

/** Copies the empty database to `folder`; false if there is no copy, or not enough space or rights. */
export async function copyEmptyDatabase(folder: string): Promise<boolean> {
  const copy = copyFolder()
  if (copy === undefined) return false
  try {
    await cp(copy, folder, { recursive: true, errorOnExist: true, force: false })
    return true
  } catch {
    await rm(folder, { recursive: true, force: true })
    return false
  }
}

/** Keeps a copy of the empty database in `folder` for the next one, complete and durable, or none. */
export async function keepEmptyDatabase(folder: string): Promise<void> {
  const copy = copyFolder()
  if (copy === undefined) return
  const aside = `${copy}.${process.pid}-${performance.now()}`
  try {
    await mkdir(dirname(copy), { recursive: true })
    await cp(folder, aside, { recursive: true })
    await syncTree(aside)
    await rename(aside, copy)
  } catch {
    // No rights, no space, or another process was first.
    await rm(aside, { recursive: true, force: true }).catch(() => {})
  }
}
