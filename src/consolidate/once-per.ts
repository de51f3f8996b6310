/** A function that computes its result once for each object, as long as the object lives. `make` has to be pure. */
export function oncePer<Key extends object, Result>(make: (key: Key) => Result): (key: Key) => Result {
  const known = new WeakMap<Key, { readonly result: Result }>()
  return (key) => {
    const found = known.get(key) ?? { result: make(key) }
    known.set(key, found)
    return found.result
  }
}
