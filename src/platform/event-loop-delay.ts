// How far the event loop of this thread lags behind, sampled twice a second.
import { monitorEventLoopDelay } from 'node:perf_hooks'

const sampleEveryMs = 500
/** Each is a wake-up of an idle thread; what matters here are tenths of a second. */
const resolutionMs = 100

/** Beyond the timer's own period; the mean is NaN when nothing was measured. */
export type LoopDelay = { readonly meanMs: number; readonly maxMs: number }

/** Calls `onSample` with each sample until the returned function is called. */
export function watchEventLoop(onSample: (delay: LoopDelay) => void): () => void {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  const timer = setInterval(() => {
    onSample({ meanMs: histogram.mean / 1e6 - resolutionMs, maxMs: Math.max(0, histogram.max / 1e6 - resolutionMs) })
    histogram.reset()
  }, sampleEveryMs)
  timer.unref()
  return () => {
    clearInterval(timer)
    histogram.disable()
  }
}

/** Number of samples in a window of `recentMaximum`: 30 s. */
const windowSamples = 60

/**
 * Returns a function that takes each sample and returns the maximum of the last 30 to 60 s, so that looking every 30 s
 * misses nothing.
 */
export function recentMaximum(): (value: number) => number {
  let [before, present, samples] = [0, 0, 0]
  return (value) => {
    present = Math.max(present, value)
    const maximum = Math.max(before, present)
    if (++samples >= windowSamples) [before, present, samples] = [present, 0, 0]
    return maximum
  }
}
