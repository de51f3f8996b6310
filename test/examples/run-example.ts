// Runs an example as its README says, from the sources instead of an installed package.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ApiWorld } from '../api-world.ts'

const root = join(import.meta.dirname, '../..')
export const fromSource = join(import.meta.dirname, 'from-source.ts')

export type ExampleRun = { readonly code: number | null; readonly output: string; readonly errors: string }

/** `program`: a path in the repository. The API's address and token go where the examples look for them. */
export async function runExample(
  world: ApiWorld,
  program: string,
  parameters: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<ExampleRun> {
  const child = spawn(process.execPath, ['--import', fromSource, join(root, program), ...parameters], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      TENDER_URL: world.origin,
      TENDER_TOKEN: world.token,
      HOME: '/nonexistent',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  await once(child, 'close')
  return { code: child.exitCode, output, errors }
}

/** `tender-sync run` into a sink. */
export const runSync = (
  world: ApiWorld,
  sink: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<ExampleRun> =>
  runExample(world, 'client/src/bin/tender-sync.ts', ['run', '--url', world.origin, '--sink', ...sink], variables)

/** A folder that is removed with the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'example-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
