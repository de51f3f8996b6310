import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely'
import { expect, test } from 'vitest'
import { type DeliveryEvent, type DeliveryState, isMovedBy, moved, stateAfter } from './delivery-states.ts'

const columns: { readonly [State in DeliveryState]: readonly [set: string, where: string] } = {
  due: ["state = 'due', held_why = null", "d.state = 'due'"],
  heldEndpoint: ["state = 'held', held_why = 'endpoint'", "(d.state = 'held' and d.held_why = 'endpoint')"],
  heldCap: ["state = 'held', held_why = 'cap'", "(d.state = 'held' and d.held_why = 'cap')"],
  delivered: ["state = 'delivered', held_why = null", "d.state = 'delivered'"],
  givenUp: ["state = 'given-up', held_why = null", "d.state = 'given-up'"],
}
const states = Object.keys(columns) as DeliveryState[]

/** The events, and the state after each; a dot where it changes nothing. */
const table = `
                    due           heldEndpoint  heldCap       delivered  givenUp
success             delivered     .             .             .          .
retry               due           .             .             .          .
last                givenUp       .             .             .          .
gone                heldEndpoint  .             .             .          .
unbuildable         givenUp       .             .             .          .
readdress           due           .             .             .          .
disable             heldEndpoint  .             .             .          .
remove              givenUp       givenUp       givenUp       .          .
release             .             due           .             .          .
flood               heldCap       heldCap       .             .          .
releaseCap          .             .             due           .          .
releaseCapDisabled  .             .             heldEndpoint  .          .
replay              due           due           due           due        due
replayFailed        due           .             .             .          due
replayAll           due           .             .             due        due`

const rows = table
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split(/ +/) as [DeliveryEvent, ...string[]])

const db = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (given) => new PostgresIntrospector(given),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})
const textOf = (part: RawBuilder<unknown>): string => part.compile(db).sql

test('every event of the table is expected here', () => {
  expect(rows.map(([event]) => event)).toEqual(Object.keys(stateAfter))
})

test.each(rows)('%s makes of each state what it should, in the table and in a statement', (event, ...after) => {
  const expected = Object.fromEntries(states.map((state, index) => [state, after[index] === '.' ? null : after[index]]))
  expect(stateAfter[event]).toEqual(expected)
  const from = states.filter((state) => expected[state] !== null)
  expect(textOf(isMovedBy(event))).toBe(`(${from.map((state) => columns[state][1]).join(' or ')})`)
  // one event leads to one state: an update sets it in all rows
  const [to, ...others] = new Set(from.map((state) => expected[state] as DeliveryState))
  expect(others).toEqual([])
  const endedAt = to === 'delivered' || to === 'givenUp' ? '7' : 'null'
  expect(textOf(moved(event, sql.lit(7)))).toBe(`${columns[to!][0]}, ended_at = ${endedAt}::bigint`)
})

test('nothing that has ended is sent again, and nothing held is sent, unless a person asks for it', () => {
  const people: readonly DeliveryEvent[] = ['release', 'releaseCap', 'replay', 'replayFailed', 'replayAll']
  const events = Object.keys(stateAfter) as DeliveryEvent[]
  for (const event of events.filter((each) => !people.includes(each)))
    for (const state of states.filter((each) => each !== 'due'))
      expect({ event, state, after: stateAfter[event][state] }).not.toMatchObject({ after: 'due' })
})
