// The model test and the benchmarks depend on the generated stock, so its own properties are tested here.
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { tenderRecordSchema } from '../../../src/domain/tender.ts'
import { generateStock, generateTender } from './stock.ts'

const options = { seed: 7, count: 3000, now: Date.UTC(2026, 10, 1) }

describe('a generated stock', () => {
  const contents = [...generateStock(options)]
  const share = (test: (content: (typeof contents)[number]) => boolean): number =>
    contents.filter(test).length / contents.length

  test('is the same for the same seed, and different for another', () => {
    expect(generateTender(options, 17)).toEqual(contents[17])
    expect(generateTender({ ...options, seed: 8 }, 17)).not.toEqual(contents[17])
    expect(generateTender(options, 17, 1)).not.toEqual(contents[17])
  })

  test('holds only valid records, each ID once', () => {
    for (const content of contents.slice(0, 500)) {
      const record = { ...content, lastModified: '2026-11-01T00:00:00.000Z', checkedAt: '2026-11-01T00:00:00.000Z' }
      expect([...Value.Errors(tenderRecordSchema, record)].map((error) => error.message)).toEqual([])
    }
    expect(new Set(contents.map(({ id }) => id)).size).toBe(contents.length)
  })

  test('has the sizes and gaps of a real stock', () => {
    const meanSize =
      contents.reduce((sum, content) => sum + Buffer.byteLength(JSON.stringify(content)), 0) / contents.length
    expect(meanSize).toBeGreaterThan(2500)
    expect(meanSize).toBeLessThan(3700)
    expect(share(({ submissionDate }) => submissionDate === undefined)).toBeGreaterThan(0.03)
    expect(share(({ nutsCodes }) => nutsCodes.length === 0)).toBeGreaterThan(0.03)
    expect(share(({ contractAmount }) => contractAmount === null)).toBeGreaterThan(0.3)
    expect(share(({ procedureType }) => procedureType === undefined)).toBeGreaterThan(0.03)
    expect(share(({ archiveReason }) => archiveReason !== undefined)).toBeGreaterThan(0.5)
    expect(share(({ status }) => status === 'open')).toBeGreaterThan(0.05)
    expect(
      share(({ cpvCodes, lots }) => lots.some((lot) => lot.cpvCodes.some((code) => !cpvCodes.includes(code)))),
    ).toBeGreaterThan(0.1)
  })
})
