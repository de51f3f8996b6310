// The Pythons of this machine that the client of Python supports, and how tests start it.
import { spawn, spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const root = join(import.meta.dirname, '../..')
/** Where the package is in this clone. */
export const pythonSources = join(root, 'python/src')

export type Python = { readonly path: string; readonly version: string }

const question = 'import sys, ssl, sqlite3, zlib; print("%d.%d" % sys.version_info[:2])'

/** One of each version from 3.9 on, the newest last. */
function find(): Python[] {
  const found = new Map<string, Python>()
  for (const path of [
    'python3',
    '/usr/bin/python3',
    ...Array.from({ length: 12 }, (_, minor) => `python3.${minor + 9}`),
    ...globSync(join(homedir(), '.pyenv/versions/*/bin/python3')),
  ]) {
    const { status, stdout } = spawnSync(path, ['-I', '-c', question], { encoding: 'utf8' })
    const version = status === 0 ? stdout.trim() : ''
    if (Number(version.split('.')[1]) >= 9 && !found.has(version)) found.set(version, { path, version })
  }
  return [...found.values()].sort((a, b) => Number(a.version.split('.')[1]) - Number(b.version.split('.')[1]))
}

export const pythons: readonly Python[] = find()
if (pythons.length === 0) console.log('skipped: no Python 3.9 or newer on this machine')

/** The environment of a Python that finds the package in this clone, and leaves nothing there. */
export const pythonEnvironment = (token: string): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  PYTHONPATH: pythonSources,
  PYTHONDONTWRITEBYTECODE: '1',
  TENDER_TOKEN: token,
})

/** Runs it without blocking: the API that it reads is in this process. */
export function runPython(
  { path }: Python,
  args: readonly string[],
  { token = 'none', cwd = root }: { readonly token?: string; readonly cwd?: string } = {},
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  const child = spawn(path, [...args], { cwd, env: pythonEnvironment(token) })
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (said.out += chunk))
  child.stderr.on('data', (chunk) => (said.err += chunk))
  return new Promise((done) => child.once('close', (code) => done({ code, ...said })))
}

/** The records of a copy, read without its program: as its users do. */
export function recordsOf<Row>(kind: string, file: string): Row[] {
  const read = (text: unknown) => JSON.parse(String(text)) as Row
  if (kind === 'ndjson') return readFileSync(file, 'utf8').split('\n').filter(Boolean).map(read)
  using db = new DatabaseSync(file, { readOnly: true })
  return db
    .prepare('SELECT record FROM tender')
    .all()
    .map(({ record }) => read(record))
}
