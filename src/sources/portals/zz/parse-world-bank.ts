// A procurement notice of the World Bank to a notice.
import { zoneOf } from '../../../domain/time.ts'
import { countryOf } from '../../ocds/codes.ts'
import { dayOfNames, wordIn } from '../../read-values.ts'
import { isPlaceholder } from '../../text.ts'
import { firstMatch, homeOf, jsonParser, wordsOf } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'zz-world-bank', profile: 'world-bank-procnotices', language: 'en', zone: 'UTC' })

const forms = { result: /award/i, planning: /general procurement notice/i }

const natures = { cw: 'works', go: 'supplies', cs: 'services', nc: 'services' } as const
const languages: { readonly [name: string]: string } = {
  english: 'en',
  french: 'fr',
  spanish: 'es',
  portuguese: 'pt',
  russian: 'ru',
  arabic: 'ar',
}

export const parseWorldBank = jsonParser(home, (_entry, text) => {
  const id = text('id')
  const type = text('notice_type')
  const formType = firstMatch(forms, type) ?? 'competition'
  const country = countryOf(text('project_ctry_code')) ?? countryOf(text('project_ctry_name'))
  const day = isoDay(text('submission_deadline_date'))
  const time = /^(\d{1,2}):(\d{2})/.exec(text('submission_deadline_time')?.trim() ?? '')
  const language = wordIn(languages, text('notice_lang_name')) ?? home.language
  return {
    id,
    formType,
    noticeType: type,
    procedureId: text('bid_reference_no') && `${text('project_id') ?? ''}/${text('bid_reference_no')}`,
    reference: text('bid_reference_no'),
    country,
    zone: country && zoneOf(country),
    language,
    title: isPlaceholder(text('bid_description') ?? '') ? text('project_name') : text('bid_description'),
    description: text('notice_text', 'project_name'),
    publishedAt: isoDay(text('noticedate')),
    deadline:
      formType === 'result' || day === undefined
        ? undefined
        : `${day}${time ? `T${time[1]!.padStart(2, '0')}:${time[2]}:00` : ''}`,
    buyer: {
      name: wordsOf(text('contact_organization')),
      email: text('contact_email'),
    },
    place: country === undefined ? undefined : { country },
    nationalProcedure: text('procurement_method_name'),
    nature: wordIn(natures, text('procurement_group')),
    url: id && `https://projects.worldbank.org/en/projects-operations/procurement-detail/${encodeURIComponent(id)}`,
  }
})

/** `20-Nov-2026` or the day of an ISO instant, whose time is always midnight and has no meaning. */
function isoDay(date: string | undefined): string | undefined {
  const named = /^(\d{1,2})-([A-Za-z]{3})-(\d{4})$/.exec(date?.trim() ?? '')
  return dayOfNames(...(named ?? []).slice(1)) ?? /^\d{4}-\d{2}-\d{2}/.exec(date?.trim() ?? '')?.[0]
}
