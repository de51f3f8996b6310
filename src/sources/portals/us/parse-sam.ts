// An opportunity of SAM.gov, from the interface (JSON) or from the daily table (CSV), to a notice.

import type { Rejection } from '../../../domain/notice.ts'
import { member, textAt } from '../../ocds/json.ts'
import {
  firstMatch,
  homeOf,
  jsonParser,
  type PublishedEntry,
  rowParser,
  type TextAt,
  textsOf,
  wordsOf,
} from '../read-published-entry.ts'

/** Both ways deliver the same notices under the same ids: their copies are one. */
const home = homeOf({ publisher: 'us-sam', profile: 'sam-opportunities', language: 'en', currency: 'USD' })

const forms = {
  result: /^Award/i,
  'dir-awa-pre': /^(?:Justification|Intent to Bundle)/i,
  consultation: /^Sources Sought/i,
  planning: /^(?:Presolicitation|Special Notice)/i,
}

export const parseSam = jsonParser(home, (entry, text) => {
  const contacts = member(entry, 'pointOfContact')
  const description = text('description')
  return readOpportunity(text, {
    // A URL of the interface that needs the key.
    description: /^https?:/i.test(description ?? '') ? undefined : description,
    offices: (text('fullParentPathName') ?? '').split('.'),
    email: Array.isArray(contacts) ? textAt(contacts[0], 'email') : undefined,
    amount: member(entry, 'award', 'amount'),
  })
})

/** The table was written in Windows-1252 for years; it is decoded as UTF-8 if it is valid UTF-8. */
export const parseSamRow = rowParser(
  home,
  (row) =>
    readOpportunity(textsOf(row), {
      description: row['Description'],
      offices: [row['Department/Ind.Agency'], row['Sub-Tier'], row['Office']],
      email: row['PrimaryContactEmail'],
      amount: row['Award$'],
    }),
  { elseEncoding: 'windows-1252' },
)

/**
 * `text` knows the members of the interface and the columns of the table by their names; `more` is what differs in
 * shape.
 */
function readOpportunity(
  text: TextAt,
  more: {
    readonly description: string | undefined
    readonly offices: readonly (string | undefined)[]
    readonly email: string | undefined
    readonly amount: unknown
  },
): PublishedEntry | Rejection {
  const type = text('type', 'Type')?.trim() ?? ''
  if (/^Sale of Surplus/i.test(type))
    return { reason: 'not-procurement', path: '', detail: 'a sale of surplus property' }
  const formType = firstMatch(forms, type) ?? 'competition'
  const isResult = formType === 'result'
  const offices = more.offices.map((office) => wordsOf(office)).filter((office) => office !== undefined)
  const number = wordsOf(text('solicitationNumber', 'Sol#'))
  const winner = text('award/awardee/name', 'Awardee')
  const city = wordsOf(text('placeOfPerformance/city/name', 'PopCity'))
  const postalCode = wordsOf(text('placeOfPerformance/zip', 'PopZip'))
  return {
    id: text('noticeId', 'NoticeId'),
    formType,
    noticeType: type || 'opportunity',
    // Numbers are unique only within an agency.
    procedureId: number && `${offices[0] ?? ''}/${number}`,
    reference: number,
    title: text('title', 'Title'),
    description: more.description,
    publishedAt: withMinutes(text('postedDate', 'PostedDate')),
    deadline: isResult ? undefined : withMinutes(text('responseDeadLine', 'ResponseDeadLine')),
    // The last two name the buyer: the agency and its office.
    buyer: { name: offices.slice(-2).join(' / ') || undefined, email: more.email },
    awardedValue: isResult ? more.amount : undefined,
    outcome: isResult && (winner || more.amount) ? 'awarded' : undefined,
    winners: isResult ? [{ name: winner, nationalId: text('award/awardee/ueiSAM') }] : [],
    contractDate: text('award/date', 'AwardDate'),
    procedureType: formType === 'dir-awa-pre' ? 'neg-wo-call' : undefined,
    isCancelled: /cancel/i.test(type),
    place: city === undefined ? undefined : { country: 'US', city, ...(postalCode !== undefined && { postalCode }) },
    url: text('uiLink', 'Link'),
  }
}

/** `2026-04-25 22:22:47.454-04`: an offset without minutes. */
const withMinutes = (time: string | undefined): string | undefined =>
  time?.trim().replace(/(:\d{2}(?:\.\d+)?[+-]\d{2})$/, '$1:00')
