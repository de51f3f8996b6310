// How much of the past of a source is read, and when the rest will be.

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
