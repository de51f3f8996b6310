import { expect, test } from 'vitest'
import { openNodeState } from './node-state.ts'

test('a node that drains stays unready, whatever is found out about it meanwhile', () => {
  const state = openNodeState()
  state.setUnready('behind')
  expect(state.snapshot().unready).toBe('behind')
  state.setUnready(undefined)
  expect(state.snapshot().unready).toBeUndefined()
  state.drain()
  state.setUnready(undefined)
  state.setUnready('stale')
  expect(state.snapshot().unready).toBe('draining')
})
