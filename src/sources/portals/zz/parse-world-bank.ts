// A procurement notice of the World Bank to a notice.
import type { FormType, Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { zoneOf } from '../../../domain/time.ts'
import { countryOf } from '../../ocds/codes.ts'
import { type JsonObject, textAt } from '../../ocds/json.ts'
import { readJsonDocument } from '../../read-portal-notice.ts'
import { wordIn } from '../../read-values.ts'
import { type PortalHome, readPublishedEntry, wordsOf } from '../read-published-entry.ts'

const home: PortalHome = {
  publisher: 'zz-world-bank',
  profile: 'world-bank-procnotices',
  language: 'en',
  zone: 'UTC',
}

const natures = { cw: 'works', go: 'supplies', cs: 'services', nc: 'services' } as const
const languages: { readonly [name: string]: string } = {
  english: 'en',
  french: 'fr',
  spanish: 'es',
  portuguese: 'pt',
  russian: 'ru',
  arabic: 'ar',
}
const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

export function parseWorldBank(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readEntry)
}

function readEntry(entry: JsonObject): Notice | Rejection {
  const id = textAt(entry, 'id')
  const type = textAt(entry, 'notice_type')
  const formType = formOf(type ?? '')
  const country = countryOf(textAt(entry, 'project_ctry_code')) ?? countryOf(textAt(entry, 'project_ctry_name'))
  const zone = country === undefined ? home.zone : zoneOf(country)
  const day = isoDay(textAt(entry, 'submission_deadline_date'))
  const time = /^(\d{1,2}):(\d{2})/.exec(textAt(entry, 'submission_deadline_time')?.trim() ?? '')
  const language = wordIn(languages, textAt(entry, 'notice_lang_name')) ?? home.language
  return readPublishedEntry(
    { ...home, zone, ...(country && { country }) },
    {
      id,
      formType,
      noticeType: type,
      procedureId:
        textAt(entry, 'bid_reference_no') &&
        `${textAt(entry, 'project_id') ?? ''}/${textAt(entry, 'bid_reference_no')}`,
      reference: textAt(entry, 'bid_reference_no'),
      language,
      title: wordsOf(textAt(entry, 'bid_description')) ?? textAt(entry, 'project_name'),
      description: textAt(entry, 'notice_text') ?? textAt(entry, 'project_name'),
      publishedAt: isoDay(textAt(entry, 'noticedate')),
      deadline:
        formType === 'result' || day === undefined
          ? undefined
          : `${day}${time ? `T${time[1]!.padStart(2, '0')}:${time[2]}:00` : ''}`,
      buyer: {
        name: wordsOf(textAt(entry, 'contact_organization')) ?? textAt(entry, 'project_name'),
        email: textAt(entry, 'contact_email'),
      },
      place: country === undefined ? undefined : { country },
      nationalProcedure: textAt(entry, 'procurement_method_name'),
      nature: wordIn(natures, textAt(entry, 'procurement_group')),
      url: id && `https://projects.worldbank.org/en/projects-operations/procurement-detail/${encodeURIComponent(id)}`,
    },
  )
}

function formOf(type: string): FormType {
  if (/award/i.test(type)) return 'result'
  return /general procurement notice/i.test(type) ? 'planning' : 'competition'
}

/** `20-Nov-2026` or the day of an ISO instant, which is midnight and not the hour of anything. */
function isoDay(date: string | undefined): string | undefined {
  const named = /^(\d{1,2})-([A-Za-z]{3})-(\d{4})$/.exec(date?.trim() ?? '')
  const month = named ? months.indexOf(named[2]!.toLowerCase()) + 1 : 0
  if (named && month > 0) return `${named[3]}-${String(month).padStart(2, '0')}-${named[1]!.padStart(2, '0')}`
  return /^\d{4}-\d{2}-\d{2}/.exec(date?.trim() ?? '')?.[0]
}
