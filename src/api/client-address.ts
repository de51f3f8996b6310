// Where a request came from if proxies are in between: the address written by trusted proxies, never one written by the
// client.
import { isIP } from 'node:net'

/**
 * The address of the client with `trustedHops` proxies in front. Each proxy appends the address of its own client to
 * `X-Forwarded-For`, so the entry is counted from the right end; others wrote the entries further left. An entry that
 * is not an IP address leads to the next one on its right, and finally to `peer`, which opened the connection.
 * `forwardedFor` is the value of all lines of that header in their order, joined by commas.
 */
export function clientAddress(peer: string, forwardedFor: string | undefined, trustedHops: number): string {
  let found = plainAddress(peer) ?? peer
  if (trustedHops === 0 || forwardedFor === undefined) return found
  let end = forwardedFor.length
  for (let hop = 0; hop < trustedHops && end >= 0; hop++) {
    const comma = forwardedFor.lastIndexOf(',', end - 1)
    found = addressOfEntry(forwardedFor.slice(comma + 1, end)) ?? found
    end = comma
    // Position 0 would search from -1, which means the same as 0.
    if (comma <= 0) break
  }
  return found
}

/** `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1` or `[2001:db8::1]:443`, as proxies write it, without the port. */
function addressOfEntry(entry: string): string | undefined {
  const text = entry.trim()
  const [, bracketed, v4] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(text) ?? []
  return plainAddress(bracketed ?? v4 ?? text)
}

/** One spelling of an IP address: lower case, and plain IPv4 for IPv4-mapped IPv6. Undefined for anything else. */
function plainAddress(text: string): string | undefined {
  if (isIP(text) === 0) return undefined
  const lower = text.toLowerCase()
  const mapped = lower.startsWith('::ffff:') ? lower.slice('::ffff:'.length) : ''
  return isIP(mapped) === 4 ? mapped : lower
}
