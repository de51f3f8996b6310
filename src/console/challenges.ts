// Challenges that passkeys sign: created without a table, recognized by a code, and accepted once.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { minuteMs } from '../domain/time.ts'
import type { Executor } from '../store/database.ts'
import { takeForm } from '../store/sent-forms.ts'
import { getOrCreateSetting } from '../store/settings.ts'
import type { ConsoleContext } from './console-context.ts'
import { keyHashOf } from './directory.ts'

/** How long a page may be open before its passkey is used. */
const challengeMs = 10 * minuteMs
const nonceLength = 16
const timeLength = 6
const codeLength = 32

type ChallengeContext = Pick<ConsoleContext, 'store' | 'random'>

/** A challenge for one purpose, such as a sign-in, in base64url. */
export async function makeChallenge(context: ChallengeContext, purpose: string, now: number): Promise<string> {
  const body = Buffer.alloc(nonceLength + timeLength)
  context.random.bytes(nonceLength).copy(body)
  body.writeUIntBE(now + challengeMs, nonceLength, timeLength)
  return Buffer.concat([body, codeOf(await secretOf(context), purpose, body)]).toString('base64url')
}

/** When we created this challenge for this purpose; undefined if that is ten minutes ago, or we did not. */
export async function challengeMadeAt(
  context: ChallengeContext,
  purpose: string,
  text: string,
  now: number,
): Promise<number | undefined> {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length !== nonceLength + timeLength + codeLength) return undefined
  const body = bytes.subarray(0, nonceLength + timeLength)
  const isOurs = timingSafeEqual(bytes.subarray(body.length), codeOf(await secretOf(context), purpose, body))
  const endsAt = body.readUIntBE(nonceLength, timeLength)
  return isOurs && endsAt > now ? endsAt - challengeMs : undefined
}

/** True for the first use. Call it in the transaction of what the challenge allows. */
export const takeChallenge = (trx: Executor, challenge: string, now: number): Promise<boolean> =>
  takeForm(trx, keyHashOf(challenge), now)

/** Cached, so that the sign-in page waits for the database only once. */
const secrets = new WeakMap<ChallengeContext['store'], Buffer>()

/** Shared by all processes of an installation, so that any of them can accept the answer. */
async function secretOf({ store, random }: ChallengeContext): Promise<Buffer> {
  const known = secrets.get(store)
  if (known) return known
  const fresh = Buffer.from(random.bytes(32)).toString('base64url')
  const secret = Buffer.from(await getOrCreateSetting(store.db, 'console-challenges', fresh), 'base64url')
  secrets.set(store, secret)
  return secret
}

const codeOf = (secret: Buffer, purpose: string, body: Buffer): Buffer =>
  createHmac('sha256', secret).update(`${purpose}|`).update(body).digest()
