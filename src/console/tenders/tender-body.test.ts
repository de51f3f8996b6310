import { expect, test } from 'vitest'
import type { TenderRecord } from '../../domain/tender.ts'
import type { ExplainedRecord } from '../frame/stock-reads.ts'
import { fieldTexts } from './field-texts.ts'
import { statusOf, tenderBody } from './tender-body.ts'

const bare = {
  id: '00000000-0000-8000-8000-000000000001',
  lastModified: '2026-11-22T06:00:00.000Z',
  checkedAt: '2026-11-22T06:00:00.000Z',
  title: 'Resurfacing',
  status: 'open',
  contractAmount: null,
  cpvCodes: ['45233141'],
  nutsCodes: [],
  lots: [],
  originalSources: [],
} as TenderRecord

/** The facts beside the content. */
function factsOf(record: TenderRecord): string {
  const page = tenderBody(record, { language: 'en', now: Date.parse(bare.lastModified), explained: undefined }).text
  return /<aside.*?<\/section>/s.exec(page)![0]
}

test.each([
  ['procedureType', 'open'],
  ['contractNature', 'works'],
  ['realizedLocation', { city: 'Quellmar' }],
  ['firstPublicationDate', '2026-11-02T00:00:00.000Z'],
  ['nutsCodes', ['DE212']],
] as const)('%s is a fact of the page of a record that has it, and of no other', (member, value) => {
  const label = `>${fieldTexts.en[member]}<`
  expect(factsOf({ ...bare, [member]: value })).toContain(label)
  expect(factsOf(bare)).not.toContain(label)
})

test('every status has its own word and mark; one that is new looks closed', () => {
  const shown = Object.fromEntries(
    ['planned', 'open', 'awardIntended', 'closed', 'pending', 'awarded', 'cancelled', 'merged', 'new'].map((status) => [
      status,
      /class="st (\w+)"/.exec(statusOf(status, 'en').text)![1],
    ]),
  )
  expect(shown).toEqual({
    planned: 'planned',
    open: 'open',
    awardIntended: 'planned',
    closed: 'closed',
    pending: 'closed',
    awarded: 'awarded',
    cancelled: 'cancelled',
    merged: 'merged',
    new: 'closed',
  })
})

test('an intended restricted tender says that companies may make themselves known; each act has its evidence', () => {
  const act = {
    act: 'ex-ante',
    rule: 'words of the title',
    field: 'title',
    evidence: 'Beabsichtigte Beschränkte',
  } as const
  const notice = { key: 'doe:1', publisher: 'doe', formType: 'planning', language: 'de', sources: ['doe'], changes: [] }
  const page = (status: string, intention: 'direct' | 'restricted', language: 'en' | 'de') => {
    const explained = {
      id: bare.id,
      content: bare,
      notices: [{ ...notice, act: { ...act, intention } }],
      origins: [],
      copies: [],
    }
    return tenderBody({ ...bare, status }, { language, now: 0, explained: explained as unknown as ExplainedRecord })
      .text
  }
  expect(page('planned', 'restricted', 'en')).toContain('Your company may make itself known to the authority.')
  expect(page('planned', 'restricted', 'de')).toContain('Ihre Firma kann sich beim Auftraggeber melden.')
  expect(page('closed', 'restricted', 'en')).not.toContain('make itself known')
  expect(page('planned', 'direct', 'en')).not.toContain('make itself known')
  expect(page('planned', 'restricted', 'en')).toContain('Read as an intended restricted tender by the title:')
  expect(page('planned', 'direct', 'de')).toContain('Gelesen als beabsichtigte Direktvergabe (Titel):')
  expect(page('planned', 'direct', 'de')).toContain('Beabsichtigte Beschränkte')
})
