// Errors that a person can act on, apart from bugs.

/**
 * Something the operator can repair: a taken port, a folder that cannot be written, a wrong argument. The message is
 * one sentence that says what happened and what to do; the command line prints it without a stack and exits with
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

/** Exit code of every command that names something which does not exist. */
const absentExitCode = 8

/**
 * What a command names does not exist: an organization, a token, a source, a search, a tender … The message says where
 * to look.
 */
export const noSuchThing = (message: string): OperatorError => new OperatorError(message, { exitCode: absentExitCode })

/** A command, an option or a setting is not used as it can be. */
export const wrongUse = (message: string): OperatorError => new OperatorError(message, { exitCode: 2 })
