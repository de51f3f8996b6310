// An item of UNDP's RSS to a notice.
import { countryOf } from '../../ocds/codes.ts'
import { dayOfNames } from '../../read-values.ts'
import { childNamed, descendantsNamed, textOf, type XmlElement } from '../../xml/xml.ts'
import { homeOf, type PublishedEntry, xmlParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'zz-undp', profile: 'undp-rss', language: 'en', zone: 'America/New_York' })

/** Of the United Nations, in English or French. */
const agencyName = /^(?:UN|PNUD)[A-Za-z ]{0,10}$/
/** The number of a negotiation, before its title. */
const quotedNumber = /^[A-Z]{2,6}(?:-[A-Z\d]+)*-\d{3,}[\w,-]*$/

export const parseUndp = xmlParser(home, (root) =>
  (root.name === 'item' ? [root] : [...descendantsNamed(root, 'item')]).map((item) => readItem(item)),
)

function readItem(item: XmlElement): PublishedEntry {
  const text = (name: string): string | undefined => textOf(childNamed(item, name))?.trim()
  const link = text('link') ?? item.attributes.get('about')
  const [, kind, number] = /[?&](notice_id|nego_id)=(\d+)/.exec(link ?? '') ?? []
  // `Repair of a school - UNDP - UKRAINE`, `UNDP-UKR-00123 - Repair of a school - UN Women - UKRAINE`
  const parts = (text('title') ?? '').split(' - ')
  const atEnd = countryOf(parts.at(-1)?.trim())
  if (atEnd !== undefined) parts.pop()
  const country = atEnd ?? countryOf(text('duty_station_cty'))
  const agency = parts.length > 1 && agencyName.test(parts.at(-1)!.trim()) ? parts.pop()!.trim() : 'UNDP'
  const reference = parts.length > 1 && quotedNumber.test(parts[0]!.trim()) ? parts.shift()!.trim() : undefined
  const title = parts.join(' - ')
  const isAward = /contract award|^award/i.test(title)
  const description = text('description')
  return {
    id: number && (kind === 'nego_id' ? `nego/${number}` : number),
    formType: isAward ? 'result' : 'competition',
    noticeType: kind === 'nego_id' ? 'negotiation' : 'notice',
    reference,
    title,
    description,
    publishedAt: text('date'),
    deadline: isAward ? undefined : (deadlineOf(description ?? '') ?? text('deadline')),
    country,
    buyer: { name: agency },
    place: country === undefined ? undefined : { country },
    url: link,
  }
}

/** `Application Deadline: 31 December 2026`, `31-Aug-26`. */
function deadlineOf(description: string): string | undefined {
  const match = /Application Deadline:\s*(\d{1,2})[\s-]([A-Za-z]{3})[a-z]*[\s-](\d{2}|\d{4})\b/i.exec(description)
  return dayOfNames(...(match ?? []).slice(1))
}
