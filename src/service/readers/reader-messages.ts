// Messages between the main thread and a reader thread.

import type { TokenUse } from '../../api/tokens/use-counter.ts'
import type { LogMessage } from '../../edition/read/log-feed.ts'
import type { BucketLocation, Config } from '../../platform/config.ts'
import type { LogLevel } from '../../platform/log-levels.ts'
import type { NodeSnapshot } from '../watch/node-state.ts'
import type { PublicAddresses } from './public-addresses.ts'

/** What a reader starts with. */
export type ReaderSettings = {
  /** From 1 on; unique among threads that run at the same time. */
  readonly thread: number
  /** Where the files of whole editions are; absent: none are handed out. */
  readonly bulkFolder: string | undefined
  /** From where those are loaded that it holds. */
  readonly bulkBucket: BucketLocation | undefined
  readonly host: string
  readonly port: number
  /** Several readers listen on the port, and the system spreads connections over them. */
  readonly isPortShared: boolean
  readonly addresses: PublicAddresses
  /** Of the program. */
  readonly version: string
  readonly config: Pick<Config, 'redisUrl'>
  readonly hasRateLimitFields: boolean
  readonly logLevel: LogLevel
  /** Shared: how far the trial clock was moved. */
  readonly clockShift: Float64Array
  /** Shared: the rate limits of all threads. */
  readonly limiterMemory: SharedArrayBuffer
  readonly floodMemory: SharedArrayBuffer
  /** Shared: how many connections each address holds, and how many it may; absent behind proxies. */
  readonly connections: { readonly memory: SharedArrayBuffer; readonly limit: number } | undefined
  /**
   * Shared: where it counts requests, continuing the counts of earlier threads with its number. Absent: it does not
   * count.
   */
  readonly countMemory: SharedArrayBuffer | undefined
  /** The state at the start; changes are sent later. */
  readonly state: NodeSnapshot
  /** Shared: the number of processes that share the rate limits, including this one. */
  readonly processCount: Int32Array
}

/**
 * What a reader needs from the database and the index of words, which only the main thread holds. `knownTokens` returns
 * the tokens that were read last, without a query; `cursorKeys` returns the last known keys if the database does not
 * answer. `unsubscribe` ends mails.
 */
export type ReaderQuestion =
  | 'tokenSerial'
  | 'tokens'
  | 'knownTokens'
  | 'touchTokens'
  | 'cursorKeys'
  | 'unsubscribe'
  | 'findTenders'
  | 'findCodes'

export type ToReader =
  | { readonly type: 'log'; readonly message: LogMessage }
  | { readonly type: 'state'; readonly state: NodeSnapshot }
  /** To be confirmed once everything before it was applied. */
  | { readonly type: 'settle'; readonly turn: number }
  | { readonly type: 'answer'; readonly ask: number; readonly value: unknown }
  | { readonly type: 'failure'; readonly ask: number; readonly message: string }
  /** Until it arrives the thread stands by. */
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
  /** It cannot listen; `code` is Node's error code. */
  | { readonly type: 'refused'; readonly code: string | undefined; readonly message: string }
  | { readonly type: 'damaged' }
  /** Requests by token since the last such message. */
  | { readonly type: 'use'; readonly use: readonly TokenUse[] }
