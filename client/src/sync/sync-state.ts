// Reads a stored state: one that was written by another version, or by hand, is refused; nothing is guessed.
import { ClientError } from '../client-error.ts'
import type { SyncState } from './sink.ts'

/** The stored state cannot be used. The message says what to do. */
export class StateError extends ClientError {
  override readonly name = 'StateError'
  override readonly code = 'state'
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isTextOrMissing = (value: unknown): boolean => value === undefined || isText(value)

const isSum = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
const isNumberOrMissing = (value: unknown): boolean => value === undefined || Number.isSafeInteger(value)

function isCopy(copy: unknown): boolean {
  return (
    isObject(copy) &&
    Number.isSafeInteger(copy.records) &&
    [copy.open, copy.all].every(isSum) &&
    isNumberOrMissing(copy.edition) &&
    isTextOrMissing(copy.behindSince) &&
    (copy.isDifferent === undefined || typeof copy.isDifferent === 'boolean')
  )
}

function isRun(run: unknown): boolean {
  return (
    isObject(run) &&
    (run.kind === 'first' || run.kind === 'delta') &&
    [run.cursor, run.updatedSince, run.largest, run.oldestHeld].every(isTextOrMissing) &&
    isNumberOrMissing(run.edition) &&
    (run.isRepair === undefined || run.isRepair === true) &&
    (run.merges === undefined || (Array.isArray(run.merges) && run.merges.every(isText)))
  )
}

/** Returns a stored state (a JSON value) as typed data. Throws a StateError if it is not one, or has a newer schema. */
export function parseState(value: unknown): SyncState {
  if (isObject(value) && value.schema !== 1 && typeof value.schema === 'number')
    throw new StateError(
      `The stored state has schema ${value.schema}: a newer version of this package wrote it; update.`,
    )
  const isState =
    isObject(value) &&
    value.schema === 1 &&
    isText(value.filterHash) &&
    isTextOrMissing(value.updatedSince) &&
    (value.copy === undefined || isCopy(value.copy)) &&
    (value.run === undefined || isRun(value.run))
  if (!isState) throw new StateError('The stored state is damaged. Restore it, or reset it to reload the copy.')
  return value as SyncState
}
