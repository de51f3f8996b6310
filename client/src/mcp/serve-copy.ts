// The tools over stdin and stdout, answered from a copy in SQLite. In the package this file is one with the library of
// the protocol, so that nothing else has to be installed.
import type { DatabaseSync } from 'node:sqlite'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { copyTenders } from './copy-tenders.ts'
import { createTenderServer } from './tender-server.ts'

export type ServedCopy = {
  readonly db: DatabaseSync
  readonly version: string
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly signal: AbortSignal
}

/** Serves until the input ends or the signal comes. */
export async function serveCopy({ db, version, now, signal }: ServedCopy): Promise<void> {
  const tenders = copyTenders(db, now)
  const handle = serveStdio(() => createTenderServer(tenders, version), { maxSubscriptions: 1 })
  const ended = new Promise<void>((done) => {
    process.stdin.once('end', done)
    process.stdin.once('close', done)
    if (signal.aborted) done()
    signal.addEventListener('abort', () => done(), { once: true })
  })
  await ended
  await handle.close()
}
