// What has to be shown with the notices of a source according to its license.
import type { Source } from './source.ts'

/** Licenses that require nothing, and those that permit nothing without the publisher's consent. */
const free = /\bCC0|public domain/i
const closed = /^not stated|forbidden/i

/** The words to show; null: none are required; undefined: only the publisher knows. */
export function requiredAttribution({
  license: { name, attribution },
  title,
  publisher,
}: Source): string | null | undefined {
  if (attribution !== undefined) return attribution
  if (closed.test(name)) return undefined
  return free.test(name) ? null : `${title}, ${publisher}`
}
