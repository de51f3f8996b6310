// Packing loses nothing of a record; its mark and number agree with the matching.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofCount } from '../../../test/proof/proof-count.ts'
import { generateNotice } from '../../../test/testing/generate/similar-notices.ts'
import type { Unit } from '../notice-units.ts'
import { blockNumber, isWeakNumber } from './block-number.ts'
import { blockingKeys, isWeakKey } from './blocking-keys.ts'
import { decide } from './decide.ts'
import type { MatchRecord } from './match-record.ts'
import { packRecord, unpackRecord } from './packed-record.ts'
import { prepare } from './prepare.ts'
import { areTooFarApart, timeMark } from './time-mark.ts'

const world = { seed: 5, count: 3000 }

const records = new Map<number, MatchRecord>()

function recordOf(index: number, given: Partial<MatchRecord> = {}): MatchRecord {
  let record = records.get(index)
  if (!record) {
    const notice = generateNotice(world, index)
    const unit: Unit = { notice, rowIds: [], sourceIds: [] }
    record = prepare(notice.noticeKey, [unit])
    records.set(index, record)
  }
  return { ...record, ...given }
}

describe('a stored record', () => {
  test('is the record', () => {
    for (let index = 0; index < 60; index++) {
      const record = recordOf(index)
      expect(unpackRecord(packRecord(record))).toEqual(record)
    }
    const hashes = [0, 1, 0x7fffffff, 0x80000000, 0xffffffff]
    expect(unpackRecord(packRecord(recordOf(0, { shingles: hashes }))).shingles).toEqual(hashes)
  })
})

describe('marks', () => {
  const stages = ['call', 'result', 'contract', 'planning'] as const
  const dated = fc.record({
    stage: fc.constantFrom(...stages),
    first: fc.option(fc.integer({ min: 20_000, max: 20_900 }), { nil: undefined }),
    length: fc.integer({ min: 0, max: 200 }),
    result: fc.option(fc.integer({ min: 20_000, max: 20_900 }), { nil: undefined }),
  })
  const at = (
    index: number,
    { stage, first, length, result }: typeof dated extends fc.Arbitrary<infer T> ? T : never,
  ) => {
    const { firstDay: _, lastDay: __, resultDay: ___, ...rest } = recordOf(index, { stage })
    return {
      ...rest,
      ...(first !== undefined && { firstDay: first, lastDay: first + length }),
      ...(result !== undefined && { resultDay: result }),
    }
  }

  test('separates only what the vetoes separate, and most of what is too far apart', () => {
    const runs = proofCount({ share: 1000, full: 20_000 })
    const seen = { apart: 0, near: 0 }
    fc.assert(
      fc.property(dated, dated, (one, other) => {
        // The same call on two portals: except for the dates, nothing contradicts one tender.
        const [a, b] = [at(1, one), at(8, other)]
        const isApart = areTooFarApart(timeMark(a), timeMark(b))
        expect(areTooFarApart(timeMark(b), timeMark(a))).toBe(isApart)
        seen[isApart ? 'apart' : 'near']++
        if (isApart)
          expect(decide(a, b, { twins: 1 })).toMatchObject({ kind: 'none', rule: expect.stringMatching(/^veto-/) })
      }),
      { numRuns: runs },
    )
    expect(Math.min(seen.apart, seen.near)).toBeGreaterThan(0.15 * runs)
  })

  test('twins never support a pair: records separate with one stay separate with more', () => {
    for (let index = 0; index < 400; index++) {
      const [a, b] = [recordOf(index), recordOf(index - (index % 10) + 8)]
      if (a.key === b.key || decide(a, b, { twins: 1 }).kind !== 'none') continue
      for (const twins of [0, 2, 3, 4]) expect(decide(a, b, { twins }).kind).toBe('none')
    }
  })
})

describe('numbers of keys', () => {
  test('are integers of 53 bits, odd for weak keys, and different for 10,000 keys', () => {
    const keys = new Set(Array.from({ length: 1000 }, (_, index) => blockingKeys(recordOf(index))).flat())
    const numbers = new Set([...keys].map((key) => blockNumber(key, isWeakKey(key))))
    expect(keys.size).toBeGreaterThan(10_000)
    expect(numbers.size).toBe(keys.size)
    const isWrong = (key: string): boolean => {
      const number = blockNumber(key, isWeakKey(key))
      return !Number.isSafeInteger(number) || isWeakNumber(number) !== isWeakKey(key)
    }
    expect([...keys].filter(isWrong)).toEqual([])
  })
})
