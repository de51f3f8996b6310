// A whole API over real HTTP in one line: memory editions, two organizations, a clock that tests move.
import { createSecretKey } from 'node:crypto'
import { type CursorKey, createCursorSealer } from '../src/api/cursors/cursor.ts'
import type { Limiter } from '../src/api/limits/limiter.ts'
import { createLocalLimiter } from '../src/api/limits/limiter-memory.ts'
import { type ApiOptions, buildApi } from '../src/api/server.ts'
import { openTokenTable, type TokenLookup } from '../src/api/tokens/token-table.ts'
import { systemRandom } from '../src/platform/random.ts'
import { createMemoryEditions, type MemoryEditions } from './memory-editions.ts'
import { createTestTokens, type TestTokens } from './testing/test-tokens.ts'

export const startOfTests = Date.UTC(2026, 10, 2, 8)

export type ApiWorld = AsyncDisposable & {
  readonly origin: string
  readonly port: number
  readonly docsUrl: string
  readonly editions: MemoryEditions
  readonly tokens: TestTokens
  /** Token of organization `one`, whose limit is 100,000. */
  readonly token: string
  readonly keys: CursorKey[]
  now: number
  readonly get: (path: string, headers?: Record<string, string>, method?: string) => Promise<Response>
}

/** Starts an API on loopback with a token of a generous limit. */
export async function startApi(
  change: Partial<ApiOptions> & {
    readonly makeLimiter?: (clock: () => number) => Limiter
    readonly docs?: string
  } = {},
): Promise<ApiWorld> {
  const { makeLimiter, docs = 'https://docs.test.example', ...options } = change
  const editions = createMemoryEditions()
  const tokens = createTestTokens()
  const token = tokens.add('one', { requestsPerMinute: 100_000 })
  const keys: CursorKey[] = [{ keyId: 1, key: createSecretKey(systemRandom.bytes(32)) }]
  let now = startOfTests
  const clock = () => now
  const table = await openTokenTable({ source: tokens, clock, pollMs: 3_600_000, refreshEveryMs: 0 })
  const app = buildApi({
    reader: editions,
    tokens: table,
    limiter: (makeLimiter ?? createLocalLimiter)(clock),
    cursors: createCursorSealer({
      ring: { keys: () => keys, refresh: async () => {} },
      clock,
      randomBytes: systemRandom.bytes,
    }),
    clock,
    random: systemRandom,
    docsUrl: docs,
    isOverloaded: () => false,
    ...options,
  })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    origin,
    port: Number(new URL(origin).port),
    docsUrl: docs,
    editions,
    tokens,
    token,
    keys,
    get now() {
      return now
    },
    set now(to: number) {
      now = to
    },
    get: (path, headers = {}, method = 'GET') =>
      fetch(origin + path, { method, redirect: 'manual', headers: { authorization: `Bearer ${token}`, ...headers } }),
    [Symbol.asyncDispose]: async () => {
      await app.close()
      await table.close()
    },
  }
}

/** A table of tokens that answers when its gate opens. */
export function waitingTokens() {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const grant = {
    tokenId: 't',
    tokenHash: '',
    expiresAt: undefined,
    organizationId: 'one',
    hasApiAccess: true,
    requestsPerMinute: 60,
  }
  const find = async (): Promise<TokenLookup> => {
    asked.resolve()
    await gate.promise
    return { state: 'known', grant }
  }
  return { tokens: { find, close: async () => {} }, asked, gate }
}
