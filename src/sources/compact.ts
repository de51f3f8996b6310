// Optional members that are absent, or undefined where that is the same.

/**
 * Every member of `T`, if only as undefined: a parser that `satisfies` it does not compile until it names a new member,
 * in its object or among the members that its format does not have.
 */
export type EveryMember<T> = { [K in keyof T]-?: T[K] | undefined }

/**
 * The members that are not undefined, as exactOptionalPropertyTypes wants it. A new object: one that members are
 * deleted from becomes a hash table, which is slow to make and to write out.
 */
export function compact<T extends object>(members: { [K in keyof T]: T[K] | undefined }): T {
  const kept: Partial<T> = {}
  for (const key in members) if (members[key] !== undefined) kept[key] = members[key]
  return kept as T
}

/**
 * Returns the members as they are, including undefined ones: for notices and their parts, which are written as JSON,
 * where undefined is absent. All objects of a kind then have one shape, which the engine creates in one step; members
 * that come and go cost a seventh of reading a notice. Code that spreads such an object over another one uses
 * `compact`.
 */
export function uniform<T extends object>(members: { [K in keyof T]: T[K] | undefined }): T {
  return members as T
}
