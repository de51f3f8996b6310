// Recognizes a full disk, whichever part reported it: the file system, the embedded engine, or the server.
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'

const codes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
/** SQLSTATE disk_full: both engines report it when a table or the log could not grow. */
const databaseFull = '53100'
/** What a server with a full disk answers each new connection, with the SQLSTATE of an internal error. */
const refusedWhenFull = 'could not write init file'
/** The system's message, if an engine passes it on without a code. */
const words = /No space left on device|Disk quota exceeded|File too large|database or disk is full/i

/** `folder` is there if the code that wrote knew it: an error of writing names no file. */
type FullDisk = Error & { readonly code?: string; readonly path?: string; readonly folder?: string }

/** The server reports where in its code an error occurred; the embedded engine does not. */
function isOfServer(error: Error & { readonly code?: string }): boolean {
  return 'routine' in error && (error.code === databaseFull || error.message === refusedWhenFull)
}

const serverDiskFull = 'The disk of the database server is full; delete files there or enlarge it.'

/** The error among an error and its causes that reports a full disk; undefined when none does. */
function fullDiskIn(error: unknown): FullDisk | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code } = each as { readonly code?: unknown }
    const isFull = code === databaseFull || (typeof code === 'string' && codes.has(code)) || words.test(each.message)
    if (isFull || isOfServer(each)) return each
  }
  return undefined
}

/** One sentence if it is the disk of the database server that is full; undefined for any other error. */
export function serverDiskSentence(error: unknown): string | undefined {
  const full = fullDiskIn(error)
  return full !== undefined && isOfServer(full) ? serverDiskFull : undefined
}

/** One sentence about which disk is full and what helps; undefined for any other error. */
export function fullDiskSentence(error: unknown, dataFolder: string): string | undefined {
  const full = fullDiskIn(error)
  if (full === undefined) return undefined
  if (isOfServer(full)) return serverDiskFull
  const folder = full.folder ?? (typeof full.path === 'string' ? dirname(full.path) : dataFolder)
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
