// What the API reports about the stages behind it: whether they work. Only operators see the reason.

/** Of all stages together, as kept by the process that runs them. */
export type PipelineState = {
  readonly isFailing: boolean
  /** In a row, since the last good one. */
  readonly failedRounds: number
  /** The end of the last round in which every stage succeeded, epoch milliseconds; absent before the first. */
  readonly lastRoundAt?: number
}
