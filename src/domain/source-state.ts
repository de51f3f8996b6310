// The states of a source, and how much of its past is read.

/**
 * How a source is doing, the worst first. `no-answer`, `refused` (401, 403, a firewall's challenge), `forbidden` by its
 * robots.txt and `wrong-content`: no reading has succeeded since it began to fail, for one of these reasons. `silent`:
 * it answers, but nothing is new for longer than usual. `alarm`: another alarm. `late`: readings are due for hours.
 * `reading`: its first reading has begun, and none has succeeded yet. `not-tried`: no reading has ended. `off` by its
 * card, `turned-off` by an operator, or its `key-missing`.
 */
export const sourceStates = [
  'no-answer',
  'refused',
  'forbidden',
  'wrong-content',
  'silent',
  'alarm',
  'late',
  'ok',
  'reading',
  'not-tried',
  'key-missing',
  'turned-off',
  'off',
] as const
export type SourceState = (typeof sourceStates)[number]

/** States of sources that are not read. */
const restingStates: ReadonlySet<SourceState> = new Set(['key-missing', 'turned-off', 'off'])
export const isActive = (state: SourceState): boolean => !restingStates.has(state)

/** States of active sources whose portal does not deliver. */
const failingStates = ['no-answer', 'refused', 'forbidden', 'wrong-content'] as const
export const isFailing = (state: SourceState): boolean => (failingStates as readonly SourceState[]).includes(state)

/** How many sources are in each state. */
export type SourceCounts = { readonly [state in SourceState]: number }

export const countStates = (states: readonly SourceState[]): SourceCounts =>
  Object.fromEntries(
    sourceStates.map((state) => [state, states.filter((each) => each === state).length]),
  ) as SourceCounts

/** How far the first reading of the portals is: counts of sources. */
export type FirstReading = {
  readonly total: number
  /** Those without news to be read, and not failing. */
  readonly read: number
  /** Those whose last visit failed. */
  readonly failing: number
  /** IDs of the sources that the first edition waits for and that are not read yet (`leads` of their cards). */
  readonly waitsFor: readonly string[]
}

export type SourcePast = {
  readonly sourceId: string
  /** From this moment on everything is read, epoch milliseconds; null: nothing of the past is. */
  readonly readBackTo: number | null
  /** Spans of the past that are still to be read. */
  readonly spansLeft: number
  /** How long that takes, in days. */
  readonly daysLeft: number
  /** Whether that follows from its readings; otherwise it is the least that the rate of its card allows. */
  readonly isMeasured: boolean
}

export type WholePast = {
  /** Days until all are read: sources of one host take turns, all others are read at the same time. */
  readonly daysLeft: number
  /** How many sources have all of their past, of how many. */
  readonly done: number
  readonly sources: number
  /** Which one ends last; null: all are read. */
  readonly last: string | null
}
