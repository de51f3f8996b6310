// How the explorer queries the API: with tokens that exist only in this process, one for each organization, and one for
// strangers if the stock is invented.
import type { TokenSource } from '../../api/tokens/token-table.ts'
import type { ExplorerAnswer } from '../../console/frame/console-context.ts'
import { hashToken, makeToken } from '../../domain/token.ts'
import { type HttpClient, openHttp } from '../../platform/http.ts'
import type { Random } from '../../platform/random.ts'
import type { TokenGrant } from '../../store/people/organizations.ts'

/** The grant of strangers, and their requests per minute together. */
export const strangersGrant = { organizationId: 'explorer', hasApiAccess: true, requestsPerMinute: 600 } as const
/** Maximum bytes of an answer: a page of 100 large records. */
const maxAnswerBytes = 16 * 1024 * 1024

/** Tokens that are in no table. Each counts against its organization's limit, like the organization's own tokens. */
export class ExplorerAccess {
  readonly #random: Random
  readonly #tokens = new Map<string, string>()
  #serial = 0
  #http: HttpClient | undefined

  constructor(random: Random) {
    this.#random = random
  }

  /** The source with the tokens of this process added. */
  extend(source: TokenSource): TokenSource {
    return {
      ...source,
      serial: async () => (await source.serial()) + this.#serial,
      load: async () => {
        const grants = await source.load()
        return [...grants, ...this.#grantsBeside(grants)]
      },
    }
  }

  /** Queries a path below `/v1` of the API at `address`, as a member of the organization or as a stranger. */
  async ask(address: string, organizationId: string | undefined, path: string): Promise<ExplorerAnswer> {
    this.#http ??= openHttp({ network: 'loopback', timeoutMs: 10_000 })
    const answer = await this.#http.send({
      url: `${address}/v1${path}`,
      headers: {
        authorization: `Bearer ${this.#tokenOf(organizationId ?? strangersGrant.organizationId)}`,
        accept: 'application/json',
      },
      maxBytes: maxAnswerBytes,
      redirects: 'leave',
    })
    return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.bytes()).toString() }
  }

  async close(): Promise<void> {
    await this.#http?.close()
  }

  #tokenOf(organizationId: string): string {
    const known = this.#tokens.get(organizationId)
    if (known !== undefined) return known
    const token = makeToken(this.#random.bytes)
    this.#tokens.set(organizationId, token)
    this.#serial++
    return token
  }

  /**
   * Grants of this process's tokens: an organization without a valid token, or without access, cannot explore either.
   */
  #grantsBeside(grants: readonly TokenGrant[]): TokenGrant[] {
    return [...this.#tokens].flatMap(([organizationId, token]) => {
      const own = { tokenId: `explorer-${organizationId}`, tokenHash: hashToken(token), expiresAt: undefined }
      if (organizationId === strangersGrant.organizationId) return [{ ...own, ...strangersGrant }]
      const sibling = grants.find((grant) => grant.organizationId === organizationId)
      return sibling ? [{ ...sibling, ...own }] : []
    })
  }
}
