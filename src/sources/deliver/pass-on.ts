// What one reading yields, passed on by another.

/**
 * Yields what `each` makes of what a reading yields, and returns its end. Whoever stops reading closes the reading too.
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
