// What counts as an answer of TED: not the empty 202 of its firewall, and not an HTML page.
import { Refused } from '../../platform/http.ts'
import type { SourceReply } from '../fetch.ts'

/**
 * Since autumn 2026 a firewall answers 202 without a body (header `x-amzn-waf-action`) where it wants a browser to
 * prove itself. The http client recognizes that already; a day must not depend on one place alone. Throws Refused.
 */
export function assertAnswered(reply: SourceReply, url: string): void {
  if (reply.status === 202 || reply.headers['x-amzn-waf-action'] !== undefined)
    throw new Refused(`${url}: the firewall of TED asks for a challenge (status ${reply.status})`)
}

/** Whether the first bytes are those of an HTML page. */
export function isHtml(head: Uint8Array): boolean {
  return /^\uFEFF?\s*<(?:!doctype\s+html|html[\s>])/i.test(new TextDecoder().decode(head.subarray(0, 1024)))
}
