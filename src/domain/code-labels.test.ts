import { describe, expect, test } from 'vitest'
import { type codeKinds, codeLabel, codesAbove, codesBelow, codesCalled, findCodes } from './code-labels.ts'
import { cpvRange, officialCheckDigit } from './cpv.ts'
import { nutsNumber, nutsRange } from './nuts.ts'

const allBelow = (kind: (typeof codeKinds)[number], code?: string): string[] =>
  codesBelow(kind, code).flatMap((child) => [child, ...allBelow(kind, child)])

describe('names and trees of codes', () => {
  test('hold every official code of CPV once, with a name in both languages', () => {
    const codes = allBelow('cpv')
    expect(codes).toHaveLength(9454)
    expect(new Set(codes).size).toBe(9454)
    for (const code of codes) {
      expect(officialCheckDigit(code)).toBeDefined()
      expect(codeLabel('cpv', code, 'en')).toMatch(/\S/)
      expect(codeLabel('cpv', code, 'de')).toMatch(/\S/)
    }
    expect(codesBelow('cpv')).toHaveLength(45)
    expect(allBelow('nuts')).toHaveLength(2323)
  })

  test('are correct where the published table mixed two up', () => {
    expect(codeLabel('cpv', '34000000', 'de')).toBe('Transportmittel und Erzeugnisse für Verkehrszwecke')
    expect(codeLabel('cpv', '33952000', 'en')).toBe('Anti-putrefaction masks')
  })

  test('are the trees of the filters: everything below a code is covered by it', () => {
    for (const code of allBelow('cpv')) {
      const { from, to } = cpvRange(code)
      for (const child of codesBelow('cpv', code)) {
        expect(Number(child)).toBeGreaterThan(from)
        expect(Number(child)).toBeLessThanOrEqual(to)
      }
    }
    for (const code of allBelow('nuts')) {
      const { from, to } = nutsRange(code)
      for (const child of codesBelow('nuts', code)) {
        expect(nutsNumber(child)).toBeGreaterThan(from)
        expect(nutsNumber(child)).toBeLessThanOrEqual(to)
      }
    }
    expect(codesAbove('cpv', '45233141')).toEqual([
      '45000000',
      '45200000',
      '45230000',
      '45233000',
      '45233100',
      '45233140',
    ])
    expect(codesAbove('nuts', 'DE212')).toEqual(['DE', 'DE2', 'DE21'])
  })

  test('name countries in both languages, including those with different NUTS letters', () => {
    expect([codeLabel('nuts', 'DE', 'en'), codeLabel('nuts', 'DE', 'de')]).toEqual(['Germany', 'Deutschland'])
    expect([codeLabel('nuts', 'EL', 'en'), codeLabel('nuts', 'UK', 'de')]).toEqual(['Greece', 'Vereinigtes Königreich'])
    expect([codeLabel('nuts', 'DED', 'en'), codeLabel('nuts', 'DED', 'de')]).toEqual(['Saxony', 'Sachsen'])
    expect(codesCalled('nuts', 'sachsen')).toEqual(codesCalled('nuts', 'Saxony'))
    expect(codeLabel('nuts', 'DE211', 'en')).toBe('Ingolstadt, Kreisfreie Stadt')
    expect(codeLabel('cpv', '12345678', 'en')).toBeUndefined()
  })

  const searches: readonly [kind: (typeof codeKinds)[number], text: string, first: string][] = [
    ['cpv', '45233', '45233000'],
    ['cpv', '45233141-9', '45233141'],
    ['cpv', '45', '45000000'],
    ['cpv', 'Straßenbauarbeiten', '45233120'],
    ['cpv', 'strassenbauarbeiten', '45233120'],
    ['cpv', 'highway maintenance', '45233139'],
    ['nuts', 'de21', 'DE21'],
    ['nuts', 'Altotting', 'DE214'],
    ['nuts', 'Germany', 'DE'],
  ]
  test.each(searches)('find in %s by "%s" first %s', (kind, text, first) => {
    expect(findCodes(kind, text, 5)[0]).toBe(first)
  })

  test('find nothing for an empty text, and no more than requested', () => {
    expect(findCodes('cpv', '  ', 5)).toEqual([])
    expect(findCodes('cpv', '<!>', 5)).toEqual([])
    expect(findCodes('cpv', 'xqx', 5)).toEqual([])
    expect(findCodes('cpv', 'bau', 7)).toHaveLength(7)
  })
})
