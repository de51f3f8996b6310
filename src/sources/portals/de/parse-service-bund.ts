// One item of the RSS feeds of service.bund.de: title, link, and a few labeled facts in its HTML description.
import { titleIn } from '../../read-values.ts'
import { cleanField, cleanText, cleanUrl } from '../../text.ts'
import { childNamed, descendantsNamed, textOf } from '../../xml/xml.ts'
import { homeOf, xmlParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'de-service-bund', profile: 'rss-2.0', language: 'de' })

/** The text after `Vergabestelle:` and similar labels, up to the end of its line. */
function labelled(description: string, label: string): string | undefined {
  return new RegExp(`${label}\\s*:\\s*([^\\n]{1,500})`, 'i').exec(description)?.[1]?.trim()
}

/** `…/IMPORTE/Ausschreibungen/eVergabe/2026/11/812345.html#track=…` as `Ausschreibungen/eVergabe/2026/11/812345`. */
function idOf(link: string | undefined): string | undefined {
  return /\/IMPORTE\/([^?#]{3,300}?)\.html/i.exec(link ?? '')?.[1]
}

/** An item, alone or in its feed's root. */
export const parseServiceBund = xmlParser(home, (root) => {
  const item = root.name === 'item' ? root : [...descendantsNamed(root, 'item')][0]
  const link = cleanUrl(textOf(childNamed(item, 'link')))
  const description = cleanText(textOf(childNamed(item, 'description'))) ?? ''
  const isAward =
    /vergeben/i.test(idOf(link) ?? '') || /(?:Auftragnehmer|Zuschlag|Vergebener Auftrag)\s*:/i.test(description)
  const winner = { name: labelled(description, 'Auftragnehmer') }
  return {
    id: undefined,
    formType: isAward ? 'result' : 'competition',
    noticeType: isAward ? 'vergebener-auftrag' : 'ausschreibung',
    title: titleIn(textOf(childNamed(item, 'title')), home.language),
    description,
    publishedAt: textOf(childNamed(item, 'pubDate')),
    deadline: isAward ? undefined : labelled(description, 'Angebotsfrist'),
    buyer: { name: labelled(description, 'Vergabestelle') ?? labelled(description, 'Auftraggeber') },
    nuts: labelled(description, 'Erfüllungsort'),
    winners: isAward ? [winner] : [],
    url: link?.replace(/#.*$/, ''),
    also: { id: cleanField(idOf(link) ?? textOf(childNamed(item, 'guid')), 300) },
  }
})
