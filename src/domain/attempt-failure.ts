// Why an attempt to deliver a message got no answer. Commands print it: this file loads no schema.

/** Why no answer came, by code and in English. Never an address: the log is shown to customers. */
export const attemptFailures = {
  dns: 'its name cannot be resolved',
  refused: 'the connection was refused',
  tls: 'its certificate is not valid',
  timeout: 'no answer in time',
  'forbidden-address': 'its address is not public',
  broken: 'the connection was lost',
  other: 'the connection failed',
} as const
export type AttemptFailure = keyof typeof attemptFailures
export const isAttemptFailure = (code: string): code is AttemptFailure => Object.hasOwn(attemptFailures, code)
