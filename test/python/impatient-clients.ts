// The clients of TypeScript and of the newest Python, for which waits take no time.
import { type ChildProcess, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DigestSum, webRecordHash } from '../../client/src/sync/copy-digest.ts'
import type { TenderRecord } from '../../client/src/types.ts'
import { pythonEnvironment, pythons, recordsOf } from './pythons.ts'

const impatient = `
import sys
from tender_sync.__main__ import main
sys.exit(main(sys.argv[2:], sleep=lambda seconds: None, timeout=float(sys.argv[1])))
`
/** How long an answer may take: as short as a test can wait for, and long enough for a busy machine. */
export const answerSeconds = { withFaults: 0.5, quiet: 30 }

export type ImpatientClient = {
  readonly name: string
  readonly start: (args: readonly string[], token: string, seconds: number) => ChildProcess
}
export const impatientClients: readonly ImpatientClient[] = [
  {
    name: 'TypeScript',
    start: (args, token, within) =>
      spawn(process.execPath, [join(import.meta.dirname, 'impatient-sync.ts'), ...args], {
        env: {
          ANSWER_SECONDS: String(within),
          PATH: process.env['PATH'],
          HOME: tmpdir(),
          TENDER_TOKEN: token,
          NODE_NO_WARNINGS: '1',
        },
      }),
  },
  ...pythons.slice(-1).map(({ path, version }) => ({
    name: `Python ${version}`,
    start: (args: readonly string[], token: string, within: number) =>
      spawn(path, ['-c', impatient, String(within), ...args], { env: pythonEnvironment(token) }),
  })),
]

/** The digest of a copy, read without its program. */
export async function digestOfCopy(kind: string, file: string): Promise<{ open: string; all: string }> {
  const sum = new DigestSum()
  for (const record of recordsOf<TenderRecord>(kind, file))
    sum.add(await webRecordHash(record), record.archiveReason === undefined, record.lastModified)
  return sum.digest
}
