// The states of a delivery: one table says what every event makes of every state, and each statement that moves
// deliveries is made of it.
import { type RawBuilder, sql } from 'kysely'

/** `heldEndpoint`: its endpoint is disabled. `heldCap`: its search made too many hits in one edition. */
export type DeliveryState = 'due' | 'heldEndpoint' | 'heldCap' | 'delivered' | 'givenUp'

/**
 * An attempt ends: `success`; `retry`: another one follows; `last`: none does; `gone`: the receiver answered 410.
 * `unbuildable`: what it reports no longer exists. `readdress`: its endpoint has another address. `disable`, `remove`:
 * its endpoint is. `release`: somebody releases what was held while its endpoint was disabled. `flood`: its search made
 * too many hits. `releaseCap`: somebody releases these, and its endpoint is active; `releaseCapDisabled`: it is not.
 * `replay`: somebody asks for this message; `replayFailed`, `replayAll`: for those that failed, or all.
 */
export type DeliveryEvent =
  | 'success'
  | 'retry'
  | 'last'
  | 'gone'
  | 'unbuildable'
  | 'readdress'
  | 'disable'
  | 'remove'
  | 'release'
  | 'flood'
  | 'releaseCap'
  | 'releaseCapDisabled'
  | 'replay'
  | 'replayFailed'
  | 'replayAll'

/**
 * The state after each event, by the state before it. Null: the event changes nothing there, as an attempt that ends
 * after its message was held.
 */
export const stateAfter = {
  success: { due: 'delivered', heldEndpoint: null, heldCap: null, delivered: null, givenUp: null },
  retry: { due: 'due', heldEndpoint: null, heldCap: null, delivered: null, givenUp: null },
  last: { due: 'givenUp', heldEndpoint: null, heldCap: null, delivered: null, givenUp: null },
  gone: { due: 'heldEndpoint', heldEndpoint: null, heldCap: null, delivered: null, givenUp: null },
  unbuildable: { due: 'givenUp', heldEndpoint: null, heldCap: null, delivered: null, givenUp: null },
  readdress: { due: 'due', heldEndpoint: null, heldCap: null, delivered: null, givenUp: null },
  disable: { due: 'heldEndpoint', heldEndpoint: null, heldCap: null, delivered: null, givenUp: null },
  remove: { due: 'givenUp', heldEndpoint: 'givenUp', heldCap: 'givenUp', delivered: null, givenUp: null },
  release: { due: null, heldEndpoint: 'due', heldCap: null, delivered: null, givenUp: null },
  flood: { due: 'heldCap', heldEndpoint: 'heldCap', heldCap: null, delivered: null, givenUp: null },
  releaseCap: { due: null, heldEndpoint: null, heldCap: 'due', delivered: null, givenUp: null },
  releaseCapDisabled: { due: null, heldEndpoint: null, heldCap: 'heldEndpoint', delivered: null, givenUp: null },
  replay: { due: 'due', heldEndpoint: 'due', heldCap: 'due', delivered: 'due', givenUp: 'due' },
  replayFailed: { due: 'due', heldEndpoint: null, heldCap: null, delivered: null, givenUp: 'due' },
  replayAll: { due: 'due', heldEndpoint: null, heldCap: null, delivered: 'due', givenUp: 'due' },
} as const satisfies { [Event in DeliveryEvent]: { [State in DeliveryState]: DeliveryState | null } }

/** A state as the table of deliveries has it. */
type Columns = {
  readonly state: 'due' | 'held' | 'delivered' | 'given-up'
  readonly heldWhy: 'endpoint' | 'cap' | null
}

const columns: { readonly [State in DeliveryState]: Columns } = {
  due: { state: 'due', heldWhy: null },
  heldEndpoint: { state: 'held', heldWhy: 'endpoint' },
  heldCap: { state: 'held', heldWhy: 'cap' },
  delivered: { state: 'delivered', heldWhy: null },
  givenUp: { state: 'given-up', heldWhy: null },
}

/** The states that an event leaves, and the one to which it leads. */
function moveOf(event: DeliveryEvent): { readonly from: readonly DeliveryState[]; readonly to: DeliveryState } {
  const moves = (Object.entries(stateAfter[event]) as [DeliveryState, DeliveryState | null][]).flatMap(([from, to]) =>
    to === null ? [] : [{ from, to }],
  )
  // a row of the table leads to one state: delivery-states.test.ts
  return { from: moves.map(({ from }) => from), to: moves[0]!.to }
}

type Ended = Extract<DeliveryState, 'delivered' | 'givenUp'>
/** The events after which a delivery has ended. */
type EndingEvent = {
  [Event in DeliveryEvent]: Extract<(typeof stateAfter)[Event][DeliveryState], Ended> extends never ? never : Event
}[DeliveryEvent]

/** What an update of `delivery d` sets. `at`: when the event happened, which a delivery that has ended keeps. */
export function moved(event: Exclude<DeliveryEvent, EndingEvent>): RawBuilder<unknown>
export function moved(event: DeliveryEvent, at: RawBuilder<unknown>): RawBuilder<unknown>
export function moved(event: DeliveryEvent, at?: RawBuilder<unknown>): RawBuilder<unknown> {
  const { to } = moveOf(event)
  const { state, heldWhy } = columns[to]
  const endedAt = (to === 'delivered' || to === 'givenUp') && at ? at : sql.lit(null)
  return sql`state = ${sql.lit(state)}, held_why = ${sql.lit(heldWhy)}, ended_at = ${endedAt}::bigint`
}

/** Whether the event moves the row of `delivery d`. Written out, so that the indexes of one state serve it. */
export function isMovedBy(event: DeliveryEvent): RawBuilder<boolean> {
  const rows = moveOf(event).from.map((state) => {
    const { state: stored, heldWhy } = columns[state]
    return heldWhy === null
      ? sql<boolean>`d.state = ${sql.lit(stored)}`
      : sql<boolean>`(d.state = ${sql.lit(stored)} and d.held_why = ${sql.lit(heldWhy)})`
  })
  return sql<boolean>`(${sql.join(rows, sql` or `)})`
}
