// A row of an answer of TED Open Data to a notice that says little more than its number.

import { toLanguage } from '../../../domain/codes.ts'
import { isFormType } from '../../../domain/notice.ts'
import { tedNumberIn } from '../../read-values.ts'
import { homeOf, jsonParser } from '../read-published-entry.ts'

const home = homeOf({
  publisher: 'eu-ted-open-data',
  profile: 'epo-select',
  language: 'und',
  zone: 'Europe/Luxembourg',
})

export const parseTedOpenData = jsonParser(home, (_row, text) => {
  const number = tedNumberIn(text('number/value'))
  const form = text('form/value')?.split('/').at(-1) ?? ''
  return {
    id: number,
    formType: isFormType(form) ? form : 'competition',
    noticeType: form || 'notice',
    journal: number,
    title: text('title/value'),
    language: toLanguage(text('title/xml:lang')) ?? home.language,
    publishedAt: text('date/value'),
    url: number && `https://ted.europa.eu/en/notice/-/detail/${number}`,
  }
})
