// Challenges that passkeys sign: created without a table, recognized by a code, and accepted once.
import { minuteMs } from '../../domain/time.ts'
import type { Executor } from '../../store/database/database.ts'
import { takeForm } from '../../store/people/sent-forms.ts'
import { keyHashOf } from '../frame/directory.ts'
import { openSigned, type SigningContext, signed } from '../frame/signed-text.ts'

/** How long a page may be open before its passkey is used. */
const challengeMs = 10 * minuteMs
const nonceLength = 16
const timeLength = 6

/** A challenge for one purpose, such as a sign-in, in base64url. */
export async function makeChallenge(context: SigningContext, purpose: string, now: number): Promise<string> {
  const body = Buffer.alloc(nonceLength + timeLength)
  context.random.bytes(nonceLength).copy(body)
  body.writeUIntBE(now + challengeMs, nonceLength, timeLength)
  return signed(context, purpose, body)
}

/** When we created this challenge for this purpose; undefined if that is ten minutes ago, or we did not. */
export async function challengeMadeAt(
  context: SigningContext,
  purpose: string,
  text: string,
  now: number,
): Promise<number | undefined> {
  const body = await openSigned(context, purpose, text)
  if (body?.length !== nonceLength + timeLength) return undefined
  const endsAt = body.readUIntBE(nonceLength, timeLength)
  return endsAt > now ? endsAt - challengeMs : undefined
}

/** True for the first use. Call it in the transaction of what the challenge allows. */
export const takeChallenge = (trx: Executor, challenge: string, now: number): Promise<boolean> =>
  takeForm(trx, keyHashOf(challenge), now)
