// The form by which an operator sets access up or changes its terms: its fields, and what was typed as terms.
import { dayMs, parseDate } from '../../domain/time.ts'
import { mailAddressOf } from '../../platform/mail-address.ts'
import { fieldOf } from '../frame/forms.ts'
import { type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { field, fieldset, noteBox, textArea, tick } from '../frame/parts.ts'
import { customerTexts } from './customer-texts.ts'

const longestName = 100
const longestNote = 1_000
const highestLimit = 1_000_000

/** Names of the fields. */
type CustomerField = 'name' | 'starts' | 'last-day' | 'limit' | 'bulk' | 'note' | 'owner' | 'person'
export type Typed = { readonly [name in CustomerField]?: string }

/** Values typed, as far as needed. Times in epoch milliseconds. */
type CustomerTerms = {
  readonly name: string
  readonly startsAt: number
  readonly endsAt: number | undefined
  readonly requestsPerMinute: number
  readonly hasBulkFiles: boolean
  readonly note: string
  readonly owner: string | undefined
}

export type ReadTerms =
  | { readonly kind: 'terms'; readonly terms: CustomerTerms }
  | { readonly kind: 'mistakes'; readonly mistakes: Typed }

/** Reads the form. A new organization needs a name and an Owner. */
export function readTerms(
  form: URLSearchParams,
  { isNew, now, language }: { readonly isNew: boolean; readonly now: number; readonly language: Language },
): ReadTerms {
  const texts = customerTexts[language]
  const [name, note, mail] = [fieldOf(form, 'name'), fieldOf(form, 'note'), fieldOf(form, 'owner')]
  const startsAt = dayOf(fieldOf(form, 'starts'))
  const lastDay = fieldOf(form, 'last-day')
  const endsAt = lastDay === '' ? undefined : (dayOf(lastDay) ?? Number.NaN) + dayMs
  const limit = fieldOf(form, 'limit')
  const requestsPerMinute = /^\d{1,7}$/.test(limit) ? Number(limit) : 0
  const hasBulkFiles = fieldOf(form, 'bulk') !== ''
  const owner = mailAddressOf(mail)
  const isNameWrong = name === '' || name.length > longestName
  const mistakes: Typed = {
    ...(isNew && isNameWrong && { name: name === '' ? texts.nameMissing : texts.nameLong }),
    ...(startsAt === undefined && { starts: texts.startsWrong }),
    ...(endsAt !== undefined && !(endsAt > Math.max(startsAt ?? 0, now)) && { 'last-day': texts.lastDayWrong }),
    ...((requestsPerMinute < 1 || requestsPerMinute > highestLimit) && { limit: texts.limitWrong }),
    ...(note.length > longestNote && { note: texts.noteLong }),
    ...((isNew || mail !== '') && owner === undefined && { owner: texts.ownerWrong }),
  }
  if (startsAt === undefined || Object.keys(mistakes).length > 0) return { kind: 'mistakes', mistakes }
  return { kind: 'terms', terms: { name, startsAt, endsAt, requestsPerMinute, hasBulkFiles, note, owner } }
}

function dayOf(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined
  return parseDate(text)?.utcMidnightMs
}

/** A day as written in the field. */
export const dayText = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** The fields, filled with what is stored or was typed. */
export function termsFields(
  values: Typed,
  { isNew, mistakes, language }: { readonly isNew: boolean; readonly mistakes: Typed; readonly language: Language },
): Html {
  const texts = customerTexts[language]
  const common = (name: CustomerField) => ({ name, value: values[name] ?? '', error: mistakes[name] })
  return html`
    ${
      isNew &&
      field({
        ...common('name'),
        label: texts.shared.name,
        hint: texts.nameHint,
        maxLength: longestName,
        isRequired: true,
        autocomplete: 'off',
      })
    }
    ${fieldset(
      isNew ? texts.pageNames.contract : texts.change,
      html`
        ${field({ ...common('starts'), label: texts.starts, type: 'date', isRequired: true })}
        ${field({ ...common('last-day'), label: texts.lastDay, type: 'date', hint: texts.lastDayHint })}
        ${field({
          ...common('limit'),
          label: texts.limit,
          type: 'number',
          min: 1,
          max: highestLimit,
          hint: texts.limitHint,
          isRequired: true,
        })}
        ${tick({ name: 'bulk', value: 'on', label: texts.bulkIncluded, isOn: values.bulk === 'on' })}
        ${textArea({
          ...common('note'),
          label: texts.shared.note,
          hint: texts.noteHint,
          rows: 2,
          maxLength: longestNote,
        })}
      `,
    )}
    ${
      isNew &&
      field({
        ...common('owner'),
        label: texts.owner,
        type: 'email',
        hint: texts.ownerHint,
        isRequired: true,
        autocomplete: 'off',
      })
    }
  `
}

/** The note on top of a form with mistakes, each a link to its field. */
export function mistakesNote(mistakes: Typed, language: Language): Html | false {
  const list = Object.entries(mistakes)
  if (list.length === 0) return false
  return noteBox(
    'bad',
    customerTexts[language].shared.oneToCorrect,
    list.map(([name, text]) => html`<a href="#${name}">${text}</a> `),
  )
}
