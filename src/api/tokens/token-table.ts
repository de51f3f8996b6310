// Holds all tokens in memory: a request is checked without a query, and known tokens work while the database is down.
import { setTimeout as delay } from 'node:timers/promises'
import { hashToken, isWellFormedToken } from '../../domain/token.ts'
import { type Clock, every } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { within } from '../../platform/within.ts'
import type { TokenGrant } from '../../store/people/organizations.ts'

/**
 * `unavailable`: the token is unknown here and the database does not answer; this is never reported as a wrong token.
 */
export type TokenLookup =
  | { readonly state: 'known'; readonly grant: TokenGrant }
  | { readonly state: 'wrong' }
  | { readonly state: 'unavailable' }

export type TokenTable = {
  /**
   * Returns a promise only for a well-formed token that is unknown here, which another process may just have created.
   */
  readonly find: (token: string) => TokenLookup | Promise<TokenLookup>
  readonly close: () => Promise<void>
}

/** Source of the tokens; `serial` moves with every change to them. */
export type TokenSource = {
  readonly load: () => Promise<readonly TokenGrant[]>
  readonly serial: () => Promise<number>
  readonly touch: (tokenIds: readonly string[], now: number) => Promise<void>
}

/** How long a revocation or a changed limit takes to take effect (published: 60 s). */
const defaultPollMs = 1000
/** Minimum time between two database lookups caused by unknown tokens. */
const refreshEveryMs = 1000
/** How long an unknown token waits for a database that does not answer. */
const askTimeoutMs = 2000
const touchEveryPolls = 60
const rememberedHashes = 4096
/** How long a close waits for a database that does not answer. */
const closeGraceMs = 1000

/** What reads from the database. */
export type LoadedTokens = TokenTable & {
  /** What the holder of a token may do now; undefined for one that is unknown, revoked or expired. */
  readonly grantOf: (tokenId: string) => TokenGrant | undefined
}

export async function openTokenTable(options: {
  readonly source: TokenSource
  readonly clock: Clock
  /** Tokens known without the source: they work even if it cannot be read at the start. */
  readonly known?: readonly TokenGrant[]
  readonly log?: Log | undefined
  readonly pollMs?: number
  readonly refreshEveryMs?: number
}): Promise<LoadedTokens> {
  const { source, clock, log, pollMs = defaultPollMs } = options
  const gapMs = options.refreshEveryMs ?? refreshEveryMs
  let grants: ReadonlyMap<string, TokenGrant> = new Map(options.known?.map((grant) => [grant.tokenHash, grant]))
  /** Hashes of tokens that were known when they were sent. Each time it is checked whether they still are. */
  const hashes = new Map<string, string>()
  let serial = -1
  let used = new Set<string>()
  let running: Promise<boolean> | undefined
  let scheduled: Promise<boolean> | undefined
  let lastAskedAt = Number.NEGATIVE_INFINITY
  let isFailing = false

  async function readOnce(): Promise<boolean> {
    try {
      // Read the serial first: the next check then notices a change in between.
      const present = await source.serial()
      if (present !== serial) {
        grants = new Map((await source.load()).map((grant) => [grant.tokenHash, grant]))
        serial = present
      }
      if (isFailing) log?.info('tokens can be read again')
      isFailing = false
      return true
    } catch (error) {
      if (!isFailing) log?.error({ error: String(error) }, 'tokens cannot be read; the known ones stay valid')
      isFailing = true
      return false
    }
  }

  function read(): Promise<boolean> {
    running ??= readOnce().finally(() => {
      running = undefined
    })
    return running
  }

  /** Runs a query that begins after this call, shared by all waiting callers, at most one in `gapMs`. */
  function readAfresh(): Promise<boolean> {
    scheduled ??= (async () => {
      const waitMs = Math.min(gapMs, lastAskedAt + gapMs - clock())
      if (waitMs > 0) await delay(waitMs, undefined, { ref: false })
      await running
      // Callers from here on may hold a token that this query misses, and wait for the next one.
      scheduled = undefined
      lastAskedAt = clock()
      return read()
    })()
    return scheduled
  }

  async function findAfresh(hash: string): Promise<TokenLookup> {
    const isRead = await Promise.race([readAfresh(), delay(gapMs + askTimeoutMs, false, { ref: false })])
    const grant = grants.get(hash)
    if (grant) return judge(grant)
    return { state: isRead ? 'wrong' : 'unavailable' }
  }

  function judge(grant: TokenGrant): TokenLookup {
    if (grant.expiresAt !== undefined && grant.expiresAt <= clock()) return { state: 'wrong' }
    used.add(grant.tokenId)
    return { state: 'known', grant }
  }

  await read()
  let polls = 0
  const endPoll = every(pollMs, () => {
    void read()
    if (++polls % touchEveryPolls === 0) void touch()
  })

  async function touch(): Promise<void> {
    const tokenIds = [...used]
    used = new Set()
    // A lost note of use is no cause for alarm; the next one follows.
    if (tokenIds.length > 0) await source.touch(tokenIds, clock()).catch(() => {})
  }

  return {
    find: (token) => {
      const remembered = hashes.get(token)
      if (remembered === undefined && !isWellFormedToken(token)) return { state: 'wrong' }
      const hash = remembered ?? hashToken(token)
      const grant = grants.get(hash)
      if (!grant) return findAfresh(hash)
      if (remembered === undefined) {
        if (hashes.size >= rememberedHashes) hashes.clear()
        hashes.set(token, hash)
      }
      return judge(grant)
    },
    grantOf: (tokenId) => {
      for (const grant of grants.values())
        if (grant.tokenId === tokenId) return judge(grant).state === 'known' ? grant : undefined
      return undefined
    },
    close: async () => {
      endPoll()
      await within(Promise.resolve(running).then(touch), closeGraceMs)
    },
  }
}
