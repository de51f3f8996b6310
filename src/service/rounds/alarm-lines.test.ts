// Alarms of one look: sources that fail together are one line.
import { expect, test } from 'vitest'
import { alarmLines } from './alarm-lines.ts'

const failing = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ sourceId: `s${index}`, kind: 'failing' as const, detail: 'gone' }))
const silent = { sourceId: 'x', kind: 'silent' as const, detail: 'nothing new' }

test('a few have a line each, many share one that names ten', () => {
  expect(alarmLines([])).toEqual([])
  expect(alarmLines([...failing(3), silent])).toEqual(['s0: gone', 's1: gone', 's2: gone', 'x: nothing new'])
  expect(alarmLines([...failing(4), silent])).toEqual([
    'No reading of 4 sources has succeeded for 6 hours: s0, s1, s2, s3. `tenderstock source list` says why.',
    'x: nothing new',
  ])
  expect(alarmLines(failing(28))).toEqual([
    'No reading of 28 sources has succeeded for 6 hours: s0, s1, s2, s3, s4, s5, s6, s7, s8, s9 and 18 more. `tenderstock source list` says why.',
  ])
})
