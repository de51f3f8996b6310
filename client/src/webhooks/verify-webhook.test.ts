// What `standardwebhooks` and `svix` sign is verified, and nothing else.
import { randomBytes } from 'node:crypto'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, test } from 'vitest'
import { isWebhookSecret, verifyWebhook, WebhookVerificationError } from './verify-webhook.ts'

const now = Date.UTC(2026, 10, 22, 6, 1, 3)
const at = new Date(now)
const secret = `whsec_${randomBytes(32).toString('base64')}`
const event = { type: 'webhook.test', timestamp: at.toISOString(), data: { endpoint: 'e', message: 'Grüße' } }
const body = JSON.stringify(event)
const headersOf = (signature: string) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(now / 1000),
  'webhook-signature': signature,
})
const signed = headersOf(new StandardWebhook(secret).sign('msg_1', at, body))

describe('a genuine message', () => {
  test.each([
    ['standardwebhooks', () => new StandardWebhook(secret).sign('msg_1', at, body)],
    ['svix', () => new SvixWebhook(secret).sign('msg_1', at, body)],
  ])('signed by %s is the event with its id', (_, sign) => {
    expect(verifyWebhook(body, headersOf(sign()), secret, { now })).toEqual({ ...event, id: 'msg_1' })
  })

  test('may come as bytes, with Headers, or with names in another case', () => {
    expect(verifyWebhook(Buffer.from(body), signed, secret, { now }).id).toBe('msg_1')
    expect(verifyWebhook(body, new Headers(signed), secret, { now }).id).toBe('msg_1')
    const upper = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toUpperCase(), value]))
    expect(verifyWebhook(body, upper, secret, { now }).id).toBe('msg_1')
  })

  test('is accepted with the old and the new secret during a rotation', () => {
    const newer = `whsec_${randomBytes(32).toString('base64')}`
    expect(verifyWebhook(body, signed, [newer, secret], { now }).id).toBe('msg_1')
    const both = headersOf(`v1,${'A'.repeat(43)}= v2,what ${signed['webhook-signature']}`)
    expect(verifyWebhook(body, both, secret, { now }).id).toBe('msg_1')
    expect(() => verifyWebhook(body, signed, newer, { now })).toThrow(WebhookVerificationError)
  })

  test('may be five minutes old or early', () => {
    for (const away of [-300_000, 300_000])
      expect(verifyWebhook(body, signed, secret, { now: now + away }).id).toBe('msg_1')
    for (const away of [-300_001, 300_001])
      expect(() => verifyWebhook(body, signed, secret, { now: now + away })).toThrow(/five minutes/)
  })
})

test('the example that `svix` and `standardwebhooks` publish is genuine, at its time', () => {
  const timestamp = 1_614_265_330
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  }
  const verify = (now: number) =>
    verifyWebhook('{"test": 2432232314}', headers, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', { now })
  expect(verify(timestamp * 1000)).toEqual({ test: 2_432_232_314, id: 'msg_p5jXN8AQM9LWM0D4loKWxJek' })
  expect(() => verify(Date.now())).toThrow(/five minutes/)
})

describe('another message is refused', () => {
  test.each([
    ['a body that was parsed and written again', ` ${body}`, signed],
    ['another body', body.replace('Grüße', 'Gruesse'), signed],
    ['another id', body, { ...signed, 'webhook-id': 'msg_2' }],
    ['another time', body, { ...signed, 'webhook-timestamp': String(now / 1000 + 1) }],
    ['no signature', body, { ...signed, 'webhook-signature': '' }],
    ['a signature that is cut', body, { ...signed, 'webhook-signature': signed['webhook-signature'].slice(0, -2) }],
    [
      'a signature of another version',
      body,
      { ...signed, 'webhook-signature': signed['webhook-signature'].replace('v1,', 'v1a,') },
    ],
    ['a time that is none', body, { ...signed, 'webhook-timestamp': 'now' }],
    ['no headers', body, {}],
  ])('%s', (_, text, headers) => {
    expect(() => verifyWebhook(text, headers, secret, { now })).toThrow(WebhookVerificationError)
  })

  test.each([23, 24, 64, 65])('a secret of %i bytes is valid if it has 24 to 64', (length) => {
    expect(isWebhookSecret(`whsec_${Buffer.alloc(length, 7).toString('base64')}`)).toBe(length >= 24 && length <= 64)
  })

  test.each([[''], ['whsec_'], ['whsec_c2hvcnQ='], [[]]])('an invalid secret is refused: %j', (wrong) => {
    expect(() => verifyWebhook(body, signed, wrong, { now })).toThrow(TypeError)
  })
})
