// A service under test: started as a separate process and controlled by the command line, or one that runs elsewhere.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PrintedEvent, readPrintedEvent } from '../testing/printed-event.ts'
import { putEmptyStock } from '../world.ts'

const root = join(import.meta.dirname, '../..')
const program = join(root, 'src/bin/tenderstock.ts')

export type Answer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly json: () => unknown
}
type CommandResult = { readonly code: number; readonly events: readonly PrintedEvent[]; readonly text: string }

export type RequestOptions = {
  readonly token?: string | null
  readonly method?: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
}

/** Sends one request, with the path unchanged. `token: null` sends no Authorization header. */
export function send(
  base: string,
  path: string,
  { token = null, method = 'GET', headers = {}, body }: RequestOptions = {},
): Promise<Answer> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        hostname,
        port,
        path,
        method,
        headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers },
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const all = Buffer.concat(chunks)
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: all,
            json: () => JSON.parse(all.toString('utf8')),
          })
        })
      },
    )
    request.once('error', reject)
    request.end(body)
  })
}

export type Service = {
  readonly data: string
  readonly api: () => string
  readonly token: () => string
  readonly pid: () => number
  /** Everything that the service has written so far, on both streams. */
  readonly output: () => string
  readonly run: (...args: string[]) => Promise<CommandResult>
  /** Writes the documents to a folder and reads them into the stock. */
  readonly ingest: (files: readonly (readonly [name: string, text: string])[]) => Promise<void>
  readonly publish: () => Promise<CommandResult>
  readonly advance: (ms: number) => Promise<void>
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<number | null>
}

/** Starts a service on a fresh data folder with these notices, and waits until it is ready. */
export async function startService(options: {
  readonly files?: readonly (readonly [name: string, text: string])[]
  readonly args?: readonly string[]
  /** Waits for this event; default `ready`. */
  readonly until?: string
}): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'tenderstock-conformance-'))
  const data = await putEmptyStock(join(folder, 'data'))
  let notices = 0
  const writeFiles = (files: readonly (readonly [name: string, text: string])[]): string => {
    const target = mkdtempSync(join(folder, `notices-${notices++}-`))
    for (const [name, text] of files) writeFileSync(join(target, name), text)
    return target
  }
  const outputs: string[] = []
  let child: ChildProcess
  let shiftMs = 0
  let ready: PrintedEvent
  const launch = async (args: readonly string[]): Promise<void> => {
    const started = spawn(
      process.execPath,
      [
        program,
        'start',
        '--no-samples',
        '--data',
        data,
        '--api-port',
        '0',
        '--trial-clock',
        '--json',
        ...(options.args ?? []),
        ...args,
      ],
      {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, DATABASE_URL: '', REDIS_URL: '' },
      },
    )
    child = started
    const mine: string[] = []
    ready = await new Promise<PrintedEvent>((resolve, reject) => {
      let rest = ''
      started.stdout.on('data', (chunk: Buffer) => {
        outputs.push(chunk.toString())
        mine.push(chunk.toString())
        const lines = (rest + chunk.toString()).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) {
          if (!line.startsWith('{')) continue
          const event = readPrintedEvent(line)
          if (event.event === (options.until ?? 'ready')) resolve(event)
        }
      })
      started.stderr.on('data', (chunk: Buffer) => {
        outputs.push(chunk.toString())
        mine.push(chunk.toString())
      })
      started.once('exit', (code) =>
        reject(new Error(`the service ended with ${code} before it was ready: ${mine.join('')}`)),
      )
    })
  }
  const run = (...args: string[]): Promise<CommandResult> =>
    new Promise((resolve, reject) => {
      const command = spawn(process.execPath, [program, ...args, '--data', data, '--json'], {
        cwd: root,
        env: { ...process.env, DATABASE_URL: '', REDIS_URL: '' },
      })
      let text = ''
      let errors = ''
      command.stdout.on('data', (chunk: Buffer) => (text += chunk))
      command.stderr.on('data', (chunk: Buffer) => (errors += chunk))
      command.once('error', reject)
      command.once('close', (code) =>
        resolve({
          code: code ?? -1,
          text: text + errors,
          events: text
            .split('\n')
            .filter((line) => line.startsWith('{'))
            .map((line) => readPrintedEvent(line)),
        }),
      )
    })
  const expectSuccess = async (result: Promise<CommandResult>): Promise<CommandResult> => {
    const { code, text, events } = await result
    if (code !== 0) throw new Error(`a command ended with ${code}: ${text}`)
    return { code, text, events }
  }
  const stop = async (): Promise<number | null> => {
    if (child.exitCode !== null) return child.exitCode
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    return ended
  }
  await launch(options.files ? ['--ingest', writeFiles(options.files)] : [])
  await expectSuccess(run('organization', 'create', 'Conformance Ltd', '--requests-per-minute', '1000000'))
  const { events: made } = await expectSuccess(run('token', 'create', 'Conformance Ltd'))
  const token = String(made[0]?.token)
  return {
    data,
    api: () => String(ready.api),
    token: () => token,
    pid: () => child.pid!,
    output: () => outputs.join(''),
    run,
    ingest: async (files) => {
      await expectSuccess(run('ingest', writeFiles(files)))
    },
    publish: () => run('publish', '--publish-interval-minutes', '0'),
    advance: async (ms) => {
      await expectSuccess(run('clock', 'advance', '--ms', String(ms)))
      shiftMs += ms
    },
    restart: async () => {
      await stop()
      await launch([])
      // The trial clock restarts with the process; time must not run backwards for its clients.
      if (shiftMs > 0) await expectSuccess(run('clock', 'advance', '--ms', String(shiftMs)))
    },
    stop: async () => {
      const code = await stop()
      rmSync(folder, { recursive: true, force: true })
      return code
    },
  }
}

/** Established TCP connections that a process opened itself: those whose local port is not the one it listens on. */
export function outgoingConnections(pid: number, listeningPort: number): string[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`)
      .map((fd) => {
        try {
          return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1]
        } catch {
          return undefined
        }
      })
      .filter((inode) => inode !== undefined),
  )
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields.length > 9 && inodes.has(fields[9]!) && fields[3] !== '0A')
      .filter((fields) => Number.parseInt(fields[1]!.split(':')[1]!, 16) !== listeningPort)
      .map((fields) => fields.join(' ')),
  )
}
