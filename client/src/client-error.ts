// The errors of this package: each has a code, which never changes its meaning.

/** docs/sync/tender-sync.md says what each means. */
export const clientErrorCodes = [
  'behind',
  'busy',
  'copy-damaged',
  'differs',
  'feed',
  'filters-changed',
  'lock-lost',
  'not-verified',
  'sink',
  'staging-lost',
  'state',
  'tool',
  'unreachable',
  'usage',
] as const

export type ClientErrorCode = (typeof clientErrorCodes)[number]

/** An error that the caller can tell by its code. Those that the API answers are a `ProblemError`. */
export abstract class ClientError extends Error {
  abstract override readonly name: string
  abstract readonly code: ClientErrorCode
}
