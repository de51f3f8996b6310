// An item of UNDP's RSS to a notice.
import type { Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { countryOf } from '../../ocds/codes.ts'
import { readXmlDocument } from '../../read-portal-notice.ts'
import { childNamed, descendantsNamed, textOf, type XmlElement } from '../../xml.ts'
import { type PortalHome, readPublishedEntry } from '../read-published-entry.ts'

const home: PortalHome = { publisher: 'zz-undp', profile: 'undp-rss', language: 'en', zone: 'America/New_York' }
const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

export function parseUndp(bytes: Uint8Array): ParsedPart[] {
  return readXmlDocument(bytes, (root) => {
    const items = root.name === 'item' ? [root] : [...descendantsNamed(root, 'item')]
    return items.map((item) => readItem(item))
  })
}

function readItem(item: XmlElement): Notice | Rejection {
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
  return readPublishedEntry(
    { ...home, ...(country && { country }) },
    {
      id: number && (kind === 'nego_id' ? `nego/${number}` : number),
      formType: isAward ? 'result' : 'competition',
      noticeType: kind === 'nego_id' ? 'negotiation' : 'notice',
      title,
      description,
      publishedAt: text('date'),
      deadline: isAward ? undefined : deadlineOf(description ?? ''),
      buyer: { name: 'UNDP' },
      place: country === undefined ? undefined : { country },
      url: link,
    },
  )
}

/** `Application Deadline: 31 December 2026`, `31-Aug-26`. */
function deadlineOf(description: string): string | undefined {
  const match = /Application Deadline:\s*(\d{1,2})[\s-]([A-Za-z]{3})[a-z]*[\s-](\d{2}|\d{4})\b/i.exec(description)
  const month = match ? months.indexOf(match[2]!.toLowerCase()) + 1 : 0
  if (!match || month === 0) return undefined
  const year = match[3]!.length === 2 ? `20${match[3]}` : match[3]
  return `${year}-${String(month).padStart(2, '0')}-${match[1]!.padStart(2, '0')}`
}
