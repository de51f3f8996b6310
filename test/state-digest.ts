// The digest of a state as an independent program computes it: that of the client of Python, which shares nothing with
// the service.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import type { Store } from '../src/store/database/database.ts'

const program = fileURLToPath(new URL('../python/src/tender_sync/digest.py', import.meta.url))

/** False on a machine without Python; the test that uses it says what it skips. */
export const hasPython = spawnSync('python3', ['--version']).status === 0

/** What the program prints for these JSON texts, none of which may contain a line feed. */
export function askPython(texts: readonly string[], ...options: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('python3', [program, ...options], {
    input: texts.map((text) => `${text}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

export type StateDigest = { readonly records: number; readonly digest: string }

export function stateByPython(records: readonly string[]): StateDigest {
  return JSON.parse(askPython(records)) as StateDigest
}

/** Of the newest entries in the tables. */
export async function recordsByPython(store: Pick<Store, 'db'>): Promise<StateDigest> {
  const { rows } = await sql<{ body: string }>`
    select body from edition_entry left join replaced_entry using (last_modified) where superseded_by is null`.execute(
    store.db,
  )
  return stateByPython(rows.map(({ body }) => body))
}

export async function digestByPython(store: Pick<Store, 'db'>): Promise<string> {
  return (await recordsByPython(store)).digest
}
