import { expect, test } from 'vitest'
import {
  contractNatureOf,
  isNationalProcedureCode,
  procedureTypeOfElement,
  procedureTypeOfHeader,
  startsWithParticipation,
} from './codes.ts'

test.each<readonly [code: string | undefined, procedure: string | undefined]>([
  ['1', 'open'],
  ['2', 'restricted'],
  ['3', 'restricted'],
  ['4', 'neg-w-call'],
  ['6', 'neg-w-call'],
  ['B', 'neg-w-call'],
  ['C', 'comp-dial'],
  ['F', 'neg-wo-call'],
  ['G', 'innovation'],
  ['T', 'neg-wo-call'],
  ['V', 'neg-wo-call'],
  ...['A', 'E', '8', '9', 'N', 'Z', undefined].map((code) => [code, undefined] as const),
])('the procedure %s of a header is %s', (code, procedure) => {
  expect(procedureTypeOfHeader(code)).toBe(procedure)
  expect(isNationalProcedureCode(code)).toBe(code === 'A' || code === 'E')
})

test.each([
  ['PT_AWARD_CONTRACT_WITHOUT_CALL', 'neg-wo-call'],
  ['PT_NEGOTIATED_WITHOUT_PUBLICATION', 'neg-wo-call'],
  ['PT_INNOVATION_PARTNERSHIP', 'innovation'],
  ['PT_COMPETITIVE_DIALOGUE', 'comp-dial'],
  ['PT_COMPETITIVE_NEGOTIATION', 'neg-w-call'],
  ['PT_RESTRICTED', 'restricted'],
  ['PT_OPEN', 'open'],
  ['PT_AWARD_CONTRACT_WITH_PRIOR_PUBLICATION', undefined],
])('the procedure of an element %s is %s', (name, procedure) => {
  expect(procedureTypeOfElement(name)).toBe(procedure)
})

test.each([
  ['restricted', true],
  ['neg-w-call', true],
  ['comp-dial', true],
  ['innovation', true],
  ['open', false],
  ['neg-wo-call', false],
  [undefined, false],
])('%s begins with requests to participate: %s', (procedure, isSo) => {
  expect(startsWithParticipation(procedure)).toBe(isSo)
})

test.each([
  [['1', 'WORKS', ' works '], 'works'],
  [['2', 'SUPPLIES'], 'supplies'],
  [['4', 'SERVICES'], 'services'],
  [['3', '9', '', undefined], undefined],
])('the nature %j is %s', (codes, nature) => {
  for (const code of codes) expect(contractNatureOf(code)).toBe(nature)
})
