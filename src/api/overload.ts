// Sheds load when the event loop falls behind: a quick 503 is better for all than slow answers (operations.md 8).
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Retry-After for a 503 without a known end: whole seconds, 5 to 120, spread by 20 % so that clients do not return at once (D14). */
export function spreadRetryAfter(baseSeconds: number, randomByte: number): number {
  const spread = 0.8 + (0.4 * randomByte) / 255
  return Math.min(120, Math.max(5, Math.round(baseSeconds * spread)))
}

export type LoadWatch = { readonly isOverloaded: () => boolean; readonly stop: () => void }

const sampleEveryMs = 500
const resolutionMs = 20

/**
 * Smooths the mean delay of the event loop over about a second, so that one long task (taking over an edition) sheds
 * nothing, and a loop that stays behind by `maxDelayMs` does.
 */
export function watchLoad(maxDelayMs: number): LoadWatch {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  let smoothedMs = 0
  const timer = setInterval(() => {
    const delayMs = Math.max(0, histogram.mean / 1e6 - resolutionMs)
    smoothedMs = (smoothedMs + (Number.isFinite(delayMs) ? delayMs : 0)) / 2
    histogram.reset()
  }, sampleEveryMs)
  timer.unref()
  return {
    isOverloaded: () => smoothedMs > maxDelayMs,
    stop: () => {
      clearInterval(timer)
      histogram.disable()
    },
  }
}
