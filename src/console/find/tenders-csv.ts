// Tenders as a CSV file that Excel opens right by a double click: a byte order mark, and the separator and decimal sign
// of the reader's language. It has no score and no contact persons.
import { firstDeadline } from '#flat/record/first-deadline'
import { csvCell } from '../../domain/plain-text.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import { localDay, offsetMsAt, toInstant } from '../../domain/time.ts'
import type { FoundStatus } from '../../edition/read/tender-question.ts'
import { regionOf } from '../codes/region-names.ts'
import { tradeOf } from '../codes/trade-names.ts'
import type { Language } from '../frame/languages.ts'
import { titleOf } from '../frame/record-texts.ts'
import { criteriaTexts } from '../hits/criteria-texts.ts'
import { findTexts } from './find-texts.ts'

/** Excel takes the list separator of the computer's region: a semicolon where the comma is the decimal sign. */
const separators: { readonly [language in Language]: string } = { en: ',', de: ';' }

/** A number that we wrote: it stays a number. */
const csvNumber = (value: number, language: Language): string =>
  language === 'de' ? String(value).replace('.', ',') : String(value)

/** A day and hour in a zone, `2026-12-30 12:00`: as text it sorts, and Excel reads it as a date in both languages. */
const localMinute = (at: number, zone: string): string =>
  toInstant(at + offsetMsAt(zone, at))
    .slice(0, 16)
    .replace('T', ' ')

type Column = keyof (typeof findTexts)['en']['columns']
/** A text of a notice, or a value that is written here. */
type Cell = string | undefined | { readonly written: string }

const columns: {
  readonly [column in Column]: (
    record: TenderRecord,
    how: { readonly language: Language; readonly pages: string },
  ) => Cell
} = {
  title: (record) => titleOf(record).text,
  authority: ({ contractingAuthority }) => contractingAuthority?.name,
  town: ({ contractingAuthority }) => contractingAuthority?.city,
  region: (record, { language }) => regionOf(record, language),
  trade: (record, { language }) => tradeOf(record, language),
  cpv: ({ cpvCodes }) => cpvCodes.join(' '),
  nature: ({ contractNature }, { language }) =>
    contractNature &&
    ((criteriaTexts[language].natures as { readonly [code: string]: string })[contractNature] ?? contractNature),
  status: ({ status }, { language }) => findTexts[language].statuses[status as FoundStatus] ?? status,
  deadlineKind: (record, { language }) => {
    const first = firstDeadline(record)
    return first && findTexts[language].dueKinds[first.kind]
  },
  deadline: (record) => {
    const first = firstDeadline(record)
    return first && { written: localMinute(Date.parse(first.at), record.timeZone ?? 'UTC') }
  },
  zone: (record) => (firstDeadline(record) ? (record.timeZone ?? 'UTC') : undefined),
  value: ({ contractAmount }, { language }) =>
    contractAmount ? { written: csvNumber(contractAmount.value, language) } : undefined,
  currency: ({ contractAmount }) => contractAmount?.currency,
  estimated: ({ contractAmount }, { language }) => {
    const texts = findTexts[language].shared
    return contractAmount ? (contractAmount.estimated ? texts.yes : texts.no) : undefined
  },
  lots: ({ lots }) => ({ written: String(lots.length) }),
  published: ({ publicationDate }) =>
    publicationDate === undefined ? undefined : { written: localDay(Date.parse(publicationDate), 'UTC') },
  portals: ({ originalSources }) => [...new Set(originalSources.map(({ publisher }) => publisher))].join(' '),
  page: ({ id }, { pages }) => ({ written: `${pages}${id}` }),
}
const names = Object.keys(columns) as readonly Column[]

/** The byte order mark and the first row. */
export const csvHead = (language: Language): string =>
  `\ufeff${names.map((name) => csvCell(findTexts[language].columns[name], separators[language])).join(separators[language])}\r\n`

/** `pages`: URL of the pages of tenders, with a slash at the end. */
export const csvRow = (record: TenderRecord, language: Language, pages: string): string =>
  `${names
    .map((name) => {
      const cell = columns[name](record, { language, pages })
      if (typeof cell === 'object') return cell.written
      return csvCell((cell ?? '').replace(/\s+/g, ' ').trim(), separators[language])
    })
    .join(separators[language])}\r\n`
