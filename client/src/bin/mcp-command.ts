// `tender-sync mcp`: tools for an assistant that starts this program, until it closes the input. Standard output holds
// messages of the protocol and nothing else.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { SinkError } from '../sinks/faults/sink-error.ts'
import { openSqlite } from '../sinks/sqlite/sqlite-database.ts'
import { accessToken } from './access-token.ts'
import type { McpOptions } from './command-line.ts'
import { type Environment, exitCodes } from './environment.ts'

export async function mcpCommand(options: McpOptions, environment: Environment): Promise<number> {
  const { signal, now, stdout, input } = environment
  if (options.url !== undefined) {
    const token = accessToken(options.tokenFile, environment)
    // a wrong file is wrong use: it is reported before the first message
    await token()
    const { relay } = await import('../mcp/relay.ts')
    const { url } = options
    await relay({ url, token, input, write: (line) => stdout.write(line), signal, fetch: environment.fetch })
    return exitCodes.ok
  }
  const { file } = options
  if (!existsSync(file)) throw new SinkError(`There is no copy in ${file}: load it first with tender-sync run.`)
  const db = await openSqlite(file, true)
  try {
    const { serveCopy } = await import('../mcp/serve-copy.ts')
    await serveCopy({ db, version: await ownVersion(), now, signal })
    return exitCodes.ok
  } finally {
    db.close()
  }
}

/** Of this package. */
export async function ownVersion(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
