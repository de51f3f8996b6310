// The picker of codes, measured on a list of everyday words with the codes that people mean.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rankCodes } from '../../src/console/codes/rank-codes.ts'
import { callsForCode } from '../../src/domain/code-labels.ts'

const list = join(import.meta.dirname, '../../../shared/look/find/words.tsv')

describe.skipIf(!existsSync(list))('everyday words', () => {
  test('get a first suggestion that is bought, and what is meant among the first eight', () => {
    const rows = readFileSync(list, 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t'))
    const seen = rows.map(([, word, best, , near = '']) => {
      const found = rankCodes('cpv', word!, 8)
      const meant = [best!, ...near.split(' ')]
      return { isCalled: callsForCode(found[0] ?? '') > 0, isNear: found.some((code) => meant.includes(code)) }
    })
    const share = (count: number) => count / rows.length
    const called = share(seen.filter(({ isCalled }) => isCalled).length)
    const near = share(seen.filter(({ isNear }) => isNear).length)
    console.log(
      `${rows.length} words: first called for ${called.toFixed(3)}, meant or near in eight ${near.toFixed(3)}`,
    )
    expect(called).toBeGreaterThanOrEqual(0.97)
    expect(near).toBeGreaterThanOrEqual(0.95)
  })
})
