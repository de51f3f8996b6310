import { describe, expect, it } from 'vitest'
import type { SyncCounts } from '../sync/sync.ts'
import type { Environment } from './environment.ts'
import { duration, fitted, rate, wrapped } from './format.ts'
import { Progress, type ProgressOptions } from './progress.ts'

function world(columns: number | undefined, options: Partial<ProgressOptions> = {}) {
  const seen = { out: '', err: '', now: 0 }
  const environment = {
    clock: () => seen.now,
    stdout: { write: (text: string) => (seen.out += text) },
    stderr: { write: (text: string) => (seen.err += text), columns },
  } as unknown as Environment
  return { seen, progress: new Progress({ title: 'run', isJson: false, isQuiet: false, ...options }, environment) }
}
const counts = (pages: number): SyncCounts => ({
  pages,
  records: pages * 100,
  upserted: 0,
  closed: 0,
  merged: 0,
  fetched: 0,
  restarts: 0,
})
const page = (pages: number) =>
  ({
    type: 'page',
    records: 100,
    counts: counts(pages),
    lastModified: '2026-11-02T08:15:00.000Z',
    hasMore: true,
  }) as const

describe('progress', () => {
  it('at a terminal redraws one line that is never wider than the terminal', () => {
    const { seen, progress } = world(80)
    progress.onSync({ type: 'run', kind: 'first', isResumed: false })
    for (let pages = 1; pages <= 3; pages++) {
      seen.now += 1000
      progress.onSync(page(pages))
    }
    expect(seen.err.split('\r\u001b[K').slice(1)).toEqual([
      'first run  100 records  100/s  page 1  1.0 s',
      'first run  200 records  100/s  page 2  2.0 s',
      'first run  300 records  100/s  page 3  3.0 s',
    ])
    progress.onClient({ type: 'wait', path: '/v1/tenders', reason: 'pace', ms: 59_000 })
    progress.onClient({ type: 'wait', path: '/v1/tenders', reason: 'unavailable', ms: 3_600_000 })
    const last = seen.err.split('\r\u001b[K').at(-1)!
    expect(last.trimEnd()).toBe('first run  300 records  100/s  page 3  3.0 s  waits 1 h 0 min: API unavailable')
    expect(last.length).toBeLessThanOrEqual(79)
    progress.clear()
    expect(seen.err.endsWith('\r\u001b[K')).toBe(true)
  })

  it('says how long it will take only if an earlier run shows how many records there are', () => {
    const { seen, progress } = world(80, { expectedRecords: 1000 })
    progress.onSync({ type: 'run', kind: 'first', isResumed: false })
    seen.now += 2000
    progress.onSync(page(2))
    expect(seen.err).toContain('~8.0 s left')
    seen.err = ''
    progress.onSync({ type: 'run', kind: 'delta', isResumed: false, updatedSince: '2026-11-02T08:00:00.000Z' })
    seen.now += 2000
    progress.onSync(page(2))
    expect(seen.err).not.toContain('left')
    expect(seen.err).toContain('up to 11-02 08:15')
  })

  it('in a log writes an occasional line, and every long wait', () => {
    const { seen, progress } = world(undefined)
    progress.onSync({ type: 'run', kind: 'delta', isResumed: true, updatedSince: '2026-11-02T08:00:00.000Z' })
    for (let pages = 1; pages <= 25; pages++) {
      seen.now += 1000
      progress.onSync(page(pages))
    }
    progress.onClient({ type: 'wait', path: '/', reason: 'pace', ms: 900 })
    progress.onClient({
      type: 'retry',
      path: '/',
      attempt: 1,
      cause: new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }),
    })
    progress.onClient({ type: 'wait', path: '/', reason: 'failure', ms: 60_000 })
    expect(seen.err.trimEnd().split('\n')).toEqual([
      'delta run continues where the last one stopped',
      'delta run  1,000 records  100/s  page 10  10 s  up to 11-02 08:15',
      'delta run  2,000 records  100/s  page 20  20 s  up to 11-02 08:15',
      'waiting 1 min 00 s: the connection was refused: nothing listens at this address (ECONNREFUSED)',
    ])
  })

  it('as JSON writes nothing but JSON lines, and nothing to the terminal', () => {
    const { seen, progress } = world(80, { isJson: true })
    progress.onSync({ type: 'run', kind: 'first', isResumed: false })
    seen.now += 20_000
    progress.onSync(page(7))
    expect(seen.err).toBe('')
    expect(
      seen.out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { event: 'run', kind: 'first', isResumed: false },
      { event: 'progress', records: 700, pages: 7, elapsedMs: 20_000, lastModified: '2026-11-02T08:15:00.000Z' },
    ])
  })
})

describe('texts for people', () => {
  it('round figures as people do', () => {
    expect([0, 940, 9949, 9950, 59_600, 3_599_000, 7_500_000, 190_000_000].map(duration)).toEqual([
      '0.0 s',
      '0.9 s',
      '9.9 s',
      '10 s',
      '1 min 00 s',
      '59 min 59 s',
      '2 h 5 min',
      '2 d 4 h',
    ])
    expect([rate(3, 1000), rate(12_345, 1000), rate(5, 0)]).toEqual(['3.0/s', '12,345/s', '0.0/s'])
    expect(fitted('abcdef', 4)).toBe('abc…')
    expect(wrapped('one two three', 9)).toBe('  one two\n  three')
    expect(wrapped('one two three', undefined, '')).toBe('one two three')
  })
})
