// What a client reports while it works: for progress, logs and metrics.
import type { Problem } from './problem-error.ts'
import type { RateLimit } from './rate-limit.ts'

/**
 * Why the client waits: `pace`: the quota is used up, before the API has to refuse a request; `rate-limited` and
 * `unavailable`: the API answered 429 or 503; `failure`: no answer came, or one that could not be used.
 */
export type WaitReason = 'pace' | 'rate-limited' | 'unavailable' | 'failure'

/** `path` is that of the request with its query; times are milliseconds. Tokens never occur. */
export type ClientEvent =
  /** Emitted just before the request is sent; `attempt` counts from 1. */
  | { readonly type: 'request'; readonly path: string; readonly attempt: number }
  | {
      readonly type: 'response'
      readonly path: string
      readonly attempt: number
      readonly status: number
      readonly elapsedMs: number
      readonly requestId: string | null
      readonly rateLimit: RateLimit
    }
  | { readonly type: 'wait'; readonly path: string; readonly reason: WaitReason; readonly ms: number }
  /**
   * The same request will be sent again after a wait; `cause` is a ProblemError or the fault of the connection or body.
   */
  | { readonly type: 'retry'; readonly path: string; readonly attempt: number; readonly cause: unknown }
  | { readonly type: 'page'; readonly records: number; readonly hasMore: boolean; readonly rateLimit: RateLimit }
  /** The request finally failed with an answer of the API. */
  | { readonly type: 'problem'; readonly path: string; readonly problem: Problem }
