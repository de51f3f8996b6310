// Signatures of webhooks by Standard Webhooks 1.0.0 (github.com/standard-webhooks/standard-webhooks).
import { createHmac, type KeyObject } from 'node:crypto'

/** Prefix of every secret as people see it. */
const secretPrefix = 'whsec_'
/** Number of bytes of a new secret. */
const secretLength = 32
/** Minimum and maximum bytes of a secret by the standard. */
const minSecretLength = 24
const maxSecretLength = 64

/** Creates a secret, in the form that is shown once: `whsec_` and base64. */
export function makeWebhookSecret(randomBytes: (count: number) => Uint8Array): string {
  return webhookSecretText(randomBytes(secretLength))
}

/** The secret with these bytes, as people see it. */
export function webhookSecretText(bytes: Uint8Array): string {
  return secretPrefix + Buffer.from(bytes).toString('base64')
}

/** The bytes of a secret; undefined if the text has another form, or fewer than 24 or more than 64 bytes. */
export function webhookSecretBytes(text: string): Buffer | undefined {
  const base64 = text.startsWith(secretPrefix) ? text.slice(secretPrefix.length) : text
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined
  const bytes = Buffer.from(base64, 'base64')
  return bytes.length >= minSecretLength && bytes.length <= maxSecretLength ? bytes : undefined
}

export type WebhookMessage = {
  /** ID of the message: the same for all attempts. */
  readonly id: string
  /** Epoch seconds of this attempt. */
  readonly timestamp: number
  readonly body: string
}

/** The three headers of an attempt, signed with each secret in the given order. */
export function webhookHeaders(
  { id, timestamp, body }: WebhookMessage,
  secrets: readonly (Uint8Array | KeyObject)[],
): { readonly [name: string]: string } {
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  )
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') }
}
