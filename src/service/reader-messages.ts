// What the main thread and a reader thread say to each other.

import type { TokenUse } from '../api/use-counter.ts'
import type { LogMessage } from '../edition/read/log-feed.ts'
import type { Config } from '../platform/config.ts'
import type { LogLevel } from '../platform/log.ts'
import type { NodeSnapshot } from './node-state.ts'
import type { PublicAddresses } from './public-addresses.ts'

/** What a reader is started with. */
export type ReaderSettings = {
  /** From 1 on; another one for each thread that runs at the same time. */
  readonly thread: number
  readonly host: string
  readonly port: number
  /** Several readers listen on the port, and the system spreads connections over them. */
  readonly isPortShared: boolean
  readonly addresses: PublicAddresses
  readonly config: Pick<Config, 'redisUrl'>
  readonly hasRateLimitFields: boolean
  readonly logLevel: LogLevel
  /** Shared: by how much the trial clock was moved. */
  readonly clockShift: Float64Array
  /** Shared: the rate limits of all threads. */
  readonly limiterMemory: SharedArrayBuffer
  readonly floodMemory: SharedArrayBuffer
  /**
   * Shared: where it counts requests; it continues the counts of the threads that had its number before. Absent: it
   * does not.
   */
  readonly countMemory: SharedArrayBuffer | undefined
  /** The state at the start; changes are sent. */
  readonly state: NodeSnapshot
  /** Shared: how many processes the rate limits are shared with, this one among them. */
  readonly processCount: Int32Array
}

/**
 * What a reader needs from the database, which only the main thread holds. `knownTokens` are those read last, without
 * a query; `cursorKeys` also answers with these if the database does not. `unsubscribe` ends mails.
 */
export type ReaderQuestion = 'tokenSerial' | 'tokens' | 'knownTokens' | 'touchTokens' | 'cursorKeys' | 'unsubscribe'

export type ToReader =
  | { readonly type: 'log'; readonly message: LogMessage }
  | { readonly type: 'state'; readonly state: NodeSnapshot }
  /** To be confirmed once everything before it was applied. */
  | { readonly type: 'settle'; readonly turn: number }
  | { readonly type: 'answer'; readonly ask: number; readonly value: unknown }
  | { readonly type: 'failure'; readonly ask: number; readonly message: string }
  /** Until then it stands by. */
  | { readonly type: 'listen' }
  | { readonly type: 'stop' }

export type FromReader =
  | { readonly type: 'settled'; readonly turn: number }
  | {
      readonly type: 'ask'
      readonly ask: number
      readonly question: ReaderQuestion
      readonly parameters: readonly unknown[]
    }
  | { readonly type: 'listening' }
  /** It cannot listen; `code` as Node names it. */
  | { readonly type: 'refused'; readonly code: string | undefined; readonly message: string }
  | { readonly type: 'damaged' }
  /** What tokens asked since the last such message. */
  | { readonly type: 'use'; readonly use: readonly TokenUse[] }
