// One item of the RSS feeds of service.bund.de: title, link, and a few labeled facts in its HTML description.
import type { Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { readPortalNotice, readXmlDocument } from '../../read-portal-notice.ts'
import { deadlineIn, descriptionIn, instantIn, nutsCodesIn, organizationOf, titleIn } from '../../read-values.ts'
import { cleanField, cleanText, cleanUrl } from '../../text.ts'
import { childNamed, descendantsNamed, textOf, type XmlElement } from '../../xml.ts'

const publisher = 'de-service-bund'
const zone = 'Europe/Berlin'

/** What stands behind `Vergabestelle:` and the like, up to the end of its line. */
function labelled(description: string, label: string): string | undefined {
  return new RegExp(`${label}\\s*:\\s*([^\\n]{1,500})`, 'i').exec(description)?.[1]?.trim()
}

/** `…/IMPORTE/Ausschreibungen/eVergabe/2026/11/812345.html#track=…` as `Ausschreibungen/eVergabe/2026/11/812345`. */
function idOf(link: string | undefined): string | undefined {
  return /\/IMPORTE\/([^?#]{3,300}?)\.html/i.exec(link ?? '')?.[1]
}

function readItem(root: XmlElement): Notice | Rejection {
  const item = root.name === 'item' ? root : [...descendantsNamed(root, 'item')][0]
  const link = cleanUrl(textOf(childNamed(item, 'link')))
  const description = cleanText(textOf(childNamed(item, 'description'))) ?? ''
  const isAward =
    /vergeben/i.test(idOf(link) ?? '') || /(?:Auftragnehmer|Zuschlag|Vergebener Auftrag)\s*:/i.test(description)
  const buyer = organizationOf(
    { name: labelled(description, 'Vergabestelle') ?? labelled(description, 'Auftraggeber') },
    'DE',
  )
  const winner = organizationOf({ name: labelled(description, 'Auftragnehmer') }, 'DE')
  return readPortalNotice({
    id: cleanField(idOf(link) ?? textOf(childNamed(item, 'guid')), 300),
    publisher,
    profile: 'rss-2.0',
    formType: isAward ? 'result' : 'competition',
    noticeType: isAward ? 'vergebener-auftrag' : 'ausschreibung',
    language: 'de',
    title: titleIn(textOf(childNamed(item, 'title')), 'de'),
    description: descriptionIn(description, 'de'),
    publicationDate: instantIn(textOf(childNamed(item, 'pubDate')), zone),
    contractingAuthorities: buyer ? [buyer] : [],
    nutsCodes: nutsCodesIn(labelled(description, 'Erfüllungsort')),
    submissionDate: isAward ? undefined : deadlineIn(labelled(description, 'Angebotsfrist'), zone),
    lots:
      isAward && winner
        ? [{ lotId: '1', cpvCodes: [], nutsCodes: [], result: { outcome: 'awarded', winners: [winner] } }]
        : [],
    url: link?.replace(/#.*$/, ''),
  })
}

/** An item, alone or in its feed's root. Never throws. */
export function parseServiceBund(bytes: Uint8Array): ParsedPart[] {
  return readXmlDocument(bytes, readItem)
}
