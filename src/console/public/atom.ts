// Atom feeds (RFC 4287).
import { escapeHtml } from '../frame/html.ts'
import type { PageAnswer } from '../frame/page.ts'

export type AtomEntry = {
  /** URL or URN that never changes. */
  readonly id: string
  readonly title: string
  /** Epoch milliseconds. */
  readonly updatedAt: number
  readonly publishedAt: number
  readonly link: string
  /** Plain text, or our own markup. */
  readonly content: { readonly type: 'text' | 'html'; readonly text: string }
}

type AtomFeed = {
  /** URL of the feed, which is also its id. */
  readonly address: string
  /** Page that the feed is about. */
  readonly page: string
  readonly title: string
  readonly author: string
  readonly language: string
  /** Used if there are no entries. */
  readonly updatedAt: number
  readonly entries: readonly AtomEntry[]
}

/** The control characters that XML cannot hold, not even escaped. */
const unwritable = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

const text = (value: string): string => escapeHtml(value.replace(unwritable, ''))
const instant = (at: number): string => new Date(at).toISOString()

/** Returns the feed as an answer. */
export function atomAnswer(feed: AtomFeed): PageAnswer {
  const updatedAt = Math.max(
    ...feed.entries.map((entry) => entry.updatedAt),
    feed.entries.length > 0 ? 0 : feed.updatedAt,
  )
  const entries = feed.entries.map(
    ({ id, title, updatedAt: changedAt, publishedAt, link, content }) => `<entry>
<id>${text(id)}</id>
<title>${text(title)}</title>
<updated>${instant(changedAt)}</updated>
<published>${instant(publishedAt)}</published>
<link rel="alternate" type="text/html" href="${text(link)}"/>
<content type="${content.type}">${text(content.text)}</content>
</entry>`,
  )
  const body = `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${feed.language}" xml:base="${text(feed.page)}">
<id>${text(feed.address)}</id>
<title>${text(feed.title)}</title>
<updated>${instant(updatedAt)}</updated>
<author><name>${text(feed.author)}</name></author>
<link rel="self" type="application/atom+xml" href="${text(feed.address)}"/>
<link rel="alternate" type="text/html" href="${text(feed.page)}"/>
${entries.join('\n')}
</feed>
`
  return { kind: 'content', type: 'application/atom+xml; charset=utf-8', body }
}
