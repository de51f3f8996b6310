// Reads and writes of which the system may do a part only.
import type { FileHandle } from 'node:fs/promises'

/** Fills `target`; false when the file ends before. */
export async function readAll(handle: FileHandle, target: Uint8Array, from: number): Promise<boolean> {
  for (let done = 0; done < target.length; ) {
    const { bytesRead } = await handle.read(target, done, target.length - done, from + done)
    if (bytesRead === 0) return false
    done += bytesRead
  }
  return true
}

/** Writes these one after the other; at most 1,000, the limit of one call of the system. */
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
