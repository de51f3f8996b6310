// The code that the program gives for whatever was thrown.

/** That of the API, of this package, of the system or a driver (`ENOSPC`, SQLSTATE); else `bug`. */
export const errorCodeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code !== '' ? error.code : 'bug'
