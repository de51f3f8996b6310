// Optional members that are absent instead of undefined.

/** Drops the members that are undefined, as exactOptionalPropertyTypes wants it. */
export function compact<T extends object>(members: { [K in keyof T]: T[K] | undefined }): T {
  for (const key of Object.keys(members) as (keyof T)[]) if (members[key] === undefined) delete members[key]
  return members as T
}
