// What the edition log does when the disk is full: appending ends cleanly, and is not retried before there is room.
import { OperatorError } from '../../platform/errors.ts'

/** Minimum bytes of disk space to leave to the rest of the machine. */
export const spareBytes = 1 << 20

/** Whether the disk is full, the quota is used up, or the file has reached its maximum size. */
export function isFullDisk(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG'
}

export function fullDisk(folder: string, cause?: unknown): OperatorError {
  return new OperatorError(
    'disk-full',
    `The disk of the edition log ${folder} is full; make room there: the last edition is served until then, ` +
      'and the next one is loaded automatically afterwards.',
    { cause },
  )
}
