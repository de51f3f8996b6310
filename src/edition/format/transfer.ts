// Read and write helpers that handle short reads and writes.
import { readSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

/** Whether the disk could not read what was written: a bad sector, or bytes that the file system knows to be wrong. */
export function isUnreadable(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EIO'
}

/**
 * Returns the bytes that were read into `target`: fewer at the end of the file, and where the disk cannot read further.
 * The caller checks them, and missing bytes are damage like any other.
 */
export async function readUpTo(handle: FileHandle, target: Uint8Array, from: number): Promise<number> {
  let done = 0
  try {
    for (let step = 1; step > 0 && done < target.length; done += step)
      step = (await handle.read(target, done, target.length - done, from + done)).bytesRead
  } catch (error) {
    if (!isUnreadable(error)) throw error
  }
  return done
}

/** Synchronous version of readUpTo. */
export function readUpToNow(fd: number, target: Uint8Array, offset: number, length: number, from: number): number {
  let done = 0
  try {
    for (let step = 1; step > 0 && done < length; done += step)
      step = readSync(fd, target, offset + done, length - done, from + done)
  } catch (error) {
    if (!isUnreadable(error)) throw error
  }
  return done
}

/** Writes these one after the other; at most 1,000, the limit of one system call. */
export async function writeTogether(handle: FileHandle, parts: readonly Uint8Array[], from: number): Promise<void> {
  let rest = parts.filter((part) => part.length > 0)
  for (let at = from; rest.length > 0; ) {
    const { bytesWritten } = await handle.writev(rest, at)
    at += bytesWritten
    let skipped = bytesWritten
    while (rest.length > 0 && skipped >= rest[0]!.length) {
      skipped -= rest[0]!.length
      rest = rest.slice(1)
    }
    if (skipped > 0) rest = [rest[0]!.subarray(skipped), ...rest.slice(1)]
  }
}
