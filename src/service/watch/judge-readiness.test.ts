// What takes a node out of a load balancer, and what does not.
import { describe, expect, test } from 'vitest'
import { hourMs } from '../../domain/time.ts'
import { judgeReadiness, type ReadinessFacts } from './judge-readiness.ts'

const dayMs = 24 * hourMs

/** A node that is checked every second, with a clock that is passed in. */
function openNode(maxStalenessMs = dayMs) {
  const judge = judgeReadiness(maxStalenessMs)
  const facts = { now: 5000, answeredAt: 5000, known: 7, held: 7, isDamaged: false, isReplaced: false }
  return {
    facts: facts as { -readonly [member in keyof ReadinessFacts]: ReadinessFacts[member] },
    judge: () => judge({ ...facts }),
    /** Returns everything reported in that time. */
    pass: (ms: number, { isAnswering }: { readonly isAnswering: boolean }) => {
      const said = new Set<string | undefined>()
      for (let passed = 0; passed < ms; passed += 1000) {
        facts.now += 1000
        if (isAnswering) facts.answeredAt = facts.now
        said.add(judge({ ...facts }))
      }
      return [...said]
    },
  }
}

describe('a node', () => {
  test('is ready on a quiet day, with a held edition, and for two hours without the database', () => {
    const node = openNode()
    expect(node.judge()).toBeUndefined()
    expect(node.pass(dayMs + 2 * hourMs, { isAnswering: true })).toEqual([undefined])
    expect(node.pass(2 * hourMs, { isAnswering: false })).toEqual([undefined])
    expect(node.pass(hourMs, { isAnswering: true })).toEqual([undefined])
  })

  test('is not ready when it knew of a newer edition for more than 60 s, until it has it', () => {
    const node = openNode()
    node.judge()
    node.facts.known = 8
    expect(node.pass(60_000, { isAnswering: true })).toEqual([undefined])
    expect(node.pass(1000, { isAnswering: true })).toEqual(['behind'])
    // another edition on top does not restart the wait
    node.facts.known = 9
    node.facts.held = 8
    expect(node.pass(5000, { isAnswering: true })).toEqual(['behind'])
    node.facts.held = 9
    expect(node.judge()).toBeUndefined()
    node.facts.known = 10
    expect(node.pass(60_000, { isAnswering: true })).toEqual([undefined])
  })

  test('is not taken out for an edition that it learned of just before the database was lost', () => {
    const node = openNode()
    node.judge()
    node.facts.known = 8
    expect(node.pass(20_000, { isAnswering: true })).toEqual([undefined])
    expect(node.pass(2 * hourMs, { isAnswering: false })).toEqual([undefined])
    expect(node.pass(20_000, { isAnswering: true })).toEqual([undefined])
    expect(node.pass(20_000, { isAnswering: true })).toEqual([undefined, 'behind'])
  })

  test('that was behind receives requests again while the database is away, because all nodes may be behind', () => {
    const node = openNode()
    node.judge()
    node.facts.known = 8
    expect(node.pass(70_000, { isAnswering: true })).toEqual([undefined, 'behind'])
    // a silence of ten seconds counts as a lost database
    expect(node.pass(10_000, { isAnswering: false })).toEqual(['behind'])
    expect(node.pass(2 * hourMs, { isAnswering: false })).toEqual([undefined])
    expect(node.pass(1000, { isAnswering: true })).toEqual(['behind'])
  })

  test('is not behind with an edition that the database did not name yet', () => {
    const node = openNode()
    node.judge()
    node.facts.held = 8
    expect(node.pass(120_000, { isAnswering: true })).toEqual([undefined])
  })

  test('that was frozen for hours has time to load what it learns of when it continues', () => {
    const node = openNode()
    node.judge()
    node.facts.now += 2 * hourMs
    node.facts.answeredAt = node.facts.now
    node.facts.known = 8
    expect(node.judge()).toBeUndefined()
    expect(node.pass(50_000, { isAnswering: true })).toEqual([undefined])
    expect(node.pass(20_000, { isAnswering: true })).toContain('behind')
  })

  test('is not ready when no query succeeded for longer than the limit', () => {
    const node = openNode(2 * hourMs)
    expect(node.pass(2 * hourMs, { isAnswering: false })).toEqual([undefined])
    expect(node.pass(1000, { isAnswering: false })).toEqual(['stale'])
    expect(node.pass(1000, { isAnswering: true })).toEqual([undefined])
  })

  test('that starts behind is not ready before it holds the newest edition of that time', () => {
    const node = openNode()
    node.facts.held = 0
    expect(node.judge()).toBe('loading')
    node.facts.held = 6
    expect(node.pass(3000, { isAnswering: true })).toEqual(['loading'])
    node.facts.held = 7
    expect(node.judge()).toBeUndefined()
    node.facts.known = 8
    expect(node.pass(3000, { isAnswering: true })).toEqual([undefined])
  })

  test('whose log lost records is not ready until they are back; the API itself handles a stock without an edition', () => {
    const node = openNode()
    node.facts.isDamaged = true
    expect(node.judge()).toBe('damaged')
    // an unreachable database does not hide this: it is not waited for
    node.facts.now += dayMs + 1
    expect(node.judge()).toBe('damaged')
    node.facts.answeredAt = node.facts.now
    node.facts.isDamaged = false
    expect(node.judge()).toBeUndefined()
    node.facts.known = 0
    node.facts.held = 0
    expect(node.judge()).toBeUndefined()
  })
})
