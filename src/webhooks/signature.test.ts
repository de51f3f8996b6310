// Signatures are verified by programs that are not ours: `standardwebhooks` and `svix`.
import { randomBytes } from 'node:crypto'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, test } from 'vitest'
import { makeWebhookSecret, webhookHeaders, webhookSecretBytes } from './signature.ts'

const message = {
  id: 'msg_1',
  timestamp: Math.floor(Date.now() / 1000),
  body: '{"type":"search.hit","text":"Straße €"}',
}
const verifiers = [
  ['standardwebhooks', (secret: string) => new StandardWebhook(secret)],
  ['svix', (secret: string) => new SvixWebhook(secret)],
] as const

describe('D54: signatures', () => {
  test.each(verifiers)('%s verifies them with the old and the new secret, and refuses what was altered', (_, open) => {
    const [newer, older, stranger] = [0, 1, 2].map(() => makeWebhookSecret(randomBytes)) as [string, string, string]
    const headers = webhookHeaders(message, [webhookSecretBytes(newer)!, webhookSecretBytes(older)!])
    for (const secret of [newer, older]) {
      expect(open(secret).verify(message.body, headers)).toEqual(JSON.parse(message.body))
      expect(() => open(secret).verify(message.body.replace('Straße', 'Strasse'), headers)).toThrow()
      expect(() => open(secret).verify(message.body, { ...headers, 'webhook-id': 'msg_2' })).toThrow()
      const late = { ...headers, 'webhook-timestamp': String(message.timestamp + 1) }
      expect(() => open(secret).verify(message.body, late)).toThrow()
    }
    expect(() => open(stranger).verify(message.body, headers)).toThrow()
  })

  test.each(verifiers)('%s verifies 200 random messages', (_, open) => {
    for (let round = 0; round < 200; round++) {
      const secret = `whsec_${randomBytes(24 + (round % 41)).toString('base64')}`
      const body = JSON.stringify({ text: randomBytes(round).toString('latin1') })
      const each = { id: `msg_${round}`, timestamp: Math.floor(Date.now() / 1000), body }
      expect(open(secret).verify(body, webhookHeaders(each, [webhookSecretBytes(secret)!]))).toEqual(JSON.parse(body))
    }
  })

  test('the example of the `svix` documentation gives its signature', () => {
    const secret = webhookSecretBytes('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')!
    const vector = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body: '{"test": 2432232314}' }
    expect(webhookHeaders(vector, [secret])['webhook-signature']).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    )
  })
})

describe('secrets', () => {
  test.each([
    ['', 'empty'],
    ['whsec_', 'without bytes'],
    [`whsec_${Buffer.alloc(23).toString('base64')}`, 'too short'],
    [`whsec_${Buffer.alloc(65).toString('base64')}`, 'too long'],
    ['whsec_not base64 at all, but long enough!', 'no base64'],
  ])('%s is not a secret: %s', (text) => {
    expect(webhookSecretBytes(text)).toBeUndefined()
  })

  test('a new secret has 32 bytes', () => {
    expect(webhookSecretBytes(makeWebhookSecret(randomBytes))).toHaveLength(32)
  })
})
