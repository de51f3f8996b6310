import { expect, test } from 'vitest'
import { areNewer, changedRules } from './stock-rules.ts'

test.each([
  ['the same', { acts: 1 }, { acts: 1 }, false, []],
  ['a higher version', { acts: 1, keys: 2 }, { acts: 2, keys: 2 }, true, ['acts']],
  ['a rule more', { acts: 1 }, { acts: 1, keys: 1 }, true, ['keys']],
  ['a stock without versions', {}, { acts: 1 }, true, ['acts']],
  ['a lower version', { acts: 2 }, { acts: 1 }, false, ['acts']],
  ['a lower version beside a higher one', { acts: 2, keys: 1 }, { acts: 1, keys: 2 }, false, ['acts', 'keys']],
  ['a rule less', { acts: 1, keys: 1 }, { acts: 2 }, false, ['acts', 'keys']],
])('rules of a newer program: %s', (_name, before, after, isNewer, changed) => {
  expect(areNewer(before, after)).toBe(isNewer)
  expect(changedRules(before, after)).toEqual(changed)
})
