// Runs Python programs of integrations/ if this machine has a Python 3.
import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const isThere = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))']).status === 0
if (!isThere) console.log('skipped: no python3 (3.8 or newer) on this machine')

export const hasPython: boolean = isThere

/** Runs python3 in a folder of integrations/ and returns what it printed; throws if it fails. */
export function python(folder: string, ...parameters: string[]): string {
  return execFileSync('python3', parameters, {
    cwd: fileURLToPath(new URL(`../../integrations/${folder}/`, import.meta.url)),
    env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1', PYTHONIOENCODING: 'utf-8' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 2 ** 28,
  })
}
