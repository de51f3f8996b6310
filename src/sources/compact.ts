// Optional members that are absent instead of undefined.

/**
 * The members that are not undefined, as exactOptionalPropertyTypes wants it. A new object: one that members are deleted
 * from becomes a hash table, which is slow to make and to write out.
 */
export function compact<T extends object>(members: { [K in keyof T]: T[K] | undefined }): T {
  const kept: Partial<T> = {}
  for (const key in members) if (members[key] !== undefined) kept[key] = members[key]
  return kept as T
}
