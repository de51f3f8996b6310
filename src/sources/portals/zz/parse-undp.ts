// An item of UNDP's RSS to a notice.
import { countryOf } from '../../ocds/codes.ts'
import { dayOfNames } from '../../read-values.ts'
import { childNamed, descendantsNamed, textOf, type XmlElement } from '../../xml/xml.ts'
import { homeOf, type PublishedEntry, xmlParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'zz-undp', profile: 'undp-rss', language: 'en', zone: 'America/New_York' })

export const parseUndp = xmlParser(home, (root) =>
  (root.name === 'item' ? [root] : [...descendantsNamed(root, 'item')]).map((item) => readItem(item)),
)

function readItem(item: XmlElement): PublishedEntry {
  const text = (name: string): string | undefined => textOf(childNamed(item, name))?.trim()
  const link = text('link') ?? item.attributes.get('about')
  const [, kind, number] = /[?&](notice_id|nego_id)=(\d+)/.exec(link ?? '') ?? []
  // `Repair of a school - UNDP - UKRAINE`
  const parts = (text('title') ?? '').split(' - ')
  const country = countryOf(parts.at(-1)?.trim())
  if (country !== undefined) parts.pop()
  if (/^UNDP$/i.test(parts.at(-1)?.trim() ?? '')) parts.pop()
  const title = parts.join(' - ')
  const isAward = /contract award|^award/i.test(title)
  const description = text('description')
  return {
    id: number && (kind === 'nego_id' ? `nego/${number}` : number),
    formType: isAward ? 'result' : 'competition',
    noticeType: kind === 'nego_id' ? 'negotiation' : 'notice',
    title,
    description,
    publishedAt: text('date'),
    deadline: isAward ? undefined : deadlineOf(description ?? ''),
    country,
    buyer: { name: 'UNDP' },
    place: country === undefined ? undefined : { country },
    url: link,
  }
}

/** `Application Deadline: 31 December 2026`, `31-Aug-26`. */
function deadlineOf(description: string): string | undefined {
  const match = /Application Deadline:\s*(\d{1,2})[\s-]([A-Za-z]{3})[a-z]*[\s-](\d{2}|\d{4})\b/i.exec(description)
  return dayOfNames(...(match ?? []).slice(1))
}
