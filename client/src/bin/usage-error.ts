// Wrong use of the command line: exit code 2, shown as one sentence.
import { editDistance } from '../sinks/schema-faults.ts'

/** The message says what is wrong and what would be right. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** ` Did you mean …?` for the nearest known word, or nothing. */
export function suggestion(word: string, known: readonly string[]): string {
  const nearest = known
    .map((each) => ({ each, distance: each.startsWith(word) && word.length > 2 ? 0 : editDistance(word, each) }))
    .sort((a, b) => a.distance - b.distance)[0]
  return nearest && nearest.distance <= Math.max(2, Math.floor(word.length / 3)) ? ` Did you mean ${nearest.each}?` : ''
}
