import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofCount } from '../../../test/proof/proof-count.ts'
import { randomOf } from '../../../test/testing/generate/random.ts'
import { generateTender } from '../../../test/testing/generate/stock.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import { fewWords } from '../../domain/token-table.ts'
import type { CompanyProfile } from '../company-profile.ts'
import { defaultThreshold } from '../saved-search.ts'
import { calibrated, fitOf, openScorer, type Scored } from './fit.ts'
import { type FitModel, type FitWeights, readFitModel } from './fit-model.ts'
import { openTermCounters } from './term-counter.ts'

const instant = '2026-11-22T06:00:00.000Z'
const nothing: FitWeights = {
  cpv: 0,
  cpvRarity: 0,
  keywords: 0,
  pastWins: 0,
  winTitles: 0,
  winAuthorities: 0,
  region: 0,
  value: 0,
  pastAuthority: 4,
}
const all: FitWeights = {
  cpv: 0.3,
  cpvRarity: 0.1,
  keywords: 0.3,
  pastWins: 0.05,
  winTitles: 0.03,
  winAuthorities: 0.02,
  region: 0.1,
  value: 0.1,
  pastAuthority: 4,
}

const straight = [
  [0, 0],
  [100, 100],
] as const

/** Every word weighs 5 nats, each shared digit 1 nat, and a text has 2 words on average. */
const modelWith = (weights: Partial<FitWeights>): FitModel => ({
  weights: { ...nothing, ...weights },
  calibration: {
    version: 'test',
    points: {
      wins: [
        [0, 0],
        [20, 50],
        [100, 100],
      ],
      noWins: straight,
      winsHome: straight,
      noWinsHome: straight,
    },
  },
  words: { meanLength: 2, weightOf: () => 5, cpvWeightOf: (digits) => digits.length },
  pieces: () => 5,
  authorities: () => 5,
})

function recordOf(members: Partial<TenderRecord>): TenderRecord {
  return {
    id: '00000000-0000-8000-8000-000000000001',
    status: 'open',
    lastModified: instant,
    checkedAt: instant,
    title: 'Nothing here',
    contractAmount: null,
    cpvCodes: [],
    nutsCodes: [],
    lots: [],
    originalSources: [],
    ...members,
  }
}

const amount = (value: number, estimated = false) => ({ value, currency: 'EUR', estimated })
const lot = (lotId: string, cpvCodes: string[]) => ({ lotId, status: 'open', cpvCodes, nutsCodes: [] })

/** Computes the score from the payload alone, as every receiver can. */
function recomputed({ fit }: Scored, model: FitModel): number {
  const sum = fit.parts.reduce((total, { points }) => total + Math.round(10 * (points ?? 0)), 0) / 10
  expect(fit.sum).toBe(sum)
  let raw = sum
  for (const rule of fit.rules) {
    const [, added] = /^past-authority \+(\d+)$/.exec(rule) ?? []
    const [, fixed] = /^nothing to compare: (\d+)$/.exec(rule) ?? []
    if (added !== undefined) raw += Number(added)
    else if (fixed !== undefined) raw = Number(fixed)
    else return 0
  }
  expect(fit.raw).toBeCloseTo(Math.min(100, raw), 9)
  return calibrated(fit.raw, fit.calibration.split(' ')[1] as Parameters<typeof calibrated>[1], model)
}

function scored(profile: CompanyProfile, record: TenderRecord, model: FitModel, wins: TenderRecord[] = []): Scored {
  const found = fitOf({ profileId: 'p', profile, wins }, record, model)
  expect(found.fitScore).toBe(recomputed(found, model))
  return found
}

describe('by codes alone', () => {
  const cases: readonly (readonly [own: string, code: string, raw: number, text: string])[] = [
    ['45233141', '45233141', 100, '45233141 is yours'],
    ['45233140', '45233140', 97, '45233140 is yours'],
    ['45233100', '45233100', 93, '45233100 is yours'],
    ['45233000', '45233000', 88, '45233000 is yours'],
    ['45230000', '45230000', 75, '45230000 is yours'],
    ['45200000', '45200000', 55, '45200000 is yours'],
    ['45000000', '45000000', 25, '45000000 is yours'],
    ['45000000', '45233141', 23.8, '45233141 lies below your 45000000'],
    ['45200000', '45233141', 52.3, '45233141 lies below your 45200000'],
    ['45230000', '45233141', 71.2, '45233141 lies below your 45230000'],
    ['45233000', '45233141', 83.6, '45233141 lies below your 45233000'],
    ['45233100', '45233141', 88.4, '45233141 lies below your 45233100'],
    ['45233140', '45233141', 92.2, '45233141 lies below your 45233140'],
    ['45233141', '45233000', 83.6, '45233000 holds your 45233141'],
    ['45233141', '45000000', 23.8, '45000000 holds your 45233141'],
    ['45233141', '45233142', 97, '45233142 and your 45233141 share 4523314'],
    ['45233141', '45233220', 88, '45233220 and your 45233141 share 45233'],
    ['45233141', '45262522', 55, '45262522 and your 45233141 share 452'],
    ['45233141', '45432130', 25, '45432130 and your 45233141 share 45'],
    ['30000000', '31000000', 0, '31000000 has nothing of your codes'],
    ['45233141', '71000000', 0, '71000000 has nothing of your codes'],
    ['03212210', '03212213', 92.2, '03212213 lies below your 03212210'],
  ]
  test.each(cases)('%s and %s', (own, code, raw, text) => {
    const { fit } = scored({ cpv: [own] }, recordOf({ cpvCodes: [code] }), modelWith({ cpv: 1 }))
    expect(fit.raw).toBe(raw)
    expect(fit.parts[0]).toEqual({ part: 'cpv', points: raw, of: 100, text })
  })

  test('a lot with the best code is named, one with the code of its tender is not', () => {
    const lots = [lot('LOT-0001', ['71000000']), lot('LOT-0002', ['45233141'])]
    const model = modelWith({ cpv: 1 })
    expect(scored({ cpv: ['45233141'] }, recordOf({ cpvCodes: ['71000000'], lots }), model).fit.lot).toBe('LOT-0002')
    expect(scored({ cpv: ['45233141'] }, recordOf({ cpvCodes: ['45233141'], lots }), model).fit.lot).toBeNull()
    expect(scored({ cpv: ['90000000'] }, recordOf({ lots }), model).fit.lot).toBeNull()
  })

  test.each([
    ['45000000', '45000000', 25],
    ['45233141', '45233220', 62.5],
    ['45233141', '45233141', 100],
  ])('the digits that %s and %s share count by their rarity', (own, code, raw) => {
    expect(scored({ cpv: [own] }, recordOf({ cpvCodes: [code] }), modelWith({ cpvRarity: 1 })).fit.raw).toBe(raw)
  })
})

describe('by regions alone', () => {
  const cases: readonly (readonly [own: string, code: string, raw: number])[] = [
    ['DE212', 'DE212', 100],
    ['DE21', 'DE212', 100],
    ['DE', 'DE212', 100],
    ['DE212', 'DE211', 80],
    ['DE212', 'DE225', 55],
    ['DE212', 'DE712', 35],
    ['DE212', 'DE21', 90],
    ['DE212', 'DE2', 75],
    ['DE212', 'DE', 60],
    ['DE21', 'DE2', 75],
    ['DE212', 'AT212', 0],
    ['EL30', 'GR303', 100],
    ['DE212', 'de212', 100],
  ]
  test.each(cases)('%s and %s', (own, code, raw) => {
    const record = recordOf({ nutsCodes: [code], cpvCodes: ['45000000'] })
    expect(scored({ cpv: ['45000000'], nuts: [own] }, record, modelWith({ region: 1 })).fit.raw).toBe(raw)
  })

  test('the regions of past wins hold only themselves', () => {
    const win = recordOf({ nutsCodes: ['DE2'] })
    expect(scored({}, recordOf({ nutsCodes: ['DE212'] }), modelWith({ region: 1 }), [win]).fit.raw).toBe(55)
  })
})

describe('by value alone', () => {
  const range = { cpv: ['45000000'], valueMin: 100_000, valueMax: 1_000_000 }
  const cases: readonly (readonly [value: number, raw: number])[] = [
    [100_000, 100],
    [500_000, 100],
    [1_000_000, 100],
    [2_000_000, 50],
    [4_000_000, 25],
    [10_000_000, 10],
    [50_000, 50],
    [10_000, 10],
  ]
  test.each(cases)('%i in a range', (value, raw) => {
    expect(scored(range, recordOf({ contractAmount: amount(value) }), modelWith({ value: 1 })).fit.raw).toBe(raw)
  })

  test.each([
    [100_000, 100],
    [1_000_000, 60.7],
    [10_000, 60.7],
    [10_000_000, 13.5],
  ])('%i beside past wins of 100,000', (value, raw) => {
    const win = recordOf({ contractAmount: amount(100_000) })
    expect(scored({}, recordOf({ contractAmount: amount(value) }), modelWith({ value: 1 }), [win]).fit.raw).toBe(raw)
  })

  test('an estimate counts half, another currency is not known', () => {
    const cpvCodes = ['71000000']
    const model = modelWith({ cpv: 0.5, value: 0.5 })
    expect(scored(range, recordOf({ cpvCodes, contractAmount: amount(500_000) }), model).fit.raw).toBe(50)
    expect(scored(range, recordOf({ cpvCodes, contractAmount: amount(500_000, true) }), model).fit.raw).toBe(33.3)
    const pounds = { value: 500_000, currency: 'GBP', estimated: false }
    const { fit } = scored(range, recordOf({ cpvCodes, contractAmount: pounds }), model)
    expect(fit.parts[4]).toMatchObject({ points: null, of: 0, text: 'not known: left out, the others count more' })
    expect(fit.parts[0]!.of).toBe(100)
  })
})

describe('by words alone', () => {
  const model = modelWith({ keywords: 1 })
  // 20 points a word: 4 × 5 nats. In a title of one word: 20 × 2 × 2.2 ÷ (2 + 1.2) = 27.5, of kappa 12
  const cases: readonly (readonly [words: string[], title: string, raw: number, terms: string[]])[] = [
    [['asphalt'], 'Asphalt', 89.9, ['asphalt']],
    [['asphalt'], 'Asphaltarbeiten', 89.9, ['asphalt']],
    [['asphalt'], 'Gussasphalt', 89.9, ['asphalt']],
    [['straßenbau'], 'STRASSENBAU', 89.9, ['straßenbau']],
    [['brücke'], 'Bruecke', 89.9, ['brücke']],
    [['bau'], 'Bauarbeiten', 0, []],
    [['bau'], 'Bau', 89.9, ['bau']],
    [['asphalt'], 'Reinigung', 0, []],
    [['asphalt', 'teer'], 'Asphalt', 74.7, ['asphalt']],
  ]
  test.each(cases)('%j in %s', (words, title, raw, terms) => {
    const { fit } = scored({ words }, recordOf({ title }), model)
    expect(fit.raw).toBe(raw)
    expect(fit.parts[1]!.terms).toEqual(terms)
  })

  test('the nearest past win counts, not their mean', () => {
    const wins = [recordOf({ title: 'Asphaltarbeiten Landstraße' }), recordOf({ title: 'Fensterreinigung Schule' })]
    const toWins = modelWith({ pastWins: 1 })
    expect(scored({}, recordOf({ title: 'Asphaltarbeiten Landstraße' }), toWins, wins).fit.raw).toBe(100)
    expect(scored({}, recordOf({ title: 'Fensterreinigung Schule' }), toWins, wins).fit.raw).toBe(100)
    expect(scored({}, recordOf({ title: 'Lieferung Obst' }), toWins, wins).fit.raw).toBe(0)
  })

  test('texts and titles count apart', () => {
    const [record, win] = ['Los 1: Obst', 'Titel'].map((title) => recordOf({ title, description: 'Asphaltarbeiten' }))
    expect(scored({}, record!, modelWith({ pastWins: 1 }), [win!]).fit.raw).toBeGreaterThan(40)
    expect(scored({}, record!, modelWith({ winTitles: 1 }), [win!]).fit.raw).toBe(0)
  })

  test('a shorter vector holds the heaviest terms', () => {
    const { words, read } = openTermCounters(readFitModel(), fewWords)
    read(recordOf({ title: 'Asphalt Straße', description: 'Asphalt und Obst, Zaun und Dach' }))
    const all = words.heaviest(100)
    for (let most = 1; most <= all.numbers.length; most++)
      expect([...words.heaviest(most).numbers]).toEqual([...all.numbers.slice(0, most)])
    expect(all.numbers.length).toBeGreaterThanOrEqual(5)
  })
})

describe('a tender of another trade', () => {
  const toWins = modelWith({ pastWins: 1 })
  const win = recordOf({ title: 'Berufskolleg Quellmar: Malerarbeiten', cpvCodes: ['45442100'] })
  const heating = recordOf({ title: 'Berufskolleg Quellmar: Heizung', cpvCodes: ['45331100'] })
  const painter: CompanyProfile = { cpv: ['45442100'], words: ['malerarbeiten'] }
  const pointsOf = (profile: CompanyProfile, record: TenderRecord) =>
    scored(profile, record, toWins, [win]).fit.parts[2]!.points!
  const whole = pointsOf({}, heating)

  test('is half as like a past win, however like their texts are', () => {
    expect(whole).toBeGreaterThan(40)
    expect(pointsOf(painter, heating)).toBeCloseTo(whole / 2, 0)
  })

  test.each<[string, CompanyProfile, Partial<TenderRecord>]>([
    ['without a code it may be of the trade', painter, { cpvCodes: [] }],
    ['a code of the same group is of the trade', painter, { cpvCodes: ['45440000'] }],
    ['a word of the profile is of the trade', { ...painter, words: ['heizung'] }, {}],
    ['past wins alone name no trade', {}, {}],
  ])('%s', (_, profile, members) => {
    expect(pointsOf(profile, { ...heating, ...members })).toBeCloseTo(whole, 1)
  })
})

describe('rules', () => {
  const model = modelWith(all)
  const authority = { name: 'Stadt Quellmar', nationalId: 'DE 123.457', country: 'DE' }
  const fitting = recordOf({
    title: 'Asphalt',
    cpvCodes: ['45233141'],
    contractNature: 'works',
    contractingAuthority: authority,
  })
  const profile: CompanyProfile = { cpv: ['45233141'], words: ['asphalt'] }
  const refused: readonly (readonly [more: CompanyProfile, rule: string])[] = [
    [{ excludedWords: ['asphalt'] }, 'excluded: "asphalt" in the title'],
    [{ excludedCpv: ['45233000'] }, 'excluded: 45233141 by 45233000'],
    [{ excludedCpv: ['45000000'] }, 'excluded: 45233141 by 45000000'],
    [{ countries: ['FR'] }, 'country DE'],
    [{ contractNatures: ['supplies'] }, 'contract nature works'],
  ]
  test.each(refused)('%j makes the score 0', (more, rule) => {
    const { fitScore, fit } = scored({ ...profile, ...more }, fitting, model)
    expect(fitScore).toBe(0)
    expect(fit).toMatchObject({ raw: 0, rules: [rule] })
    expect(fit.sum).toBeGreaterThan(50)
  })

  const passed: readonly CompanyProfile[] = [
    { excludedWords: ['sphal'] },
    { excludedWords: ['as'] },
    { excludedCpv: ['45233142'] },
    { excludedCpv: ['30000000'] },
    { countries: ['DE'] },
    { contractNatures: ['works'] },
  ]
  test.each(passed)('%j does not', (more) => {
    expect(scored({ ...profile, ...more }, fitting, model).fitScore).toBeGreaterThan(50)
  })

  test.each<readonly [CompanyProfile, readonly (keyof TenderRecord)[]]>([
    [{ contractNatures: ['supplies'] }, ['contractNature']],
    [{ countries: ['FR'] }, ['contractingAuthority', 'realizedLocation']],
  ])('%j does not where the tender has no %j', (more, absent) => {
    const silent = { ...fitting, lots: [lot('LOT-0001', ['45233141'])] }
    for (const member of absent) delete silent[member]
    expect(scored({ ...profile, ...more }, silent, model).fitScore).toBeGreaterThan(50)
  })

  test('an excluded word is found wherever it occurs', () => {
    const far = `${'x '.repeat(5000)}Reinigung`
    const lots = Array.from({ length: 40 }, (_, index) => ({
      ...lot(`LOT-${index}`, []),
      description: index === 39 ? far : 'y',
    }))
    const { fit } = scored({ ...profile, excludedWords: ['reinigung'] }, { ...fitting, lots }, model)
    expect(fit.rules).toEqual(['excluded: "reinigung" in the description of lot 39'])
  })

  test.each(['Stadt Quellmar', 'STADT QUELLMAR', 'de123457'])('a past authority adds points: %s', (name) => {
    const far = { ...fitting, cpvCodes: ['71000000'] }
    const without = scored(profile, far, model).fit
    const { fit } = scored({ ...profile, pastAuthorities: [name] }, far, model)
    expect(fit.rules).toEqual(['past-authority +4'])
    expect(fit.raw).toBeCloseTo(without.raw + 4, 9)
  })

  test('the authority of a past win is found again by its id, unless the id is none or the name says otherwise', () => {
    const scoredBy = (won: object, buyer: object) => {
      const win = recordOf({ contractingAuthority: { country: 'DE', ...won } as typeof authority })
      const record = { ...fitting, contractingAuthority: { country: 'DE', ...buyer } as typeof authority }
      return scored(profile, record, model, [win]).fit.rules
    }
    const past = ['past-authority +4']
    const [name, nationalId] = ['Stadt Quellmar', 'DE811111112']
    expect(scoredBy({ name, nationalId }, { name: 'Quellmar, Bauamt', nationalId: '811111112' })).toEqual(past)
    expect(scoredBy({ name, nationalId }, { name: 'Klinikum Rehbach', nationalId })).toEqual([])
    expect(scoredBy({ name, nationalId: 'DE401' }, { name: 'Quellmar, Bauamt', nationalId: 'DE401' })).toEqual([])
    expect(scoredBy({ name, nationalId: 'DE401' }, { name: 'STADT QUELLMAR', nationalId })).toEqual(past)
  })

  test('past wins keep their terms, however many terms the wins of all profiles have', () => {
    const random = randomOf(1)
    const letters = () => String.fromCharCode(97 + random.integer(0, 25))
    const text = () => Array.from({ length: 12 }, () => Array.from({ length: 99 }, letters).join('')).join(' ')
    const wins = Array.from({ length: 24 }, () => recordOf({ title: text(), description: text() }))
    const model = modelWith({ pastWins: 1 })
    const own = { profileId: 'own', profile, wins: [fitting] }
    const scorer = openScorer([own, { profileId: 'other', profile, wins }], model, fewWords)
    scorer.read(fitting)
    expect(scorer.score(0, 0)).toEqual(fitOf(own, fitting, model))
  })

  test('nothing is above 100', () => {
    const model = modelWith({ cpv: 1 })
    expect(scored({ ...profile, pastAuthorities: ['Stadt Quellmar'] }, fitting, model)).toMatchObject({ fitScore: 100 })
  })

  test('by the search alone, every match reaches the default threshold, and the score ranks the matches', () => {
    const bySearch = (profile: CompanyProfile, record: TenderRecord): number => {
      const found = fitOf({ profileId: null, profile, wins: [] }, record, model)
      expect(found.fit.profile).toBeNull()
      expect(found.fitScore).toBe(recomputed(found, model))
      return found.fitScore
    }
    const words = ['asphalt', 'fahrbahn', 'straße', 'deckschicht']
    const search = { cpv: ['45233000'], words }
    const much = recordOf({ title: 'Straße: Asphalt, Fahrbahn und Deckschicht', cpvCodes: ['45233141'] })
    const some = recordOf({ title: 'Straße und anderes', cpvCodes: ['45233141', '90600000'] })
    const little = recordOf({
      title: 'Neubau',
      description: `Gebäude mit Garten, ${'Fenster, Dach und Keller, '.repeat(8)}mit einer Straße`,
      cpvCodes: ['45210000', '45300000', '45400000'],
      lots: [lot('LOT-0003', ['45233000'])],
    })
    const scores = [much, some, little].map((record) => bySearch(search, record))
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(scores[0]! - scores[2]!).toBeGreaterThanOrEqual(20)
    expect(scores[2]).toBeGreaterThanOrEqual(defaultThreshold)
    expect(bySearch({ cpv: ['45000000'] }, fitting)).toBeGreaterThanOrEqual(defaultThreshold)
    const nothing = fitOf({ profileId: null, profile: {}, wins: [] }, fitting, model)
    expect(nothing).toMatchObject({ fitScore: 80, fit: { rules: ['nothing to compare: 60'] } })
  })
})

test.each([
  [['45233141', '45233142'], ['45233000'], '45233141 lies below your 45233000'],
  [['45233000'], ['45233142', '45233141'], '45233000 holds your 45233142'],
  [['45233100', '45300000'], ['45310000', '45233200'], '45233100 and your 45233200 share 45233'],
  [['45310000', '90910000'], ['90910000', '45310000'], '45310000 is yours'],
])('of equal codes the first counts: %j for %j', (cpvCodes, cpv, text) => {
  const { parts } = fitOf({ profileId: 'p', profile: { cpv }, wins: [] }, recordOf({ cpvCodes }), modelWith(all)).fit
  expect(parts[0]!.text).toBe(text)
})

describe('any score', () => {
  const now = Date.parse(instant)
  const records = Array.from({ length: 60 }, (_, index) => ({
    ...generateTender({ seed: 9, count: 60, size: 'small', now }, index),
    lastModified: instant,
    checkedAt: instant,
  }))
  const inFrance = { ...records[0]!, nutsCodes: ['FR1'] }
  const model = readFitModel()
  const profiles = records.slice(0, 20).map(({ cpvCodes, nutsCodes, title }, index) => ({
    profileId: index % 4 === 0 ? null : `p${index}`,
    profile: { cpv: cpvCodes, nuts: nutsCodes, words: [title.split(' ')[0]!.toLowerCase()], valueMin: 1000 },
    wins: index % 3 === 0 ? records.slice(index, index + 3) : [],
  }))

  test('adds up, by the table that is shipped', () => {
    const scorer = openScorer(profiles, model)
    for (const record of records) {
      scorer.read(record)
      profiles.forEach((profile, number) => {
        const found = scorer.score(number, 0)!
        expect(found.fitScore).toBe(recomputed(found, model))
        expect(Math.abs(100 - found.fit.parts.reduce((sum, { of }) => sum + of, 0))).toBeLessThanOrEqual(0.3)
        if (number === 7) expect(found).toEqual(fitOf(profile, record, model))
      })
    }
  })

  test('is the same for one of many profiles, which share codes, regions and past wins', () => {
    const sharing = profiles.map((given, index) => ({
      ...given,
      profile: {
        cpv: index % 5 === 4 ? [] : profiles[index >> 1]!.profile.cpv,
        words: given.profile.words,
        nuts: index % 2 === 0 ? profiles[index >> 1]!.profile.nuts.map((code) => code.slice(0, 3)) : [],
      },
      wins: given.profileId === null ? [] : [...records.slice(index >> 1, (index >> 1) + 3), inFrance],
    }))
    sharing.push({ profileId: 'home', profile: { cpv: [], words: ['x'], nuts: ['FR1'] }, wins: [] })
    const scorer = openScorer(sharing, model)
    for (const record of [...records.slice(0, 8), { ...inFrance, id: 'other', nutsCodes: ['FR101'] }]) {
      scorer.read(record)
      sharing.forEach((profile, number) => {
        expect(scorer.score(number, 0)).toEqual(fitOf(profile, record, model))
      })
    }
  })

  test('is left out early only if it is below the requested score', () => {
    const scorer = openScorer(profiles, model)
    fc.assert(
      fc.property(fc.nat(records.length - 1), fc.nat(profiles.length - 1), fc.nat(2), (record, profile, more) => {
        scorer.read(records[record]!)
        const full = scorer.score(profile, 0)!
        const least = full.fitScore + more
        expect(scorer.score(profile, least)).toEqual(full.fitScore >= least ? full : undefined)
      }),
      { numRuns: proofCount({ share: 200, full: 5000 }) },
    )
  })
})
