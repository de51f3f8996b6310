// What a host's robots.txt permits us to request (RFC 9309), and how slowly.
import robotsParser from 'robots-parser'

// the package's types describe it as an ES module, which it is not
const parseRobots = robotsParser as unknown as typeof robotsParser.default

/** The name by which robots.txt addresses us. */
export const productToken = 'Tenderstock'

export type RobotsRules = {
  readonly allows: (url: URL) => boolean
  /** Minimum time between two requests, milliseconds; 0 when none is given. */
  readonly crawlDelayMs: number
}

/** No rules: the host has no robots.txt. */
export const everythingAllowed: RobotsRules = { allows: () => true, crawlDelayMs: 0 }

/**
 * Maximum crawl delay; a longer one is reduced to this: it would close the site, for which there is another directive.
 */
const longestCrawlDelayMs = 10 * 60_000

/**
 * Reads the text of a robots.txt; lines that it does not understand are skipped, so a page for people contains no rules
 * at all.
 */
export function readRobots(robotsUrl: URL, text: string): RobotsRules {
  const robots = parseRobots(robotsUrl.href, text)
  const delayMs = (robots.getCrawlDelay(productToken) ?? 0) * 1000
  return {
    allows: (url) => robots.isAllowed(url.href, productToken) !== false,
    crawlDelayMs: delayMs > 0 ? Math.min(delayMs, longestCrawlDelayMs) : 0,
  }
}
