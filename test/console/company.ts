// A company whose people sign in by OpenID Connect: a real provider on this machine that signs in without a prompt.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
// @ts-expect-error: the package has no types
import OidcProvider from 'oidc-provider'

type Grant = { readonly addOIDCScope: (scope: string) => void; readonly save: () => Promise<string> }
/** The parts of the provider that are used. */
type Provider = {
  readonly callback: () => (request: IncomingMessage, response: ServerResponse) => unknown
  readonly interactionDetails: (
    request: IncomingMessage,
    response: ServerResponse,
  ) => Promise<{ grantId?: string; params: { [name: string]: unknown }; prompt: { name: string } }>
  readonly interactionFinished: (request: IncomingMessage, response: ServerResponse, result: object) => Promise<void>
  readonly Grant: {
    new (of: { accountId: string; clientId: string }): Grant
    readonly find: (id: string) => Promise<Grant>
  }
}
const makeProvider = (issuer: string, settings: object): Provider => new OidcProvider(issuer, settings)

export type Account = { readonly sub: string; readonly email?: string; readonly email_verified?: unknown }

/** A provider whose accounts a test sets; every visitor is signed in as the account in `login`. */
export type Company = AsyncDisposable & {
  readonly issuer: string
  readonly accounts: Map<string, Account>
  login: string
  /** The parameters of the last request for authorization. */
  asked: URLSearchParams
  /** What somebody between the console and the provider makes of an id token. */
  forge: ((idToken: string) => string) | undefined
}

/** `redirectUri` is called when the first request arrives. */
export async function openCompany(redirectUri: () => string): Promise<Company> {
  const server: Server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  const company: Company = {
    issuer,
    accounts: new Map(),
    login: '',
    asked: new URLSearchParams(),
    forge: undefined,
    [Symbol.asyncDispose]: () => new Promise((done) => void server.close(() => done()).closeAllConnections()),
  }
  let provider: Provider | undefined
  server.on('request', async (request, response) => {
    provider ??= makeProvider(issuer, {
      clients: [
        {
          client_id: 'console',
          client_secret: 'a secret of the console',
          redirect_uris: [redirectUri()],
          response_types: ['code'],
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'] },
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      findAccount: (_context: unknown, id: string) => ({
        accountId: id,
        claims: async () => company.accounts.get(id) ?? { sub: id },
      }),
    })
    const url = new URL(request.url ?? '/', issuer)
    if (url.pathname === '/auth') company.asked = url.searchParams
    if (url.pathname === '/token' && company.forge) forgeAnswer(response, company.forge)
    if (!url.pathname.startsWith('/interaction/')) return provider.callback()(request, response)
    const { grantId, params, prompt } = await provider.interactionDetails(request, response)
    if (prompt.name === 'login')
      return provider.interactionFinished(request, response, { login: { accountId: company.login } })
    const grant = grantId
      ? await provider.Grant.find(grantId)
      : new provider.Grant({ accountId: company.login, clientId: String(params['client_id']) })
    grant!.addOIDCScope('openid email')
    return provider.interactionFinished(request, response, { consent: { grantId: await grant!.save() } })
  })
  return company
}

function forgeAnswer(response: ServerResponse, forge: (idToken: string) => string): void {
  const end = response.end.bind(response) as (body: string) => ServerResponse
  response.end = ((body: string | Buffer) => {
    const answer = JSON.parse(String(body)) as { id_token?: string }
    const forged = JSON.stringify(answer.id_token ? { ...answer, id_token: forge(answer.id_token) } : answer)
    response.setHeader('content-length', Buffer.byteLength(forged))
    return end(forged)
  }) as typeof response.end
}
