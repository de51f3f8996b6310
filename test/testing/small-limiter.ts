// A limiter with room for few organizations.
import type { LimiterMemoryOptions } from '../../src/api/limits/limiter-memory.ts'

/**
 * For a process that makes thousands of limiters, one after the other: each reserves 134 MB of addresses by default,
 * and the system starts no process from one that has reserved more than the machine has (ENOMEM).
 */
export const smallLimiter: LimiterMemoryOptions = { organizations: 64 }
