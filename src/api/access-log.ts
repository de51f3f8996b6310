// Log line that each answered request leaves at the level `info`: who requested what, and the result.
import type { Log } from '../platform/log.ts'
import type { TokenGrant } from '../store/people/organizations.ts'
import { pathOf } from './problems/answers.ts'
import { withoutTokens } from './problems/problems.ts'

export type AnsweredRequest = {
  /** Method as received; empty if it could not be read. */
  readonly method: string
  readonly target: string
  readonly requestId: string
  /** Route as declared; undefined if no route took the request. */
  readonly route: string | undefined
  readonly status: number
  readonly milliseconds: number
  /** Size of the body, as sent. */
  readonly bytes: number
  readonly address: () => string
  readonly agent: string | undefined
  /** Returns any header as received. */
  readonly header: (name: string) => string | undefined
  /** Grant of the token, if it was valid. */
  readonly grant: Pick<TokenGrant, 'tokenId' | 'organizationId'> | undefined
}

/** Maximum number of characters of text from the client. */
const longestPath = 200
const longestAgent = 200
const longestMethod = 20

/** Writes the line, never with a token or a query. */
export function logAccess(log: Log, answered: AnsweredRequest): void {
  const { method, target, requestId, status, milliseconds, bytes, address, agent, grant } = answered
  log.info(
    {
      requestId,
      method: clean(method, longestMethod),
      path: withoutTokens(clean(pathOf(target), longestPath)),
      status,
      ms: Math.round(milliseconds * 1000) / 1000,
      bytes,
      address: address(),
      ...(agent !== undefined && { agent: withoutTokens(clean(agent, longestAgent)) }),
      tokenId: grant?.tokenId,
      organizationId: grant?.organizationId,
    },
    'request',
  )
}

/** Writes what a terminal would act on as `\x1b`. JSON escapes the rest. */
const clean = (text: string, longest: number): string =>
  text
    .slice(0, longest)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}`)
