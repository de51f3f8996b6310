// A row of an answer of TED Open Data to a notice that says little more than its number.

import { toLanguage } from '../../../domain/codes.ts'
import type { FormType, Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type JsonObject, textAt } from '../../ocds/json.ts'
import { readJsonDocument } from '../../read-portal-notice.ts'
import { tedNumberIn } from '../../read-values.ts'
import { type PortalHome, readPublishedEntry } from '../read-published-entry.ts'

const home: PortalHome = {
  publisher: 'eu-ted-open-data',
  profile: 'epo-select',
  language: 'und',
  zone: 'Europe/Luxembourg',
}

const formTypes: { readonly [code: string]: FormType } = {
  planning: 'planning',
  competition: 'competition',
  'dir-awa-pre': 'dir-awa-pre',
  result: 'result',
  'cont-modif': 'cont-modif',
  completion: 'completion',
  consultation: 'consultation',
  change: 'change',
}

export function parseTedOpenData(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readRow)
}

function readRow(row: JsonObject): Notice | Rejection {
  const number = tedNumberIn(textAt(row, 'number', 'value'))
  const form = textAt(row, 'form', 'value')?.split('/').at(-1) ?? ''
  return readPublishedEntry(home, {
    id: number,
    formType: formTypes[form] ?? 'competition',
    noticeType: form || 'notice',
    journal: number,
    title: textAt(row, 'title', 'value'),
    language: toLanguage(textAt(row, 'title', 'xml:lang')) ?? home.language,
    publishedAt: textAt(row, 'date', 'value'),
    url: number && `https://ted.europa.eu/en/notice/-/detail/${number}`,
  })
}
