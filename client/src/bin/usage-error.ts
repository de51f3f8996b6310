// Wrong use of the command line: exit code 2, shown as one sentence.
import { ClientError } from '../client-error.ts'
import { nearestName } from '../sinks/faults/schema-faults.ts'

/** The message says what is wrong and what would be right. */
export class UsageError extends ClientError {
  override readonly name = 'UsageError'
  override readonly code = 'usage'
}

/** ` Did you mean …?` for the nearest known word, or nothing. */
export function suggestion(word: string, known: readonly string[]): string {
  const nearest = nearestName(word, known)
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`
}
