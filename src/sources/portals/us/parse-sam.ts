// An opportunity of SAM.gov, from the interface (JSON) or from the daily table (CSV), to a notice.
import type { FormType, Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type JsonObject, member, textAt } from '../../ocds/json.ts'
import { type Row, readJsonDocument, readRowDocument } from '../../read-portal-notice.ts'
import { type PortalHome, readPublishedEntry, wordsOf } from '../read-published-entry.ts'

/** Both ways deliver the same notices under the same ids: their copies are one. */
const home: PortalHome = {
  publisher: 'us-sam',
  profile: 'sam-opportunities',
  language: 'en',
  zone: 'America/New_York',
  country: 'US',
  currency: 'USD',
}

export function parseSam(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readEntry)
}

/** The table was written in Windows-1252 for years; it is read as UTF-8 where it is that. */
export function parseSamRow(bytes: Uint8Array): ParsedPart[] {
  return readRowDocument(bytes, readRow, { encoding: isUtf8(bytes) ? 'utf-8' : 'windows-1252' })
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

type Opportunity = {
  readonly id: string | undefined
  readonly type: string | undefined
  readonly number: string | undefined
  readonly title: unknown
  readonly description: string | undefined
  readonly posted: string | undefined
  readonly deadline: string | undefined
  readonly buyer: readonly (string | undefined)[]
  readonly email: string | undefined
  readonly winner: { readonly name: string | undefined; readonly nationalId?: string | undefined }
  readonly amount: unknown
  readonly awardedAt: string | undefined
  readonly place: { readonly city: string | undefined; readonly zip: string | undefined }
  readonly url: string | undefined
}

function readEntry(entry: JsonObject): Notice | Rejection {
  const contacts = member(entry, 'pointOfContact')
  const description = textAt(entry, 'description')
  return noticeOf({
    id: textAt(entry, 'noticeId'),
    type: textAt(entry, 'type'),
    number: textAt(entry, 'solicitationNumber'),
    title: textAt(entry, 'title'),
    // An address of the interface that wants the key again.
    description: /^https?:/i.test(description ?? '') ? undefined : description,
    posted: textAt(entry, 'postedDate'),
    deadline: textAt(entry, 'responseDeadLine'),
    buyer: (textAt(entry, 'fullParentPathName') ?? '').split('.'),
    email: Array.isArray(contacts) ? textAt(contacts[0], 'email') : undefined,
    winner: {
      name: textAt(entry, 'award', 'awardee', 'name'),
      nationalId: textAt(entry, 'award', 'awardee', 'ueiSAM'),
    },
    amount: member(entry, 'award', 'amount'),
    awardedAt: textAt(entry, 'award', 'date'),
    place: {
      city: textAt(entry, 'placeOfPerformance', 'city', 'name'),
      zip: textAt(entry, 'placeOfPerformance', 'zip'),
    },
    url: textAt(entry, 'uiLink'),
  })
}

function readRow(row: Row): Notice | Rejection {
  return noticeOf({
    id: row['NoticeId'],
    type: row['Type'],
    number: row['Sol#'],
    title: row['Title'],
    description: row['Description'],
    posted: row['PostedDate'],
    deadline: row['ResponseDeadLine'],
    buyer: [row['Department/Ind.Agency'], row['Sub-Tier'], row['Office']],
    email: row['PrimaryContactEmail'],
    winner: { name: row['Awardee'] },
    amount: row['Award$'],
    awardedAt: row['AwardDate'],
    place: { city: row['PopCity'], zip: row['PopZip'] },
    url: row['Link'],
  })
}

function noticeOf(found: Opportunity): Notice | Rejection {
  const type = found.type?.trim() ?? ''
  if (/^Sale of Surplus/i.test(type))
    return { reason: 'not-procurement', path: '', detail: 'a sale of surplus property' }
  const formType = formOf(type)
  const offices = found.buyer.map((office) => wordsOf(office)).filter((office) => office !== undefined)
  const number = wordsOf(found.number)
  return readPublishedEntry(home, {
    id: found.id,
    formType,
    noticeType: type || 'opportunity',
    // Numbers are unique in an agency only.
    procedureId: number && `${offices[0] ?? ''}/${number}`,
    reference: number,
    title: found.title,
    description: found.description,
    publishedAt: withMinutes(found.posted),
    deadline: formType === 'result' ? undefined : withMinutes(found.deadline),
    // The last two say who buys: the agency and its office.
    buyer: { name: offices.slice(-2).join(' / ') || undefined, email: found.email },
    awardedValue: formType === 'result' ? found.amount : undefined,
    outcome: formType === 'result' && (found.winner.name || found.amount) ? 'awarded' : undefined,
    winners: formType === 'result' ? [found.winner] : [],
    contractDate: found.awardedAt,
    procedureType: formType === 'dir-awa-pre' ? 'neg-wo-call' : undefined,
    isCancelled: /cancel/i.test(type),
    place:
      wordsOf(found.place.city) === undefined
        ? undefined
        : { country: 'US', city: wordsOf(found.place.city)!, ...zipOf(wordsOf(found.place.zip)) },
    url: found.url,
  })
}

const zipOf = (zip: string | undefined) => (zip === undefined ? {} : { postalCode: zip })

/** `2026-04-25 22:22:47.454-04`: an offset of hours alone. */
const withMinutes = (time: string | undefined): string | undefined =>
  time?.trim().replace(/(:\d{2}(?:\.\d+)?[+-]\d{2})$/, '$1:00')

function formOf(type: string): FormType {
  if (/^Award/i.test(type)) return 'result'
  if (/^(?:Justification|Intent to Bundle)/i.test(type)) return 'dir-awa-pre'
  if (/^Sources Sought/i.test(type)) return 'consultation'
  return /^(?:Presolicitation|Special Notice)/i.test(type) ? 'planning' : 'competition'
}
