// Sheds load when the event loop falls behind: a quick 503 is better for everybody than slow answers.
import { type LoopDelay, watchEventLoop } from '../../platform/event-loop-delay.ts'

/**
 * Retry-After for a 503 without a known end: whole seconds, 5 to 120, spread by 20 % so that clients do not all return
 * together (D14).
 */
export function spreadRetryAfter(baseSeconds: number, randomByte: number): number {
  const spread = 0.8 + (0.4 * randomByte) / 255
  return Math.min(120, Math.max(5, Math.round(baseSeconds * spread)))
}

/** A minute: by then the largest delay of the last half minute is none of a busy time. */
const samplesUnasked = 120

export type LoadWatch = { readonly isOverloaded: () => boolean; readonly stop: () => void }

/**
 * Smooths samples of the loop's delay: one long task sheds nothing, however long, and neither does a machine that was
 * suspended for hours; but a loop that stays behind does.
 */
export function createLoadGauge(maxDelayMs: number): {
  readonly sample: (delayMs: number) => void
  readonly isOverloaded: () => boolean
} {
  let smoothedMs = 0
  return {
    sample: (delayMs) => {
      smoothedMs = (smoothedMs + (delayMs > 0 ? Math.min(delayMs, 1.5 * maxDelayMs) : 0)) / 2
    },
    isOverloaded: () => smoothedMs > maxDelayMs,
  }
}

/**
 * Watches this process: overloaded while the mean delay of the event loop, over about a second, exceeds `maxDelayMs`.
 * `onSample` is called with each sample. Nothing is sampled while nobody has asked for a while: it would wake up an
 * idle thread ten times a second.
 */
export function watchLoad(maxDelayMs: number, onSample?: (delay: LoopDelay) => void): LoadWatch {
  const gauge = createLoadGauge(maxDelayMs)
  let unasked = 0
  let end: (() => void) | undefined
  const stop = () => {
    end?.()
    end = undefined
  }
  const begin = () =>
    watchEventLoop((delay) => {
      gauge.sample(delay.meanMs)
      onSample?.(delay)
      if (++unasked >= samplesUnasked) stop()
    })
  return {
    isOverloaded: () => {
      unasked = 0
      end ??= begin()
      return gauge.isOverloaded()
    },
    stop,
  }
}
