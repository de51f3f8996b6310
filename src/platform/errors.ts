// Errors that a person can act on, as opposed to bugs.
import { type ErrorCode, exitCodeOf } from './error-codes.ts'
import { type Refusal, refusalLine } from './refusal.ts'

/**
 * Something the operator can fix: a port in use, a folder that cannot be written, a wrong argument. The message is one
 * sentence that says what happened and what to do; the command line prints it without a stack, with the code, and exits
 * with `exitCode`.
 */
export class OperatorError extends Error {
  readonly code: ErrorCode
  /** What the message says, where people read it in their own language too. */
  readonly refusal: Refusal | undefined
  constructor(
    code: ErrorCode,
    message: string,
    { cause, refusal }: { readonly cause?: unknown; readonly refusal?: Refusal } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'OperatorError'
    this.code = code
    this.refusal = refusal
  }

  get exitCode(): number {
    return exitCodeOf(this.code)
  }
}

/** The error of a refusal that ends a command. */
export const refused = (refusal: Refusal & { readonly code: ErrorCode }): OperatorError =>
  new OperatorError(refusal.code, refusalLine(refusal), { refusal })
