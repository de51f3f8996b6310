// The legal levels of German notices that were read by eye.
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readLevelLabels } from '../../quality/values.ts'

const labels = readLevelLabels(join(import.meta.dirname, '../../../shared/corpus'))
const names = { eu: 'above', national: 'below', none: 'unknown' }

describe.skipIf(labels.length === 0)('legal levels', () => {
  test('are as read in at least 96 of 100', () => {
    const right = labels.filter(({ level, inputs }) => names[inputs.level ?? 'none'] === level)
    expect(right.length / labels.length).toBeGreaterThanOrEqual(0.96)
  })
})
