// Errors that the person who runs a sink can fix.
import { ClientError, type ClientErrorCode } from '../../client-error.ts'

/** The message is one sentence that says what is wrong and what to do; shown without a stack. */
export class SinkError extends ClientError {
  override readonly name: string = 'SinkError'
  override readonly code: ClientErrorCode = 'sink'
}

/** Another process writes into the target: this run is skipped, not failed (C154). */
export class SinkBusyError extends SinkError {
  override readonly name = 'SinkBusyError'
  override readonly code = 'busy'
}

/** The target cannot be read: it was damaged, truncated, or written by another program. */
export class CopyDamagedError extends SinkError {
  override readonly name = 'CopyDamagedError'
  override readonly code = 'copy-damaged'
}

/** An optional module. Throws a SinkError that says what needs it, and how to install it, if it is missing. */
export async function installed<Module>(loading: Promise<Module>, name: string, user: string): Promise<Module> {
  try {
    return await loading
  } catch (cause) {
    if (!isMissingModule(cause, name)) throw cause
    throw new SinkError(`${user} needs the package ${name}: npm install ${name}`, { cause })
  }
}

/** True when `error` means that the module `name` is not installed (and not that one of its own imports is missing). */
function isMissingModule(error: unknown, name: string): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? error.code : undefined
  return (
    (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND' || code === 'ERR_UNKNOWN_BUILTIN_MODULE') &&
    error.message.includes(name)
  )
}
