// Short texts that a browser keeps for us, such as a challenge or the state of a sign-in: nobody can change them
// unnoticed, and no table holds them.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { getOrCreateSetting } from '../../store/database/settings.ts'
import type { ConsoleContext } from './console-context.ts'

const codeLength = 32

export type SigningContext = Pick<ConsoleContext, 'store' | 'random'>

/** The bytes with their code for one purpose, such as a sign-in, in base64url. */
export async function signed(context: SigningContext, purpose: string, body: Uint8Array): Promise<string> {
  return Buffer.concat([body, codeOf(await secretOf(context), purpose, body)]).toString('base64url')
}

/** The bytes that `signed` was given for this purpose; undefined if we did not sign this text. */
export async function openSigned(context: SigningContext, purpose: string, text: string): Promise<Buffer | undefined> {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length < codeLength) return undefined
  const body = bytes.subarray(0, bytes.length - codeLength)
  const isOurs = timingSafeEqual(bytes.subarray(body.length), codeOf(await secretOf(context), purpose, body))
  return isOurs ? body : undefined
}

/** Cached, so that the sign-in page waits for the database only once. */
const secrets = new WeakMap<SigningContext['store'], Buffer>()

/** Shared by all processes of an installation, so that any of them can accept the answer. */
async function secretOf({ store, random }: SigningContext): Promise<Buffer> {
  const known = secrets.get(store)
  if (known) return known
  const fresh = Buffer.from(random.bytes(32)).toString('base64url')
  const secret = Buffer.from(await getOrCreateSetting(store.db, 'console-challenges', fresh), 'base64url')
  secrets.set(store, secret)
  return secret
}

const codeOf = (secret: Buffer, purpose: string, body: Uint8Array): Buffer =>
  createHmac('sha256', secret).update(`${purpose}|`).update(body).digest()
