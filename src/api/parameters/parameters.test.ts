// Proves D15 to D27 of the parameters, and that one declaration serves validation and examples.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofCount } from '../../../test/proof/proof-count.ts'
import { procedureTypes } from '../../domain/codes.ts'
import { canonicalFilter, filterParameters, type TenderFilter } from '../../domain/filter.ts'
import { describeFaults, listParameters, parseListQuery, refuseParameters, suggestParameter } from './parameters.ts'
import { parseQueryString } from './query-string.ts'

function read(text: string) {
  const { values, faults } = parseQueryString(text)
  const parsed = parseListQuery(values)
  if (faults.length > 0 || 'faults' in parsed)
    return { faults: [...faults, ...('faults' in parsed ? parsed.faults : [])] }
  return parsed
}
function filterOf(text: string) {
  const parsed = read(text)
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  return parsed.query.filter
}
function codesOf(text: string): string[] {
  const parsed = read(text)
  return 'faults' in parsed ? parsed.faults.map(({ parameter, code }) => `${parameter}:${code}`) : []
}
function faultOf(text: string) {
  const parsed = read(text)
  return 'faults' in parsed ? parsed.faults[0] : undefined
}

describe('names', () => {
  test('C37: no query means the first page of unarchived records, with the default size', () => {
    expect(read('')).toEqual({ query: { filter: { archived: false }, limit: 50, cursor: undefined } })
  })

  test.each([
    ['updatedsince', 'updated_since'],
    ['update_since', 'updated_since'],
    ['Updated_Since', 'updated_since'],
    ['updatedSince', 'updated_since'],
    ['publishd_since', 'published_since'],
    ['limt', 'limit'],
    ['cursr', 'cursor'],
    ['cvp', 'cpv'],
    ['nut', 'nuts'],
    ['since', 'updated_since'],
    ['page', 'cursor'],
    ['cpv[]', 'cpv'],
    ['value-min', 'value_min'],
  ])('D15: %s suggests %s', (name, suggestion) => {
    expect(suggestParameter(name)).toBe(suggestion)
    expect(faultOf(`${encodeURIComponent(name)}=1`)).toMatchObject({
      code: 'unknown-parameter',
      detail: expect.stringContaining(`Did you mean ${suggestion}?`),
    })
  })

  test.each(['__proto__', 'constructor', 'toString', 'foo', 'x'.repeat(5000), ''])(
    'D15: an unknown name is refused without a guess',
    (name) => {
      expect(codesOf(`${name}=1`).length).toBe(1)
      expect(suggestParameter(name)).toBeUndefined()
    },
  )

  test('D2: all faults are reported at once, with codes', () => {
    expect(
      codesOf('x=1&cpv=45,00000000&limit=0&limit=5&archived=1&value_min=5&value_max=1&nuts=&updated=1').sort(),
    ).toEqual(
      [
        'archived:invalid-boolean',
        'cpv:invalid-cpv',
        'cpv:invalid-cpv',
        'limit:repeated-parameter',
        'nuts:empty-value',
        'updated:unknown-parameter',
        'value_min:value-range',
        'x:unknown-parameter',
      ].sort(),
    )
  })

  test('a request of nothing but faults stays small', () => {
    const parsed = read(Array.from({ length: 4000 }, (_, index) => `a${index}`).join('&'))
    expect('faults' in parsed && parsed.faults.length).toBe(100)
  })

  test('a request by id accepts no parameter', () => {
    expect(refuseParameters(parseQueryString('limit=1').values)).toMatchObject([
      { parameter: 'limit', code: 'unknown-parameter' },
    ])
  })

  test('detail is one readable line however many faults there are', () => {
    const faults = Array.from({ length: 5 }, (_, index) => ({ parameter: `p${index}`, code: 'c', detail: 'Is wrong.' }))
    expect(describeFaults(faults)).toBe('p0: Is wrong. p1: Is wrong. p2: Is wrong. And 2 more, see errors.')
  })
})

describe('lists', () => {
  test('each filter has a parameter that sets it', () => {
    const values: { readonly [member in keyof Required<TenderFilter>]: string } = {
      cpv: '45000000',
      nuts: 'DE2',
      publishedSince: '2026-11-01T00:00:00Z',
      updatedSince: '2026-11-01T00:00:00Z',
      deadlineAfter: '2026-11-01T00:00:00Z',
      valueMin: '1000',
      valueMax: '1000',
      procedure: 'open',
      archived: 'true',
    }
    const unset = filterOf('')
    for (const [member, name] of filterParameters)
      expect(filterOf(`${name}=${values[member]}`)[member], `${name} sets nothing`).not.toEqual(unset[member])
  })

  test('D16, D18, C98: repeated, spaced, encoded, unordered and doubled notations are one query', () => {
    const same = [
      'cpv=45210000,71000000',
      'cpv=71000000&cpv=45210000',
      'cpv=71000000%2C45210000',
      'cpv=%2045210000%20,+71000000,45210000',
    ]
    const [first, ...others] = same.map((text) => canonicalFilter(filterOf(text)))
    for (const other of others) expect(other).toBe(first)
  })

  test.each([
    'cpv=',
    'cpv',
    'cpv=45000000,,71000000',
    'cpv=,45000000',
    'cpv=45000000,',
    'cpv=%20',
    'nuts=',
    'procedure=',
  ])('D17: %s holds an empty value', (text) => {
    expect(codesOf(text)).toContain(`${text.split('=')[0]}:empty-value`)
  })

  test('D18: 200 items are accepted, 201 are not, duplicates do not count', () => {
    const codes = Array.from({ length: 201 }, (_, index) => String(10_000_000 + index))
    expect(codesOf(`cpv=${codes.slice(0, 200).join(',')},${codes[0]}`)).toEqual([])
    expect(codesOf(`cpv=${codes.join(',')}`)).toEqual(['cpv:too-many-values'])
  })

  test('D18: inner spaces are refused', () => {
    expect(codesOf('cpv=4521%200000')).toEqual(['cpv:invalid-cpv'])
    expect(codesOf('nuts=D%20E2')).toEqual(['nuts:invalid-nuts'])
  })
})

describe('cpv', () => {
  test.each([
    ['45210000', '45210000'],
    ['45210000-2', '45210000'],
    ['30192120', '30192120'],
    ['30192120-9', '30192120'],
    ['99999999', '99999999'],
  ])('D19, C60: %s is accepted', (text, code) => {
    expect(filterOf(`cpv=${text}`).cpv).toEqual([code])
  })

  test.each([
    '45210000-3',
    '45210000-',
    '4521000',
    '452100000',
    '00000000',
    '00000000-1',
    '4521000a',
    '45-210000',
    '４５２１００００',
    '-45210000',
  ])('D19: %s is refused', (text) => {
    expect(codesOf(`cpv=${encodeURIComponent(text)}`)[0]).toMatch(/^cpv:(invalid-cpv|cpv-check-digit)$/)
  })

  test('D19: the answer to a short code suggests the code to write, to a wrong check digit the right one', () => {
    expect(faultOf('cpv=45')?.detail).toContain('45000000')
    expect(faultOf('cpv=45210000-3')?.detail).toContain('is 2, not 3')
  })
})

describe('nuts', () => {
  test('D20: lower case is folded, unknown well-formed codes are accepted', () => {
    expect(filterOf('nuts=de2,zz9zz,DE').nuts).toEqual(['DE', 'DE2', 'ZZ9ZZ'])
  })
  test.each(['D', 'DE2123', '1E2', 'DE-2', 'DÉ2', 'd̈e', 'ıt', 'ſE', 'ß', 'ﬁ'])('D20: %s is refused', (text) => {
    expect(codesOf(`nuts=${encodeURIComponent(text)}`)).toEqual(['nuts:invalid-nuts'])
  })
  test('D20: GR hints at EL', () => {
    expect(faultOf('nuts=gr30')?.detail).toContain('EL30')
  })
})

describe('the other parameters', () => {
  test('D21: procedure is folded; an unknown one lists the allowed ones', () => {
    expect(filterOf('procedure=OPEN,Neg-W-Call').procedure).toEqual(['neg-w-call', 'open'])
    expect(faultOf('procedure=offen')).toMatchObject({
      code: 'invalid-procedure',
      allowed: procedureTypes,
      value: 'offen',
    })
  })

  test.each(['1', '50', '100'])('D25: limit=%s', (text) => {
    expect(read(`limit=${text}`)).toMatchObject({ query: { limit: Number(text) } })
  })
  test.each(['0', '101', '-1', '01', '1.0', '1e1', '999', '', ' 1', '१', 'ten'])(
    'D25: limit=%s is refused, never clamped',
    (text) => {
      expect(codesOf(`limit=${encodeURIComponent(text)}`)[0]).toMatch(/^limit:(invalid-limit|empty-value)$/)
    },
  )

  test('D26: whole euros of at most 15 digits; leading zeros are digits', () => {
    expect(filterOf('value_min=0&value_max=999999999999999')).toMatchObject({
      valueMin: 0,
      valueMax: 999_999_999_999_999,
    })
    expect(filterOf('value_min=007')).toMatchObject({ valueMin: 7 })
    expect(filterOf('value_min=5&value_max=5')).toMatchObject({ valueMin: 5, valueMax: 5 })
  })
  test.each(['1.5', '-1', '+1', '1e3', '1000000000000000', '1,000', ' 1', '1_0'])(
    'D26: value_min=%s is refused',
    (text) => {
      expect(codesOf(`value_min=${encodeURIComponent(text)}`)).toEqual(['value_min:invalid-value'])
    },
  )
  test('D26: a minimum above the maximum is refused, not answered with nothing', () => {
    expect(codesOf('value_min=2&value_max=1')).toEqual(['value_min:value-range'])
  })

  test.each(['TRUE', '1', 'yes', '', 'true '])('D27: archived=%s is refused', (text) => {
    expect(codesOf(`archived=${encodeURIComponent(text)}`)[0]).toMatch(/^archived:/)
  })
  test.each(['archived=maybe', 'archived=', 'archived=true&archived=false', 'archived=false', 'archived=true', ''])(
    'D27, C92, C93: beside updated_since "%s" changes nothing',
    (text) => {
      expect(canonicalFilter(filterOf(`updated_since=2026-11-01T00:00:00Z&${text}`))).toBe(
        canonicalFilter(filterOf('updated_since=2026-11-01T00:00:00Z')),
      )
    },
  )
  test('C90: archived=false is the same as leaving it out', () => {
    expect(canonicalFilter(filterOf('archived=false'))).toBe(canonicalFilter(filterOf('')))
  })

  test.each([
    '',
    'archived=true',
    'cpv=45000000',
    'updated_since=2026-11-01T00:00:00Z',
    'updated_since=2026-11-01T00:00:00Z&archived=true',
  ])(
    'C141: the text of "%s" ends with its last filter, so a version with one more parameter writes the same',
    (text) => {
      expect(canonicalFilter(filterOf(text))).not.toMatch(/null\]$/)
    },
  )

  test('D22: since rounds up, after rounds down', () => {
    const text = '2026-11-02T12:00:00.0001Z'
    const noon = Date.UTC(2026, 10, 2, 12)
    expect(filterOf(`published_since=${text}&updated_since=${text}&deadline_after=${text}`)).toMatchObject({
      publishedSince: noon + 1,
      updatedSince: noon + 1,
      deadlineAfter: noon,
    })
  })
  test('D24: an unencoded plus works', () => {
    expect(filterOf('updated_since=2026-11-02T14:00:00.000+02:00').updatedSince).toBe(Date.UTC(2026, 10, 2, 12))
  })

  test('every documented example is accepted', () => {
    for (const { name, examples } of listParameters)
      for (const example of Object.values(examples)) expect(codesOf(`${name}=${example}`)).toEqual([])
  })
})

test('whatever the query string: a query or faults, never an exception, and the echo is short and printable', () => {
  const name = fc.oneof(
    fc.constantFrom(...listParameters.map((parameter) => parameter.name)),
    fc.string({ unit: 'binary-ascii' }),
  )
  const value = fc.oneof(
    fc.string({ unit: 'binary-ascii', maxLength: 400 }),
    fc.string({ unit: 'grapheme' }).map(encodeURIComponent),
    fc.constantFrom('%', '%zz', '%ff', '%00', '%F0%9F%98%80', '2026-11-02T12:00:00Z', '45210000', ','.repeat(300)),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 12 }), (pairs) => {
      const parsed = read(pairs.map(([key, text]) => `${key}=${text}`).join('&'))
      if ('faults' in parsed) {
        expect(parsed.faults.length).toBeGreaterThan(0)
        for (const fault of parsed.faults) {
          expect(fault.parameter.length).toBeLessThanOrEqual(101)
          expect(fault.value?.length ?? 0).toBeLessThanOrEqual(101)
          expect(fault.value ?? '').not.toMatch(/\p{Cc}/u)
        }
      }
    }),
    { numRuns: proofCount({ share: 200, full: 20_000 }) },
  )
})
