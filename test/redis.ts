// The Valkey or Redis that tests may use.

/** Undefined if there is none: tests that need it are skipped, and say so. */
export const testRedisUrl: string | undefined = process.env.TEST_REDIS_URL || undefined
if (testRedisUrl === undefined) console.log('skipped: the shared rate limit (no TEST_REDIS_URL)')
