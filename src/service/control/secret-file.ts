// The secret of an endpoint in a file: as an argument it would appear in the list of processes.
import { readFile } from 'node:fs/promises'
import { OperatorError } from '../../platform/errors.ts'

/** The text of the file, without white space around it. Throws OperatorError when it cannot be read. */
export async function secretInFile(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError('secret-file-unusable', `The file of --secret-file cannot be read (${error.code}): ${path}`)
  })
  return text.trim()
}
