// The Valkey or Redis that tests may use.

/** Undefined when there is none: what needs it is skipped, and says so. */
export const testRedisUrl: string | undefined = process.env.TEST_REDIS_URL || undefined
if (testRedisUrl === undefined) console.log('skipped: the shared rate limit (no TEST_REDIS_URL)')
