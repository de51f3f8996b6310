// Floors under the acts that are read from the notices of the corpus, against labels read by hand.
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { actFigures, readDoeRows, readLabeledActs } from '../../quality/acts.ts'
import { readNewDeadline } from '../../src/domain/acts/deadline-text.ts'
import { followUpText } from '../../src/domain/acts/follow-up.ts'
import { readAct } from '../../src/domain/acts/read-act.ts'

const corpus = join(import.meta.dirname, '../../../shared/corpus')
const labeled = await readLabeledActs(corpus)

describe.skipIf(labeled.length === 0)('acts of labeled notices', () => {
  test('98 % of all sure labels, and 95 % of each source with 50', () => {
    const { sure, exact } = actFigures(labeled)
    expect(sure).toBeGreaterThan(540)
    expect(exact / sure).toBeGreaterThan(0.98)
    for (const [source, own] of Map.groupBy(labeled, ({ label }) => label.source)) {
      const figures = actFigures(own)
      if (figures.sure >= 50) expect(figures.exact / figures.sure, source).toBeGreaterThan(0.95)
    }
  })

  test('at most one call in 200 is lost, and one notice in 100 is wrongly open', () => {
    const { calls, lostCalls, wronglyOpen } = actFigures(labeled)
    expect(lostCalls * 200).toBeLessThanOrEqual(calls)
    expect(wronglyOpen * 100).toBeLessThanOrEqual(labeled.length)
  })

  test('nine of ten deadlines that running text names', () => {
    const moved = labeled.filter(({ label }) => label.newDeadline !== undefined)
    const right = moved.filter(({ label, notice }) => {
      const text = followUpText(notice.description?.['de'] ?? '') ?? Object.values(notice.changeText ?? {}).join('\n')
      const published = notice.publicationDate ?? notice.dispatchDate
      const read = readNewDeadline(text, { language: notice.language, published, zone: 'Europe/Berlin' })
      const structured = notice.submissionDate ?? notice.participationDate
      const at = read?.kind === 'at' ? read.at : structured
      return at !== undefined && localTime(at).startsWith(label.newDeadline!.slice(0, 10))
    })
    expect(moved.length).toBeGreaterThan(15)
    expect(right.length / moved.length).toBeGreaterThanOrEqual(0.9)
  })
})

const rows = readDoeRows(corpus)

test.skipIf(rows.length === 0)(
  'of all rows of the German service 3 to 6 % with a number are no calls, and few others',
  () => {
    const isNumeric = (key: string): boolean => /:\d+$/.test(key)
    const share = (own: typeof rows): number =>
      own.filter((notice) => readAct(notice).act !== 'call').length / own.length
    const numeric = share(rows.filter(({ noticeKey }) => isNumeric(noticeKey)))
    expect(numeric).toBeGreaterThan(0.03)
    expect(numeric).toBeLessThan(0.06)
    expect(share(rows.filter(({ noticeKey }) => !isNumeric(noticeKey)))).toBeLessThan(0.002)
  },
)

const localTime = (at: string): string =>
  new Date(at).toLocaleString('sv', { timeZone: 'Europe/Berlin' }).replace(' ', 'T')
