import { describe, expect, test } from 'vitest'
import { madeUpSource } from '../../test/sources/made-up-source.ts'
import type { SourceState } from '../domain/source-state.ts'
import { dayMs, hourMs } from '../domain/time.ts'
import type { Source } from '../sources/source.ts'
import { type AlarmKind, type SourceRecord, sourceHealth } from './source-health.ts'

// a Wednesday
const now = Date.UTC(2026, 10, 18, 12)

const source: Source = { ...madeUpSource, expects: { perDay: [50, 500], silentAfterDays: 5, shape: [] } }

const well: SourceRecord = {
  sourceId: source.id,
  firstReadAt: now - 60 * dayMs,
  lastReadAt: now - hourMs,
  lastSuccessAt: now - hourMs,
  lastNewAt: now - hourMs,
  failures: 0,
  lastError: null,
  lastReason: null,
  isVisited: false,
  turnedOff: null,
  newByDay: {
    '2026-11-11': 100,
    '2026-11-12': 90,
    '2026-11-13': 80,
    '2026-11-14': 1,
    '2026-11-16': 120,
    '2026-11-17': 110,
    '2026-11-18': 3,
  },
  recentDocuments: 500,
  recentRejections: { malformed: 2 },
  short: [],
  waitingSlots: 0,
  newNames: [],
  outcomes: [],
  farWinners: [],
  quarantine: null,
}

const kinds = (changes: Partial<SourceRecord>): AlarmKind[] =>
  sourceHealth(source, { ...well, ...changes }, { now, hasKey: false }).alarms.map(({ kind }) => kind)

describe('the health of a source', () => {
  test('that is healthy: its lag, and no alarm', () => {
    expect(sourceHealth(source, well, { now, hasKey: false })).toEqual({
      sourceId: source.id,
      state: 'ok',
      lastSuccessAt: now - hourMs,
      lagMs: hourMs,
      alarms: [],
    })
  })

  test('that needs a key and has none is off, and says where to request one and what to set', () => {
    const keyed: Source = {
      ...source,
      access: { kind: 'key', setting: 'EXAMPLE_KEY', getItAt: 'https://portal.example/keys' },
    }
    const { state, offBecause } = sourceHealth(keyed, well, { now, hasKey: false })
    expect(state).toBe('key-missing')
    expect(offBecause).toContain('https://portal.example/keys')
    expect(offBecause).toContain('TENDERSTOCK_EXAMPLE_KEY')
    expect(sourceHealth(keyed, well, { now, hasKey: true }).state).toBe('ok')
  })

  test('that is gone fails, and is not said to answer without news; one that fell silent before stays silent', () => {
    const gone = { lastNewAt: now - 9 * dayMs, lastSuccessAt: now - 9 * dayMs + hourMs, failures: 40 }
    const { state, alarms } = sourceHealth(
      source,
      { ...well, ...gone, lastReason: 'no-answer', lastError: 'no such host' },
      { now, hasKey: false },
    )
    expect([state, alarms.map(({ kind }) => kind)]).toEqual(['no-answer', ['failing']])
    expect(alarms[0]!.detail).toContain('no such host')
    expect(kinds({ ...gone, lastSuccessAt: now - dayMs })).toEqual(['failing', 'silent'])
    expect(kinds({ lastNewAt: now - 5 * dayMs, lastSuccessAt: now - 5 * hourMs })).toEqual(['silent'])
  })

  const unread = { lastSuccessAt: null, lastNewAt: null }
  const untried = { ...unread, firstReadAt: null, lastReadAt: null }
  const failing = (lastReason: string | null) => ({ ...unread, failures: 1, lastReason })
  test.each<[SourceState, string, Partial<SourceRecord>]>([
    ['not-tried', 'no reading has ended', untried],
    ['reading', 'a worker visits it for the first time', { ...untried, isVisited: true }],
    ['reading', 'readings ended, and none has succeeded or failed', unread],
    ['no-answer', 'nobody answers', failing('no-answer')],
    ['no-answer', 'its certificate is not accepted', failing('tls')],
    ['refused', 'it refuses', failing('refused')],
    ['forbidden', 'its robots.txt forbids', failing('robots')],
    ['wrong-content', 'it sends something else', failing('wrong-content')],
    ['wrong-content', 'it answers 404', failing('error-status')],
    ['wrong-content', 'an older version wrote no reason', failing(null)],
    ['ok', 'three readings failed since one succeeded', { failures: 3, lastReason: 'no-answer' }],
    ['no-answer', 'four readings failed', { failures: 4, lastReason: 'no-answer' }],
    ['silent', 'nothing new', { lastNewAt: now - 5 * dayMs }],
    ['alarm', 'another alarm', { newByDay: { ...well.newByDay, '2026-11-17': 49 } }],
    ['late', 'readings are due for hours', { waitingSlots: 1, lastSuccessAt: now - 4 * hourMs }],
    ['ok', 'readings are due for less', { waitingSlots: 1, lastSuccessAt: now - 3 * hourMs }],
    ['ok', 'nothing is due, however long ago it was read', { lastSuccessAt: now - 4 * hourMs }],
    ['turned-off', 'an operator said so', { turnedOff: { at: 1, by: 'op', reason: 'robots.txt' } }],
  ])('is %s: %s', (state, _, changes) => {
    expect(sourceHealth(source, { ...well, ...changes }, { now, hasKey: false }).state).toBe(state)
  })

  test('that an operator turned off says why, and has no alarm', () => {
    const record = { ...well, lastNewAt: now - 9 * dayMs, turnedOff: { at: 1, by: 'op', reason: 'robots.txt' } }
    expect(sourceHealth(source, record, { now, hasKey: false })).toMatchObject({ offBecause: 'robots.txt', alarms: [] })
  })

  test('that its robots.txt forbids has no alarm, however long', () => {
    const record = { ...well, failures: 9, lastSuccessAt: now - 6 * hourMs, lastReason: 'robots' }
    expect(sourceHealth(source, record, { now, hasKey: false })).toMatchObject({ state: 'forbidden', alarms: [] })
  })

  const name = { name: '<NewElement>', documents: 20, since: now - dayMs }
  const short = { slot: 'daily 2026-11-16', announced: 100, delivered: 90, missing: '1-2026', since: now - 2 * dayMs }
  test.each<[AlarmKind, string, Partial<SourceRecord>]>([
    ['failing', 'no success for six hours', { failures: 6, lastSuccessAt: now - 6 * hourMs }],
    ['silent', 'answers without news for five days', { lastNewAt: now - 5 * dayMs }],
    ['totals', 'less than announced', { short: [short] }],
    ['counts', 'too few on the last working day', { newByDay: { ...well.newByDay, '2026-11-17': 49 } }],
    ['counts', 'too many on the last working day', { newByDay: { ...well.newByDay, '2026-11-17': 501 } }],
    ['rejections', 'more than a tenth rejected', { recentRejections: { malformed: 40, 'invalid-content': 11 } }],
    ['drift', 'a new name appears often', { newNames: [name] }],
    ['fill', 'its notices are held', { quarantine: { since: now, notices: 40, detail: 'no CPV', share: 1 } }],
  ])('alarm %s: %s', (kind, _, changes) => {
    expect(kinds(changes)).toEqual([kind])
  })

  test.each<[string, Partial<SourceRecord>]>([
    ['no reading for a day, of which none failed', { lastSuccessAt: now - dayMs }],
    ['no success yet, and no failure', { lastSuccessAt: null, firstReadAt: now - dayMs, lastNewAt: null }],
    ['a slot that announced nothing', { short: [] }],
    ['a failure of some hours', { failures: 3, lastSuccessAt: now - 5 * hourMs }],
    ['quiet days below the limit', { lastNewAt: now - 5 * dayMs + 1 }],
    ['few on a Saturday', { newByDay: { ...well.newByDay, '2026-11-14': 0 } }],
    ['few today, the day is not over', { newByDay: { ...well.newByDay, '2026-11-18': 0 } }],
    ['few days known', { newByDay: { '2026-11-17': 1 } }],
    ['few documents, all rejected', { recentDocuments: 19, recentRejections: { malformed: 19 } }],
    ['a new name seen a few times', { newNames: [{ ...name, documents: 19 }] }],
    ['a new name that is old news', { newNames: [{ ...name, since: now - 14 * dayMs }] }],
  ])('no alarm for %s', (_, changes) => {
    expect(kinds(changes)).toEqual([])
  })

  test('an alarm on totals names the slot, the number and the share that is missing', () => {
    const [alarm] = sourceHealth(
      source,
      { ...well, short: [short, { ...short, slot: 'daily 2026-11-17', announced: null }] },
      { now, hasKey: false },
    ).alarms
    expect(alarm!.detail).toContain('daily 2026-11-16: the portal announced 100 and delivered 90 (1-2026); 1 more')
    expect(alarm!.share).toBeCloseTo(10 / 190)
  })
})
