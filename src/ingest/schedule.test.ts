// Which source is read next, as a table: what is being read, what is due, and which source a free worker takes.
import { describe, expect, test } from 'vitest'
import type { Urgency } from './plan-slots.ts'
import { type DueSource, isVisitOver, restAfter, schedule, type Workload } from './schedule.ts'

const now = 1_000_000
const minute = 60_000

/** `a@host` is due with news, `a@host past` with a backfill, `a@host*2` allows two connections. */
function dueOf(text: string): DueSource {
  const [, id, group, connections = '1', word] = /^(\w+)@(\w+)(?:\*(\d))?(?: (\w+))?$/.exec(text)!
  const urgency: Urgency = word === 'past' ? 'backfill' : word === 'control' ? 'control' : 'current'
  return { id: id!, group: group!, connections: Number(connections), urgency }
}

function planOf(due: readonly string[], running: readonly string[], more: Partial<Workload> = {}) {
  const work: Workload = {
    visits: 3,
    silent: new Set(),
    running: new Map(running.map(dueOf).map((each) => [each.id, each])),
    rests: new Map(),
    elsewhere: new Map(),
    tried: new Set(),
    ...more,
  }
  return schedule(work, due.map(dueOf), now)
}

describe('the next source', () => {
  const cases: readonly [
    name: string,
    due: readonly string[],
    running: readonly string[],
    next: string | undefined,
    more?: Partial<Workload>,
  ][] = [
    ['is the first that is due', ['a@x', 'b@y'], [], 'a'],
    ['is none when nothing is due', [], [], undefined],
    ['is none when there is no room', ['d@w'], ['a@x', 'b@y', 'c@z'], undefined],
    ['is not one that is being read', ['a@x', 'b@y'], ['a@x'], 'b'],
    ['is not on a host that is being read', ['b@x', 'c@y'], ['a@x'], 'c'],
    ['may share a host that bears more connections', ['b@x*2'], ['a@x*2'], 'b'],
    ['is not one that rests', ['a@x', 'b@y'], [], 'b', { rests: new Map([['a', { failures: 1, until: now + 1 }]]) }],
    ['is one whose rest has ended', ['a@x'], [], 'a', { rests: new Map([['a', { failures: 1, until: now }]]) }],
    ['is not one that was tried in this round', ['a@x', 'b@y'], [], 'b', { tried: new Set(['a']) }],
    ['may be one that another process was reading', ['a@x'], [], 'a', { elsewhere: new Map([['a', now + 1]]) }],
    ['fills the past where its host has no news', ['b@y', 'a@x past'], ['b@y'], 'a'],
    ['does not fill the past where its host has news', ['b@x*2', 'a@x*2 past'], ['b@x*2'], undefined],
    [
      'fills the past when the news of its host are read elsewhere',
      ['b@x', 'a@x past'],
      [],
      'a',
      { elsewhere: new Map([['b', now + 1]]), tried: new Set(['b']) },
    ],
    ['leaves room for what is not the past', ['c@z past'], ['a@x past', 'b@y past'], undefined],
    ['fills the past with the only visit', ['a@x past'], [], 'a', { visits: 1 }],
    ['is a silent one while a quarter of the visits is free for those', ['a@x'], [], 'a', { silent: new Set(['a']) }],
    [
      'is not one more silent one where they use their quarter',
      ['b@y', 'c@z'],
      ['a@x'],
      'c',
      { visits: 7, silent: new Set(['a', 'b']) },
    ],
    [
      'is one more silent one where eight visits leave room for two',
      ['b@y', 'c@z'],
      ['a@x'],
      'b',
      { visits: 8, silent: new Set(['a', 'b']) },
    ],
    ['compares totals while the past is held', ['c@z control'], ['a@x past', 'b@y past'], 'c'],
  ]
  test.each(cases)('%s', (_name, due, running, next, more) => {
    expect(planOf(due, running, more).next?.id).toBe(next)
  })
})

describe('what waits', () => {
  test('is the news by host, those that are being read included until the round has tried them', () => {
    const { waiting } = planOf(['a@x', 'b@x', 'c@y', 'd@z past'], ['a@x'], { tried: new Set(['c']) })
    expect(waiting).toEqual(new Map([['x', new Set(['a', 'b'])]]))
  })

  test('crowds the visits only where a host is free', () => {
    const full = ['a@x', 'b@y', 'c@z']
    expect(planOf(['d@w'], full).isCrowded).toBe(true)
    expect(planOf(['d@x'], full).isCrowded).toBe(false)
    expect(planOf(['d@w past'], full).isCrowded).toBe(false)
    expect(planOf(['d@w'], ['a@x']).isCrowded).toBe(false)
    // a silent one without room in its lane ends nobody's visit
    expect(planOf(['d@w'], full, { silent: new Set(['a', 'd']) }).isCrowded).toBe(false)
  })

  test('is news that are due or being read, apart from those whose source rests; the past is none', () => {
    const [none, a] = [new Set(), new Set(['a'])]
    expect(planOf(['a@x past', 'b@y control'], []).news).toEqual({ due: none, failing: none })
    expect(planOf(['a@x'], ['a@x']).news).toEqual({ due: a, failing: none })
    const rests = new Map([['a', { failures: 2, until: now + 1 }]])
    expect(planOf(['a@x'], [], { rests }).news).toEqual({ due: none, failing: a })
    expect(planOf(['a@x past'], [], { rests }).news).toEqual({ due: none, failing: none })
  })
})

describe('a visit', () => {
  const waitingAt = (group: string, ...ids: readonly string[]) => ({
    waiting: new Map([[group, new Set(ids)]]),
    isCrowded: false,
  })
  const none = { waiting: new Map(), isCrowded: false }
  const long = now - 10 * minute - 1
  const cases: readonly [string, Parameters<typeof isVisitOver>[0], string, number, boolean][] = [
    ['of the past goes on while nothing waits', none, 'a@x past', long, false],
    ['of the past ends at once for news of its host', waitingAt('x', 'b'), 'a@x past', now, true],
    ['of the past ends at once for its own news', waitingAt('x', 'a'), 'a@x past', now, true],
    ['of the past goes on while another host has news', waitingAt('y', 'b'), 'a@x past', long, false],
    ['of the past ends for news that lack a worker', { ...none, isCrowded: true }, 'a@x past', now, true],
    ['of news goes on for ten minutes', waitingAt('x', 'b'), 'a@x', now - 10 * minute, false],
    ['of news ends for others after that', waitingAt('x', 'a', 'b'), 'a@x', long, true],
    ['of news goes on while only its own wait', waitingAt('x', 'a'), 'a@x', long, false],
    ['of news ends for those that lack a worker', { ...none, isCrowded: true }, 'a@x', long, true],
  ]
  test.each(cases)('%s', (_name, plan, visit, startedAt, isOver) => {
    expect(isVisitOver(plan, { ...dueOf(visit), startedAt }, now)).toBe(isOver)
  })
})

describe('a rest', () => {
  type Results = Parameters<typeof restAfter>[2]
  const failed: Results[number] = { outcome: 'failed' }
  const refused: Results[number] = { outcome: 'refused' }
  const good: Results[number] = { outcome: 'complete' }
  const hour = 60 * minute
  const cases: readonly [name: string, failuresBefore: number, results: Results, restMs: number | undefined][] = [
    ['is not due after a visit without results', 3, [], undefined],
    ['is not due after a good visit', 3, [failed, good], undefined],
    ['is a minute after a first failure', 0, [failed], minute],
    ['is twice as long after each further one', 3, [failed], 8 * minute],
    ['is at most a quarter of an hour', 9, [failed], 15 * minute],
    ['begins again after something good', 9, [good, failed], minute],
    ['is at least five minutes after a refusal', 0, [refused], 5 * minute],
    ['is as long as the portal says', 0, [{ ...refused, retryAt: now + hour }], hour],
    ['is at most six hours whatever the portal says', 0, [{ ...refused, retryAt: now + 99 * hour }], 6 * hour],
  ]
  test.each(cases)('%s', (_name, failures, results, restMs) => {
    const rest = restAfter({ failures, until: 0 }, {}, results, now)
    expect(rest && rest.until - now).toBe(restMs)
  })

  test('counts a failure after something good as the first', () => {
    expect(restAfter({ failures: 9, until: 0 }, {}, [good, failed], now)?.failures).toBe(1)
  })

  test('is as long as the card says after a refusal', () => {
    expect(restAfter(undefined, { restMs: hour }, [refused], now)).toEqual({ failures: 1, until: now + hour })
  })
})
