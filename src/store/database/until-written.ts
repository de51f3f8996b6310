// Answers that can only change when somebody writes. Only this process writes to an embedded stock.
import type { Store } from './database.ts'

/**
 * Asks only if something was written since the last time; always on a server. For an answer that depends on logged
 * tables alone, not on the time.
 */
export function untilWritten<Answer>(store: Pick<Store, 'writes'>, ask: () => Promise<Answer>): () => Promise<Answer> {
  let known: { readonly writes: string; readonly answer: Answer } | undefined
  return async () => {
    // read before the question: a change during it is asked about again
    const writes = store.writes?.()
    if (known !== undefined && known.writes === writes) return known.answer
    const answer = await ask()
    known = writes === undefined ? undefined : { writes, answer }
    return answer
  }
}
