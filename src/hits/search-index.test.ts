import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareMatching, madeUpFilters, madeUpRecords } from '../../test/hits/compare-matching.ts'
import { proofCount } from '../../test/proof/proof-count.ts'
import { anyCharacter } from '../../test/testing/generate/any-character.ts'
import { openTokenTable } from '../domain/token-table.ts'
import { tokensOf } from '../domain/words.ts'
import { matchOf } from './plain-match.ts'
import type { SearchFilter } from './saved-search.ts'
import { indexSearches } from './search-index.ts'

describe('the index gives what the plain loop gives', () => {
  test('whatever the sample and the seed', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 20 }), (seed, sampled) => {
        const records = madeUpRecords(seed, 20)
        const { differences } = compareMatching(madeUpFilters(seed, 20, records), records, records.slice(0, sampled))
        expect(differences).toEqual([])
      }),
      { numRuns: proofCount({ share: 9, full: 600 }) },
    )
  })
})

describe('bounds are inclusive', () => {
  const { archiveReason: _, ...first } = madeUpRecords(1, 1)[0]!
  const at = Date.parse('2026-11-22T06:00:00.000Z')
  const record = {
    ...first,
    cpvCodes: ['45233141'],
    contractAmount: { value: 1000, currency: 'EUR', estimated: false },
    submissionDate: '2026-11-29T06:00:00.000Z',
  }
  const cpv = ['45233141']

  test.each<readonly [Omit<SearchFilter, 'cpv'>, boolean]>([
    [{ valueMin: 1000 }, true],
    [{ valueMin: 1001 }, false],
    [{ valueMax: 1000 }, true],
    [{ valueMax: 999 }, false],
    [{ valueMin: 1000, valueMax: 1000 }, true],
    [{ minDaysToDeadline: 7 }, true],
    [{ minDaysToDeadline: 8 }, false],
  ])('%j: %s', (bounds, isMatch) => {
    const filter = { cpv, ...bounds }
    expect(indexSearches([filter], []).match(record, at)).toEqual(isMatch ? [0] : [])
    expect(matchOf(filter, record, at) !== undefined).toBe(isMatch)
  })

  test.each<readonly [dates: object, at: number, matches: readonly boolean[]]>([
    [{ participationDate: '2026-11-29T06:00:00.000Z' }, at, [true, false]],
    [{ participationDate: '2026-11-29T06:00:00.000Z' }, at + 1, [false, false]],
    [{ participationDate: '2026-11-29T06:00:00.000Z', submissionDate: '2026-12-29T06:00:00.000Z' }, at, [true, false]],
    [{ participationDate: '2026-12-29T06:00:00.000Z', submissionDate: '2026-11-29T06:00:00.000Z' }, at, [true, false]],
    [{}, at, [false, false]],
  ])('the deadline that a bidder meets first counts: %j', (dates, at, matches) => {
    const { submissionDate: _submission, participationDate: _participation, ...other } = record
    const dated = { ...other, ...dates }
    const filters = [7, 8].map((minDaysToDeadline) => ({ cpv, minDaysToDeadline }))
    expect(filters.map((filter) => indexSearches([filter], []).match(dated, at).length > 0)).toEqual(matches)
    expect(filters.map((filter) => matchOf(filter, dated, at) !== undefined)).toEqual(matches)
  })

  test('a millisecond less than the required days is too little', () => {
    const filter = { cpv, minDaysToDeadline: 7 }
    expect(indexSearches([filter], []).match(record, at + 1)).toEqual([])
    expect(matchOf(filter, record, at + 1)).toBeUndefined()
  })
})

describe('every word of `allWords` must occur, and the status be one of those that are listed', () => {
  const { archiveReason: _, ...first } = madeUpRecords(1, 1)[0]!
  const record = {
    ...first,
    title: 'Dachsanierung',
    description: 'Grundschule Nord',
    status: 'open' as const,
    lots: [{ lotId: 'LOT-0001', status: 'planned', cpvCodes: [], nutsCodes: [] }],
  }
  test.each<readonly [filter: SearchFilter, isMatch: boolean]>([
    [{ allWords: ['grundschule', 'dachsanierung'] }, true],
    [{ allWords: ['dachsanierung', 'turnhalle'] }, false],
    [{ words: ['dachsanierung', 'turnhalle'] }, true],
    [{ words: ['turnhalle'], allWords: ['dachsanierung'] }, false],
    [{ allWords: ['sanierung', 'nord'], status: ['open'] }, true],
    [{ allWords: ['sanierung'], status: ['planned', 'open'] }, true],
    [{ allWords: ['sanierung'], status: ['awardIntended', 'planned'] }, false],
    [{ allWords: ['sanierung'], excluded: { words: ['nord'] } }, false],
  ])('%j: %s', (filter, isMatch) => {
    for (const sample of [[], [record]])
      expect(indexSearches([filter], sample).match(record, 0)).toEqual(isMatch ? [0] : [])
    expect(matchOf(filter, record, 0) !== undefined).toBe(isMatch)
  })
})

test.each(['DE401', 'Romania', '***0046**', '999999', 'PL'])(
  'an authority is not found by "%s", which is no id',
  (id) => {
    const filter: SearchFilter = { authorities: [id] }
    const { archiveReason: _, ...first } = madeUpRecords(1, 1)[0]!
    const record = { ...first, contractingAuthority: { name: 'Stadt Eins', nationalId: id, country: 'DE' } }
    const at = Date.parse('2026-11-22T06:00:00.000Z')
    expect(indexSearches([filter], []).match(record, at)).toEqual([])
    expect(matchOf(filter, record, at)).toBeUndefined()
    const named = { ...record, contractingAuthority: { name: id } }
    expect(indexSearches([filter], []).match(named, at)).toEqual([0])
  },
)

describe('every text and code of a record counts', () => {
  const { archiveReason: _, ...first } = madeUpRecords(1, 1)[0]!
  const at = Date.parse('2026-11-22T06:00:00.000Z')
  const lot = { lotId: 'LOT-0002', status: 'open', title: 'lottitle', description: 'lotdescription', nutsCodes: [] }
  const record = {
    ...first,
    title: 'maintitle',
    description: 'maindescription',
    translations: { fr: { title: 'frenchtitle', description: 'frenchdescription' } },
    cpvCodes: ['45233141'],
    nutsCodes: ['DE212'],
    contractNature: 'works',
    lots: [{ ...lot, cpvCodes: ['71320000'], contractNature: 'services' }],
    contractingAuthority: { ...first.contractingAuthority, name: 'Stadt Eins', nationalId: 'DE 11.113' },
    jointAuthorities: [{ name: 'Stadt Zwei', nationalId: 'DE 22-224' }],
  }
  const words = ['maintitle', 'maindescription', 'lottitle', 'lotdescription', 'frenchtitle', 'frenchdescription']
  const found: readonly SearchFilter[] = [
    ...words.map((word) => ({ words: [word] })),
    ...['Stadt Eins', 'DE11113', 'stadt zwei', 'DE-22224'].map((name) => ({ authorities: [name] })),
    ...['45233000', '71320000'].map((code) => ({ cpv: [code] })),
    ...['DE', 'DE2', 'DE212'].map((code) => ({ nuts: [code] })),
    ...(['works', 'services'] as const).map((nature) => ({ cpv: ['45000000'], contractNatures: [nature] })),
  ]

  test.each(found.map((filter) => [filter] as const))('%j', (filter) => {
    expect(indexSearches([filter], []).match(record, at)).toEqual([0])
    expect(matchOf(filter, record, at)).toHaveLength(Object.keys(filter).length)
    const { contractNatures: _natures, ...excluded } = filter
    if ('contractNatures' in filter) return
    const without = { cpv: ['45000000'], excluded }
    expect(indexSearches([without], []).match(record, at)).toEqual([])
    expect(matchOf(without, record, at)).toBeUndefined()
  })
})

describe('a word and an authority are the same, whatever nobody sees in them', () => {
  const { archiveReason: _, ...first } = madeUpRecords(1, 1)[0]!
  const name = 'Stadtwerke Groß-Ahlen'
  test.each([
    ['a soft hyphen', '\u00ad'],
    ['a zero-width space', '\u200b'],
    ['a zero-width joiner', '\u200d'],
    ['a mark of direction', '\u200e'],
    ['a word joiner', '\u2060'],
    ['an unseen mark', '\u034f'],
    ['an astral tag', '\u{e0041}'],
  ])('%s', (_name, unseen) => {
    const hidden = (text: string) => text.replace(/(\p{L})(?=\p{L})/gu, `$1${unseen}`)
    for (const write of [hidden, (text: string) => text]) {
      const filters = [{ words: [write('straßenbau')] }, { authorities: [write(name).replace('-', '\u2011')] }]
      const record = { ...first, title: hidden('Straßenbau'), contractingAuthority: { name: hidden(name) } }
      expect(indexSearches(filters, []).match(record, 0).sort()).toEqual([0, 1])
      for (const filter of filters) {
        expect(matchOf(filter, record, 0)).toHaveLength(1)
        expect(matchOf({ cpv: ['45000000'], excluded: filter }, record, 0)).toBeUndefined()
      }
    }
  })
})

test('codes, regions and authorities that begin alike are told apart, whichever is read first', () => {
  const { archiveReason: _, ...first } = madeUpRecords(1, 1)[0]!
  const texts = [
    { cpvCodes: ['45233141'], nutsCodes: ['DE211'], contractingAuthority: { name: 'Landkreis Ahlen' } },
    { cpvCodes: ['45233142'], nutsCodes: ['DE212'], contractingAuthority: { name: 'Landkreis Ahlenau' } },
  ]
  const records = texts.map((members) => ({ ...first, lots: [], jointAuthorities: [], ...members }))
  const filters = texts.flatMap(({ cpvCodes, nutsCodes, contractingAuthority }) => [
    { cpv: cpvCodes },
    { nuts: nutsCodes },
    { authorities: [contractingAuthority.name] },
  ])
  const index = indexSearches(filters, [])
  for (const number of [0, 1, 0])
    expect(index.match(records[number]!, 0).sort()).toEqual([0, 1, 2].map((place) => 3 * number + place))
})

describe('the fast scanner of words', () => {
  const seen: string[] = []
  const table = openTokenTable((token) => Int32Array.of(seen.push(token) - 1))

  const readAll = (texts: readonly string[]): string[] => {
    const found = new Set<number>()
    for (const text of texts) table.read(text, (numbers, start) => void found.add(numbers[start]!))
    return [...new Set([...found].map((number) => seen[number]!))].sort()
  }

  test('finds exactly the words of the slow way', () => {
    const alphabet = fc.constantFrom(
      ...'aZ09 -ßẞÄéİıſσςΣ½①ﬁ№…´·́가힣й\u0000\u3000\ud835漢\u00ad\u200b\u2060\u034f\u2011ʼ’\u3164\u1161ﾞ',
      '\u{1d400}',
      'x'.repeat(300),
    )
    const texts = fc.array(
      fc.oneof(
        fc.array(alphabet).map((parts) => parts.join('')),
        fc.string({ unit: anyCharacter }),
        fc.string(),
      ),
    )
    fc.assert(
      fc.property(texts, (given) => {
        expect(readAll(given)).toEqual([...new Set(given.flatMap(tokensOf))].sort())
      }),
      { numRuns: proofCount({ share: 100, full: 10_000 }) },
    )
  })

  test('treats every character alike, alone and between letters', () => {
    const isDifferent = (text: string): boolean =>
      readAll([text]).join(' ') !== [...new Set(tokensOf(text))].sort().join(' ')
    const around = (code: number): string => `${String.fromCharCode(code)} a${String.fromCharCode(code)}b`
    const different: number[] = []
    for (let first = 0; first < 0x10000; first += 64) {
      const codes = Array.from({ length: 64 }, (_, index) => first + index)
      if (isDifferent(codes.map(around).join('\n'))) different.push(...codes)
    }
    expect(different).toEqual([])
  })
})
