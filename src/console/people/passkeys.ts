// Passkeys by WebAuthn: the request to the browser, and the check of its answer.
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { addPasskey, type PasskeyAddition, usePasskey } from '../../actions/people.ts'
import { jsonIn } from '../../platform/json-in.ts'
import type { Executor } from '../../store/database/database.ts'
import { inTransaction } from '../../store/database/database.ts'
import { findPasskey, listPasskeys, type Passkey } from '../../store/people/passkeys.ts'
import type { Person } from '../../store/people/people.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { actingOf } from '../frame/forms.ts'
import type { PageRequest, PersonRequest, Viewer } from '../frame/page.ts'
import { challengeMadeAt, makeChallenge, takeChallenge } from './challenges.ts'

type PasskeyContext = Pick<ConsoleContext, 'store' | 'random' | 'origin' | 'directory' | 'brand'>

const signInPurpose = 'passkey sign-in'
const addPurpose = (personId: string): string => `passkey of ${personId}`
/**
 * EdDSA, ES256 and RS256 (COSE): what authenticators have; the defaults of the library ask Node for more, which warns.
 */
const algorithms = [-8, -7, -257]
/** Maximum characters of what a browser sends. */
const maxLength = 20_000

const rpIdOf = ({ origin }: PasskeyContext): string => new URL(origin).hostname

/** Options for `navigator.credentials.get` in JSON: any passkey of this console. */
export async function signInOptions(context: PasskeyContext, now: number): Promise<string> {
  const options = await generateAuthenticationOptions({
    rpID: rpIdOf(context),
    challenge: Buffer.from(await makeChallenge(context, signInPurpose, now), 'base64url'),
    userVerification: 'required',
    timeout: 120_000,
  })
  return JSON.stringify(options)
}

/** Options for `navigator.credentials.create` in JSON: a discoverable passkey that asks who the person is. */
export async function addOptions(context: PasskeyContext, { person }: Viewer, now: number): Promise<string> {
  const own = await listPasskeys(context.store.db, person.personId)
  const options = await generateRegistrationOptions({
    rpName: context.brand.name,
    rpID: rpIdOf(context),
    userName: person.mail,
    userDisplayName: person.name || person.mail,
    userID: new TextEncoder().encode(person.personId),
    challenge: Buffer.from(await makeChallenge(context, addPurpose(person.personId), now), 'base64url'),
    // a device whose passkey is blocked may create a new one
    excludeCredentials: own
      .filter(({ blockedAt }) => blockedAt === undefined)
      .map(({ credentialId, transports }) => ({ id: credentialId, transports: [...transports] })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
    timeout: 120_000,
  })
  return JSON.stringify(options)
}

/** `blocked`: the counter went back, now or before. `invalid`: anything else that signs nobody in. */
export type PasskeySignIn =
  | { readonly kind: 'blocked' | 'invalid' }
  | { readonly kind: 'signedIn'; readonly personId: string }

const invalid: PasskeySignIn = { kind: 'invalid' }

/**
 * Signs in by an answer. It is invalid for an unknown passkey, a challenge that is old, used or not ours, or a user who
 * was not verified, or if a later sign-in overtook it. A passkey whose counter goes back is blocked; `whenBlocked` is
 * called in that transaction.
 */
export async function signInByPasskey(
  context: PasskeyContext,
  request: PageRequest,
  whenBlocked: (trx: Executor, passkey: Passkey, person: Person) => Promise<void>,
): Promise<PasskeySignIn> {
  const { now } = request
  const response = answerOf<AuthenticationResponseJSON>(request.form.get('credential') ?? '')
  if (!response) return invalid
  const challenge = challengeOf(response.response.clientDataJSON) ?? ''
  const madeAt = await challengeMadeAt(context, signInPurpose, challenge, now)
  if (madeAt === undefined) return invalid
  const passkey = await findPasskey(context.store.db, response.id)
  const person = passkey && context.directory.person(passkey.personId)
  if (!person) return invalid
  const verified = await ofNothing(
    verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: context.origin,
      expectedRPID: rpIdOf(context),
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(passkey.publicKey),
        // the signature has to be valid before the count can block the passkey: it is checked below
        counter: 0,
        transports: [...passkey.transports],
      },
    }),
  )
  if (!verified?.verified) return invalid
  const counter = verified.authenticationInfo.newCounter
  return inTransaction(context.store, async (trx) => {
    const { credentialId, personId, name } = passkey
    if (!(await takeChallenge(trx, challenge, now))) return invalid
    const outcome = await usePasskey(trx, request, { credentialId, counter, madeAt, name, mail: person.mail })
    if (outcome === 'counted') return { kind: 'signedIn', personId }
    if (outcome === 'overtaken') return invalid
    if (outcome === 'blocked') await whenBlocked(trx, passkey, person)
    return { kind: 'blocked' }
  })
}

export type Addition = PasskeyAddition | 'invalid'

/** Adds the passkey of an answer. */
export async function addPasskeyOf(context: PasskeyContext, request: PersonRequest, name: string): Promise<Addition> {
  const { now } = request
  const response = answerOf<RegistrationResponseJSON>(request.form.get('credential') ?? '')
  const challenge = response && challengeOf(response.response.clientDataJSON)
  if (!response || challenge === undefined) return 'invalid'
  const { personId } = request.viewer.person
  if ((await challengeMadeAt(context, addPurpose(personId), challenge, now)) === undefined) return 'invalid'
  const verified = await ofNothing(
    verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: context.origin,
      expectedRPID: rpIdOf(context),
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    }),
  )
  if (!verified?.verified) return 'invalid'
  const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential
  return inTransaction(context.store, async (trx) => {
    if (!(await takeChallenge(trx, challenge, now))) return 'invalid'
    const passkey = { credentialId: id, personId, publicKey, counter, transports, name }
    return addPasskey(trx, actingOf(context, request), passkey)
  })
}

/** What a browser sent, as far as it can be read without the library, which checks the rest. */
function answerOf<Answer extends { readonly id: string; readonly response: { readonly clientDataJSON: string } }>(
  text: string,
): Answer | undefined {
  if (text.length > maxLength) return undefined
  const value = jsonIn(text) as Partial<Answer> | null | undefined
  const isAnswer = typeof value?.id === 'string' && typeof value.response?.clientDataJSON === 'string'
  return isAnswer ? (value as Answer) : undefined
}

function challengeOf(clientDataJSON: string): string | undefined {
  const data = jsonIn(Buffer.from(clientDataJSON, 'base64url').toString()) as { challenge?: unknown } | undefined
  return typeof data?.challenge === 'string' ? data.challenge : undefined
}

/** The library throws for every invalid answer. */
const ofNothing = <Result>(verification: Promise<Result>): Promise<Result | undefined> =>
  verification.catch(() => undefined)
