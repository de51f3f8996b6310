// Where the token comes from: the environment or a file, never the command line, which every user of the machine can
// read in the list of processes (ps) and the shell writes into its history.
import { readFile } from 'node:fs/promises'
import type { Environment } from './environment.ts'
import { UsageError } from './usage-error.ts'

/** Returns the token for each request. A file is reread each time, so that a new token needs no restart. */
export function accessToken(tokenFile: string | undefined, { variables }: Environment): () => Promise<string> {
  const fromVariable = variables.TENDER_TOKEN?.trim()
  if (tokenFile === undefined) {
    if (!fromVariable) throw new UsageError('There is no token: set TENDER_TOKEN or pass --token-file.')
    return async () => fromVariable
  }
  return async () => {
    let text: string
    try {
      text = (await readFile(tokenFile, 'utf8')).trim()
    } catch (cause) {
      throw new UsageError(`The token file ${tokenFile} cannot be read: check its path and permissions.`, { cause })
    }
    if (text === '' || /\s/.test(text))
      throw new UsageError(`The token file ${tokenFile} must hold one token and nothing else.`)
    return text
  }
}
