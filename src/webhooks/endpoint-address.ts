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
  | 'unreachable'

/** An address that is refused. The message is for the command line; the console has a text for each reason. */
export class RefusedAddressError extends OperatorError {
  readonly reason: AddressRefusal
  constructor(reason: AddressRefusal, message: string) {
    super('webhook-address', message)
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
 * Last labels that the public name service never has: reserved by RFC 6761, 6762 (with appendix G), 7686 and 9476, kept
 * for private use, or for infrastructure.
 */
const neverPublic: ReadonlySet<string> = new Set([
  ...['alt', 'arpa', 'example', 'invalid', 'local', 'localdomain', 'localhost', 'onion', 'test'],
  ...['corp', 'home', 'internal', 'intranet', 'lan', 'mail', 'private'],
])

/** Whether a name can exist in the public name service (RFC 1035, 3696); some have underscores. */
function canBePublic(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '')
  const labels = name.split('.')
  const last = labels.at(-1)!
  return (
    name.length <= 253 &&
    labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label)) &&
    /^(?:[a-z]{2,}|xn--[a-z0-9-]+)$/.test(last) &&
    !neverPublic.has(last)
  )
}

/**
 * Refuses a name that can never be reached, and one that leads into a private network now. An unknown name is accepted:
 * it may exist later, and each attempt checks again. Throws RefusedAddressError.
 */
export async function checkEndpointName({ url, network }: EndpointAddress, resolve = systemResolve): Promise<void> {
  const { hostname } = new URL(url)
  if (network === 'loopback' || literalOf(hostname) !== undefined) return
  if (!canBePublic(hostname))
    throw new RefusedAddressError(
      'unreachable',
      `The webhook address can never be reached: no public name is like ${hostname}. Use a name that is public.`,
    )
  const addresses = await resolve(hostname).catch(() => [])
  if (addresses.some((address) => !isPublicAddress(address)))
    throw new RefusedAddressError(
      'resolved',
      `The webhook address leads into a private network: ${hostname} has an address there. Use a name that is public.`,
    )
}
