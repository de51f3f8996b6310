import { describe, expect, it } from 'vitest'
import { type CompareOptions, CopyComparison, type DeliveredRecord, type HeldRecord } from './compare-copy.ts'

const at = (second: number): string => new Date(Date.UTC(2026, 2, 2, 9, 0, second)).toISOString()
const plain: CompareOptions = { updatedSince: at(30), keepsArchived: false, hasFilters: false, comparesStatus: true }
const delivered = (id: string, second: number, status = 'open'): DeliveredRecord => ({
  id,
  lastModified: at(second),
  status,
  isArchived: status !== 'open',
})

function compare(held: Record<string, readonly [number, string]>, list: readonly DeliveredRecord[], options = plain) {
  const entries = Object.entries(held).map(([id, [second, status]]): [string, HeldRecord] => [
    id,
    { lastModified: at(second), status },
  ])
  const comparison = new CopyComparison(new Map(entries), options)
  for (const record of list) comparison.deliver(record)
  return comparison.end()
}

describe('comparing a copy', () => {
  it('finds what is missing, surplus and different, each by its ID', () => {
    const result = compare({ same: [1, 'open'], older: [2, 'open'], status: [3, 'open'], gone: [4, 'open'] }, [
      delivered('same', 1),
      delivered('older', 5),
      delivered('status', 3, 'awarded'),
      delivered('new', 6),
    ])
    expect(result).toMatchObject({ delivered: 4, held: 4, equal: 1, pending: 0 })
    expect(result.missing.map(({ id }) => id)).toEqual(['new'])
    expect(result.surplus.map(({ id }) => id)).toEqual(['gone'])
    expect(result.differing.map(({ id }) => id)).toEqual(['older', 'status'])
  })

  it('does not blame the copy for what changed after its last run', () => {
    const result = compare({ a: [2, 'open'] }, [delivered('a', 31), delivered('b', 32), delivered('c', 33, 'awarded')])
    expect(result).toMatchObject({ pending: 3, missing: [], differing: [] })
  })

  it('requests archived records only for a copy that keeps them', () => {
    expect(compare({}, [delivered('a', 1, 'awarded')])).toMatchObject({ missing: [], notKept: 1 })
    expect(compare({}, [delivered('a', 1, 'awarded')], { ...plain, keepsArchived: true }).missing).toHaveLength(1)
  })

  it('tolerates records that no longer match the filters (C105)', () => {
    expect(compare({ a: [1, 'open'] }, [], { ...plain, hasFilters: true })).toMatchObject({
      surplus: [],
      outsideFilters: 1,
    })
  })

  it('compares only times if the target has its own status', () => {
    expect(compare({ a: [1, 'closed'] }, [delivered('a', 1)], { ...plain, comparesStatus: false }).equal).toBe(1)
  })
})
