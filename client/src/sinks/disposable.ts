/// <reference lib="esnext.disposable" preserve="true" />
// `await using sink = …` ends a sink at the end of its block, whatever happens in it.
import type { Sink } from '../sync/sink.ts'

/**
 * An open sink. A database or a file stays open, and keeps the process alive, until `end()` or the end of its block.
 */
export type OpenSink<S extends Sink = Sink> = S & { [Symbol.asyncDispose](): Promise<void> }

/** Gives the sink the method that `await using` calls. */
export const disposable = <S extends Sink>(sink: S): OpenSink<S> =>
  Object.defineProperty(sink, Symbol.asyncDispose, { value: () => sink.end() }) as OpenSink<S>
