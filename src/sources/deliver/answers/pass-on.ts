// Passes on what another generator yields.

/**
 * Yields what `each` makes of what a generator yields, and returns its end. Stopping early also closes that generator.
 */
export async function* passOn<T, End, U>(
  reading: AsyncGenerator<T, End>,
  each: (value: T) => Iterable<U>,
): AsyncGenerator<U, End> {
  try {
    for (let next = await reading.next(); ; next = await reading.next()) {
      if (next.done) return next.value
      yield* each(next.value)
    }
  } finally {
    await reading.return(undefined as never)
  }
}
