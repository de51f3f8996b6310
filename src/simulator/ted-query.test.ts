// The query language of TED's search, with fields that a notice lacks and values that are no dates.
import { describe, expect, test } from 'vitest'
import { readTedQuery, TedQueryError } from './ted-query.ts'

const now = Date.UTC(2026, 10, 30, 12)
const known = new Set(['publication-date', 'notice-type', 'buyer-country', 'classification-cpv'])
const notice = { 'publication-date': '20261130', 'notice-type': 'cn-standard', 'classification-cpv': '45000000' }
const matches = (query: string): boolean => readTedQuery(query, known, now).matches(notice)

describe('a query', () => {
  test.each([
    ['notice-type = cn-standard', true],
    ['NOT notice-type = cn-standard', false],
    ['notice-type != can-standard', true],
    ['notice-type != cn-standard', false],
    ['PC = 45*', true],
    ['PC IN (33000000 45000000)', true],
    ['notice-type ~ (cn standard)', true],
    ['notice-type ~ (cn other)', false],
    ['PD = today()', true],
    ['PD = today(-1)', false],
    ['PD >= 20261130 AND PD <= 20261130', true],
    ['PD > 20261130 OR PD < 20261130', false],
    ['PD = (20261101 <> 20261130)', true],
    ['PD = (20261130 <> 20261201)', true],
    ['PD = (20261101 <> 20261129)', false],
    ['PD >= 2026', false],
    ['PD = (2026 <> 2027)', false],
  ])('%s: %s', (query, expected) => {
    expect(matches(query)).toBe(expected)
  })

  test.each(['buyer-country = DEU', 'buyer-country != DEU', 'CY IN (DEU FRA)', 'CY ~ (deu)', 'CY = (A <> Z)'])(
    'about a field that the notice lacks matches nothing: %s',
    (query) => {
      expect(matches(query)).toBe(false)
      expect(matches(`NOT (${query})`)).toBe(true)
    },
  )

  test('that is only an order matches everything', () => {
    expect(readTedQuery('SORT BY PD DESC', known, now)).toMatchObject({ sortBy: 'publication-date' })
    expect(readTedQuery('SORT BY PD DESC', known, now).matches({})).toBe(true)
  })

  test.each([
    ['', 1],
    ['PD', 3],
    ['PD = ', 6],
    ['PD = 20261130 PD', 15],
    ['(PD = 20261130', 15],
    ['PD = 20261130 SORT BY PD ASC', 26],
  ])('that is not well-formed names its column: %j', (query, column) => {
    expect(() => readTedQuery(query, known, now)).toThrow(
      expect.objectContaining({ code: 'QUERY_SYNTAX_ERROR', column }),
    )
  })

  test('with a field that does not exist has a code of its own', () => {
    expect(() => readTedQuery('gone = 1', known, now)).toThrow(TedQueryError)
    expect(() => readTedQuery('gone = 1', known, now)).toThrow(expect.objectContaining({ code: 'QUERY_UNKNOWN_FIELD' }))
  })
})
