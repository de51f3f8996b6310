// Files for programs that visit the site: robots.txt, sitemap.xml, llms.txt and security.txt.

import { problemSlugs } from '../../api/problems/problems.ts'
import { dayMs } from '../../domain/time.ts'
import { docsTexts } from '../docs/docs-texts.ts'
import { groupNames } from '../docs/guide-groups.ts'
import type { Handbook } from '../docs/handbook.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { escapeHtml } from '../frame/html.ts'
import { type PageAnswer, type PageRoute, publicPage } from '../frame/page.ts'
import { helpNames } from '../help/help-texts.ts'

/** How long security.txt is valid, from the beginning of the day; programs then fetch a new one. */
const securityDays = 90

type SiteContext = Pick<ConsoleContext, 'origin' | 'config' | 'brand' | 'apiAddress' | 'clock'>

export const siteFiles = (context: SiteContext, handbook: Handbook): PageRoute[] => [
  publicPage('GET', '/robots.txt', () => plain(robots(context))),
  publicPage('GET', '/sitemap.xml', () => ({
    kind: 'content',
    type: 'application/xml; charset=utf-8',
    body: sitemap(context, handbook),
  })),
  publicPage('GET', '/llms.txt', () => plain(llms(context, handbook))),
  publicPage('GET', '/.well-known/security.txt', () => plain(security(context))),
]

const plain = (body: string): PageAnswer => ({ kind: 'content', type: 'text/plain; charset=utf-8', body })

const robots = ({ origin }: SiteContext): string => `User-agent: *
Disallow: /o/
Disallow: /operator
Disallow: /me
Disallow: /first/
Disallow: /sign-in
Disallow: /quote/sent
Disallow: /docs/search
Disallow: /tenders?
Disallow: /tenders.csv
Disallow: /samples/
Disallow: /authorities/
Disallow: /companies/
Sitemap: ${origin}/sitemap.xml
`

function sitemap({ origin }: SiteContext, handbook: Handbook): string {
  const paths = [
    '/',
    '/docs',
    ...handbook.pages.map(({ address }) => address),
    ...problemSlugs.map((slug) => `/docs/errors/${slug}`),
    '/help',
    ...helpNames.map((name) => `/help/${name}`),
    '/tenders',
    '/quote',
    '/explorer',
    '/stock',
    '/changelog',
    '/status',
  ]
  return `<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${paths.map((path) => `<url><loc>${escapeHtml(origin + path)}</loc></url>`).join('\n')}
</urlset>
`
}

/** By llmstxt.org: what the site has, in one Markdown file. */
function llms({ origin, apiAddress, brand }: SiteContext, handbook: Handbook): string {
  const groups = groupNames.map((group) => {
    const pages = handbook.pages
      .filter((page) => page.group === group)
      .map(({ address, title, file }) => {
        const summary = file === undefined ? '' : `: ${handbook.guide(file).summary}`
        return `- [${title}](${origin}${address})${summary}`
      })
    return `## ${docsTexts.en.groups[group]}\n\n${pages.join('\n')}\n`
  })
  return `# ${brand.name}

> One record for every public tender: notices of many portals, consolidated, served by a read-only HTTPS/JSON API that is
> made for delta sync. The API is at ${apiAddress}/v1, its contract (OpenAPI 3.1) at ${origin}/openapi.json.
> Which way suits which need: ${origin}/docs/ways-to-the-data. Tools for assistants (Model Context Protocol, with a token):
> ${apiAddress}/mcp, explained at ${origin}/docs/assistants.

${groups.join('\n')}
## Optional

- [Ask for a quote](${origin}/quote)
- [Changelog](${origin}/changelog)
- [Status](${origin}/status)
`
}

/** RFC 9116. Reports go to the operator where one is named; the policy says where else. */
function security({ origin, config, clock }: SiteContext): string {
  const now = clock()
  const contact = contactOf(config.contact) ?? `${origin}/docs/security`
  return `Contact: ${contact}
Policy: ${origin}/docs/security
Canonical: ${origin}/.well-known/security.txt
Preferred-Languages: en, de
Expires: ${new Date(now - (now % dayMs) + securityDays * dayMs).toISOString()}
`
}

/** A mail address or a page, as a URI. */
function contactOf(contact: string | undefined): string | undefined {
  if (contact === undefined || /^https:/.test(contact)) return contact
  return contact.includes('@') && !contact.includes(':') ? `mailto:${contact}` : undefined
}
