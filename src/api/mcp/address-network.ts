// The network from which an address asks.

/** An IPv4 address itself, of IPv6 the first 64 bits: whoever has one address of such a network has all of them. */
export function addressNetwork(address: string): string {
  if (!address.includes(':')) return address
  const [start = '', end] = address.split('%')[0]!.split('::')
  const groups = start.split(':').filter(Boolean)
  const last = (end ?? '').split(':').filter(Boolean)
  const zeros = Array.from({ length: end === undefined ? 0 : Math.max(0, 8 - groups.length - last.length) }, () => '0')
  return [...groups, ...zeros, ...last].slice(0, 4).join(':')
}
