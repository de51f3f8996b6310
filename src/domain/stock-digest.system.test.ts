// The canonical form and the digest as an independent program in Python computes them.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proofCount } from '../../test/proof/proof-count.ts'
import { askPython, hasPython, stateByPython } from '../../test/state-digest.ts'
import { generateTender } from '../../test/testing/generate/stock.ts'
import { canonicalForm, DigestSum, recordHash, sumsOfDigest } from './stock-digest.ts'

if (!hasPython) console.log('skipped: the digest of another program (no python3)')

const formsOf = (lines: readonly string[]): string[] => askPython(lines, '--forms').split('\n').slice(0, -1)

test.skipIf(!hasPython)('the canonical form equals the output of an independent program for any JSON', () => {
  const values = fc.sample(fc.json({ maxDepth: 4, stringUnit: 'binary' }), proofCount({ share: 150, full: 5000 }))
  const numbers = fc
    .sample(fc.double({ noNaN: true, noDefaultInfinity: true }), 2000)
    .map((each) => JSON.stringify(each))
  const edges = [
    '1e21',
    '1e20',
    '123456789012345680000',
    '1e-6',
    '1e-7',
    '5e-324',
    '1.7976931348623157e308',
    '-0',
    '0.1',
  ]
  const texts = [
    '"\\ud800"',
    '"\\udc00x"',
    '"\\ud83d\\ude00"',
    '"\\u007f\\u2028\\u0000"',
    '{"\\ud83d\\ude00":1,"\\ufb33":2}',
  ]
  const lines = [...values, ...numbers, ...edges, ...texts]
  expect(lines.map((line) => canonicalForm(JSON.parse(line)))).toEqual(formsOf(lines))
})

test.skipIf(!hasPython)(
  'D58: the digest of records equals that of an independent program, in any order and with any check',
  () => {
    const stock = { seed: 3, count: 200, now: Date.UTC(2026, 0, 1) } as const
    const records = Array.from({ length: 200 }, (_, number) => generateTender(stock, number, 0))
    const sum = new DigestSum()
    for (const record of records)
      sum.add(recordHash({ ...record, checkedAt: 'now' }), record.archiveReason === undefined)
    const lines = records.map((record) => JSON.stringify({ checkedAt: 'then', ...record })).reverse()
    expect(stateByPython(lines)).toEqual({ records: 200, digest: sum.digest })
    const { open, all } = sumsOfDigest(sum.digest)!
    expect(open).not.toBe(all)
  },
)
