// A disk without room, whichever part found it: the file system, the embedded engine, the server.
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'

const codes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
/** SQLSTATE disk_full, with which both engines say that a table or the log could not grow. */
const databaseFull = '53100'
/** The words of the system where an engine passes them on without a code. */
const words = /No space left on device|Disk quota exceeded|File too large|database or disk is full/i

/** What says so among an error and its causes; undefined when none does. */
function fullDiskIn(error: unknown): (Error & { readonly code?: string; readonly path?: string }) | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code } = each as { readonly code?: unknown }
    if (code === databaseFull || (typeof code === 'string' && codes.has(code)) || words.test(each.message)) return each
  }
  return undefined
}

/** One sentence about which disk is full and what helps; undefined when the error is another. */
export function fullDiskSentence(error: unknown, dataFolder: string): string | undefined {
  const full = fullDiskIn(error)
  if (full === undefined) return undefined
  // the server says where in its own code an error arose; the embedded engine is in the data folder
  if (full.code === databaseFull && 'routine' in full)
    return 'The disk of the database server is full; delete files there or enlarge it.'
  const folder = typeof full.path === 'string' ? dirname(full.path) : dataFolder
  return `The disk that holds ${folder} is full${left(folder)}; delete files there or enlarge it.`
}

function left(folder: string): string {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return ` (${((bavail * bsize) / 1_000_000).toFixed(1)} MB are left)`
  } catch {
    return ''
  }
}
