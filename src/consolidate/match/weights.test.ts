// Each weight of the verdict, pinned: if one changes by a tenth, the verdict on a pair at the boundary changes.
import { describe, expect, test } from 'vitest'
import { cpvRelation } from './compare.ts'
import { type Comparison, compareRecords } from './comparison.ts'
import { verdictOn } from './decide.ts'
import type { MatchRecord } from './match-record.ts'
import { samePortalFinding } from './same-portal.ts'
import { hasLoneDiscriminator, vetoOf } from './vetoes.ts'

const record = (key: string, given: Partial<MatchRecord> = {}): MatchRecord => ({
  key,
  publishers: [key],
  callPublishers: [key],
  procedures: [],
  stage: 'call',
  calls: { calls: [], related: [], named: [] },
  countries: ['DE'],
  language: 'de',
  titles: [],
  numbers: [],
  discriminators: {},
  isMarkedInTitle: false,
  isCopy: false,
  buyers: [],
  buyerIds: [],
  towns: [],
  deadlines: [],
  cpv: [],
  nuts: [],
  references: [],
  shingles: [],
  descriptionLength: 0,
  descriptionWords: [],
  descriptionNumbers: [],
  textWords: [],
  parts: {},
  documents: [],
  ...given,
})
const [a, b] = [record('one'), record('two')]

type Title = NonNullable<Comparison['title']>

const title = (given: Partial<Title> = {}): Title => ({
  jaccard: 1,
  shared: 11,
  smallerRest: 0,
  largerRest: 0,
  isTruncated: false,
  isBeginning: false,
  isEqual: false,
  isNumberMore: false,
  ...given,
})

const comparison = (given: Partial<Comparison> = {}): Comparison => ({
  title: title(),
  translatedShare: undefined,
  buyer: 'equal',
  deadline: 'unknown',
  cpv: 'unknown',
  place: 'unknown',
  description: undefined,
  descriptionRest: 0,
  isRewritten: false,
  publishedDaysApart: undefined,
  sharedReference: false,
  isSameSource: false,
  ...given,
})

const kindOf = (given: Partial<Comparison>, twins = 1) => verdictOn(a, b, comparison(given), { twins }).kind

const [reference, buyerEqual, edge, margin] = [3.5, 2.6, 6, 0.03]

/** How similar two titles of these points are, with this much common weight. */
const jaccardOf = (points: number, shared: number): number =>
  Math.sqrt((points + 2) / (9 * (0.35 + 0.65 * Math.min(1, shared / 22))))

/**
 * With a common number, and a title that puts the sum at the boundary: just above it is one tender, just below it is
 * not.
 */
function expectAtEdge(given: Partial<Comparison>, points: number, shared = 11, rest: Partial<Title> = {}) {
  const at = (sum: number) =>
    kindOf({
      sharedReference: true,
      ...given,
      title: title({ ...rest, shared, jaccard: jaccardOf(sum - points, shared) }),
    })
  expect(at(edge + margin)).toBe('merge')
  expect(at(edge - margin)).toBe('none')
}

describe('points', () => {
  test.each([0, 7, 11, 21, 22, 23, 40])('of a title with %d nats in common', (shared) => {
    expectAtEdge({}, reference + buyerEqual, shared)
    expectAtEdge({ deadline: 'far' }, reference + buyerEqual - 1.8, shared)
  })

  test('of a title that contains the other', () => {
    expectAtEdge({ buyer: 'unknown' }, reference - 0.7 + 1.2, 11, { largerRest: 2 })
    expectAtEdge({ buyer: 'unknown' }, reference - 0.7, 8, { largerRest: 2 })
  })

  test.each([
    ['equal', 2.6],
    ['contained', 1.2],
    ['partial', -0.6],
    ['conflict', -0.6],
    ['unknown', -0.7],
  ] as const)('of a buyer: %s', (buyer, points) => {
    expectAtEdge({ buyer }, reference + points)
  })

  test.each([
    ['minute', 2.2],
    ['shifted', 1.9],
    ['day', 1.6],
    ['next-day', 0.8],
    ['near', -0.6],
    ['far', -1.8],
    ['unknown', 0],
  ] as const)('of a deadline: %s', (deadline, points) => {
    expectAtEdge({ deadline, buyer: 'unknown' }, reference - 0.7 + points)
  })

  test.each([
    ['same', 1.2],
    ['ancestor', 0.5],
    ['near', -0.8],
    ['conflict', -2],
    ['unknown', 0],
  ] as const)('of codes: %s', (cpv, points) => {
    expectAtEdge({ cpv }, reference + buyerEqual + points)
  })

  test.each([
    ['compatible', 0.5],
    ['same-region', 0],
    ['other-region', -0.8],
    ['conflict', -2],
    ['unknown', 0],
  ] as const)('of a place: %s', (place, points) => {
    expectAtEdge({ place }, reference + buyerEqual + points)
  })

  test.each([
    [undefined, 0],
    [0, 0.8],
    [5, 0.8],
    [6, 0],
    [30, 0],
    [31, -0.9],
    [90, -0.9],
    [91, -2.5],
  ] as const)('of publications %s days apart', (publishedDaysApart, points) => {
    expectAtEdge({ publishedDaysApart }, reference + buyerEqual + points)
  })

  test.each([
    [undefined, 0],
    [0.8, 2.5],
    [0.79, 1.2],
    [0.5, 1.2],
    [0.49, 0],
    [0.25, 0],
    [0.24, -1.5],
    [0.1, -1.5],
    [0.09, -2.8],
  ] as const)('of a description with a share of %s', (description, points) => {
    expectAtEdge({ description, buyer: 'unknown' }, reference - 0.7 + points)
  })
})

describe('agreement besides a short title', () => {
  const short = title({ shared: 7 })

  test.each<[string, Partial<Comparison>, 'merge' | 'not']>([
    ['a number counts twice', { sharedReference: true }, 'merge'],
    ['a deadline to the minute', { deadline: 'minute' }, 'not'],
    ['a deadline to the minute and codes', { deadline: 'minute', cpv: 'same' }, 'merge'],
    ['a description', { description: 0.8 }, 'not'],
    ['a description and codes', { description: 0.8, cpv: 'same' }, 'merge'],
    ['a description of less, and codes', { description: 0.79, cpv: 'same' }, 'not'],
    [
      'a description that tells something else, and codes',
      { description: 0.9, descriptionRest: 3.1, cpv: 'same' },
      'not',
    ],
    ['a description rewritten, and codes', { description: 0.9, isRewritten: true, cpv: 'same' }, 'not'],
    ['the day of a deadline', { deadline: 'day' }, 'not'],
    ['the day of a deadline, and codes', { deadline: 'day', cpv: 'same' }, 'merge'],
    ['a deadline two hours later, and codes', { deadline: 'shifted', cpv: 'same' }, 'merge'],
    ['codes', { cpv: 'same' }, 'not'],
    ['codes and a publication', { cpv: 'same', publishedDaysApart: 3 }, 'merge'],
    ['codes and a publication a day later', { cpv: 'same', publishedDaysApart: 4 }, 'not'],
    ['a publication', { publishedDaysApart: 0 }, 'not'],
  ])('%s', (_, given, expected) => {
    expect(kindOf({ title: short, ...given }) === 'merge').toBe(expected === 'merge')
  })

  test('among twins only strong agreement joins two', () => {
    const weak: Partial<Comparison> = { title: title({ shared: 20 }), deadline: 'day', cpv: 'same' }
    expect(kindOf(weak, 2)).toBe('merge')
    expect(kindOf(weak, 3)).not.toBe('merge')
    expect(kindOf({ ...weak, deadline: 'minute' }, 3)).toBe('merge')
  })

  test('a long title alone joins two that have no twin', () => {
    const alone: Partial<Comparison> = { title: title({ shared: 14, isEqual: true }) }
    expect(kindOf(alone, 1)).toBe('merge')
    expect(kindOf(alone, 2)).not.toBe('merge')
    expect(kindOf({ title: title({ shared: 13, isEqual: true }) }, 1)).not.toBe('merge')
  })

  test('people are asked about two that lack agreement, and not among three twins', () => {
    const likely: Partial<Comparison> = { title: title({ shared: 17 }), place: 'compatible' }
    expect(kindOf(likely, 2)).toBe('review')
    expect(kindOf(likely, 3)).toBe('none')
  })
})

describe('points of a translation', () => {
  const french = { language: 'fr' } as const
  const base: Partial<Comparison> = { title: undefined, deadline: 'day', publishedDaysApart: 5 }

  const found = (
    given: Partial<Comparison>,
    own: Partial<MatchRecord>,
    other: Partial<MatchRecord> = own,
  ): number | undefined => {
    const verdict = verdictOn(
      record('one', own),
      record('two', { ...other, ...french }),
      comparison({ ...base, ...given }),
      {
        twins: 1,
      },
    )
    return verdict.rule === 'translation' ? verdict.score : undefined
  }
  const numbers = (count: number) => ({ numbers: ['2026', '16', '48'].slice(0, count) })
  const names = (count: number): Partial<MatchRecord> => ({
    titles: [
      {
        language: 'de',
        words: ['sap', 'nordhalde', 'kita'].slice(0, count),
        weights: [9, 9, 9],
        joined: '',
        isTruncated: false,
      },
    ],
  })
  const inText = (count: number) => ({ descriptionNumbers: ['10', '20', '30'].slice(0, count) })

  test.each<[string, number | undefined, Partial<Comparison>, Partial<MatchRecord>]>([
    [
      'several codes 2.5, minute 1, place 0.5',
      6.5,
      { cpv: 'same', deadline: 'minute', place: 'compatible' },
      { cpv: ['3414', '3022'] },
    ],
    ['several codes 2.5, minute 1', undefined, { cpv: 'same', deadline: 'minute' }, { cpv: ['3414', '3022'] }],
    ['a code of goods 2, numbers 2', 6.5, { cpv: 'same' }, { cpv: ['3414'], ...numbers(3) }],
    [
      'a code of goods 2, a number 1, publication 0.5',
      undefined,
      { cpv: 'same', publishedDaysApart: 3 },
      { cpv: ['3414'], ...numbers(1) },
    ],
    [
      'a code of works 1, numbers 2, minute 1',
      6.5,
      { cpv: 'same', deadline: 'minute' },
      { cpv: ['4533'], ...numbers(2) },
    ],
    [
      'a code of works 1, numbers 2, publication 0.5',
      undefined,
      { cpv: 'same', publishedDaysApart: 3 },
      { cpv: ['4533'], ...numbers(2) },
    ],
    ['a short code 1, numbers 2, minute 1', 6.5, { cpv: 'same', deadline: 'minute' }, { cpv: ['341'], ...numbers(2) }],
    [
      'codes above one another 1, numbers 2, minute 1',
      6.5,
      { cpv: 'ancestor', deadline: 'minute' },
      { cpv: ['3414'], ...numbers(2) },
    ],
    ['names 2, numbers 2', 6.5, {}, { ...names(3), ...numbers(2) }],
    ['a name 1, numbers 2, publication 0.5', undefined, { publishedDaysApart: 3 }, { ...names(1), ...numbers(2) }],
    ['numbers of the text 2, numbers 2', 6.5, {}, { ...inText(3), ...numbers(2) }],
    [
      'numbers of the text 1, numbers 2, publication 0.5',
      undefined,
      { publishedDaysApart: 3 },
      { ...inText(1), ...numbers(2) },
    ],
    [
      'narrow place 1, numbers 2, minute 1',
      6.5,
      { place: 'compatible', deadline: 'minute' },
      { nuts: ['DEG07'], ...numbers(2) },
    ],
    [
      'wide place 0.5, numbers 2, minute 1',
      undefined,
      { place: 'compatible', deadline: 'minute' },
      { nuts: ['DEG'], ...numbers(2) },
    ],
    [
      'wide place 0.5, numbers 2, minute 1, publication 0.5',
      6.5,
      { place: 'compatible', deadline: 'minute', publishedDaysApart: 3 },
      { nuts: ['DEG'], ...numbers(2) },
    ],
    ['words 1.5, numbers 2, publication 0.5', 6.5, { translatedShare: 0.3, publishedDaysApart: 3 }, numbers(3)],
    ['words 1.4, numbers 2, publication 0.5', undefined, { translatedShare: 0.29, publishedDaysApart: 3 }, numbers(3)],
    ['words 0, names 2, numbers 2', 6.5, { translatedShare: 0.15 }, { ...names(2), ...numbers(2) }],
    ['words −0.1, names 2, numbers 2', undefined, { translatedShare: 0.14 }, { ...names(2), ...numbers(2) }],
    ['words 2.5 at most, numbers 2', 7, { translatedShare: 0.4 }, numbers(2)],
    ['words 2.5 and no more, numbers 2', 7, { translatedShare: 1 }, numbers(2)],
    [
      'nothing joins calls more than a week apart',
      undefined,
      { publishedDaysApart: 8 },
      { ...names(3), ...numbers(3) },
    ],
    ['calls a week apart', 6.5, { publishedDaysApart: 7 }, { ...names(3), ...numbers(3) }],
    ['a deadline at another hour', undefined, { deadline: 'shifted' }, { ...names(3), ...numbers(3) }],
    ['another place of one region', undefined, { place: 'same-region' }, { ...names(3), ...numbers(3) }],
    ['a language that is unknown', undefined, {}, { ...names(3), ...numbers(3), language: 'und' }],
    [
      'more than enough adds up: names 2, numbers 2, minute 1',
      7.5,
      { deadline: 'minute' },
      { ...names(2), ...numbers(2) },
    ],
  ])('%s', (_, score, given, own) => {
    expect(found(given, own)).toBe(score)
  })

  test('seven of ten numbers of the text are in a translation', () => {
    const text = (...descriptionNumbers: string[]) => ({ ...names(3), ...numbers(3), descriptionNumbers })
    const whole = text('10', '11', '12', '13', '14', '15', '16', '17', '18', '19')
    expect(found({}, whole, text('10', '11', '12', '13', '14', '15', '16', '57', '58', '59'))).toBe(6.5)
    expect(found({}, whole, text('10', '11', '12', '13', '14', '15', '56', '57', '58', '59'))).toBeUndefined()
  })
})

describe('vetoes', () => {
  const vetoed = (own: Partial<MatchRecord>, other: Partial<MatchRecord>, given: Partial<Comparison> = {}) =>
    vetoOf(record('one', own), record('two', other), comparison(given))?.name

  test.each<[string, number, Partial<MatchRecord>, (day: number) => Partial<MatchRecord>]>([
    ['two results', 45, { stage: 'result', resultDay: 1000 }, (day) => ({ stage: 'result', resultDay: 1000 + day })],
    ['two calls', 60, { firstDay: 1000 }, (day) => ({ firstDay: 1000 + day })],
    ['a call and its result', 720, { firstDay: 1000 }, (day) => ({ stage: 'result', resultDay: 1000 + day })],
  ])('%s are at most %d days apart', (_, most, own, other) => {
    expect(vetoed(own, other(most))).toBeUndefined()
    expect(vetoed(own, other(most + 1))).toBe('time')
    expect(vetoed(other(most), own)).toBeUndefined()
    expect(vetoed(other(most + 1), own)).toBe('time')
  })

  test('a form that one portal misnames needs nine tenths of the title', () => {
    const misnamed = (jaccard: number) =>
      vetoed({ stage: 'planning' }, {}, { title: title({ jaccard }), description: 0.9, publishedDaysApart: 1 })
    expect([misnamed(0.9), misnamed(0.89)]).toEqual([undefined, 'stage'])
  })

  test('under a short title, another buyer has the same text at most ten days apart', () => {
    const given = { descriptionNumbers: ['10', '20', '30'] }
    const other = (publishedDaysApart: number) =>
      vetoed(given, given, {
        title: title({ shared: 11 }),
        buyer: 'conflict',
        description: 0.95,
        cpv: 'same',
        publishedDaysApart,
      })
    expect([other(10), other(11)]).toEqual([undefined, 'buyer'])
  })

  test('a result is of a day after the call', () => {
    const after = (days: number) => vetoed({ firstDay: 1000 }, { stage: 'result', resultDay: 1000 + days })
    expect([after(0), after(1)]).toEqual(['time', undefined])
  })

  test.each<[string, number, (rest: number) => Partial<Comparison>]>([
    ['substitution', 3, (rest) => ({ title: title({ smallerRest: rest }) })],
    ['short-description', 4, (rest) => ({ descriptionRest: rest })],
  ])('%s: what each has alone weighs more than %d', (name, most, given) => {
    expect(vetoed({}, {}, given(most))).toBeUndefined()
    expect(vetoed({}, {}, given(most + 0.1))).toBe(name)
  })
})

describe('one portal', () => {
  const words = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at)
  const row = { isFromPages: true } as const
  const finding = (own: Partial<MatchRecord>, other: Partial<MatchRecord>, given: Partial<Comparison>, twins = 1) =>
    samePortalFinding(
      record('one', { ...row, ...own }),
      record('two', { ...row, ...other }),
      comparison({ isSameSource: true, title: title({ isEqual: true }), ...given }),
      twins,
    )?.kind

  test('words that each text may have alone', () => {
    const text = (own: number, from: number) => ({ textWords: [...words(0, 50), ...words(from, own)] })
    expect(finding(text(2, 100), text(2, 200), {})).toBe('review')
    expect(finding(text(2, 100), text(3, 200), {})).toBe('review')
    expect(finding(text(3, 100), text(3, 200), {})).toBeUndefined()
    // one continues: as much as both have, and no more
    expect(finding(text(0, 100), text(50, 200), {})).toBe('merge')
    expect(finding(text(0, 100), text(51, 200), {})).toBeUndefined()
  })

  test('words that are enough', () => {
    const described = (count: number, cpv: readonly string[]) => ({ textWords: words(0, count), cpv })
    const same = (count: number, cpv: readonly string[], given: Partial<Comparison> = {}) =>
      finding(described(count, cpv), described(count, cpv), given)
    expect([same(3, []), same(4, [])]).toEqual(['review', 'merge'])
    expect([same(5, ['45']), same(6, ['45'])]).toEqual(['review', 'merge'])
    expect([same(5, ['71']), same(6, ['71'])]).toEqual(['review', 'merge'])
    expect(same(1, ['3414'])).toBe('merge')
    expect(same(1, ['4533'], { cpv: 'same' })).toBe('merge')
    const other = (count: number) =>
      finding(described(count, ['4521', '4533']), described(count, ['45', '4533', '4534']), { cpv: 'ancestor' })
    expect([other(11), other(12)]).toEqual(['review', 'merge'])
  })

  test('a general code may be that of another trade, however long the common text', () => {
    const found = (a: string, b: string) =>
      finding(
        { textWords: words(0, 40), cpv: [a] },
        { textWords: words(0, 40), cpv: [b] },
        { cpv: cpvRelation([a], [b]) },
      )
    expect([found('45311', '45'), found('71221', '713'), found('45', '45'), found('34144', '34')]).toEqual([
      'review',
      'review',
      'merge',
      'merge',
    ])
    expect([cpvRelation(['71221'], ['713']), cpvRelation(['45311'], ['45'])]).toEqual(['near', 'ancestor'])
  })

  test('letters of a title that a typo changes', () => {
    const named = (joined: string): Partial<MatchRecord> => ({
      titles: [{ language: 'de', words: [joined], weights: [9], joined, isTruncated: false }],
      textWords: words(0, 20),
    })
    const equal = { title: title() }
    expect(finding(named('umbaupfosten'), named('umbaupfo'), equal)).toBeUndefined()
    expect(finding(named('umbaupfosten'), named('umbaupfos'), equal)).toBe('merge')
  })

  test('nats of a title that identify a row without a text', () => {
    const at = (shared: number, code: string, given: Partial<Comparison> = {}) =>
      finding(
        { cpv: [code] },
        { cpv: [code] },
        { publishedDaysApart: 3, title: title({ isEqual: true, shared }), ...given },
        4,
      )
    expect([at(13.9, '72'), at(14, '72')]).toEqual([undefined, 'merge'])
    expect([at(17.9, '4533', { cpv: 'same' }), at(18, '4533', { cpv: 'same' })]).toEqual([undefined, 'merge'])
    expect([at(29.9, '45'), at(30, '45')]).toEqual([undefined, 'merge'])
    expect(at(40, '45', { publishedDaysApart: 4 })).toBeUndefined()
  })

  test('additional words by which a text of another portal is another text', () => {
    const rewritten = (own: number, shared: number) =>
      compareRecords(
        record('one', { textWords: words(0, shared + own) }),
        record('two', { textWords: [...words(0, shared), ...words(1000, own)] }),
      ).isRewritten
    expect([rewritten(3, 10), rewritten(4, 10)]).toEqual([false, true])
    expect([rewritten(8, 100), rewritten(9, 100)]).toEqual([false, true])
  })
})

test('a mark of a type that the other lacks is lone; one in a text only where the other has a text', () => {
  const marked = (given: Partial<MatchRecord> = {}) => record('one', { discriminators: { lot: ['2'] }, ...given })
  const inTitle = marked({ isMarkedInTitle: true })
  expect(hasLoneDiscriminator(inTitle, b)).toBe(true)
  expect(hasLoneDiscriminator(b, inTitle)).toBe(true)
  expect(hasLoneDiscriminator(inTitle, marked())).toBe(false)
  expect(hasLoneDiscriminator(marked(), b)).toBe(false)
  expect(hasLoneDiscriminator(marked(), record('two', { descriptionLength: 1 }))).toBe(true)
  expect(hasLoneDiscriminator(inTitle, record('two', { discriminators: { phase: ['2'] } }))).toBe(true)
})
