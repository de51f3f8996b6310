// Errors that a person can act on, as opposed to bugs.
import { type Refusal, refusalLine } from './refusal.ts'

/**
 * Something the operator can fix: a port in use, a folder that cannot be written, a wrong argument. The message is one
 * sentence that says what happened and what to do; the command line prints it without a stack and exits with
 * `exitCode`.
 */
export class OperatorError extends Error {
  readonly exitCode: number
  /** What the message says, where people read it in their own language too. */
  readonly refusal: Refusal | undefined
  constructor(said: string | Refusal, options?: { readonly exitCode?: number; readonly cause?: unknown }) {
    super(
      typeof said === 'string' ? said : refusalLine(said),
      options?.cause === undefined ? undefined : { cause: options.cause },
    )
    this.name = 'OperatorError'
    this.exitCode = options?.exitCode ?? 1
    this.refusal = typeof said === 'string' ? undefined : said
  }
}

/** Exit code of every command when something that it names does not exist. */
const absentExitCode = 8

/**
 * Something that a command names does not exist: an organization, a token, a source, a search, a tender … The message
 * says where to look.
 */
export const noSuchThing = (said: string | Refusal): OperatorError =>
  new OperatorError(said, { exitCode: absentExitCode })

/** A command, an option or a setting is used wrongly. */
export const wrongUse = (said: string | Refusal): OperatorError => new OperatorError(said, { exitCode: 2 })
