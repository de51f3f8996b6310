import { describe, expect, test } from 'vitest'
import { csvCell } from '../../domain/plain-text.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import { csvHead, csvRow } from './tenders-csv.ts'

describe('a cell that a notice wrote is never a formula', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['+49 30', "'+49 30"],
    ['-cmd', "'-cmd"],
    ['@sum', "'@sum"],
    ['\tx', "'\tx"],
    ['\r=x', `"'\r=x"`],
    ['  =HYPERLINK("a")', `"'  =HYPERLINK(""a"")"`],
    ['\u200b=1', "'\u200b=1"],
    ['＝1', "'＝1"],
    ['a;b', '"a;b"'],
    ['a "b"', '"a ""b"""'],
    ['a=b', 'a=b'],
    ['Bau - Los 1', 'Bau - Los 1'],
  ])('%j', (text, cell) => {
    expect(csvCell(text, ';')).toBe(cell)
  })
})

const record = {
  id: '0c7e1737-6318-841f-8ae0-c734a95fc48a',
  title: '=cmd|calc; "Dach"',
  status: 'open',
  contractAmount: { value: 1234.5, currency: 'EUR', estimated: true },
  contractingAuthority: {
    name: 'Stadt Quellmar',
    city: 'Quellmar',
    contactName: 'Erika Muster',
    email: 'a@b.example',
    phone: '1',
  },
  cpvCodes: ['45261000'],
  nutsCodes: ['DED21'],
  contractNature: 'works',
  submissionDate: '2026-12-30T11:00:00.000Z',
  timeZone: 'Europe/Berlin',
  publicationDate: '2026-11-20T00:00:00.000Z',
  lots: [],
  originalSources: [{ publisher: 'doe' }, { publisher: 'ted' }, { publisher: 'doe' }],
} as never as TenderRecord

test('the file opens right in German and in English, without contact persons', () => {
  const pages = 'https://console.example.org/tenders/'
  expect(csvHead('de').startsWith('\ufeffTitel;Auftraggeber;Ort;')).toBe(true)
  expect(csvHead('en').startsWith('\ufeffTitle,Authority,Town,')).toBe(true)
  const rows = { de: csvRow(record, 'de', pages), en: csvRow(record, 'en', pages) }
  expect(rows.de).toBe(
    `"'=cmd|calc; ""Dach""";Stadt Quellmar;Quellmar;Dresden;Errichtung von Dachstühlen sowie Dachdeckarbeiten und zugehörige Arbeiten;45261000;Bauleistung;` +
      `Offen;Angebotsfrist;2026-12-30 12:00;Europe/Berlin;1234,5;EUR;ja;0;2026-11-20;doe ted;${pages}${record.id}\r\n`,
  )
  expect(rows.en).toContain(',1234.5,EUR,yes,')
  for (const row of Object.values(rows)) expect(row).not.toMatch(/Muster|b\.example/)
})
