import { expect, test } from 'vitest'
import { hasCompanyPage, isCompany } from './companies.ts'

const company = { name: 'Strabau Schwaben GmbH', nationalId: 'DE 246813579', country: 'DE' }

test('a company with an identifier in a country has a page', () => {
  expect(hasCompanyPage(company)).toBe(true)
  for (const lacking of ['nationalId', 'country'] as const) {
    const { [lacking]: _, ...rest } = company
    expect([isCompany(rest), hasCompanyPage(rest)]).toEqual([true, false])
  }
})

test('a natural person has none, and nobody whose name is redacted', () => {
  for (const person of [
    { ...company, isNaturalPerson: true },
    { ...company, name: 'Hans Meier' },
    { ...company, name: '[redacted] GmbH' },
  ])
    expect([isCompany(person), hasCompanyPage(person)]).toEqual([false, false])
})
