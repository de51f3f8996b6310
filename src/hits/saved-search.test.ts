import { describe, expect, test } from 'vitest'
import { HitInputError, maxItems } from './read-input.ts'
import { canonicalSearchFilter, defaultThreshold, parseSearchFilter, searchFilterHash } from './saved-search.ts'

describe('a search is read', () => {
  test('with every member, sorted and each item once', () => {
    expect(
      parseSearchFilter({
        cpv: ['45233141-9', '45', '45000000'],
        nuts: ['de21', 'GR30'],
        words: ['Straßenbau', 'straßenbau', 'Asphalt'],
        authorities: ['Stadt Quellmar'],
        contractNatures: ['Works'],
        procedures: ['restricted', 'open'],
        allWords: ['Dach', 'Schule', 'dach'],
        status: ['planned', 'Open'],
        valueMin: 100_000,
        valueMax: 5_000_000,
        minDaysToDeadline: 14,
        excluded: { cpv: ['45220000'], nuts: [], words: ['Reinigung'], authorities: ['DE 123'] },
      }),
    ).toEqual({
      cpv: ['45000000', '45233141'],
      nuts: ['DE21', 'EL30'],
      words: ['asphalt', 'straßenbau'],
      authorities: ['Stadt Quellmar'],
      contractNatures: ['works'],
      procedures: ['open', 'restricted'],
      allWords: ['dach', 'schule'],
      status: ['open', 'planned'],
      valueMin: 100_000,
      valueMax: 5_000_000,
      minDaysToDeadline: 14,
      excluded: { cpv: ['45220000'], words: ['reinigung'], authorities: ['DE 123'] },
    })
    expect(defaultThreshold).toBe(50)
  })

  test('and its canonical text is the same for the same search, and reads back', () => {
    const one = parseSearchFilter({ words: ['b2', 'a1'], cpv: ['45'], excluded: { words: ['x9'], cpv: ['33'] } })
    const other = parseSearchFilter({
      excluded: { cpv: ['33000000'], words: ['X9'] },
      cpv: ['45000000'],
      words: ['a1', 'b2'],
    })
    expect(canonicalSearchFilter(one)).toBe(canonicalSearchFilter(other))
    expect(searchFilterHash(one)).toBe(searchFilterHash(other))
    expect(parseSearchFilter(JSON.parse(canonicalSearchFilter(one)))).toEqual(one)
    expect(searchFilterHash(parseSearchFilter({ cpv: ['45'] }))).not.toBe(searchFilterHash(one))
  })

  const refused: readonly (readonly [what: string, input: unknown, says: RegExp])[] = [
    ['nothing', undefined, /must be an object with the members cpv/],
    ['a list', [], /must be an object/],
    ['no anchor', { procedures: ['open'] }, /at least one CPV code, NUTS code, word or authority/],
    ['only exclusions', { excluded: { cpv: ['45'] } }, /at least one CPV code/],
    ['only empty lists', { cpv: [], words: [] }, /at least one CPV code/],
    ['10,000 codes', { cpv: Array.from({ length: 10_000 }, () => '45000000') }, /10000 items, and 200 are allowed/],
    ['a regular expression', { words: ['.*bau'] }, /words are not patterns/],
    ['two words', { words: ['road works'] }, /is 2 words: give each/],
    ['a letter', { words: ['a'] }, /too short/],
    ['signs', { words: ['--'] }, /too short/],
    ['a long word', { words: ['x'.repeat(61)] }, /more than 60 letters/],
    ['an unknown member', { cpv: ['45'], keyword: 'a' }, /has no member "keyword": use cpv/],
    ['an unknown member of excluded', { cpv: ['45'], excluded: { procedures: [] } }, /excluded has no member/],
    ['a wrong CPV code', { cpv: ['4x'] }, /"4x" is no CPV code: write 2 to 8 digits/],
    ['all sectors', { cpv: ['00000000'] }, /is no CPV code/],
    ['a wrong NUTS code', { nuts: ['D'] }, /is no NUTS code/],
    ['a wrong procedure', { cpv: ['45'], procedures: ['closed'] }, /is no procedure: use open/],
    ['a status of the archive', { cpv: ['45'], status: ['awarded'] }, /is no status: use open, planned, awardIntended/],
    ['a status alone', { status: ['open'] }, /at least one CPV code/],
    ['a wrong nature', { cpv: ['45'], contractNatures: ['food'] }, /is no contract nature: use works/],
    ['a nameless authority', { authorities: ['.'] }, /is no authority/],
    ['numbers for codes', { cpv: [45] }, /must hold texts only/],
    ['a text for a list', { cpv: '45' }, /must be a list/],
    ['a broken value', { cpv: ['45'], valueMin: 1.5 }, /valueMin must be a whole number/],
    ['a range without values', { cpv: ['45'], valueMin: 2, valueMax: 1 }, /valueMin 2 is above valueMax 1/],
    ['a far deadline', { cpv: ['45'], minDaysToDeadline: 366 }, /from 0 to 365/],
  ]
  test.each(refused)('%s is refused', (_what, input, says) => {
    expect(() => parseSearchFilter(input)).toThrow(HitInputError)
    expect(() => parseSearchFilter(input)).toThrow(says)
  })

  test('whose text and hash stay what they were before there were more clauses', () => {
    const filter = parseSearchFilter({ cpv: ['45'], words: ['dach', 'bau'], procedures: ['open'], valueMin: 5 })
    expect(canonicalSearchFilter(filter)).toBe(
      '{"cpv":["45000000"],"words":["bau","dach"],"procedures":["open"],"valueMin":5}',
    )
  })

  test('as many codes as are allowed', () => {
    const cpv = Array.from({ length: maxItems }, (_, index) => String(45_000_000 + index))
    expect(parseSearchFilter({ cpv }).cpv).toHaveLength(maxItems)
  })
})

test.each(['words', 'allWords', 'authorities'])('a search may stand on %s alone', (member) => {
  expect(parseSearchFilter({ [member]: ['asphalt'] })).toHaveProperty(member)
})
