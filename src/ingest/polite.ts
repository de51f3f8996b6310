// Requests as a good guest makes them: in turn, under a name, within the portal's limits and rules, and told when refused.

import type { Clock } from '../platform/clock.ts'
import type { HttpClient } from '../platform/http.ts'
import type { SourceReply, SourceRequest } from '../sources/fetch.ts'
import type { Source } from '../sources/source.ts'

/**
 * The hosts that this process reads, each with one queue and one account of requests, shared by all sources on it. Limits
 * hold within one process: that no two processes read one host at once is what the runner's leases are for.
 */
export type PoliteHosts = {
  /** A line to the portal for one run of a source. Nothing has to be closed; the signal ends what waits. */
  readonly openLine: (run: LineOptions) => Line
}

export type LineOptions = {
  readonly source: Pick<Source, 'id' | 'politeness'>
  /** The key that stands in addresses or headers: it is kept out of every message. */
  readonly key?: string | undefined
  readonly signal: AbortSignal
}

export type Line = {
  /**
   * `FetchContext.send`. Waits up to `longestWaitMs` for its turn; when the host has to be left alone for longer it throws
   * with `retryAt`, and so does every line to this host until then. Throws
   * - `Refused`: a challenge, a page instead of data, 401, 403, 429, robots.txt says no;
   * - `Retryable`: no answer after several tries, a status that is not accepted, a body that breaks off;
   * - `ForbiddenAddress`: the address or a redirect leads into a private network, or from https to http;
   * - the signal's reason, when it ends the run.
   */
  readonly send: (request: SourceRequest) => Promise<SourceReply>
  /** Requests made so far, with those for robots.txt, redirects and repeated ones. */
  readonly requests: () => number
}

export type PoliteOptions = {
  readonly http: Pick<HttpClient, 'send'>
  readonly clock: Clock
  /** Resolves after so many milliseconds; rejects with the signal's reason when that comes first. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** A number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number
  /** Address of a page or mailbox of whoever runs this; stands in every request. */
  readonly contact: string
  readonly version: string
  /** The longest wait inside `send`; default 2 minutes. */
  readonly longestWaitMs?: number
}

export declare function createPoliteHosts(options: PoliteOptions): PoliteHosts
