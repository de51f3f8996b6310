// What readers learn about the rounds: those of this process, and those of others, recorded in the database.
import { type Clock, every } from '../../platform/clock.ts'
import type { Store } from '../../store/database/database.ts'
import {
  joinRounds,
  loadRounds,
  type RoundRole,
  type RoundState,
  roundRoles,
  whyFailing,
} from '../../store/nodes/rounds.ts'
import type { NodeState } from '../watch/node-state.ts'

/** How often readers receive the state of the rounds. */
const pollMs = 2000

export class ShownRounds {
  readonly #store: Store
  readonly #clock: Clock
  readonly #state: NodeState
  readonly close: () => void
  #own: (() => RoundState) | undefined
  /** Roles of other processes. */
  #elsewhere: readonly RoundRole[] = roundRoles
  #recorded: RoundState | undefined

  /** `before` is the state of the rounds before this start. */
  constructor(store: Store, clock: Clock, state: NodeState, before: RoundState | undefined) {
    this.#store = store
    this.#clock = clock
    this.#state = state
    this.#recorded = before
    this.#show()
    this.close = every(pollMs, () => void this.#look())
  }

  /** Shows the rounds of this process from now on: it knows more than it may have been able to store. */
  showOwn(rounds: () => RoundState, own: readonly RoundRole[]): void {
    this.#own = rounds
    this.#elsewhere = roundRoles.filter((role) => !own.includes(role))
    this.#recorded = undefined
  }

  readonly state = (): RoundState | undefined => joinRounds([this.#own?.(), this.#recorded])

  async #look(): Promise<void> {
    if (this.#elsewhere.length > 0)
      // while the database is away, what it said last is shown
      this.#recorded = await loadRounds(this.#store.db, this.#elsewhere).catch(() => this.#recorded)
    this.#show()
  }

  #show(): void {
    const rounds = this.state()
    if (!rounds) return
    const { failedRounds, lastRoundAt } = rounds
    const isFailing = whyFailing(rounds, this.#clock()) !== undefined
    this.#state.setPipeline({ isFailing, failedRounds, ...(lastRoundAt !== undefined && { lastRoundAt }) })
    this.#state.report(
      'pipeline',
      isFailing ? 'No newer edition is published because an earlier stage fails.' : undefined,
    )
  }
}
