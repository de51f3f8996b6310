// When the first edition may come: the leading portals in, and nine of ten of those that answer.
import { describe, expect, test } from 'vitest'
import { scriptedPortal, scriptedSource } from '../../test/scripted-source.ts'
import { firstReading, isReadEnough } from './first-reading.ts'

const portal = scriptedPortal()
const sources = Array.from({ length: 22 }, (_, index) =>
  scriptedSource(portal, { id: `s${index}`, ...(index < 2 && { leads: true as const }) }),
)
const ids = (from: number, to: number) => new Set(sources.slice(from, to).map(({ id }) => id))

describe('the first reading', () => {
  const cases: readonly [name: string, due: ReadonlySet<string>, failing: ReadonlySet<string>, isOver: boolean][] = [
    ['is over when nothing is due', new Set(), new Set(), true],
    ['is over when two of 22 are missing', ids(20, 22), new Set(), true],
    ['is not over when three of 22 are missing', ids(19, 22), new Set(), false],
    ['does not wait for portals that fail', new Set(), ids(2, 22), true],
    ['counts only those that answer', ids(10, 12), ids(12, 22), false],
    ['waits for a leading portal that is due', ids(0, 1), new Set(), false],
    ['waits for a leading portal that fails', new Set(), ids(1, 2), false],
  ]
  test.each(cases)('%s', (_name, due, failing, isOver) => {
    expect(isReadEnough(firstReading(sources, { due, failing }))).toBe(isOver)
  })

  test('is not over before the first look, and names what it waits for', () => {
    const before = firstReading(sources, undefined)
    expect(before).toEqual({ total: 22, read: 0, failing: 0, waitsFor: ['s0', 's1'] })
    expect(isReadEnough(before)).toBe(false)
    expect(firstReading(sources, { due: ids(1, 3), failing: ids(3, 5) })).toEqual({
      total: 22,
      read: 18,
      failing: 2,
      waitsFor: ['s1'],
    })
  })
})
