// When the mails of a person come, as fields of a form.
import { type DigestTerms, usualDigestTerms } from '../../actions/digests.ts'
import { weekdays, zoneNameOf } from '../../digests/digest-schedule.ts'
import type { ListedDigest } from '../../store/hits/digests.ts'
import { fieldOf } from '../frame/forms.ts'
import { type Html, html } from '../frame/html.ts'
import { isLanguage, type Language } from '../frame/languages.ts'
import type { PageRequest } from '../frame/page.ts'
import { type Choice, field, select } from '../frame/parts.ts'
import type { FieldErrors } from './criteria.ts'
import { digestsTexts } from './digests-texts.ts'

const rhythms = ['daily', 'weekly', 'atOnce'] as const

/** The fields, as typed. */
export type TermsForm = { readonly [member in keyof DigestTerms]: string }

export const termsForm = ({ rhythm, weekday, hour, zone, language }: DigestTerms): TermsForm => ({
  rhythm,
  weekday,
  hour: String(hour),
  zone,
  language,
})

export const termsSent = ({ form }: Pick<PageRequest, 'form'>): TermsForm => ({
  rhythm: fieldOf(form, 'rhythm'),
  weekday: fieldOf(form, 'weekday'),
  hour: fieldOf(form, 'hour'),
  zone: fieldOf(form, 'zone'),
  language: fieldOf(form, 'language'),
})

/** Notes what is wrong in `errors`. */
export function readTerms(
  { rhythm, weekday, hour, zone, language: wanted }: TermsForm,
  errors: Map<string, string>,
  language: Language,
): DigestTerms {
  const name = zoneNameOf(zone)
  if (name === undefined) errors.set('zone', digestsTexts[language].badZone)
  return {
    rhythm: rhythms.find((each) => each === rhythm) ?? usualDigestTerms.rhythm,
    weekday: weekdays.find((each) => each === weekday) ?? usualDigestTerms.weekday,
    hour: /^(?:\d|1\d|2[0-3])$/.test(hour) ? Number(hour) : usualDigestTerms.hour,
    zone: name ?? usualDigestTerms.zone,
    language: isLanguage(wanted) ? wanted : language,
  }
}

/** `isNew`: script sets the zone to the one of the browser. `prefix`: of their ids, on a page with other fields. */
export function termFields(
  form: TermsForm,
  errors: FieldErrors,
  language: Language,
  { isNew = false, prefix = '' }: { readonly isNew?: boolean; readonly prefix?: string } = {},
): Html {
  const texts = digestsTexts[language]
  const hours = Array.from({ length: 24 }, (_, hour): Choice => [String(hour), `${hour}:00`])
  const named = (name: keyof TermsForm) => ({ name, id: `${prefix}${name}`, value: form[name] })
  return html`
    ${select({
      ...named('rhythm'),
      label: texts.rhythm,
      hint: texts.atOnceHint,
      choices: rhythms.map((each) => [each, texts.rhythms[each]] as const),
    })}
    ${select({
      ...named('weekday'),
      label: texts.weekday,
      choices: weekdays.map((each) => [each, texts.shared.weekdays[each]] as const),
    })}
    ${select({ ...named('hour'), label: texts.shared.hour, choices: hours })}
    <div${isNew && errors.size === 0 && html` data-zone`}>${field({
      ...named('zone'),
      label: texts.zone,
      hint: texts.zoneHint,
      maxLength: 100,
      error: errors.get('zone'),
    })}</div>
    ${select({ ...named('language'), label: texts.language, choices: Object.entries(texts.languages) })}
  `
}

/** When mails come, in words. */
export function rhythmText(digest: Pick<ListedDigest, 'rhythm' | 'weekday'>, language: Language): string {
  const { rhythms: names, every } = digestsTexts[language]
  return digest.rhythm === 'weekly' ? every[digest.weekday] : names[digest.rhythm]
}
