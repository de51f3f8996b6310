import { expect, test } from 'vitest'
import { digestOf, mismatches, type WireRecord } from './copies.ts'

const record = (id: string, members: object = {}): WireRecord => ({
  id,
  lastModified: '2026-01-01T00:00:00.000Z',
  ...members,
})
const records = (...all: WireRecord[]) => new Map(all.map((each) => [each.id, each]))

test('copies are equal in any order of members, and checkedAt does not count (C26)', () => {
  const edition = records({ ...record('a', { lots: [{ lotId: '1', title: 't' }] }) })
  const copy = records({ lots: [{ title: 't', lotId: '1' }], checkedAt: 'then', ...record('a') })
  expect(mismatches(edition, copy, true)).toEqual([])
})

test('every difference is reported by ID and field', () => {
  const edition = records(record('a', { title: 'new' }), record('b'), record('c', { archiveReason: 'expired' }))
  const copy = records(record('a', { title: 'old', status: 'open' }), record('d'))
  expect(mismatches(edition, copy, true)).toEqual([
    'a title: "old" instead of "new"',
    'a status: "open" instead of nothing',
    'b: missing (2026-01-01T00:00:00.000Z)',
    'c: missing (2026-01-01T00:00:00.000Z)',
    'd: not in the edition',
  ])
})

test('a copy that began with open records may lack archived records, but may not hold them wrongly', () => {
  const edition = records(record('a', { archiveReason: 'expired' }))
  expect(mismatches(edition, records(), false)).toEqual([])
  expect(mismatches(edition, records(record('a')), false)).toEqual(['a archiveReason: nothing instead of "expired"'])
})

test('a digest depends on every ID and timestamp, not on their order', () => {
  expect(
    digestOf([
      ['a', '1'],
      ['b', '2'],
    ]),
  ).toBe(
    digestOf([
      ['b', '2'],
      ['a', '1'],
    ]),
  )
  expect(digestOf([['a', '1']])).not.toBe(digestOf([['a', '2']]))
})
