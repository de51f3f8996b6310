// A sink whose disk errors say what a person can do.
import type { Sink } from '../../sync/sink.ts'

/** The sink; `inWords` returns what it throws in place of an error. */
export function speaking(sink: Sink, inWords: (error: unknown) => unknown): Sink {
  for (const name of ['begin', 'upsert', 'close', 'merge', 'commit', 'discard', 'held', 'end'] as const) {
    const act = sink[name] as (...values: readonly unknown[]) => Promise<unknown>
    Object.assign(sink, {
      [name]: (...values: readonly unknown[]) =>
        act(...values).catch((error: unknown) => {
          throw inWords(error)
        }),
    })
  }
  return sink
}
