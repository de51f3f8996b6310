// Versioned releases of OCDS 1.1: a member holds all its values, in order of time. The last ones are the compiled
// release.
import { asObject, type JsonObject, textAt } from './json.ts'

type Version = { readonly releaseDate: string; readonly value: unknown }

const isVersion = (item: unknown): item is Version => {
  const object = asObject(item)
  return object !== undefined && Object.hasOwn(object, 'value') && typeof object['releaseDate'] === 'string'
}

const isHistory = (value: unknown): value is readonly Version[] =>
  Array.isArray(value) && value.length > 0 && value.every(isVersion)

/** True if a member of the release, or of an object in it, is a list of its versions. */
export function isVersioned(release: JsonObject): boolean {
  return Object.values(release).some(
    (value) => isHistory(value) || Object.values(asObject(value) ?? {}).some((inner) => isHistory(inner)),
  )
}

/**
 * The compiled release: of each member its last value. Members without versions, such as the ids of lots, stay as they
 * are. Its date is that of the newest value.
 */
export function compileVersions(release: JsonObject): JsonObject {
  let newest = ''
  const compile = (value: unknown): unknown => {
    if (isHistory(value)) {
      for (const { releaseDate } of value) if (releaseDate > newest) newest = releaseDate
      return value.at(-1)?.value
    }
    if (Array.isArray(value)) return value.map(compile)
    const object = asObject(value)
    return object ? membersOf(object) : value
  }
  const membersOf = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, compile(value)]))
  const compiled = membersOf(release)
  return { ...compiled, date: textAt(compiled, 'date') ?? newest, tag: ['compiled'] }
}
