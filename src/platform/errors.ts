// Errors that a person can act on, as opposed to bugs.

/**
 * Something the operator can fix: a port in use, a folder that cannot be written, a wrong argument. The message is one
 * sentence that says what happened and what to do; the command line prints it without a stack and exits with
 * `exitCode`.
 */
export class OperatorError extends Error {
  readonly exitCode: number
  constructor(message: string, options?: { readonly exitCode?: number; readonly cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'OperatorError'
    this.exitCode = options?.exitCode ?? 1
  }
}

/** Exit code of every command when something that it names does not exist. */
const absentExitCode = 8

/**
 * Something that a command names does not exist: an organization, a token, a source, a search, a tender … The message
 * says where to look.
 */
export const noSuchThing = (message: string): OperatorError => new OperatorError(message, { exitCode: absentExitCode })

/** A command, an option or a setting is used wrongly. */
export const wrongUse = (message: string): OperatorError => new OperatorError(message, { exitCode: 2 })
