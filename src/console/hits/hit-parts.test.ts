import { expect, test } from 'vitest'
import type { TenderRecord } from '../../domain/tender.ts'
import { hitItem } from './hit-parts.ts'

const hit = {
  hitId: 'h',
  searchNo: 1,
  searchVersion: 1,
  tenderId: 't',
  edition: 1,
  madeAt: 0,
  fitScore: 70,
  fit: '{"profile":null,"parts":[],"rules":[],"raw":1}',
  matched: '[]',
  reasons: null,
  state: 'new',
  deadline: null,
  deadlineKind: null,
  deliveries: [],
} as const

test.each([
  ['planned', true, 'only announced now', 'jetzt nur angekündigt'],
  ['awardIntended', true, 'a direct award is announced now', 'jetzt eine angekündigte Direktvergabe'],
])('a closed hit says that its tender is %s', (status, isClosed, english, german) => {
  const record = {
    title: 'Road',
    status,
    lots: [],
    cpvCodes: [],
    nutsCodes: [],
    contractAmount: null,
  } as unknown as TenderRecord
  const shown = { list: '', next: undefined, search: undefined, organizationId: 'o', now: 0 }
  const view = { ...shown, hit: { ...hit, isClosed }, record }
  for (const [language, text] of [
    ['en', english],
    ['de', german],
  ] as const) {
    expect(hitItem({ ...view, language }).text).toContain(text)
    expect(hitItem({ ...view, hit: { ...hit, isClosed: false }, language }).text).not.toContain(text)
  }
})
