// Tells an answer that is data from one that is a firewall's challenge, a limit or a page for people.

/** What is known of an answer before its body is read. */
export type AnswerHead = {
  readonly status: number
  readonly headers: { readonly [name: string]: string | undefined }
  /** The first bytes of the decoded body, at most `peekBytes`; the whole body when it is shorter. */
  readonly start: Uint8Array
}

/** Maximum bytes to inspect: enough for a page's prologue and for the scripts that identify challenges. */
export const peekBytes = 4096

/** What came in place of data, worded to follow "answered", and why: a page for people is only wrong content. */
export type Replaced = { readonly said: string; readonly reason: 'refused' | 'wrong-content' }
const refused = (said: string): Replaced => ({ said, reason: 'refused' })

/**
 * How a firewall, or a page for people, replaces an answer; undefined when there is no sign of either. Applies whatever
 * statuses the caller accepts.
 */
export function challengeOf({ status, headers, start }: AnswerHead, expects: 'data' | 'page'): Replaced | undefined {
  // AWS WAF names its action with every status it uses: 202 with an empty body, 405 with a picture puzzle
  const action = headers['x-amzn-waf-action'] ?? headers['cf-mitigated']
  if (action !== undefined) return refused(`${status} with a challenge of its firewall (${action})`)
  if (status === 202 && start.length === 0) return refused('an empty 202, as firewalls send')
  if (status !== 200) return undefined
  if (start.length === 0 && headers['set-cookie'] !== undefined) return refused('200 with a cookie and nothing else')
  const text = new TextDecoder('latin1').decode(start).replace(/^(?:\u00ef\u00bb\u00bf|\s)+/, '')
  if (!isPage(text, headers['content-type'])) return undefined
  if (challenge.test(text)) return refused("200 with its firewall's challenge")
  return expects === 'data'
    ? { said: '200 with a page for people instead of data', reason: 'wrong-content' }
    : undefined
}

/** How a status alone refuses us, permanently or for now; undefined when it does not. */
export function doorOf(status: number): Replaced | undefined {
  if (status === 403) return refused('403: forbidden, for us or for now')
  if (status === 429) return refused('429: too many requests')
  if (status === 503) return refused('503: not now')
  // not in any standard: a firewall's way of turning robots away
  return status === 999 ? refused('999: turned away') : undefined
}

/** Marks of challenge pages: Cloudflare, Imperva, AWS, F5, and scripts that set a cookie and load the page again. */
const challenge = new RegExp(
  'challenge-platform|cf-chl|<title>just a moment|_incapsula_resource|awswafintegration|awswafcookiedomainlist|' +
    String.raw`<title>request rejected|tspd_101|document\.cookie\s*=[\s\S]*location\.(?:reload|replace|href)`,
  'i',
)

/** What may precede the root element. */
const prologue = /^(?:\s|<\?[\s\S]*?\?>|<!--[\s\S]*?-->)+/
const pageElements =
  /^<(?:head|body|script|title|meta|link|style|div|center|h[1-6]|p|br|noscript|iframe|form|span|table)[\s/>]/i

function isPage(text: string, contentType: string | undefined): boolean {
  const root = text.replace(prologue, '')
  if (/^<!doctype\s+html[\s>]|^<html[\s>]/i.test(root)) return true
  // XML may have such a root; it is not declared as HTML then
  return (contentType === undefined || /\bhtml\b/i.test(contentType)) && pageElements.test(root)
}
