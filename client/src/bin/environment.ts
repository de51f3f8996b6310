// What a command uses from outside, so that tests can provide all of it.
import type { Readable } from 'node:stream'
import type { Sleep } from '../sleep.ts'

export type Environment = {
  /** Environment variables. */
  readonly variables: { readonly [name: string]: string | undefined }
  /** For commands that read messages from another program. */
  readonly input: Readable
  readonly stdout: { write(text: string): unknown }
  /** Progress is written here; `columns` is undefined when it is not a terminal. */
  readonly stderr: { write(text: string): unknown; readonly columns?: number | undefined }
  /** Asks the person at the terminal; undefined when there is none. */
  readonly ask: (question: string) => Promise<string | undefined>
  /** Epoch milliseconds: for the timetable of `watch`, reports and people. Never part of a request (C149). */
  readonly now: () => number
  /** Milliseconds that only rise. */
  readonly clock: () => number
  readonly random: () => number
  readonly sleep: Sleep
  /** Aborted when the process receives a signal to end. */
  readonly signal: AbortSignal
  readonly fetch?: typeof globalThis.fetch
}

/** Exit codes (docs/sync/tender-sync.md). */
export const exitCodes = { ok: 0, fault: 1, usage: 2, skipped: 3, aborted: 4, different: 5 } as const
