// The only place that opens outgoing HTTP connections: bounded in time and size, and never into a private network by accident.
import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, request } from 'undici'

/** The network did not deliver; trying again later may help. Nothing is wrong with the data. */
export class Retryable extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'Retryable'
  }
}

/** The address points into a network that this client must not reach. Trying again does not help. */
export class ForbiddenAddress extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ForbiddenAddress'
  }
}

export type HttpReply = {
  readonly status: number
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  readonly body: Uint8Array
}

export type HttpClient = {
  /**
   * GET without following redirects. Throws Retryable when nothing usable arrives in time, when the body is larger than
   * `maxBytes` (a cut document must not be taken for a whole one), or on 5xx and 429; ForbiddenAddress as above.
   */
  readonly get: (
    url: string,
    options?: { readonly maxBytes?: number; readonly signal?: AbortSignal },
  ) => Promise<HttpReply>
  readonly close: () => Promise<void>
}

const defaultMaxBytes = 64 * 1024 * 1024

// Everything that is not global unicast (IANA special-purpose registries), and the forms in which IPv6 carries IPv4.
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

/**
 * A client for one kind of network: `public` reaches global unicast only; `loopback` reaches this machine only (sample
 * portals). The check is made on the address that is connected to, literals included, so that no name can be rebound
 * between check and use (stack.md 9).
 */
export function openHttp(options: {
  readonly network: 'public' | 'loopback'
  readonly timeoutMs?: number
  readonly userAgent?: string
}): HttpClient {
  const timeoutMs = options.timeoutMs ?? 30_000
  const isAllowed = options.network === 'loopback' ? isLoopbackAddress : isPublicAddress
  const checkedLookup: LookupFunction = (hostname, lookupOptions, callback) => {
    lookup(hostname, { ...lookupOptions, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 4)
      const forbidden = addresses.find(({ address }) => !isAllowed(address))
      const first = addresses[0]
      if (forbidden || !first)
        return callback(new ForbiddenAddress(`${hostname} is outside the allowed network`), '', 4)
      if (lookupOptions.all) return callback(null, addresses)
      callback(null, first.address, first.family)
    })
  }
  const connector = buildConnector({ timeout: timeoutMs, lookup: checkedLookup })
  const agent = new Agent({
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connections: 4,
    connect: (target, callback) => {
      const host = target.hostname.replace(/^\[|\]$/g, '')
      // lookup is not asked for literals, so they are checked here
      if (isIP(host) && !isAllowed(host))
        return callback(new ForbiddenAddress(`${host} is outside the allowed network`), null)
      connector(target, callback)
    },
  })
  return {
    get: (url, { maxBytes = defaultMaxBytes, signal } = {}) =>
      get(agent, url, {
        maxBytes,
        timeoutMs,
        userAgent: options.userAgent ?? 'tenderstock',
        ...(signal && { signal }),
      }),
    close: () => agent.close(),
  }
}

type GetOptions = {
  readonly maxBytes: number
  readonly timeoutMs: number
  readonly userAgent: string
  readonly signal?: AbortSignal
}

async function get(agent: Agent, url: string, options: GetOptions): Promise<HttpReply> {
  const target = URL.parse(url)
  if (!target || (target.protocol !== 'http:' && target.protocol !== 'https:'))
    throw new ForbiddenAddress(`no http address: ${url}`)
  const whole = AbortSignal.timeout(options.timeoutMs * 4)
  try {
    const reply = await request(target, {
      dispatcher: agent,
      headers: { 'user-agent': options.userAgent, accept: '*/*' },
      signal: options.signal ? AbortSignal.any([whole, options.signal]) : whole,
    })
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of reply.body as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > options.maxBytes) {
        reply.body.destroy()
        throw new Retryable(`${url} is larger than ${options.maxBytes} bytes`)
      }
      chunks.push(chunk)
    }
    if (reply.statusCode >= 500 || reply.statusCode === 429) throw new Retryable(`${url} answered ${reply.statusCode}`)
    return { status: reply.statusCode, headers: reply.headers, body: Buffer.concat(chunks, size) }
  } catch (error) {
    if (error instanceof ForbiddenAddress || error instanceof Retryable) throw error
    if (error instanceof Error && error.cause instanceof ForbiddenAddress) throw error.cause
    throw new Retryable(`${url} could not be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

/** The portal answered, and the answer is no data: a firewall's challenge, a page for people, a limit. Never an empty result. */
export class Refused extends Retryable {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'Refused'
  }
}
