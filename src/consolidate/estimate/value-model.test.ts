// The model: the same from any order, honest about its width, silent without evidence, and within the law.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofCount } from '../../../test/proof/proof-count.ts'
import { randomOf } from '../../../test/testing/generate/random.ts'
import { estimateValue, refusalsOfModel, rounded } from './estimate-value.ts'
import { eurosOf } from './reference-rates.ts'
import { legalBounds } from './thresholds.ts'
import { inputsHash, type ValueInputs } from './value-inputs.ts'
import { fitValueModel, openValueModel, type PricedTender } from './value-model.ts'

const kinds = [
  { cpv: '45212222', nature: 'works', title: 'Neubau einer Turnhalle', log: 6.2 },
  { cpv: '90911200', nature: 'services', title: 'Gebäudereinigung der Schulen', log: 5.4 },
  { cpv: '30213100', nature: 'supplies', title: 'Lieferung tragbarer Rechner', log: 4.8 },
] as const

const inputsOf = (kind: (typeof kinds)[number], given: Partial<ValueInputs> = {}): ValueInputs => ({
  title: kind.title,
  description: '',
  buyer: 'Stadt Muster',
  cpvCodes: [kind.cpv],
  nature: kind.nature,
  country: 'DE',
  nutsCode: 'DE212',
  lots: 1,
  months: undefined,
  isFramework: false,
  isDynamicPurchasingSystem: false,
  legalBasis: undefined,
  procedureType: 'open',
  level: undefined,
  year: 2026,
  kind: 'call',
  ...given,
})

/** Tenders whose values scatter by a factor of about two around that of their kind. */
function made(seed: number, count: number): PricedTender[] {
  const random = randomOf(seed)
  const scatter = () => (random.integer(-1000, 1000) + random.integer(-1000, 1000) + random.integer(-1000, 1000)) / 5000
  return Array.from({ length: count }, (_, index) => {
    const kind = kinds[index % kinds.length]!
    const inputs = inputsOf(kind, { title: `${kind.title} ${index % 7}`, buyer: `Stadt ${random.integer(1, 60)}` })
    return {
      id: `t-${String(index).padStart(5, '0')}`,
      inputs,
      euros: 10 ** (kind.log + scatter()),
      date: '2026-01-01',
    }
  })
}

const sample = made(1, 600)
const parameters = fitValueModel(sample)
const model = openValueModel(JSON.parse(JSON.stringify(parameters)) as typeof parameters)

describe('the model of values', () => {
  test('is the same to the bit from any order of the tenders', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(sample.slice(0, 90), { minLength: 90 }), (shuffled) => {
        expect(fitValueModel(shuffled)).toEqual(fitValueModel(sample.slice(0, 90)))
      }),
      { numRuns: proofCount({ share: 2, full: 100 }) },
    )
  })

  test('answers near the truth, and its interval holds for 70 to 90 % of other tenders', () => {
    const others = made(2, 300)
    let inside = 0
    for (const { inputs, euros } of others) {
      const { log, low, high } = model.predict(inputs)
      expect(Math.abs(log - kinds.find(({ cpv }) => cpv === inputs.cpvCodes[0])!.log)).toBeLessThan(0.3)
      if (Math.log10(euros) >= low && Math.log10(euros) <= high) inside++
    }
    expect(inside / others.length).toBeGreaterThan(0.7)
    expect(inside / others.length).toBeLessThan(0.9)
  })

  test('has honest intervals when it is tested on every second tender', () => {
    const large = openValueModel(fitValueModel(made(5, 3002)))
    const others = made(6, 300).map(({ inputs, euros }) => ({ ...large.predict(inputs), log: Math.log10(euros) }))
    const inside = others.filter(({ log, low, high }) => log >= low && log <= high).length / others.length
    expect(inside).toBeGreaterThan(0.7)
    expect(inside).toBeLessThan(0.9)
  }, 60_000)

  test('has an interval for each country that holds for its own tenders', () => {
    const ofCountries = (seed: number): PricedTender[] =>
      made(seed, 900).map((each, index) => {
        const { log } = kinds[index % kinds.length]!
        const isOther = index % 4 === 0
        const euros = isOther ? 10 ** (log + 1.6 * (Math.log10(each.euros) - log)) : each.euros
        return { ...each, inputs: { ...each.inputs, country: isOther ? 'FI' : 'DE' }, euros }
      })
    const both = openValueModel(fitValueModel(ofCountries(3)))
    const others = ofCountries(4).map(({ inputs, euros }) => ({ ...both.predict(inputs), inputs, euros }))
    for (const [, own] of Map.groupBy(others, ({ inputs }) => inputs.country)) {
      const inside = own.filter(({ low, high, euros }) => Math.log10(euros) >= low && Math.log10(euros) <= high)
      expect(inside.length / own.length).toBeGreaterThan(0.7)
      expect(inside.length / own.length).toBeLessThan(0.9)
    }
  })

  test('a typing error of three zeros does not move the tenders of its kind', () => {
    const typo = sample.map((each, index) => (index === 0 ? { ...each, euros: each.euros * 1000 } : each))
    const moved = openValueModel(fitValueModel(typo)).predict(
      inputsOf(kinds[0], { title: 'Turnhalle', buyer: 'Stadt 99' }),
    )
    const before = model.predict(inputsOf(kinds[0], { title: 'Turnhalle', buyer: 'Stadt 99' }))
    expect(Math.abs(moved.log - before.log)).toBeLessThan(0.1)
  })

  test('knows a framework agreement by its name in the text', () => {
    const frameworks = sample.map((each, index) =>
      index % 4 === 0 ? { ...each, inputs: { ...each.inputs, isFramework: true }, euros: each.euros * 10 } : each,
    )
    const other = openValueModel(fitValueModel(frameworks))
    const logOf = (description: string): number => other.predict(inputsOf(kinds[1], { description })).log
    for (const named of ['Accord-cadre', 'eine RAHMENVEREINBARUNG', 'umowę ramową', 'a framework agreement'])
      expect(logOf(named) - logOf('nichts davon')).toBeGreaterThan(0.3)
  })

  test('learns what a word says, whatever is bought', () => {
    const worded = sample.map((each, index) => {
      if (index % 3 === 2 || index % 2 === 0) return each
      return { ...each, inputs: { ...each.inputs, title: `${each.inputs.title} umfangreich` }, euros: each.euros * 8 }
    })
    const other = openValueModel(fitValueModel(worded))
    const logOf = (title: string): number => other.predict(inputsOf(kinds[2], { title })).log
    expect(logOf(`${kinds[2].title} umfangreich`) - logOf(`${kinds[2].title} sonstiges`)).toBeGreaterThan(0.2)
  })
})

describe('an estimate', () => {
  test('has two significant digits, an interval, a confidence and a basis', () => {
    const judgment = estimateValue(model, inputsOf(kinds[1]), 'v1-test')
    if (judgment.kind !== 'estimate') throw new Error(judgment.reason)
    const { value, low = 0, high = 0, ...rest } = judgment.amount
    expect([value, low, high]).toEqual([value, low, high].map(rounded))
    expect(low).toBeLessThanOrEqual(value)
    expect(high).toBeGreaterThanOrEqual(value)
    expect(rest).toMatchObject({ currency: 'EUR', estimated: true, modelVersion: 'v1-test' })
    expect(rest.confidence).toBe(high / low <= 8 ? 'high' : high / low <= 20 ? 'medium' : 'low')
    expect(rest.basis).toMatch(/^30 similar tenders with a published value: t-\d+.*CPV 909112\d*: median|^30 similar/)
  })

  test('is refused for announcements, qualification systems and modifications, and without evidence', () => {
    for (const kind of ['planning', 'qualification', 'modification'] as const)
      expect(estimateValue(model, inputsOf(kinds[0], { kind }), 'v')).toEqual({ kind: 'refusal', reason: kind })
    expect(estimateValue(model, inputsOf(kinds[0], { cpvCodes: [], title: 'Los 3' }), 'v')).toEqual({
      kind: 'refusal',
      reason: 'noEvidence',
    })
    const strange = { cpvCodes: ['03111000'], title: 'qwertz uiopas dfghjk yxcvbn', buyer: '', nature: undefined }
    expect(estimateValue(model, inputsOf(kinds[0], strange), 'v').kind).toBe('refusal')
  })

  test('is refused if the most similar tenders differ too much, until a model has closer ones', () => {
    const lorry = (index: number, euros: number): PricedTender => ({
      id: `l-${String(index).padStart(5, '0')}`,
      inputs: inputsOf(kinds[2], { title: `Fahrzeug ${index % 5}`, cpvCodes: ['34144000'], buyer: `Kreis ${index}` }),
      euros,
      date: '2026-01-01',
    })
    const asked = inputsOf(kinds[2], { title: 'Fahrzeug', cpvCodes: ['34144000'], buyer: 'Kreis Neu' })
    const mixed = sample.concat(
      Array.from({ length: 40 }, (_, index) => lorry(index, index % 2 === 0 ? 3_000 : 900_000)),
    )
    const alike = sample.concat(Array.from({ length: 40 }, (_, index) => lorry(index, 50_000 + index * 1000)))
    expect(estimateValue(openValueModel(fitValueModel(mixed)), asked, 'v')).toEqual({
      kind: 'refusal',
      reason: 'tooWide',
      priced: 640,
    })
    expect(estimateValue(openValueModel(fitValueModel(alike)), asked, 'v').kind).toBe('estimate')
    expect(refusalsOfModel).toEqual(expect.arrayContaining(['tooWide', 'noPrices']))
  })

  test('for an authority unknown to the model, has a wider interval', () => {
    const widths = ['Stadt 7', 'Stadt Unbekannt'].map((buyer) => {
      const { low, high } = model.predict(inputsOf(kinds[1], { buyer }))
      return high - low
    })
    expect(widths[1]).toBeGreaterThan(widths[0]!)
  })

  test('prefers the value in the text to the model', () => {
    const description = 'Der geschätzte Auftragswert beträgt 77.400 EUR netto.'
    expect(estimateValue(model, inputsOf(kinds[0], { description }), 'v')).toMatchObject({
      amount: { value: 77_000, currency: 'EUR', estimated: true, confidence: 'high' },
    })
  })

  test('is refused where no priced tender of its level, nature and country is known', () => {
    for (const other of [{ level: 'national' }, { level: 'eu' }, { country: 'AT' }, { nature: 'notWorks' }] as const)
      expect(estimateValue(model, inputsOf(kinds[1], other), 'v')).toEqual({
        kind: 'refusal',
        reason: 'noPrices',
        priced: 600,
      })
  })

  test('stays within the law: none where the model or the text is above what the level allows', () => {
    const national = sample.map((each) => ({ ...each, inputs: { ...each.inputs, level: 'national' as const } }))
    const known = openValueModel(fitValueModel(national))
    const asked = (nature: 0 | 1 | 2, given: Partial<ValueInputs> = {}) =>
      estimateValue(known, inputsOf(kinds[nature], { level: 'national', ...given }), 'v')
    // 250,000 euros of cleaning
    expect(asked(1)).toMatchObject({ kind: 'refusal', reason: 'outsideLaw' })
    expect(asked(2)).toMatchObject({ kind: 'estimate' })
    expect(asked(0)).toMatchObject({ kind: 'estimate' })
    const stated = (amount: string) => `Der geschätzte Auftragswert beträgt ${amount} EUR netto.`
    expect(asked(1, { description: stated('240.000') })).toMatchObject({ reason: 'outsideLaw' })
    expect(asked(1, { description: stated('210.000') })).toMatchObject({ amount: { value: 210_000, high: 216_000 } })
    expect(asked(1, { description: stated('700.000'), cpvCodes: ['80500000'] })).toMatchObject({ kind: 'estimate' })
    expect(asked(1, { description: stated('760.000'), cpvCodes: ['80500000'] })).toMatchObject({ kind: 'refusal' })
  })

  test.each([
    ['services', false, 2026, 216_000],
    ['notWorks', false, 2026, 216_000],
    ['services', true, 2026, 750_000],
    ['works', false, 2019, 5_548_000],
  ])('the most that the law allows below the thresholds: %s, social %s, in %i: %i', (nature, isSocial, year, most) => {
    expect(legalBounds({ level: 'national', nature, isUtilities: false, isSocial, year }).greatest).toBe(most)
    expect(legalBounds({ level: 'eu', nature: 'works', isUtilities: false, isSocial, year }).least).toBe(0)
  })
})

test('amounts are converted to euros at the rate of their year', () => {
  expect(eurosOf({ value: 4686, currency: 'PLN' }, 2022)).toBeCloseTo(1000)
  expect(eurosOf({ value: 4240, currency: 'PLN' }, 2031)).toBeCloseTo(1000)
  expect(eurosOf({ value: 5, currency: 'EUR' }, undefined)).toBe(5)
  expect(eurosOf({ value: 5, currency: 'XXX' }, 2022)).toBeUndefined()
})

test('the hash of inputs changes with each of them', () => {
  const base = inputsOf(kinds[0])
  const hashes = new Set([
    inputsHash(base),
    ...(['title', 'description', 'buyer', 'nature', 'country', 'nutsCode'] as const).map((name) =>
      inputsHash({ ...base, [name]: 'other' }),
    ),
    inputsHash({ ...base, lots: 2 }),
    inputsHash({ ...base, months: 3 }),
    inputsHash({ ...base, cpvCodes: ['45000000'] }),
    inputsHash({ ...base, level: 'eu' }),
    inputsHash({ ...base, year: 2027 }),
  ])
  expect(hashes.size).toBe(12)
  expect(inputsHash({ ...base })).toBe(inputsHash(base))
})
