// Runs a command for as long as a page may wait; longer work continues in the background.
import type { CommandOutcome, CommandRequest, ConsoleContext } from './console-context.ts'

/** Below what a change may take (console.ts): so that the answer can say that the work continues. */
const longestMs = 15_000

/** `goesOn`: it is not at its end yet; what it does appears on the pages by itself. */
export type BriefOutcome = ({ readonly kind: 'done' } & CommandOutcome) | { readonly kind: 'goesOn' }

/** Runs it. Throws what the command throws while the page waits: OperatorError with a sentence for people. */
export async function runBriefly({ run }: Pick<ConsoleContext, 'run'>, request: CommandRequest): Promise<BriefOutcome> {
  const work = run(request).then((outcome): BriefOutcome => ({ kind: 'done', ...outcome }))
  let timer: NodeJS.Timeout | undefined
  const waiting = new Promise<BriefOutcome>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'goesOn' }), longestMs)
  })
  // what fails after the page was answered is in the log of the stage that did it
  work.catch(() => {})
  try {
    return await Promise.race([work, waiting])
  } finally {
    clearTimeout(timer)
  }
}
