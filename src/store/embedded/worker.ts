// The embedded engine's thread: one PostgreSQL in WebAssembly, one connection, one statement after the other.
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import type { ErrorFields, Reply, Request, WorkerOptions } from './messages.ts'
import { startParameters } from './start-parameters.ts'
import { Statements } from './statements.ts'
import { SyncNodeFS } from './sync-node-fs.ts'

const options = workerData as WorkerOptions
const port = parentPort!
const int8Oid = 20
const byteaOid = 17

const fileSystem = new SyncNodeFS(options.folder)
let severeLine: string | undefined
/** The engine continues after a panic as if nothing had happened; its answers cannot be trusted then. */
let hasPanicked = false
let pglite: PGlite | undefined
let statements: Statements
let checkpointedAtBytes = 0
let turn: Promise<void> = start()

port.on('message', (request: Request) => {
  turn = turn.then(() => answer(request))
})

function say(reply: Reply): void {
  port.postMessage(reply)
}

/** Ends the thread: the program fails the statement, and a new thread recovers from the write-ahead log. */
function giveUp(message: string): void {
  say({ kind: 'fatal', message: severeLine ?? message })
  port.close()
  process.exit(1)
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

async function start(): Promise<void> {
  try {
    pglite = await PGlite.create({
      fs: fileSystem,
      parsers: { [int8Oid]: Number },
      // passed on unchanged; the engine itself would write them as hex, number by number
      serializers: { [byteaOid]: (bytes: Uint8Array) => bytes as unknown as string },
      startParams: [...startParameters],
      onStderr: (line) => {
        if (/(?:FATAL|PANIC): /.test(line)) severeLine = line.replace(/^.*(?:FATAL|PANIC):\s*/, '')
        if (line.includes('PANIC: ')) {
          hasPanicked = true
          setImmediate(giveUp, line)
        }
        return false
      },
    })
    statements = new Statements(pglite)
    if (!options.isFirstRun) return say({ kind: 'ready' })
    await pglite.close()
    say({ kind: 'closed' })
    port.close()
  } catch (error) {
    giveUp(textOf(error))
  }
}

async function answer(request: Request): Promise<void> {
  if (pglite === undefined) return
  if ('close' in request) {
    await pglite.close()
    say({ kind: 'closed' })
    port.close()
    return
  }
  let reply: Reply
  try {
    const result = await statements.run(request.sql, request.parameters)
    // The engine hides its own crashes: they appear as a missing answer.
    if (result === undefined) return giveUp('the engine gave no answer')
    const { rows, affectedRows, command } = result
    const written = { walBytes: fileSystem.walBytes, syncs: fileSystem.syncs }
    reply = { kind: 'result', id: request.id, rows, affectedRows, command, written }
  } catch (error) {
    reply = { kind: 'error', id: request.id, error: fieldsOf(error) }
  }
  if (fileSystem.failure !== undefined) return giveUp(`fsync failed: ${textOf(fileSystem.failure)}`)
  if (hasPanicked) return giveUp('the engine panicked')
  say(reply)
  if (reply.kind === 'result') await checkpointWhenDue()
}

/**
 * The engine has no checkpointer: without this its write-ahead log would grow forever, even within one long
 * transaction.
 */
async function checkpointWhenDue(): Promise<void> {
  if (fileSystem.walBytes - checkpointedAtBytes < options.checkpointBytes) return
  try {
    await pglite!.exec('checkpoint')
    checkpointedAtBytes = fileSystem.walBytes
  } catch {
    // In a failed transaction every command is refused; the next statement after it tries again.
  }
  if (fileSystem.failure !== undefined) giveUp(`fsync failed: ${textOf(fileSystem.failure)}`)
}

const copiedFields = ['code', 'detail', 'hint', 'table', 'column', 'constraint'] as const

function fieldsOf(error: unknown): ErrorFields {
  const fields: { message: string } & { -readonly [name in (typeof copiedFields)[number]]?: string } = {
    message: textOf(error),
  }
  for (const name of copiedFields) {
    const value = (error as Record<string, unknown> | null)?.[name]
    if (typeof value === 'string') fields[name] = value
  }
  return fields
}
