// What a host's robots.txt permits us to request (RFC 9309), and how slowly.
import robotsParser from 'robots-parser'

// the package's types describe it as an ES module, which it is not
const parseRobots = robotsParser as unknown as typeof robotsParser.default

/** The name by which robots.txt may address us. */
export const productToken = 'Tenderstock'

export type RobotsRules = {
  readonly allows: (url: URL) => boolean
  /** Least time between two requests, milliseconds; 0 when nothing is said. */
  readonly crawlDelayMs: number
}

/** No rules: the host has no robots.txt. */
export const everythingAllowed: RobotsRules = { allows: () => true, crawlDelayMs: 0 }

/** Maximum crawl delay; a longer one counts as this: it would close the site, for which there is another directive. */
const longestCrawlDelayMs = 10 * 60_000

/** Reads the text of a robots.txt; what it does not understand it skips, so a page for people is no rules at all. */
export function readRobots(robotsUrl: URL, text: string): RobotsRules {
  const robots = parseRobots(robotsUrl.href, text)
  const delayMs = (robots.getCrawlDelay(productToken) ?? 0) * 1000
  return {
    allows: (url) => robots.isAllowed(url.href, productToken) !== false,
    crawlDelayMs: delayMs > 0 ? Math.min(delayMs, longestCrawlDelayMs) : 0,
  }
}
