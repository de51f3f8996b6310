// Sessions of a CRM: the token that it gives for a client's id and secret (OAuth 2.0, client credentials), and another
// one when the CRM says that it has ended.
import { readText } from '../../read-text.ts'
import { SinkError } from '../faults/sink-error.ts'

/** How a mapping says where sessions come from; the schema explains each member. */
export type MappedAuth = {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope?: string
}

/** What a token request is sent with: the same as the requests of the CRM. */
export type CrmSessionOptions = {
  /** Name for messages. */
  readonly name: string
  readonly auth: MappedAuth
  readonly fetch: typeof globalThis.fetch
  /** Maximum time for one attempt. */
  readonly timeoutMs: number
  /** The fault of an answer that may pass. */
  readonly faultOf: (response: Response, text: string) => PassingFault | undefined
  /** The words of an error answer. */
  readonly reasonIn: (text: string) => string
}

/** A fault that may pass, as the requests of the CRM report it. */
export type PassingFault = { readonly retryMs: number | undefined; readonly reason: string }

export type CrmSession = {
  /**
   * The value of the header `Authorization`.
   *
   * @throws SinkError when the id or the secret is refused.
   */
  authorization(): Promise<string | PassingFault>
  /** The CRM no longer accepts the token: the next request asks for another one. */
  end(): void
}

export function crmSession({ name, auth, fetch, timeoutMs, faultOf, reasonIn }: CrmSessionOptions): CrmSession {
  const at = new URL(auth.tokenUrl).host
  let held: string | undefined

  async function ask(): Promise<string | PassingFault> {
    let response: Response
    let text: string
    try {
      response = await fetch(auth.tokenUrl, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: auth.clientId,
          client_secret: auth.clientSecret,
          ...(auth.scope !== undefined && { scope: auth.scope }),
        }).toString(),
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      text = await readText(response)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return { retryMs: undefined, reason: `no token from ${at} (${reason})` }
    }
    const fault = faultOf(response, text)
    if (fault) return { ...fault, reason: `no token from ${at} (${fault.reason})` }
    if (!response.ok)
      throw new SinkError(
        `${name} gives no session for this client (${response.status} ${reasonIn(text)}): check ` +
          'auth.tokenUrl, the id, the secret, and the rights of the client.',
      )
    const token = tokenIn(text)
    if (token === undefined)
      throw new SinkError(`${name} answers at auth.tokenUrl without an access_token; check that address.`)
    return `Bearer ${token}`
  }

  return {
    async authorization() {
      if (held !== undefined) return held
      const answer = await ask()
      if (typeof answer === 'string') held = answer
      return answer
    },
    end() {
      held = undefined
    },
  }
}

function tokenIn(text: string): string | undefined {
  try {
    const { access_token: token } = JSON.parse(text) as { readonly access_token?: unknown }
    return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token) ? token : undefined
  } catch {
    return undefined
  }
}
