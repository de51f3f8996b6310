// A row of Serbia's table of notices to a notice.
import type { FormType, Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type JsonObject, textAt } from '../../ocds/json.ts'
import { readJsonDocument } from '../../read-portal-notice.ts'
import { type PortalHome, readPublishedEntry } from '../read-published-entry.ts'

const home: PortalHome = {
  publisher: 'rs-jnportal',
  profile: 'jnportal-searchgrid',
  language: 'sr',
  zone: 'Europe/Belgrade',
  country: 'RS',
  currency: 'RSD',
}

/** Forms that are no calls; all others of the table announce something that can be bid for. */
const forms: { readonly [form: string]: FormType } = {
  Ф01: 'planning',
  Ф04: 'planning',
  Ф03: 'result',
  Ф06: 'result',
  Ф13: 'result',
  Ф15: 'dir-awa-pre',
  Ф20: 'cont-modif',
}

export function parseJnportal(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readEntry)
}

function readEntry(entry: JsonObject): Notice | Rejection {
  const form = /Ф\d{2}/.exec(textAt(entry, 'DocumentTypeShortName') ?? '')?.[0]
  const type = textAt(entry, 'DocumentTypeName')
  const tenderId = textAt(entry, 'TenderId')
  // Ф27 and its like: complaints of bidders and decisions about them.
  if (/жалб|захтев за заштиту|zahtev za zaštitu/i.test(type ?? ''))
    return { reason: 'not-procurement', path: '/DocumentTypeName', detail: 'a document of a complaint' }
  const isCancelled = /обустав|поништ|obustav|poništ/i.test(type ?? '')
  return readPublishedEntry(home, {
    id: textAt(entry, 'Id') ?? textAt(entry, 'NoticeNumber'),
    formType: isCancelled ? 'result' : (forms[form ?? ''] ?? 'competition'),
    noticeType: form ?? type,
    procedureId: tenderId,
    reference: textAt(entry, 'NoticeNumber'),
    title: textAt(entry, 'TenderName'),
    publishedAt: textAt(entry, 'PublishDate'),
    buyer: { name: textAt(entry, 'ContractingBody') },
    outcome: isCancelled ? 'not-awarded' : form === 'Ф03' || form === 'Ф06' ? 'awarded' : undefined,
    changeReasons: form === 'Ф14' ? ['update-add'] : undefined,
    isCancelled,
    url: tenderId && `https://jnportal.ujn.gov.rs/tender-eo/${encodeURIComponent(tenderId)}`,
  })
}
