import { expect, it } from 'vitest'
import { addressPrefix } from './address-prefix.ts'

it.each([
  ['192.0.2.7', '192.0.2.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:DB8:1:2::6', '2001:db8:1::/48'],
  ['2001:db8::6', '2001:db8:0::/48'],
  ['2001:0db8:0001::', '2001:db8:1::/48'],
  ['::1', '0:0:0::/48'],
  ['fe80::1%eth0', 'fe80:0:0::/48'],
  ['192.0.2', ''],
  ['', ''],
])('%s asks from %s', (address, network) => {
  expect(addressPrefix(address)).toBe(network)
})
