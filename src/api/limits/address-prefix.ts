// The network of a client's address: enough to recognize a stranger, but less than an identity.
import { isIPv4, isIPv6 } from 'node:net'

/** `192.0.2.0/24` or `2001:db8:1::/48`; empty for anything that is not an address. */
export function addressPrefix(address: string): string {
  if (isIPv4(address)) return `${address.split('.').slice(0, 3).join('.')}.0/24`
  if (!isIPv6(address)) return ''
  const [left = '', right] = address.toLowerCase().replace(/%.*$/, '').split('::')
  const before = left === '' ? [] : left.split(':')
  const after = right === undefined || right === '' ? [] : right.split(':')
  const gap =
    right === undefined ? [] : Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  const groups = [...before, ...gap, ...after].slice(0, 3).map((group) => Number.parseInt(group, 16).toString(16))
  return `${groups.join(':')}::/48`
}
