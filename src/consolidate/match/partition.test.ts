import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofCount } from '../../../test/proof/proof-count.ts'
import type { Notice } from '../../domain/notice.ts'
import { decide } from './decide.ts'
import type { MatchDecision, MatchEdge, MatchRecord } from './match-record.ts'
import { partition } from './partition.ts'
import { prepare } from './prepare.ts'

function recordOf(publisher: string, id: string, title: string, more: Partial<Notice> = {}): MatchRecord {
  const notice: Notice = {
    noticeKey: `${publisher}:${id}`,
    publisher,
    format: 'eforms',
    profile: 'test',
    formType: 'competition',
    noticeType: 'cn-standard',
    language: 'de',
    languages: ['de'],
    title: { de: title },
    publicationDate: '2026-03-02T00:00:00.000Z',
    submissionDate: '2026-04-08T08:00:00.000Z',
    contractingAuthorities: [{ name: 'Stadt Musterhausen', country: 'DE' }],
    cpvCodes: ['45331100'],
    nutsCodes: ['DE712'],
    lots: [],
    references: [],
    ...more,
  }
  return prepare(notice.noticeKey, [{ notice, rowIds: ['row'], sourceIds: [publisher] }])
}

const title = 'Erneuerung der Heizungsanlage in der Grundschule Lindenweg'
const edge = (a: string, b: string, score: number, kind: MatchEdge['kind'] = 'merge'): MatchEdge => {
  const [left, right] = a < b ? [a, b] : [b, a]
  return { left, right, kind, rule: 'test', score, evidence: '' }
}
const keysOf = (clusters: ReturnType<typeof partition>) => clusters.map(({ keys }) => keys)

describe('partition', () => {
  const [ted, doe, list] = [recordOf('ted', '1', title), recordOf('doe', '1', title), recordOf('list', '1', title)]
  const other = recordOf('doe', '2', title)

  test('joins over merge edges alone', () => {
    const edges = [edge('ted:1', 'doe:1', 9), edge('list:1', 'ted:1', 7), edge('doe:2', 'ted:1', 8, 'review')]
    const clusters = partition([ted, doe, list, other], edges, [])
    expect(keysOf(clusters)).toEqual([['doe:1', 'list:1', 'ted:1'], ['doe:2']])
    expect(clusters[1]!.reviews).toHaveLength(1)
    expect(clusters[0]!.reviews).toEqual(clusters[1]!.reviews)
  })

  test('joins neither of two that one portal lists apart when both fit alike', () => {
    const clusters = partition([ted, doe, other], [edge('ted:1', 'doe:1', 9), edge('ted:1', 'doe:2', 8)], [])
    expect(keysOf(clusters)).toEqual([['doe:1'], ['doe:2'], ['ted:1']])
    expect(clusters[2]!.reviews.map(({ rule }) => rule)).toEqual(['runner-up', 'runner-up'])
  })

  test('joins the better of the two when it is ahead by more than a point', () => {
    const clusters = partition([ted, doe, other], [edge('ted:1', 'doe:1', 9), edge('ted:1', 'doe:2', 7.9)], [])
    expect(keysOf(clusters)).toEqual([['doe:1', 'ted:1'], ['doe:2']])
    expect(clusters[1]!.reviews[0]).toMatchObject({ rule: 'cluster', kind: 'review' })
  })

  test('never holds two procedure ids of one scope in one cluster', () => {
    const a = recordOf('ted', '1', title, { procedureId: '3f0c1c9e-6f0a-4c55-9d55-0a61f2a3b001' })
    const b = recordOf('doffin', '1', title, { procedureId: '3f0c1c9e-6f0a-4c55-9d55-0a61f2a3b002' })
    const clusters = partition([a, b, list], [edge('ted:1', 'list:1', 12), edge('doffin:1', 'list:1', 9)], [])
    expect(keysOf(clusters)).toEqual([['doffin:1'], ['list:1', 'ted:1']])
  })

  test('follows operators before scores: a split parts, a merge joins what no edge does', () => {
    const split: MatchDecision = { left: 'ted:1', right: 'doe:1', decision: 'split' }
    const merge: MatchDecision = { left: 'doe:2', right: 'ted:1', decision: 'merge' }
    const clusters = partition(
      [ted, doe, list, other],
      [edge('ted:1', 'doe:1', 20), edge('doe:1', 'list:1', 9)],
      [split, merge],
    )
    expect(keysOf(clusters)).toEqual([
      ['doe:1', 'list:1'],
      ['doe:2', 'ted:1'],
    ])
    expect(clusters[1]!.joinedBy[0]).toMatchObject({ rule: 'operator' })
  })

  test('a pair split by an operator is not joined through a third', () => {
    const split: MatchDecision = { left: 'doe:1', right: 'ted:1', decision: 'split' }
    const clusters = partition([ted, doe, list], [edge('ted:1', 'list:1', 9), edge('doe:1', 'list:1', 7)], [split])
    expect(keysOf(clusters)).toEqual([['doe:1'], ['list:1', 'ted:1']])
  })
})

const words = [
  'Heizung',
  'Grundschule',
  'Lindenweg',
  'Fliesenarbeiten',
  'Los 1',
  'Los 2',
  '2026',
  'Turnhalle',
  'Erneuerung',
]
const arbitraryRecords = fc
  .uniqueArray(
    fc.record({
      publisher: fc.constantFrom('ted', 'doe', 'list'),
      id: fc.integer({ min: 1, max: 9 }).map(String),
      title: fc.subarray(words, { minLength: 2 }).map((chosen) => chosen.join(' ')),
      day: fc.integer({ min: 1, max: 3 }),
      description: fc.constantFrom('', 'Ausgetauscht werden 2 Kessel mit je 180 kW und 46 Heizkörper im Altbau'),
    }),
    { maxLength: 9, selector: ({ publisher, id }) => `${publisher}:${id}` },
  )
  .map((found) =>
    found.map(({ publisher, id, title: text, day, description }) =>
      recordOf(publisher, id, text, {
        submissionDate: `2026-04-0${day}T08:00:00.000Z`,
        ...(description ? { description: { de: description } } : {}),
      }),
    ),
  )

function edgesOf(records: readonly MatchRecord[]): MatchEdge[] {
  return records.flatMap((a, index) =>
    records.slice(index + 1).map((b) => {
      const [left, right] = a.key < b.key ? [a, b] : [b, a]
      return { left: left.key, right: right.key, ...decide(a, b, { twins: 1 }) }
    }),
  )
}

test('decide is symmetric for any records', () => {
  fc.assert(
    fc.property(arbitraryRecords, (records) => {
      for (const a of records)
        for (const b of records) expect(decide(a, b, { twins: 1 })).toEqual(decide(b, a, { twins: 1 }))
    }),
    { numRuns: proofCount({ share: 30, full: 1000 }) },
  )
})

test('the partition does not depend on the order of records, edges or decisions', () => {
  fc.assert(
    fc.property(
      arbitraryRecords.chain((records) => {
        const edges = edgesOf(records)
        const pairs = edges.map(({ left, right }) => ({ left, right }))
        const decisions = fc
          .subarray(pairs, { maxLength: Math.min(3, pairs.length) })
          .chain((chosen) =>
            fc.tuple(
              ...chosen.map((pair) =>
                fc.constantFrom('merge' as const, 'split' as const).map((decision) => ({ ...pair, decision })),
              ),
            ),
          )
        return fc.tuple(
          fc.constant(records),
          fc.constant(edges),
          decisions,
          fc.shuffledSubarray(records, { minLength: records.length }),
          fc.shuffledSubarray(edges, { minLength: edges.length }),
        )
      }),
      ([records, edges, decisions, otherRecords, otherEdges]) => {
        const expected = partition(records, edges, decisions)
        expect(partition(otherRecords, otherEdges, decisions.toReversed())).toEqual(expected)
        expect(expected.flatMap(({ keys }) => keys).sort()).toEqual(records.map(({ key }) => key).sort())
      },
    ),
    { numRuns: proofCount({ share: 50, full: 1000 }) },
  )
})
