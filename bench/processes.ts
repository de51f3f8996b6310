// Child processes and free ports of the benchmarks: everything started here is ended here, by its process ID.
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const running = new Set<ChildProcess>()
const folders = new Set<string>()

/**
 * A temporary folder that is removed when this process ends, at the latest. The database may run as another user, so
 * everybody may list it.
 */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `tenderstock-bench-${name}-`))
  chmodSync(folder, 0o755)
  folders.add(folder)
  return folder
}

process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Starts a process that `stopAll` ends. Its output goes to `onLine`, line by line. */
export function startProcess(
  command: string,
  args: readonly string[],
  options: SpawnOptions & { readonly onLine?: (line: string) => void } = {},
): ChildProcess {
  const { onLine, ...spawnOptions } = options
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...spawnOptions })
  running.add(child)
  child.once('exit', () => running.delete(child))
  for (const stream of [child.stdout, child.stderr]) {
    let rest = ''
    stream?.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('utf8')).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) onLine?.(line)
    })
  }
  return child
}

/** A program of this Node, which may use only `core` if it is given and the machine can do that. */
export function startNode(
  args: readonly string[],
  core: string | undefined,
  options: Parameters<typeof startProcess>[2] = {},
): ChildProcess {
  if (core === undefined || !findProgram('taskset')) return startProcess(process.execPath, args, options)
  return startProcess('taskset', ['-c', core, process.execPath, ...args], options)
}

/** Ends a process with SIGTERM, after ten seconds with SIGKILL. */
export async function stopProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill(signal)
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await ended
  clearTimeout(timer)
}

/** Ends everything that still runs, the youngest first. */
export async function stopAll(): Promise<void> {
  for (const child of [...running].reverse()) await stopProcess(child)
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** Path of a program of this name; undefined if there is none. */
export function findProgram(name: string): string | undefined {
  const { stdout, status } = spawnSync('sh', ['-c', `command -v ${name} || ls /usr/sbin/${name} 2>/dev/null`], {
    encoding: 'utf8',
  })
  return status === 0 ? stdout.trim().split('\n')[0] : undefined
}

/** Runs a command to its end and returns its output. Throws with the output if it fails. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: SpawnOptions & { readonly input?: string } = {},
): string {
  const { stdout, stderr, status, error } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    ...options,
  } as never) as unknown as {
    stdout: string
    stderr: string
    status: number | null
    error?: Error
  }
  if (error) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`)
  return stdout
}

/**
 * CPU seconds that a process and all its descendants have used, including those that have ended, as the kernel counts
 * them (10 ms steps).
 */
export function cpuSecondsOf(pid: number): number {
  const processes = new Map<number, { parent: number; ticks: number }>()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      const text = readFileSync(`/proc/${entry}/stat`, 'utf8')
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
      processes.set(Number(entry), {
        parent: Number(fields[1]),
        // its own, and of those of its children that have ended
        ticks: [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0),
      })
    } catch {
      // It ended while it was examined.
    }
  }
  const isBelow = (start: number): boolean => {
    for (let at = start; at > 1; at = processes.get(at)?.parent ?? 0) if (at === pid) return true
    return false
  }
  let ticks = 0
  for (const [id, { ticks: own }] of processes) if (isBelow(id)) ticks += own
  return ticks / 100
}

/** User and system time of a command and its children, as bash measures it. */
export function cpuSeconds(command: string): { seconds: number; output: string } {
  const { stdout, stderr, status } = spawnSync('bash', ['-c', `TIMEFORMAT='CPU %U %S'; time { ${command}; }`], {
    cwd: join(import.meta.dirname, '..'),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  const match = /CPU (\S+) (\S+)\s*$/.exec(stderr)
  if (!match || status !== 0) throw new Error(`${command}: ${stderr}`)
  return { seconds: Number(match[1]) + Number(match[2]), output: stdout }
}

/** Runs a command to its end without blocking; lines go to `onLine`. Throws when it fails. */
export async function runToEnd(
  command: string,
  args: readonly string[],
  onLine: (line: string) => void,
  options: SpawnOptions = {},
): Promise<void> {
  const last: string[] = []
  const child = startProcess(command, args, {
    ...options,
    onLine: (line) => {
      last.push(line)
      if (last.length > 20) last.shift()
      onLine(line)
    },
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${last.join('\n')}`)
}
