// Which addresses outgoing HTTP may reach, and the error for any other.
import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** The address points into a network that this client must not reach. Trying again does not help. */
export class ForbiddenAddress extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ForbiddenAddress'
  }
}

/**
 * `public` reaches global unicast only; `loopback` this machine only (the simulator, tests); `any` everything, but
 * only for an address that the operator configured, used without following redirects (a document store in the own
 * network).
 */
export type Network = 'public' | 'loopback' | 'any'

// All that is not global unicast (IANA special-purpose registries), and the forms in which IPv6 embeds IPv4.
const nonGlobal = new BlockList()
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  nonGlobal.addSubnet(net, prefix, 'ipv4')
const globalUnicast6 = new BlockList()
globalUnicast6.addSubnet('2000::', 3, 'ipv6')
for (const [net, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  nonGlobal.addSubnet(net, prefix, 'ipv6')
}

/** True when an IP address is reachable on the public network. IPv4-mapped, NAT64, 6to4 and Teredo forms are not. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !nonGlobal.check(address, 'ipv4')
  return family === 6 && globalUnicast6.check(address, 'ipv6') && !nonGlobal.check(address, 'ipv6')
}

/** True for 127.0.0.0/8 and ::1. */
export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))
}

/** Whether this network holds the IP address. */
export function isInNetwork(network: Network, address: string): boolean {
  if (network === 'any') return true
  return network === 'loopback' ? isLoopbackAddress(address) : isPublicAddress(address)
}

/** The IP address in a URL's host, in the form of `node:net`; undefined for a name. */
export function literalOf(hostname: string): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) ? host : undefined
}

/**
 * Resolves a name as the system does, and fails with ForbiddenAddress when any of its addresses is outside the network.
 */
export function lookupIn(network: Network): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 4)
      const first = addresses[0]
      if (!first || addresses.some(({ address }) => !isInNetwork(network, address)))
        return callback(new ForbiddenAddress(`${hostname} is outside the allowed network`), '', 4)
      if (options.all) return callback(null, addresses)
      callback(null, first.address, first.family)
    })
  }
}
