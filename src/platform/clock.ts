// The only place that reads the wall clock (design.md). Everything else takes a Clock.

/** Epoch milliseconds of the present moment. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()
