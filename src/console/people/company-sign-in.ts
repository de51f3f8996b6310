// Signing in through a company by OpenID Connect: code flow with PKCE, state and nonce, and finding the person here.
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from 'openid-client'
import { join } from '../../actions/members.ts'
import { linkIdentity } from '../../actions/people.ts'
import { minuteMs } from '../../domain/time.ts'
import type { OidcSettings } from '../../platform/config.ts'
import { mailAddressOf } from '../../platform/mail-address.ts'
import { inTransaction } from '../../store/database/database.ts'
import { listInvitations } from '../../store/people/invitations.ts'
import { findIdentity, type OidcIdentity } from '../../store/people/oidc-identities.ts'
import { findPersonByMail } from '../../store/people/people.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { newcomerOf } from '../frame/forms.ts'
import type { Cookie, PageRequest } from '../frame/page.ts'
import { openSigned, signed } from '../frame/signed-text.ts'

/** Maximum time for the provider to answer one request, in seconds. */
const timeoutSeconds = 6
/** Maximum time that a person may take at the provider. */
const stateMs = 10 * minuteMs
const cookieName = 'oidc'

/** What is remembered between leaving and returning, in a cookie that only we can write. */
type Flow = {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** A path of the console. */
  readonly back: string
  readonly until: number
}

/** Why it did not work: a key of the texts. */
type Failure = 'state' | 'refused' | 'unreachable' | 'unverified' | 'unknown' | 'other'
type SignInOutcome =
  | { readonly kind: 'person'; readonly personId: string; readonly back: string }
  | { readonly kind: 'failed'; readonly why: Failure }

/** The cookie that ends a flow. */
export const endedFlow: Cookie = { name: cookieName, value: '', maxAgeSeconds: 0 }

export class CompanySignIn {
  readonly #context: ConsoleContext
  readonly #settings: OidcSettings
  #found: Promise<Configuration> | undefined

  constructor(context: ConsoleContext, settings: OidcSettings) {
    this.#context = context
    this.#settings = settings
  }

  /** Where the browser goes, and the cookie it takes along; undefined while the provider does not answer. */
  async begin(
    { now, viewer }: PageRequest,
    back: string,
  ): Promise<{ readonly to: URL; readonly cookie: Cookie } | undefined> {
    const configuration = await this.#discover()
    if (!configuration) return undefined
    const draw = () => Buffer.from(this.#context.random.bytes(32)).toString('base64url')
    const flow: Flow = { state: draw(), nonce: draw(), verifier: draw(), back, until: now + stateMs }
    const to = buildAuthorizationUrl(configuration, {
      redirect_uri: `${this.#context.origin}/sign-in/oidc/callback`,
      scope: 'openid email',
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
      // people who sign in again prove again who they are
      ...(viewer && { prompt: 'login' }),
    })
    const value = await signed(this.#context, cookieName, Buffer.from(JSON.stringify(flow)))
    return { to, cookie: { name: cookieName, value, maxAgeSeconds: stateMs / 1000 } }
  }

  /** Finishes a flow: returns who came back. */
  async finish(request: PageRequest): Promise<SignInOutcome> {
    const kept = await openSigned(this.#context, cookieName, request.cookies[cookieName] ?? '')
    const flow = kept && (JSON.parse(kept.toString()) as Flow)
    if (!flow || flow.until <= request.now || request.query.get('state') !== flow.state)
      return { kind: 'failed', why: 'state' }
    const configuration = await this.#discover()
    if (!configuration) return { kind: 'failed', why: 'unreachable' }
    const claims = await this.#claims(configuration, request.url, flow).catch(() => undefined)
    if (!claims) return { kind: 'failed', why: 'refused' }
    const found = await this.#personOf(claims, request)
    return 'personId' in found ? { kind: 'person', back: flow.back, ...found } : { kind: 'failed', ...found }
  }

  /** Queried once; again after a failure. */
  async #discover(): Promise<Configuration | undefined> {
    const { issuer, clientId, clientSecret } = this.#settings
    const url = new URL(issuer)
    this.#found ??= discovery(url, clientId, clientSecret, undefined, {
      timeout: timeoutSeconds,
      execute: [
        // signatures of id tokens are verified with the keys that the issuer publishes
        enableNonRepudiationChecks,
        // settings allow this on the same machine only
        ...(url.protocol === 'http:' ? [allowInsecureRequests] : []),
      ],
    })
    const found = this.#found
    return found.catch(() => {
      if (this.#found === found) this.#found = undefined
      return undefined
    })
  }

  async #claims(configuration: Configuration, url: URL, { state, nonce, verifier }: Flow): Promise<Claims> {
    const tokens = await authorizationCodeGrant(configuration, url, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    const token = tokens.claims()!
    const { email, email_verified: isVerified } =
      token['email'] === undefined
        ? await fetchUserInfo(configuration, tokens.access_token, token.sub)
        : (token as { email?: unknown; email_verified?: unknown })
    return {
      issuer: token.iss,
      subject: token.sub,
      // only what the issuer vouches for: people could write any address into their profile
      mail: isVerified === true && typeof email === 'string' ? mailAddressOf(email)?.toLowerCase() : undefined,
    }
  }

  async #personOf(
    { mail, ...identity }: Claims,
    request: PageRequest,
  ): Promise<{ readonly personId: string } | { readonly why: Failure }> {
    const { store, directory } = this.#context
    const newcomer = newcomerOf(this.#context, request)
    const known = await findIdentity(store.db, identity)
    if (known !== undefined) return directory.person(known) ? { personId: known } : { why: 'unknown' }
    if (mail === undefined) return { why: 'unverified' }
    const person = await findPersonByMail(store.db, mail)
    if (person) {
      const { kind } = await inTransaction(store, (trx) => linkIdentity(trx, newcomer, person, identity))
      return kind === 'other' ? { why: kind } : { personId: person.personId }
    }
    const [invitation] = await listInvitations(store.db, { mail }, request.now)
    if (!invitation) return { why: 'unknown' }
    const { invitationId } = invitation
    const accepted = await inTransaction(store, (trx) => join(trx, newcomer, { invitationId, identity }))
    if (accepted.kind === 'gone') return { why: 'unknown' }
    await directory.refresh()
    return { personId: accepted.person.personId }
  }
}

/** `mail`: undefined if the issuer does not vouch for one. */
type Claims = OidcIdentity & { readonly mail: string | undefined }
