// A text of a notice is marked with its own language, wherever a page of the console shows it.
import { expect, test } from 'vitest'
import type { TenderRecord } from '../../domain/tender.ts'
import { tenderBody } from '../tenders/tender-body.ts'
import { titleOf } from './record-texts.ts'

const record: TenderRecord = {
  id: '0f8a1c52-7d3e-8b64-9a10-5c2e7f4b9d31',
  status: 'open',
  lastModified: '2026-11-23T08:00:00.000Z',
  checkedAt: '2026-11-23T08:00:00.000Z',
  title: 'GYMNASE',
  displayTitle: 'Gymnase',
  titleLanguage: 'fr',
  description: 'A gym',
  descriptionLanguage: 'en',
  language: 'de',
  translations: { it: { title: 'Palestra' } },
  contractAmount: null,
  cpvCodes: [],
  nutsCodes: [],
  lots: [
    { lotId: '1', status: 'open', title: 'Sala', titleLanguage: 'es', cpvCodes: [], nutsCodes: [] },
    { lotId: '2', status: 'open', title: 'Dach', description: 'Ziegel', cpvCodes: [], nutsCodes: [] },
  ],
  originalSources: [],
}
const pageOf = (shown: TenderRecord) => tenderBody(shown, { language: 'en', now: 0, explained: undefined }).text

test('the title to be shown has the language of the title, else that of the record', () => {
  expect(titleOf(record)).toEqual({ text: 'Gymnase', lang: 'fr' })
  expect(titleOf({ title: ' Halle ', language: 'de' })).toEqual({ text: 'Halle', lang: 'de' })
  expect(titleOf({})).toEqual({ text: '', lang: undefined })
})

test('texts in another language than the record are marked with theirs', () => {
  const page = pageOf(record)
  expect(page).toContain('<p lang="en"><bdi>A gym</bdi></p>')
  for (const [lang, text, times] of [
    ['fr', 'GYMNASE', 1],
    ['fr', 'Gymnase', 1],
    ['en', 'A gym', 1],
    ['it', 'Palestra', 1],
    // in the table, and among all fields
    ['es', 'Sala', 2],
    ['de', 'Dach', 2],
    ['de', 'Ziegel', 1],
  ] as const)
    expect([text, page.split(`<bdi lang="${lang}">${text}</bdi>`).length - 1]).toEqual([text, times])
})

test('what is said in place of a description is in the language of the page', () => {
  const { description: _, ...silent } = record
  expect(pageOf(silent)).toMatch(/<h2>What is bought<\/h2><p>\w/)
})
