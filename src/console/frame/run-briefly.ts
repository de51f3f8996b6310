// Runs a command and waits as long as a page may; longer work continues in the background.
import type { CommandOutcome, CommandRequest, ConsoleContext } from './console-context.ts'
import { settledWithin } from './settled-within.ts'

/**
 * Maximum time to wait, below what a change may take (console.ts), so that the answer can say that the work continues.
 */
const longestMs = 15_000

/** `goesOn`: it has not finished; its results appear on the pages later. */
export type BriefOutcome = ({ readonly kind: 'done' } & CommandOutcome) | { readonly kind: 'goesOn' }

/** Runs it. Throws what the command throws while the page waits: OperatorError with a sentence for people. */
export async function runBriefly({ run }: Pick<ConsoleContext, 'run'>, request: CommandRequest): Promise<BriefOutcome> {
  // a failure after the page was answered is in the log of its stage
  const outcome = await settledWithin(run(request), longestMs)
  return outcome ? { kind: 'done', ...outcome } : { kind: 'goesOn' }
}
