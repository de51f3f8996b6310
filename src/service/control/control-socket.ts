// How commands reach the process that holds the stock: line-delimited JSON over a Unix socket that only its owner can
// open.
import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterOwnTime } from '../../platform/after-own-time.ts'
import { isErrorCode } from '../../platform/error-codes.ts'
import { OperatorError } from '../../platform/errors.ts'
import { jsonIn } from '../../platform/json-in.ts'
import type { CommandEvent, Emit } from '../events/command-event.ts'

/** Version of the protocol; increase it when a line changes in meaning. */
export const controlProtocol = 1
/** Maximum size of a request: a command, options and paths. */
const maxRequestBytes = 1024 * 1024
/** Maximum size of a reply line, which is one event. */
const maxEventBytes = 16 * 1024 * 1024
/** How long a service may take to confirm a command; one that is frozen never does. */
const confirmationMs = 15_000
/**
 * Maximum bytes of a socket's path: sockaddr_un.sun_path holds 108 bytes on Linux and 104 on macOS, including the
 * closing zero.
 */
const maxSocketPathBytes = 103

export type ControlRequest = {
  readonly command: string
  readonly options: { readonly [name: string]: unknown }
  readonly operands: readonly string[]
}

/**
 * Runs a command and returns its exit code. An OperatorError reaches the caller as its sentence, any other error as a
 * bug.
 */
export type RunCommand = (request: ControlRequest, emit: Emit) => Promise<number>

type ControlMessage =
  | { readonly kind: 'received' }
  | { readonly kind: 'event'; readonly event: CommandEvent }
  | { readonly kind: 'end'; readonly exitCode: number }
  /** Older versions send no code, and newer ones may send others. */
  | { readonly kind: 'error'; readonly message: string; readonly exitCode: number; readonly code?: unknown }

export type ControlServer = { readonly path: string; readonly close: () => Promise<void> }

/**
 * Listens for commands for the stock in `dataFolder`. Undefined if another living process already does (possible with
 * a database server). Call it only while holding the stock: a socket that does not answer is replaced.
 */
export async function listenForCommands(dataFolder: string, run: RunCommand): Promise<ControlServer | undefined> {
  const path = await socketPath(dataFolder, true)
  if (await isAnswered(path)) return undefined
  await rm(path, { force: true })
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    void serveCommand(socket, run)
  })
  const mask = process.umask(0o177)
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(path, resolve)
    })
  } finally {
    process.umask(mask)
  }
  await chmod(path, 0o600)
  return {
    path,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
      await rm(path, { force: true })
    },
  }
}

/**
 * Sends a command to the process that holds the stock in `dataFolder`, passes its events on and returns the exit code.
 * Undefined when no process answers there: then the caller may open the stock itself. Throws OperatorError for an
 * OperatorError in that process, when it does not confirm the command in time, when it ends before the reply, and when
 * `signal` is aborted.
 */
export async function askRunningService(
  dataFolder: string,
  request: ControlRequest,
  emit: Emit,
  {
    signal,
    confirmedWithinMs = confirmationMs,
  }: { readonly signal?: AbortSignal; readonly confirmedWithinMs?: number } = {},
): Promise<number | undefined> {
  const socket = await openSocket(await socketPath(dataFolder, false))
  if (!socket) return undefined
  signal?.addEventListener('abort', () => socket.destroy(), { once: true })
  socket.write(`${JSON.stringify({ protocol: controlProtocol, ...request })}\n`)
  let isLate = false
  const endLimit = afterOwnTime(confirmedWithinMs, () => {
    isLate = true
    socket.destroy()
  })
  try {
    for await (const text of linesOf(socket, maxEventBytes)) {
      endLimit()
      const line = JSON.parse(text) as ControlMessage
      if (line.kind === 'received') continue
      if (line.kind === 'event') emit(line.event)
      else if (line.kind === 'end') return line.exitCode
      else throw new OperatorError(isErrorCode(line.code) ? line.code : 'other-version', line.message)
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    if (isLate)
      throw new OperatorError(
        'service-silent',
        `A service runs on this data folder, but has not answered for ${confirmedWithinMs / 1000} s; look at its log, and restart it if that goes on.`,
        { cause: error },
      )
    throw new OperatorError(
      'service-broken-off',
      'The connection to the running service broke; check its log and run the command again.',
      {
        cause: error,
      },
    )
  } finally {
    endLimit()
    socket.destroy()
  }
  throw new OperatorError(
    'service-broken-off',
    'The running service stopped before the command finished; run the command again.',
  )
}

async function serveCommand(socket: Socket, run: RunCommand): Promise<void> {
  const send = (line: ControlMessage) => {
    if (!socket.destroyed) socket.write(`${JSON.stringify(line)}\n`)
  }
  try {
    for await (const text of linesOf(socket, maxRequestBytes)) {
      send({ kind: 'received' })
      const exitCode = await run(readRequest(text), (event) => send({ kind: 'event', event }))
      send({ kind: 'end', exitCode })
      break
    }
  } catch (error) {
    const { code, message, exitCode } =
      error instanceof OperatorError
        ? error
        : new OperatorError(
            'bug',
            `The command failed inside the service: ${error instanceof Error ? error.message : String(error)}`,
          )
    send({ kind: 'error', message, exitCode, code })
  }
  // what the other side sends from now on is not read
  socket.end(() => socket.destroy())
}

function readRequest(text: string): ControlRequest {
  const value = jsonIn(text)
  if (value === undefined) throw new OperatorError('control-request', 'The service received a line that is not JSON.')
  const request = value as Partial<ControlRequest> & { readonly protocol?: unknown }
  if (request?.protocol !== controlProtocol) {
    throw new OperatorError(
      'other-version',
      `The running service speaks protocol ${controlProtocol} of the control socket, but this program speaks another; use the same version for both.`,
    )
  }
  const { command, options, operands } = request
  if (
    typeof command !== 'string' ||
    typeof options !== 'object' ||
    options === null ||
    !Array.isArray(operands) ||
    !operands.every((each) => typeof each === 'string')
  ) {
    throw new OperatorError('control-request', 'The service received a request without command, options and operands.')
  }
  return { command, options, operands }
}

/** Yields the lines of a stream. Throws OperatorError when one is longer than `maxBytes`. */
async function* linesOf(socket: Socket, maxBytes: number): AsyncGenerator<string> {
  let held: Buffer[] = []
  let size = 0
  // the reply has yet to be written when reading stops
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      held.push(chunk.subarray(from, end))
      yield Buffer.concat(held).toString('utf8')
      held = []
      size = 0
      from = end + 1
    }
    held.push(chunk.subarray(from))
    size += chunk.length - from
    if (size > maxBytes)
      throw new OperatorError('control-request', `A line of the control socket is longer than ${maxBytes} bytes.`)
  }
}

const isAnswered = async (path: string) => {
  const socket = await openSocket(path)
  socket?.destroy()
  return socket !== undefined
}

const nobodyThere: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'ENOTDIR'])

/** A connection; undefined if no process listens there. */
function openSocket(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(socket))
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (nobodyThere.has(error.code)) return resolve(undefined)
      if (error.code === 'EACCES')
        return reject(
          new OperatorError(
            'service-of-other-user',
            'The data folder belongs to a service of a different user; run this command as that user.',
            {
              cause: error,
            },
          ),
        )
      reject(error)
    })
  })
}

/**
 * `control.sock` in the data folder; if that path is too long for a socket, one in our own folder under the system's
 * temporary folder, named after the data folder and recorded in `control.path`.
 */
async function socketPath(dataFolder: string, isOwner: boolean): Promise<string> {
  const note = join(dataFolder, 'control.path')
  const direct = join(dataFolder, 'control.sock')
  if (Buffer.byteLength(direct) <= maxSocketPathBytes) {
    if (isOwner) await rm(note, { force: true })
    return direct
  }
  if (!isOwner)
    return readFile(note, 'utf8').then(
      (text) => text.trim(),
      () => direct.slice(0, maxSocketPathBytes),
    )
  const hash = createHash('sha256')
    .update(await realpath(dataFolder))
    .digest('hex')
    .slice(0, 16)
  const uid = process.getuid?.() ?? 0
  const folder = join(tmpdir(), `tenderstock-${uid}`)
  await mkdir(folder, { mode: 0o700, recursive: true })
  const about = await lstat(folder)
  if (!about.isDirectory() || about.uid !== uid || (about.mode & 0o077) !== 0) {
    throw new OperatorError(
      'folder-unsafe',
      `${folder} is accessible to other users; remove it, or use a shorter path for --data.`,
    )
  }
  const path = join(folder, `${hash}.sock`)
  await writeFile(note, `${path}\n`, { mode: 0o600 })
  return path
}
