// The console and an API on the same sample stock: what the documentation shows is run against it unchanged.
import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { type ApiWorld, startApi } from '../api-world.ts'
import { type ConsoleWorld, openConsoleWorld } from '../console/console-world.ts'
import type { Engine } from '../world.ts'
import { fillSampleStock, sampleHour } from './sample-stock.ts'

/** Address that represents the API in every guide. */
const writtenApi = 'https://api.example.org'

export type ExamplesWorld = AsyncDisposable & {
  readonly console: ConsoleWorld
  readonly api: ApiWorld
  /** Runs a script unchanged, with TENDER_TOKEN set. Resolves to what it printed. Throws if it fails. */
  readonly runShell: (script: string) => Promise<string>
  /** Runs a program: TypeScript by this Node, Python by python3. */
  readonly runProgram: (kind: 'typescript' | 'python', text: string) => Promise<string>
}

export async function openExamplesWorld(engine: Engine): Promise<ExamplesWorld> {
  await using opening = new AsyncDisposableStack()
  const console = opening.use(await openConsoleWorld(engine, { start: sampleHour }))
  await fillSampleStock(console.store, console.context.dataFolder)
  await console.publish()
  const api = opening.use(await startApi({ reader: console.editions }))
  const run = async (program: string, parameters: readonly string[]) => {
    const environment = {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: process.env.HOME,
      TENDER_TOKEN: api.token,
    }
    const { stdout } = await promisify(execFile)(program, [...parameters], { env: environment })
    return stdout.replaceAll(api.origin, writtenApi)
  }
  // the guides as files have one address, the pages of this console another
  const here = (text: string) =>
    text.replaceAll(writtenApi, api.origin).replaceAll(console.context.apiAddress, api.origin)
  const open = opening.move()
  return {
    console,
    api,
    runShell: (script) => run('bash', ['-euo', 'pipefail', '-c', here(script)]),
    runProgram: (kind, text) =>
      kind === 'python'
        ? run('python3', ['-c', here(text)])
        : run(process.execPath, ['--input-type=module-typescript', '-e', here(text)]),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}
