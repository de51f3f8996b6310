// Lower bounds for what the resolution was measured to do on the corpus (npm run bench -- quality): a change that loses
// quality fails here.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type CopyReport,
  doeIndex,
  type ListRowFigures,
  labeledPairs,
  listingsInOtherLanguages,
  listRows,
  placedCopies,
} from '../../quality/resolution.ts'
import { type WithinPortalReport, withinPortal } from '../../quality/within-portal.ts'
import { proofCount } from '../proof/proof-count.ts'
import { seed } from '../testing/seed.ts'

const corpus = join(import.meta.dirname, '../../../shared/corpus')
const folder = join(corpus, 'cross-portal')
const isMissing = !existsSync(folder)
const isFull = proofCount({ share: 0, full: 1 }) === 1
/** Each proof uses another one, so that no rule is written for its copies. */
const copySeed = isFull ? seed : 20_261_121
const copyCount = proofCount({ share: 1200, full: 33_600 })

describe.skipIf(isMissing)('the resolution on the corpus', () => {
  let rows: ListRowFigures | undefined
  let copies: CopyReport | undefined
  let within: WithinPortalReport | undefined

  beforeAll(async () => {
    const translated = await listingsInOtherLanguages(corpus)
    const { listings, index, withoutDeadlines } = doeIndex(folder, translated)
    rows = listRows(folder, withoutDeadlines)
    within = withinPortal(corpus, withoutDeadlines)
    copies = placedCopies(listings, index, { seed: copySeed, copies: copyCount, corpus, translated })
    const { openWorldFalse, recallWithoutTwins } = copies!.all
    console.log(
      `seed ${copySeed}: ${copyCount} copies, ${openWorldFalse} wrong without the true one, ${recallWithoutTwins} found`,
    )
  }, 900_000)

  test('joins hand-labeled pairs without a wrong merge', () => {
    const figures = labeledPairs(folder)!
    expect(figures.wrong).toEqual([])
    expect(figures.recall).toBeGreaterThanOrEqual(0.9)
    expect(figures.reviewRate).toBeLessThanOrEqual(0.05)
  })

  test('joins list rows without a wrong merge', () => {
    expect(rows!.wrong).toEqual([])
    expect(rows!.recall).toBeGreaterThanOrEqual(0.85)
  })

  test('joins notices of one portal as human readers did, and keeps earlier correct merges', () => {
    const { drawn, apart, ofCorpus } = within!
    expect(drawn.rows).toBeGreaterThanOrEqual(150)
    expect({ drawn: drawn.wrongRows, apart: apart.wrongRows }).toEqual({ drawn: [], apart: [] })
    expect(drawn.recall).toBeGreaterThanOrEqual(0.97)
    expect(apart.recall).toBeGreaterThanOrEqual(0.6)
    expect(ofCorpus?.precision ?? 1).toBeGreaterThanOrEqual(0.99)
  })

  test('finds the original notice of a copy, and very rarely another one', () => {
    const { all, full } = copies!
    expect(all.blockRecall).toBeGreaterThanOrEqual(0.995)
    expect(full.precision).toBeGreaterThanOrEqual(0.995)
    // of 1,200 copies it varies by 0.007
    expect(full.recall).toBeGreaterThanOrEqual(isFull ? 0.945 : 0.935)
    expect(all.openWorldFalse).toBeLessThanOrEqual(isFull ? 0.003 : 0.004)
    expect(all.reviewRate).toBeLessThanOrEqual(0.02)
  })

  test('finds translations of authorities from which no words were counted', () => {
    const translated = copies!.byProfile['translated']!
    expect(translated.recall).toBeGreaterThanOrEqual(0.8)
    expect(translated.wrong).toBe(0)
  })
})
