// Made-up Kerndaten in the forms of annex VIII.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { escapeXml } from '../../samples/xml-text.ts'
import type { SampleWriters } from '../own-writers.ts'
import { formTypeOf, localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['change'] }

export const zone = 'Europe/Vienna'
/** The form of a form type, as the root of a document and in the dump of OffeneVergaben.at. */
export const forms = { planning: 'KD_8_1_Z1', competition: 'KD_8_1_Z2', result: 'KD_8_2_Z1' } as const
const procedures = {
  open: 'PT_OPEN',
  restricted: 'PT_RESTRICTED',
  'neg-w-call': 'PT_NEGOTIATED_WITH_PRIOR_CALL',
} as const

/** One announcement; a change is the same one with a later DATETIME_LAST_CHANGE. */
function writeKerndaten(notice: PortalSample): string {
  const form = forms[formTypeOf(notice)]
  const day = localTime(notice.publishedAt, zone, 'yyyy-MM-dd')
  const deadline = localTimeOf(notice.deadline, zone, 'yyyy-MM-ddTHH:mm:ss')
  const value = notice.value
    ? `<VAL_ESTIMATED_TOTAL CURRENCY="${notice.value.currency}">${notice.value.amount}</VAL_ESTIMATED_TOTAL>`
    : ''
  const awards = notice.winners
    .map(
      (winner) =>
        `<AWARD_CONTRACT><AWARDED_CONTRACT><DATE_CONCLUSION_CONTRACT>${day}</DATE_CONCLUSION_CONTRACT>` +
        '<NB_TENDERS_RECEIVED>3</NB_TENDERS_RECEIVED><CONTRACTOR><ADDRESS_CONTRACTOR>' +
        `<OFFICIALNAME>${escapeXml(winner.name)}</OFFICIALNAME></ADDRESS_CONTRACTOR></CONTRACTOR><VAL_TOTAL ` +
        `CURRENCY="EUR">${winner.amount}</VAL_TOTAL></AWARDED_CONTRACT></AWARD_CONTRACT>`,
    )
    .join('')
  const { buyer } = notice
  return `<?xml version="1.0" encoding="UTF-8"?>
<${form}><CONTRACTING_BODY><ADDRESS_CONTRACTING_BODY><OFFICIALNAME>${escapeXml(buyer.name)}</OFFICIALNAME>\
<NATIONALID>${escapeXml(buyer.nationalId)}</NATIONALID><TOWN>${escapeXml(buyer.town)}</TOWN>\
<POSTAL_CODE>${escapeXml(buyer.postalCode)}</POSTAL_CODE><E_MAIL>${escapeXml(buyer.email)}</E_MAIL>\
</ADDRESS_CONTRACTING_BODY><URL_DOCUMENT>${escapeXml(notice.url)}</URL_DOCUMENT></CONTRACTING_BODY><OBJECT_CONTRACT>\
<TITLE><P>${escapeXml(notice.title)}</P></TITLE><REFERENCE_NUMBER>${escapeXml(notice.reference)}</REFERENCE_NUMBER>\
<CPV_MAIN><CPV_CODE CODE="${notice.cpv}"/></CPV_MAIN><TYPE_CONTRACT CTYPE="${notice.nature.toUpperCase()}"/>\
<SHORT_DESCR><P>${escapeXml(notice.description)}</P></SHORT_DESCR>${value}<OBJECT_DESCR><NUTS CODE="AT130"/>\
</OBJECT_DESCR></OBJECT_CONTRACT>${
    deadline
      ? `<PROCEDURE><${procedures[notice.procedureType]}/><DATETIME_RECEIPT_TENDERS>${deadline}</DATETIME_RECEIPT_TENDERS></PROCEDURE>`
      : ''
  }${awards}<ADDITIONAL_CORE_DATA><DATE_FIRST_PUBLICATION>${day}</DATE_FIRST_PUBLICATION>\
<DATETIME_LAST_CHANGE>${localTime(notice.publishedAt, zone, 'yyyy-MM-ddTHH:mm:ss')}.${String(notice.version).padStart(3, '0')}</DATETIME_LAST_CHANGE>\
<BELOWTHRESHOLD/>${notice.kind === 'cancellation' ? `<URL_REVOCATION>${escapeXml(notice.url)}</URL_REVOCATION>` : ''}</ADDITIONAL_CORE_DATA>\
</${form}>
`
}

export const writers: SampleWriters = {
  'at-kdq-ankoe': writeKerndaten,
  'at-kdq-aus': writeKerndaten,
  'at-kdq-bbg': writeKerndaten,
  'at-kdq-vemap': writeKerndaten,
}
