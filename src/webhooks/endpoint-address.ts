// Which addresses webhooks may be sent to. It is checked when an endpoint is saved; the network rule of platform/http
// is checked at every attempt, for the address that is connected to.
import { lookup } from 'node:dns/promises'
import { OperatorError } from '../platform/errors.ts'
import { isLoopbackAddress, isPublicAddress, literalOf, type Network } from '../platform/network-rule.ts'

/** What the service allows besides public https addresses. */
export type AddressRule = {
  /** Whether receivers on this machine are allowed, also over plain http: for trials. */
  readonly allowsLoopback: boolean
}

const maxAddressLength = 2000
/**
 * Ports that are allowed: a port that is not one of the web is not that of a webhook receiver, but a way into a
 * network.
 */
const allowedPorts = new Set(['', '443', '8443'])

export type EndpointAddress = { readonly url: string; readonly network: Extract<Network, 'public' | 'loopback'> }

/** Why an address is refused. */
export type AddressRefusal =
  | 'length'
  | 'url'
  | 'user'
  | 'fragment'
  | 'loopback'
  | 'scheme'
  | 'port'
  | 'private'
  | 'domain'
  | 'resolved'

/** An address that is refused. The message is for the command line; the console has a text for each reason. */
export class RefusedAddressError extends OperatorError {
  readonly reason: AddressRefusal
  constructor(reason: AddressRefusal, message: string) {
    super(message, { exitCode: 2 })
    this.reason = reason
  }
}

/**
 * The address in its canonical form, and the network in which it is. Throws RefusedAddressError that says what to
 * write instead.
 */
export function parseEndpointAddress(text: string, rule: AddressRule): EndpointAddress {
  const refuse = (reason: AddressRefusal, why: string): never => {
    throw new RefusedAddressError(
      reason,
      `The webhook address ${why}; write it like https://hooks.example.org/tenders.`,
    )
  }
  if (text.length > maxAddressLength) refuse('length', `has more than ${maxAddressLength} characters`)
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return refuse('url', 'is not a usable URL')
  if (url.username !== '' || url.password !== '')
    refuse('user', 'holds a user name or password, and would show it in logs')
  if (url.hash !== '') refuse('fragment', 'has a fragment, which is never sent')
  if (isLoopbackHost(url.hostname)) {
    if (!rule.allowsLoopback)
      refuse('loopback', 'leads to this machine, which only trials allow (--allow-loopback-webhooks)')
    return { url: url.href, network: 'loopback' }
  }
  if (url.protocol !== 'https:') refuse('scheme', 'is not https')
  if (!allowedPorts.has(url.port)) refuse('port', `has port ${url.port}, and only 443 and 8443 are allowed`)
  const literal = literalOf(url.hostname)
  if (literal !== undefined && !isPublicAddress(literal)) refuse('private', 'lies in a private network')
  if (literal === undefined && !/[^.]\.[a-z][a-z0-9-]*\.?$/.test(url.hostname))
    refuse('domain', 'has a name without a domain, as names in private networks are')
  return { url: url.href, network: 'public' }
}

function isLoopbackHost(hostname: string): boolean {
  const literal = literalOf(hostname)
  return literal === undefined ? /^(?:.+\.)?localhost\.?$/.test(hostname) : isLoopbackAddress(literal)
}

/** Resolves all addresses of a name; rejects when it has none. */
type Resolve = (hostname: string) => Promise<readonly string[]>

const systemResolve: Resolve = async (hostname) => (await lookup(hostname, { all: true })).map(({ address }) => address)

/**
 * Refuses a name that leads into a private network now. An unknown name is accepted: it may exist later, and each
 * attempt checks again. Throws RefusedAddressError.
 */
export async function checkEndpointName({ url, network }: EndpointAddress, resolve = systemResolve): Promise<void> {
  const { hostname } = new URL(url)
  if (network === 'loopback' || literalOf(hostname) !== undefined) return
  const addresses = await resolve(hostname).catch(() => [])
  if (addresses.some((address) => !isPublicAddress(address)))
    throw new RefusedAddressError(
      'resolved',
      `The webhook address leads into a private network: ${hostname} has an address there. Use a name that is public.`,
    )
}
