// What the page of tenders shows of collected notices, by the word index beside the edition log, is what the search
// that its button saves matches: both ways, against the plain loop. `PROOF=full` compares 10 million pairs.
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readCorpusRecords } from '../../quality/corpus-records.ts'
import { questionOf } from '../../src/console/find/find-pages.ts'
import { saveableOf } from '../../src/console/find/saved-filter.ts'
import { maxFound } from '../../src/edition/read/tender-question.ts'
import { appendEdition, openEditionLog } from '../../src/edition/write/edition-log.ts'
import { matchOf } from '../../src/hits/plain-match.ts'
import { madeUpQuestion, savedFilter, savedPart } from '../console/saved-question.ts'
import { proofCount } from '../proof/proof-count.ts'
import { randomOf } from '../testing/generate/random.ts'
import { seed } from '../testing/seed.ts'

const corpus = join(import.meta.dirname, '../../../shared/corpus')
const pairs = proofCount({ share: 1_000_000, full: 10_000_000 })
/** Before most deadlines of the corpus, which is from 2015 to 2026. */
const at = Date.parse('2020-11-22T06:00:00.000Z')

const idOf = (index: number) => `${index.toString(16).padStart(8, '0')}-7d3e-8b64-9a10-5c2e7f4b9d31`

describe.skipIf(!existsSync(corpus))('the corpus, found', () => {
  test('a saved search matches what the page showed', { timeout: 900_000 }, async () => {
    // treats most as open, so that searches match them
    const records = (await readCorpusRecords(corpus)).map(({ archiveReason, ...record }, index) => ({
      ...record,
      ...(index % 5 === 0
        ? archiveReason !== undefined && { archiveReason }
        : { status: index % 3 === 0 ? ('planned' as const) : ('open' as const) }),
    }))
    const folder = await mkdtemp(join(tmpdir(), 'tenderstock-found-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const log = await openEditionLog(folder, { clock: () => at })
    const stamped = records.map((record, index) => ({
      ...record,
      id: idOf(index),
      lastModified: new Date(at + index).toISOString(),
    }))
    const lastModified = at + records.length - 1
    const edition = {
      edition: 1,
      lastModified,
      publishedAt: at,
      records: records.length,
      changes: records.length,
      checks: {},
    }
    await appendEdition(
      log,
      edition,
      stamped.map(({ checkedAt: _, ...record }, index) => ({
        lastModified: at + index,
        body: JSON.stringify(record),
        sources: '["ted"]',
      })),
    )
    log.keepFindable()
    await log.indexed(120_000)
    const random = randomOf(seed, 12)
    let [compared, matches, questions] = [0, 0, 0]
    while (compared < pairs) {
      const asked = savedPart(madeUpQuestion(stamped, random))
      const saveable = saveableOf(asked)
      if (saveable.kind === 'refused') continue
      const filter = savedFilter(saveable.filter)
      const found = log.findTenders(questionOf(asked, at, { offset: 0, limit: maxFound }))
      const shown = found.positions.map((position) => log.meta(position).id).sort()
      const matched = stamped.filter((record) => matchOf(filter, record, at) !== undefined).map(({ id }) => id)
      expect(shown, JSON.stringify(asked)).toEqual(matched.sort())
      expect([found.indexed, found.total]).toEqual([1, matched.length])
      compared += records.length
      matches += matched.length
      questions++
    }
    console.log(`${questions} questions, ${compared} pairs, ${matches} matches`)
    expect(matches).toBeGreaterThan(questions)
    await log.close()
  })
})
