// The question before a command that cannot be undone: a person at a terminal answers it, a program passes --yes.
import { createInterface } from 'node:readline'
import { OperatorError } from '../platform/errors.ts'
import { commands } from './command-table.ts'
import type { ParsedCommand } from './parse-command.ts'

type Given = Pick<ParsedCommand & { readonly kind: 'command' }, 'command' | 'options' | 'operands'>

/**
 * Returns the question that a person answers before the command runs; undefined if nothing is lost, or --yes answers
 * it.
 */
export function questionOf({ command, options, operands }: Given): string | undefined {
  const { asks } = commands[command]
  if (!asks || options['yes'] === true || options['dry-run'] === true) return undefined
  if (asks.with && !asks.with.some((name) => options[name] === true)) return undefined
  // a name from outside cannot move the cursor
  return asks.question.replace('{}', () => (operands[0] ?? '').replace(/\p{Cc}/gu, '?'))
}

/**
 * Asks at the terminal and returns if the answer is yes. Throws OperatorError: with exit code 2 if nobody can be asked,
 * with 1 after any other answer, with 130 after Ctrl+C.
 */
export async function askFirst(given: Given): Promise<void> {
  const question = questionOf(given)
  if (question === undefined) return
  const { stdin, stderr } = process
  if (given.options['json'] === true || !stdin.isTTY || !stderr.isTTY)
    throw new OperatorError(
      'confirmation-needed',
      `\`tenderstock ${given.command}\` cannot be undone, and there is no terminal on which to ask: pass --yes.`,
    )
  const reader = createInterface({ input: stdin, output: stderr })
  try {
    const answer = await new Promise<string>((resolve, reject) => {
      reader.once('close', () => resolve(''))
      reader.once('SIGINT', () => reject(new OperatorError('interrupted', 'Nothing was changed.')))
      reader.question(`${question} [y/N] `, resolve)
    })
    if (!/^(y|yes)$/i.test(answer.trim())) throw new OperatorError('not-confirmed', 'Nothing was changed.')
  } finally {
    reader.close()
  }
}
