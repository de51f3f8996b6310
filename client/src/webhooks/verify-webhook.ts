// Verifies webhooks of Tenderstock by Standard Webhooks 1.0.0: who sent it, that nothing was altered, and that it is
// not old.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { ClientError } from '../client-error.ts'
import type { HitEvent, TestEvent } from '../types.ts'

export type { HitEvent, TestEvent } from '../types.ts'

export type WebhookEvent = HitEvent | TestEvent

/** The request is not what Tenderstock sent. Answer 400, and do nothing with the body. */
export class WebhookVerificationError extends ClientError {
  override readonly name = 'WebhookVerificationError'
  override readonly code = 'not-verified'
}

/** Names in any case: a plain object, as Node has it, or `Headers`. */
export type WebhookHeaders =
  | { readonly get: (name: string) => string | null }
  | { readonly [name: string]: string | readonly string[] | undefined }

/**
 * Maximum difference between the time of an attempt and now, in both directions: an old message could be sent again by
 * somebody else.
 */
const toleranceMs = 5 * 60_000
const minSecretLength = 24
const maxSecretLength = 64

/** `now`: epoch milliseconds; default: the present moment. */
export type VerifyOptions = { readonly now?: number }

/**
 * Returns the event if `rawBody` is byte for byte what was received (verify before parsing), one of the secrets signed
 * it, and it is at most five minutes old. Pass old and new secret during a rotation. Throws WebhookVerificationError
 * for a message that is not genuine, and TypeError for an invalid secret. The same message may arrive more than once:
 * remember its `webhook-id`.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { now = Date.now() }: VerifyOptions = {},
): WebhookEvent & { readonly id: string } {
  const keys = (typeof secrets === 'string' ? [secrets] : secrets).map(keyOf)
  if (keys.length === 0) throw new TypeError('Give at least one secret (whsec_…).')
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('webhook-timestamp is not a number of seconds')
  if (Math.abs(now - Number(timestamp) * 1000) > toleranceMs)
    throw new WebhookVerificationError(
      'webhook-timestamp is more than five minutes away: an old message, or a wrong clock',
    )
  const body = typeof rawBody === 'string' ? Buffer.from(rawBody) : rawBody
  const expected = keys.map((key) => createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest())
  const isGenuine = signatures.split(' ').some((signature) => {
    const [, base64] = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(signature) ?? []
    if (base64 === undefined) return false
    const given = Buffer.from(base64, 'base64')
    return expected.some((each) => timingSafeEqual(each, given))
  })
  if (!isGenuine)
    throw new WebhookVerificationError(
      'no signature fits: the secret is another one, or the body is not byte for byte what was received',
    )
  return { ...(parse(body) as WebhookEvent), id }
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'))
  } catch {
    throw new WebhookVerificationError('the body is not JSON')
  }
}

/** True when the text has the form of a webhook secret: `whsec_` and 24 to 64 bytes in base64. */
export function isWebhookSecret(text: string): boolean {
  try {
    keyOf(text)
    return true
  } catch {
    return false
  }
}

function keyOf(secret: string): Uint8Array {
  const base64 = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret
  const key = Buffer.from(base64, 'base64')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || key.length < minSecretLength || key.length > maxSecretLength)
    throw new TypeError('A webhook secret is whsec_ and 24 to 64 bytes in base64.')
  return key
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : memberOf(headers as NodeHeaders, name)
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`the header ${name} is missing`)
  return value
}

type NodeHeaders = { readonly [name: string]: string | readonly string[] | undefined }

function memberOf(headers: NodeHeaders, name: string): unknown {
  return headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
}
