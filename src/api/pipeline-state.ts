// What the API reports about the stages behind it: whether they work. Only operators see the reason.

/** State of all stages together, as maintained by the process that runs them. */
export type PipelineState = {
  readonly isFailing: boolean
  /** Failed rounds in a row since the last successful one. */
  readonly failedRounds: number
  /** The end of the last round in which every stage succeeded, epoch milliseconds; absent before the first. */
  readonly lastRoundAt?: number
}
