// Tenders whose notices contradict each other are noted, whatever joined them.
import { expect, test } from 'vitest'
import { at, notice } from '../../test/testing/generate/notices.ts'
import { doubtsOf } from './doubts.ts'

const call = notice({
  noticeKey: 'ted:20-2026',
  publicationNumber: '20-2026',
  publicationDate: at('2026-01-05'),
  internalReference: 'WBG 26_01',
})
const result = notice({
  noticeKey: 'ted:90-2026',
  publicationNumber: '90-2026',
  publicationDate: at('2026-01-30'),
  formType: 'result',
  references: [{ kind: 'previous', publicationNumber: '20-2026' }],
})

test('different award numbers of one numbering are noted, in the field or in the text', () => {
  expect(doubtsOf('t', [call, { ...result, internalReference: 'WBG 26_01' }])).toEqual([])
  expect(doubtsOf('t', [call, { ...result, internalReference: 'Q-118' }])).toEqual([])
  const doubt = { tenderId: 't', kind: 'award-number', left: 'ted:20-2026', right: 'ted:90-2026' }
  expect(doubtsOf('t', [call, { ...result, internalReference: 'WBG 26_02' }])).toMatchObject([doubt])
  const text = { ...result, description: { de: 'Vergabenummer:\nWBG 26_02\n\nArt der Leistung: Putz' } }
  const contradiction = { code: 'award-numbers', values: { left: ['WBG2601'], right: ['WBG2602'] } }
  expect(doubtsOf('t', [text, call])).toMatchObject([{ ...doubt, contradiction }])
})

test('a result that names another call is noted', () => {
  const other = { ...result, references: [{ kind: 'previous' as const, publicationNumber: '7-2026' }] }
  expect(doubtsOf('t', [call, result])).toEqual([])
  expect(doubtsOf('t', [call, other])).toMatchObject([
    { tenderId: 't', kind: 'named-call', left: 'ted:20-2026', right: 'ted:90-2026' },
  ])
  // the change of the call is a notice of the tender too
  const change = notice({
    noticeKey: 'ted:7-2026',
    publicationNumber: '7-2026',
    publicationDate: at('2026-01-09'),
    changeReasons: ['other'],
    references: [{ kind: 'changes', publicationNumber: '20-2026' }],
  })
  expect(doubtsOf('t', [call, change, other])).toEqual([])
})

test('two notices without a word and a division in common are noted, unless their languages differ', () => {
  const clinic = { ...call, title: { de: 'Lieferung von Infusionspumpen' }, cpvCodes: ['33194110'] }
  const roof = { ...result, title: { de: 'Dachdeckerarbeiten Turnhalle' }, cpvCodes: ['45261210'] }
  expect(doubtsOf('t', [roof, clinic])).toMatchObject([
    { kind: 'unlike', contradiction: { code: 'unlike', values: { left: ['33'], right: ['45'] } } },
  ])
  for (const other of [
    { title: { de: 'Dachdeckerarbeiten für Infusionspumpen' } },
    { cpvCodes: ['45261210', '33000000'] },
    { cpvCodes: [] },
    { language: 'fr', title: { fr: 'Couverture du gymnase' } },
  ])
    expect(doubtsOf('t', [clinic, { ...roof, ...other }])).toEqual([])
})
