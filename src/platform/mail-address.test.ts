import { expect, test } from 'vitest'
import { mailAddressOf } from './mail-address.ts'

test.each([
  ['anna@example.org', 'anna@example.org'],
  [' Anna.B+x@Example.ORG ', 'Anna.B+x@example.org'],
  ["o'hara@sub.example.co", "o'hara@sub.example.co"],
  ['anna@müller.example', 'anna@xn--mller-kva.example'],
  [`${'a'.repeat(64)}@example.org`, `${'a'.repeat(64)}@example.org`],
])('%s is an address', (text, address) => {
  expect(mailAddressOf(text)).toBe(address)
})

test.each([
  '',
  'anna',
  'anna@',
  '@example.org',
  'anna@localhost',
  'anna@127.0.0.1',
  'anna@[127.0.0.1]',
  'anna@example.org, ben@example.org',
  'anna@example.org\r\nBcc: eve@example.org',
  'anna@example.org\nx',
  'an\rna@example.org',
  'Anna <anna@example.org>',
  '"anna b"@example.org',
  'anna..b@example.org',
  '.anna@example.org',
  'änna@example.org',
  'anna@exa mple.org',
  'anna@-example.org',
  'anna@example',
  'anna@@example.org',
  `${'a'.repeat(65)}@example.org`,
  `anna@${'a'.repeat(64)}.org`,
  `anna@${'a.'.repeat(130)}org`,
])('%j is not an address', (text) => {
  expect(mailAddressOf(text)).toBeUndefined()
})
