// tender-sync against an API over real HTTP: the commands run in this process, and their output is captured.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Environment } from '../../client/src/bin/environment.ts'
import { main } from '../../client/src/bin/main.ts'
import { timerSleep } from '../../client/src/sleep.ts'
import { type ApiWorld, startApi } from '../api-world.ts'

type CommandResult = { readonly code: number; readonly out: string; readonly err: string }

export type CommandWorld = AsyncDisposable & {
  readonly api: ApiWorld
  readonly folder: string
  /** Runs tender-sync with these words; `$file` becomes a path in the world's folder. */
  readonly sync: (line: string, change?: Partial<Environment>) => Promise<CommandResult>
  /** `--url …` of the API. */
  readonly url: string
}

export async function openCommandWorld(): Promise<CommandWorld> {
  const api = await startApi()
  const folder = mkdtempSync(join(tmpdir(), 'tender-sync-'))
  return {
    api,
    folder,
    url: `--url ${api.origin}`,
    sync: async (line, change = {}) => {
      const seen = { out: '', err: '' }
      const args = line.split(' ').map((word) => word.replaceAll('$', `${folder}/`))
      const code = await main(args, {
        variables: { TENDER_TOKEN: api.token, HOME: folder },
        input: Readable.from([]),
        stdout: { write: (text) => (seen.out += text) },
        stderr: { write: (text) => (seen.err += text) },
        ask: async () => undefined,
        now: () => api.now,
        clock: () => performance.now(),
        random: () => 0.5,
        sleep: timerSleep,
        signal: new AbortController().signal,
        ...change,
      })
      return { code, ...seen }
    },
    [Symbol.asyncDispose]: async () => {
      await api[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
