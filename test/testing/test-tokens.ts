// Tokens in memory, as a database holds them.
import type { TokenSource } from '../../src/api/tokens/token-table.ts'
import { hashToken, makeToken } from '../../src/domain/token.ts'
import { systemRandom } from '../../src/platform/random.ts'
import type { TokenGrant } from '../../src/store/people/organizations.ts'

export type TestTokens = TokenSource & {
  readonly grants: TokenGrant[]
  /** Creates a token and increases the serial. */
  readonly add: (organizationId: string, grant?: Partial<TokenGrant>) => string
  readonly revoke: (token: string) => void
  isDown: boolean
}

export function createTestTokens(): TestTokens {
  const grants: TokenGrant[] = []
  let serial = 0
  const source: TestTokens = {
    grants,
    isDown: false,
    add: (organizationId, grant = {}) => {
      const token = makeToken(systemRandom.bytes)
      serial++
      grants.push({
        tokenId: `token-${grants.length + 1}`,
        tokenHash: hashToken(token),
        expiresAt: undefined,
        organizationId,
        hasApiAccess: true,
        requestsPerMinute: 60,
        ...grant,
      })
      return token
    },
    revoke: (token) => {
      serial++
      grants.splice(
        grants.findIndex(({ tokenHash }) => tokenHash === hashToken(token)),
        1,
      )
    },
    load: async () => {
      if (source.isDown) throw new Error('connection refused at 10.0.0.7')
      return [...grants]
    },
    serial: async () => {
      if (source.isDown) throw new Error('connection refused at 10.0.0.7')
      return serial
    },
    touch: async () => {},
  }
  return source
}
