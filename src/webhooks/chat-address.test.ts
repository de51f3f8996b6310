import { expect, test } from 'vitest'
import { chatAddress, chatOf, sealChatAddress } from './chat-address.ts'

test('an address is shown without what makes it a secret, and comes together again', () => {
  const url = 'https://prod-1.westeurope.logic.azure.com/workflows/a/triggers/manual?sig=s%2Fx&sv=1.0'
  const sealer = {
    seal: (secret: Uint8Array, secretId: string) => Buffer.concat([Buffer.from(`${secretId} `), secret]),
  }
  const { host, stored } = sealChatAddress(url, sealer, 'a')!
  expect(host).toBe('https://prod-1.westeurope.logic.azure.com/')
  expect(chatAddress(host, stored.sealed.subarray('a '.length))).toBe(url)
  expect(sealChatAddress('https://hooks.slack.com/', sealer, 'a')).toBeUndefined()
})

test('a chat that this version does not know is no endpoint for signed messages', () => {
  expect(chatOf({ chat: 'slack', language: 'de' })).toEqual({ kind: 'slack', language: 'de' })
  expect(chatOf({ chat: 'teams', language: null })).toEqual({ kind: 'teams', language: 'en' })
  expect([chatOf({ chat: null, language: null }), chatOf({ chat: 'other', language: 'en' })]).toEqual([
    undefined,
    'unknown',
  ])
})
