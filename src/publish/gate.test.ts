import { describe, expect, test } from 'vitest'
import { holdLine } from '../domain/hold-reason.ts'
import { dayMs, hourMs } from '../domain/time.ts'
import { type GateInput, gate as judge, silenceMs } from './gate.ts'

const now = Date.UTC(2026, 5, 1)

const usual: GateInput & { readonly previous: NonNullable<GateInput['previous']> } = {
  now,
  previous: { publishedAt: now - hourMs, live: 10_000, bySource: { ted: 8000, doe: 3000, small: 40 } },
  records: 50_100,
  cancelled: 20,
  merged: 30,
  changedRules: [],
  bySourceDelta: { ted: 90, doe: -40 },
  received: { documents: 400, rejected: 3 },
  sources: [{ sourceId: 'ted', lastReceivedAt: now - hourMs, activeDays: 20, checkedAt: now }],
  lostRedactions: [],
  alarms: [],
}

/** With its reasons as sentences. */
function gate(input: GateInput) {
  const result = judge(input)
  const warnings = result.warnings.map(holdLine)
  return result.kind === 'hold'
    ? { kind: result.kind, reasons: result.reasons.map(holdLine), warnings }
    : { kind: result.kind, warnings }
}

function reasonsOf(changes: Partial<GateInput>): readonly string[] {
  const result = gate({ ...usual, ...changes })
  return 'reasons' in result ? result.reasons : []
}

describe('the gate', () => {
  test('accepts the changes of a usual hour', () => {
    expect(gate(usual)).toEqual({ kind: 'pass', warnings: [] })
  })

  test('waits for the operator when redactions were restored without their key, also with the first edition', () => {
    for (const previous of [usual.previous, undefined])
      expect(gate({ ...usual, previous, lostRedactions: ['ab12', 'cd34'] })).toMatchObject({
        kind: 'hold',
        reasons: [expect.stringMatching(/^2 redactions \(ab12, cd34\) .* repeat `tenderstock redact`/)],
      })
  })

  test('requires of the first edition only that it holds a record', () => {
    const first = { ...usual, previous: undefined, cancelled: 9000, received: { documents: 100, rejected: 99 } }
    expect(gate({ ...first, records: 1 })).toEqual({ kind: 'pass', warnings: [] })
    expect(gate({ ...first, records: 0 }).kind).toBe('hold')
  })

  test.each([
    ['a tenth and one more of the documents rejected', { documents: 1000, rejected: 101 }, 1],
    ['a tenth rejected', { documents: 1000, rejected: 100 }, 0],
    ['too few documents to tell', { documents: 49, rejected: 49 }, 0],
  ])('rejections: %s', (_, received, count) => {
    expect(reasonsOf({ received })).toHaveLength(count)
  })

  test.each([
    ['more than a twentieth of the live records', 300, 201, 1],
    ['a twentieth', 300, 200, 0],
    ['cancelled alone', 501, 0, 1],
  ])('archiving at once: %s', (_, cancelled, merged, count) => {
    expect(reasonsOf({ cancelled, merged })).toHaveLength(count)
  })

  test('archiving most of a small stock is not held: shares mean nothing there', () => {
    expect(reasonsOf({ previous: { ...usual.previous, live: 100 }, cancelled: 99, merged: 0 })).toEqual([])
  })

  test.each([
    ['a fifth and one more', { doe: -601 }, 1],
    ['a fifth', { doe: -600 }, 0],
    ['all of a small source', { small: -40 }, 0],
    ['a source that is gone', { ted: -8000, doe: -3000 }, 2],
  ])('a source loses its records: %s', (_, bySourceDelta, count) => {
    expect(reasonsOf({ bySourceDelta })).toHaveLength(count)
  })

  const silent = { sourceId: 'doe', lastReceivedAt: now - silenceMs - 1, activeDays: 12, checkedAt: now - hourMs }

  test('a regular source that answers but brings nothing is named, once for each silence', () => {
    const [reason] = reasonsOf({ sources: [silent], previous: { ...usual.previous, publishedAt: now - 2 * hourMs } })
    expect(reason).toContain('doe')
    // an edition of the last moment before the silence does not answer it
    for (const [publishedAt, count] of [
      [now, 0],
      [now - 1, 1],
    ] as const)
      expect(reasonsOf({ sources: [silent], previous: { ...usual.previous, publishedAt } })).toHaveLength(count)
    // an answer of a day ago still proves that it answers
    const previous = { ...usual.previous, publishedAt: now - 2 * hourMs }
    expect(reasonsOf({ sources: [{ ...silent, checkedAt: now - dayMs }], previous })).toHaveLength(1)
  })

  test.each([
    ['it came a moment ago', { ...silent, lastReceivedAt: now - silenceMs }],
    ['it never came regularly', { ...silent, activeDays: 4 }],
    ['it does not answer: its checks say so already', { ...silent, checkedAt: now - 2 * dayMs }],
    ['it is never checked', { ...silent, checkedAt: null }],
    ['hardly any record names it', { ...silent, sourceId: 'small' }],
  ])('no silence when %s', (_, source) => {
    expect(reasonsOf({ sources: [source], previous: { ...usual.previous, publishedAt: now - 2 * hourMs } })).toEqual([])
  })

  const alarm = { sourceId: 'doe', kind: 'silent', raisedAt: now - 60_000, detail: 'It went silent.', share: 1 }

  test.each([
    ['a silent source that many records name', alarm],
    ['totals of it of which a tenth is missing', { ...alarm, kind: 'totals', share: 0.1 }],
    ['raised in the moment of the newest edition', { ...alarm, raisedAt: usual.previous.publishedAt }],
  ])('an alarm holds: %s', (_, each) => {
    expect(gate({ ...usual, alarms: [each] })).toEqual({
      kind: 'hold',
      reasons: ['The source doe: It went silent.'],
      warnings: [],
    })
  })

  test.each([
    ['the source is small', { ...alarm, sourceId: 'small' }],
    ['a handful is missing', { ...alarm, kind: 'totals', share: 0.09 }],
    ['its kind spoils no record', { ...alarm, kind: 'drift' }],
    ['an edition was published in spite of it', { ...alarm, raisedAt: now - 2 * hourMs }],
  ])('an alarm is reported but does not block publication when %s', (_, each) => {
    expect(gate({ ...usual, alarms: [each] })).toEqual({
      kind: 'pass',
      warnings: [`The source ${each.sourceId}: It went silent.`],
    })
  })

  test('rules that changed explain what is archived and moved, and nothing else', () => {
    const moving = { cancelled: 4000, merged: 1, bySourceDelta: { ted: -8000, doe: 0 }, changedRules: ['acts', 'keys'] }
    const warnings = [
      expect.stringContaining(
        'rules: acts, keys. Of 10000 live records 4000 are archived as cancelled and 1 as merged.',
      ),
      expect.stringMatching(/^4001 of 10000 live records would be archived at once/),
      expect.stringMatching(/^The source ted would be named by 0 records/),
    ]
    expect(gate({ ...usual, ...moving })).toEqual({ kind: 'pass', warnings })
    expect(gate({ ...usual, ...moving, alarms: [alarm] })).toEqual({
      kind: 'hold',
      reasons: ['The source doe: It went silent.'],
      warnings,
    })
    expect(reasonsOf({ ...moving, received: { documents: 1000, rejected: 101 }, sources: [silent] })).toHaveLength(2)
    expect(reasonsOf({ ...moving, changedRules: [] })).toHaveLength(2)
  })

  test('of a stock without a live record no source is important', () => {
    const previous = { publishedAt: now - 2 * hourMs, live: 0, bySource: { doe: 0 } }
    expect(
      gate({ ...usual, previous, bySourceDelta: {}, sources: [silent], alarms: [{ ...alarm, kind: 'totals' }] }),
    ).toEqual({ kind: 'pass', warnings: ['The source doe: It went silent.'] })
    expect(reasonsOf({ previous, bySourceDelta: {}, sources: [silent], alarms: [] })).toEqual([])
  })

  test('a silence that an alarm reports is not reported twice; an alarm of another kind does not report it', () => {
    const previous = { ...usual.previous, publishedAt: now - 2 * hourMs }
    const drift = { ...alarm, kind: 'drift' }
    expect(reasonsOf({ sources: [silent], alarms: [drift], previous })).toEqual(
      reasonsOf({ sources: [silent], previous }),
    )
    expect(reasonsOf({ sources: [silent], alarms: [alarm], previous })).toHaveLength(1)
  })

  test('all reasons are reported at once, as sentences', () => {
    const reasons = reasonsOf({
      received: { documents: 100, rejected: 90 },
      cancelled: 5000,
      bySourceDelta: { ted: -7000 },
    })
    expect(reasons).toHaveLength(3)
    for (const reason of reasons) expect(reason).toMatch(/^(?:\d|[A-Z]).*\.$/s)
  })
})
