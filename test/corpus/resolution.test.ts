// Floors under what the resolution was measured to do on the corpus (npm run bench -- quality): a change that loses quality fails here.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type CopyReport,
  doeIndex,
  type ListRowFigures,
  labelledPairs,
  listRows,
  placedCopies,
} from '../../quality/resolution.ts'

const corpus = join(import.meta.dirname, '../../../shared/corpus')
const folder = join(corpus, 'cross-portal')
const isMissing = !existsSync(folder)
const seed = 20_261_121

describe.skipIf(isMissing)('the resolution on the corpus', () => {
  let rows: ListRowFigures | undefined
  let copies: CopyReport | undefined

  beforeAll(() => {
    const { listings, index, withoutDeadlines } = doeIndex(folder)
    rows = listRows(folder, withoutDeadlines)
    copies = placedCopies(listings, index, { seed, copies: 1200, corpus })
    console.log(`seed ${seed}`)
  })

  test('joins hand-labeled pairs without a wrong one', () => {
    const figures = labelledPairs(folder)!
    expect(figures.wrong).toEqual([])
    expect(figures.recall).toBeGreaterThanOrEqual(0.9)
    expect(figures.reviewRate).toBeLessThanOrEqual(0.05)
  })

  test('joins list rows without a wrong one', () => {
    expect(rows!.wrong).toEqual([])
    expect(rows!.recall).toBeGreaterThanOrEqual(0.85)
  })

  test('finds the true notice of a copy, and hardly ever another', () => {
    const { all, full } = copies!
    expect(all.blockRecall).toBeGreaterThanOrEqual(0.995)
    expect(full.precision).toBeGreaterThanOrEqual(0.995)
    expect(full.recall).toBeGreaterThanOrEqual(0.945)
    expect(all.openWorldFalse).toBeLessThanOrEqual(0.004)
    expect(all.reviewRate).toBeLessThanOrEqual(0.02)
  })
})
