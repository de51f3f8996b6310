// What the license of a source asks to be shown with its notices.
import type { Source } from './source.ts'

/** Licenses that ask for nothing, and those that permit nothing without a word of the publisher. */
const free = /\bCC0|public domain/i
const closed = /^not stated|forbidden/i

/** The words to show; null: none are asked for; undefined: only the publisher knows. */
export function requiredAttribution({
  license: { name, attribution },
  title,
  publisher,
}: Source): string | null | undefined {
  if (attribution !== undefined) return attribution
  if (closed.test(name)) return undefined
  return free.test(name) ? null : `${title}, ${publisher}`
}
