// Everything that a command works with: the open sink, its lock and report, the client. Opened for one run, closed
// after it.
import { dirname, join } from 'node:path'
import type { ClientEvent } from '../client-event.ts'
import { makeFolder } from '../sinks/files/durable-files.ts'
import { closeTree } from '../sinks/files/own-files.ts'
import { type FileLock, fileLock } from '../state/file-lock.ts'
import { fileState } from '../state/file-state.ts'
import type { Sink, StateStore } from '../sync/sink.ts'
import { TenderClient } from '../tender-client.ts'
import { accessToken } from './access-token.ts'
import type { Options } from './command-line.ts'
import type { Environment } from './environment.ts'
import { counted, wrapped } from './format.ts'
import { sinkKinds } from './sink-kinds.ts'
import { workFolder } from './work-folder.ts'

export type Job = {
  readonly sink: Sink
  readonly state: StateStore
  readonly lock: FileLock
  readonly folder: string
  close(): Promise<void>
}

/** `use` is `read` for commands that must not change the target. */
export async function openJob(
  { sink: choice, stateFolder }: Options,
  environment: Environment,
  use: 'read' | 'write' = 'write',
): Promise<Job> {
  const folder = workFolder(choice, stateFolder, environment)
  const spec = sinkKinds[choice.kind]
  if (use === 'write') {
    // the copy's folder is the user's, what we keep beside the copy is not for others; SQLite refuses a missing folder
    if (spec.isFile && choice.kind !== 'sqlite') await makeFolder(dirname(folder), 'user')
    await closeWorkFolder(folder, environment)
  }
  const lock = fileLock({ path: join(folder, 'lock'), now: environment.now })
  const sink = await spec.open({ ...choice, folder, environment, use })
  return {
    sink,
    state: sink.state ?? fileState(join(folder, 'state.json')),
    lock,
    folder,
    close: () => sink.end(),
  }
}

/** Closes what an earlier version left open to others, and says so. */
export async function closeWorkFolder(folder: string, { stderr }: Environment): Promise<void> {
  const closed = await closeTree(folder)
  if (closed === 0) return
  const what = `${counted(closed, 'file or folder', 'files and folders')} in ${folder}`
  stderr.write(
    `${wrapped(`${what} could be read by others on this machine; now only by their owner.`, stderr.columns)}\n`,
  )
}

export async function openClient(
  { url, tokenFile, allowHttp, maxWaitMs }: Options,
  environment: Environment,
  on: (event: ClientEvent) => void,
  firstContactMs?: number,
): Promise<TenderClient> {
  const token = accessToken(tokenFile, environment)
  // A missing file is wrong use, not a fault of the network: it is reported before the first request.
  await token()
  return new TenderClient({
    baseUrl: url!,
    token,
    allowHttp,
    ...(maxWaitMs !== undefined && { maxWaitMs }),
    ...(firstContactMs !== undefined && { firstContactMs }),
    on,
    clock: environment.clock,
    sleep: environment.sleep,
    random: environment.random,
    ...(environment.fetch && { fetch: environment.fetch }),
  })
}
