// Works on many items, a few at a time.

/** Results in the order of the items. The first error ends it, after the work in progress has ended. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length)
  let next = 0
  let failure: { readonly error: unknown } | undefined
  const worker = async () => {
    while (next < items.length && !failure) {
      const index = next++
      try {
        results[index] = await work(items[index]!)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker))
  if (failure) throw (failure as { readonly error: unknown }).error
  return results
}
