// What readers learn about the rounds: those of this process, or otherwise those recorded in the database.
import type { Clock } from '../platform/clock.ts'
import type { Store } from '../store/database.ts'
import { loadRounds, type RoundState, whyFailing } from '../store/rounds.ts'
import type { NodeState } from './node-state.ts'

/** How often readers receive the state of the rounds. */
const pollMs = 2000

export class ShownRounds {
  readonly #store: Store
  readonly #clock: Clock
  readonly #state: NodeState
  readonly #timer: NodeJS.Timeout
  #own: (() => RoundState | undefined) | undefined

  /** `before` is the state of the rounds before this start. */
  constructor(store: Store, clock: Clock, state: NodeState, before: RoundState | undefined) {
    this.#store = store
    this.#clock = clock
    this.#state = state
    this.#show(before)
    this.#timer = setInterval(() => this.#look(), pollMs)
  }

  /** Shows the rounds of this process from now on: it knows more than it may have been able to store. */
  showOwn(rounds: () => RoundState | undefined): void {
    this.#own = rounds
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    if (this.#own) this.#show(this.#own())
    else
      loadRounds(this.#store.db).then(
        (rounds) => this.#show(rounds),
        () => {},
      )
  }

  #show(rounds: RoundState | undefined): void {
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
