// The address for which a request counts: the one that trusted proxies wrote; entries to its left are ignored.
import { isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clientAddress } from './client-address.ts'

const peer = '10.0.0.1'

describe('the address of a client', () => {
  test.each([
    ['nobody is trusted', '192.0.2.1', 0, peer],
    ['no header', undefined, 1, peer],
    ['one hop: the right end', '203.0.113.9, 192.0.2.1', 1, '192.0.2.1'],
    ['two hops: the second from the right', '203.0.113.9, 192.0.2.1, 10.0.0.7', 2, '192.0.2.1'],
    ['fewer entries than hops: the farthest that was written', '192.0.2.1', 3, '192.0.2.1'],
    ['no space, or much of it', '203.0.113.9,   192.0.2.1  ', 1, '192.0.2.1'],
    ['an empty header', '', 1, peer],
    ['nothing but commas', ', ,,', 4, peer],
    ['a comma at the left end', ',192.0.2.1', 5, '192.0.2.1'],
    ['junk of the last proxy', '192.0.2.1, unknown', 1, peer],
    ['junk further left leads to the right', '203.0.113.9, _hidden, 10.0.0.7', 2, '10.0.0.7'],
    ['a name is no address', 'client.example', 1, peer],
    ['IPv4 with a port', '192.0.2.1:51234', 1, '192.0.2.1'],
    ['IPv6', '2001:DB8::1', 1, '2001:db8::1'],
    ['IPv6 in brackets', '[2001:db8::1]', 1, '2001:db8::1'],
    ['IPv6 with a port', '[2001:db8::1]:443', 1, '2001:db8::1'],
    ['IPv4 inside IPv6', '::ffff:192.0.2.1', 1, '192.0.2.1'],
    ['brackets that do not close', '[2001:db8::1', 1, peer],
    ['a port of letters', '192.0.2.1:http', 1, peer],
    ['no octet above 255', '192.0.2.256', 1, peer],
  ] as const)('%s', (_what, forwarded, hops, expected) => {
    expect(clientAddress(peer, forwarded, hops)).toBe(expected)
  })

  test('the peer of an IPv6 socket is recognized', () => {
    expect(clientAddress('::ffff:192.0.2.1', undefined, 0)).toBe('192.0.2.1')
    expect(clientAddress('', undefined, 0)).toBe('')
  })

  test('nothing that a client writes changes what trusted proxies append to it', () => {
    const entry = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.string({ maxLength: 20 }),
      fc.constantFrom('', ',', ' , ', 'unknown'),
    )
    const trusted = fc.array(fc.ipV4(), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 6 }), trusted, (forged, appended) => {
        const hops = appended.length
        const honest = clientAddress(peer, appended.join(', '), hops)
        expect(honest).toBe(appended[0])
        expect(clientAddress(peer, [...forged, ...appended].join(', '), hops)).toBe(honest)
      }),
    )
  })

  test('is always an address', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.nat(4), (text, hops) => {
        expect(isIP(clientAddress(peer, text, hops))).not.toBe(0)
      }),
    )
  })
})
