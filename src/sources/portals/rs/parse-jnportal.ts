// A row of Serbia's table of notices to a notice.
import type { FormType } from '../../../domain/notice.ts'
import { homeOf, jsonParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'rs-jnportal', profile: 'jnportal-searchgrid', language: 'sr', currency: 'RSD' })

/** Forms that are not calls; all others in the table announce something that can be bid for. */
const forms: { readonly [form: string]: FormType } = {
  Ф01: 'planning',
  Ф04: 'planning',
  Ф03: 'result',
  Ф06: 'result',
  Ф13: 'result',
  Ф15: 'dir-awa-pre',
  Ф20: 'cont-modif',
}

export const parseJnportal = jsonParser(home, (_entry, text) => {
  const form = /Ф\d{2}/.exec(text('DocumentTypeShortName') ?? '')?.[0]
  const type = text('DocumentTypeName')
  const tenderId = text('TenderId')
  // Ф27 and its like: complaints of bidders and decisions about them.
  if (/жалб|захтев за заштиту|zahtev za zaštitu/i.test(type ?? ''))
    return { reason: 'not-procurement', path: '/DocumentTypeName', detail: 'a document of a complaint' }
  const isCancelled = /обустав|поништ|obustav|poništ/i.test(type ?? '')
  return {
    id: text('Id', 'NoticeNumber'),
    formType: isCancelled ? 'result' : (forms[form ?? ''] ?? 'competition'),
    noticeType: form ?? type,
    procedureId: tenderId,
    reference: text('NoticeNumber'),
    title: text('TenderName'),
    publishedAt: text('PublishDate'),
    buyer: { name: text('ContractingBody') },
    outcome: isCancelled ? 'not-awarded' : form === 'Ф03' || form === 'Ф06' ? 'awarded' : undefined,
    changeReasons: form === 'Ф14' ? ['update-add'] : undefined,
    isCancelled,
    url: tenderId && `https://jnportal.ujn.gov.rs/tender-eo/${encodeURIComponent(tenderId)}`,
  }
})
