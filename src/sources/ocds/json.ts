// Reading JSON that may hold anything anywhere: every access names the expected type and returns undefined otherwise.
import { parseAmount } from '../text.ts'

export type JsonObject = { readonly [key: string]: unknown }

export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
}

/** An own member: `__proto__` and `constructor` of a document are data, those of the prototype are not there. */
export function member(value: unknown, ...path: readonly string[]): unknown {
  let at = value
  for (const key of path) {
    const object = asObject(at)
    if (!object || !Object.hasOwn(object, key)) return undefined
    at = object[key]
  }
  return at
}

/** The objects of an array; a single object where an array belongs counts as one, anything else as none. */
export function objectsOf(value: unknown, ...path: readonly string[]): JsonObject[] {
  const found = path.length > 0 ? member(value, ...path) : value
  if (Array.isArray(found)) return found.map(asObject).filter((item) => item !== undefined)
  const single = asObject(found)
  return single ? [single] : []
}

/** A string, or a finite number or boolean as its text. */
export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = path.length > 0 ? member(value, ...path) : value
  if (typeof found === 'string') return found
  return typeof found === 'number' && Number.isFinite(found) ? String(found) : undefined
}

/** The strings of an array; a single string counts as one. */
export function textsAt(value: unknown, ...path: readonly string[]): string[] {
  const found = path.length > 0 ? member(value, ...path) : value
  const list = Array.isArray(found) ? found : [found]
  return list.map((item) => textAt(item)).filter((text) => text !== undefined)
}

/** A finite number, also one written as text. JSON's 1e9999 is infinite, hence none. */
export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = path.length > 0 ? member(value, ...path) : value
  if (typeof found === 'number') return Number.isFinite(found) ? found : undefined
  return typeof found === 'string' ? parseAmount(found) : undefined
}
