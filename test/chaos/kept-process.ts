// A process of the chaos run: restarted whenever it ends, until the run stops it. It is ended only by its own ID.
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import type { LivingProcesses } from './living-processes.ts'

export type ProcessEvent = { readonly event: string; readonly [member: string]: unknown }

export type KeptProcess = {
  readonly name: string
  /** Whether it has said `ready` since its last start, or need not say it. */
  readonly isReady: () => boolean
  readonly start: () => void
  /** Undefined while it does not run. */
  readonly pid: () => number | undefined
  /** Ends it with SIGKILL; it comes back after `pauseMs`. False if it was not running. */
  readonly kill: (pauseMs: number) => boolean
  /** Stops it for a while (SIGSTOP, SIGCONT), like a node that hangs. */
  readonly freeze: (forMs: number) => Promise<void>
  /** Ends it permanently. Resolves to the exit code, null after a signal. */
  readonly stop: (signal: NodeJS.Signals) => Promise<number | null>
  /** Unplanned ends: allowed if something it needed was down, never with a stack trace. */
  readonly ownEnds: () => readonly OwnEnd[]
  /** The last lines of both streams. */
  readonly lines: () => readonly string[]
}

export type OwnEnd = { readonly name: string; readonly code: number | null; readonly said: string }

const keptLines = 400
/** Pause before a process that cannot start, because something that it needs is down, is started again. */
const restartPauseMs = 300

export function keepProcess(options: {
  readonly name: string
  /** Called at every start; returns the program and its arguments. */
  readonly command: () => readonly [program: string, ...args: string[]]
  /** False: it prints no `ready` and counts as ready immediately. Default true. */
  readonly saysReady?: boolean
  readonly env?: NodeJS.ProcessEnv
  readonly cwd: string
  readonly living: LivingProcesses
  readonly onEvent?: (event: ProcessEvent) => void
  readonly onLine?: (line: string) => void
}): KeptProcess {
  const { name, cwd, env, living, onEvent, onLine, saysReady = true } = options
  const lines: string[] = []
  const ownEnds: OwnEnd[] = []
  let child: ChildProcess | undefined
  let ended: Promise<number | null> = Promise.resolve(null)
  let isReady = false
  let isWanted = false
  let isKilled = false
  let pauseMs = restartPauseMs

  const start = (): void => {
    isWanted = true
    isReady = !saysReady
    isKilled = false
    pauseMs = restartPauseMs
    const mine: string[] = []
    const [command, ...args] = options.command()
    const started = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    child = started
    living.add(started.pid)
    const take = (line: string): void => {
      if (line === '') return
      onLine?.(line)
      lines.push(line)
      mine.push(line)
      if (lines.length > keptLines) lines.shift()
      if (mine.length > keptLines) mine.shift()
      if (!line.startsWith('{"event"')) return
      const event = eventOf(line)
      if (event?.event === 'ready') isReady = true
      if (event) onEvent?.(event)
    }
    for (const stream of [started.stdout!, started.stderr!]) {
      let rest = ''
      stream.setEncoding('utf8')
      stream.on('data', (chunk: string) => {
        const parts = (rest + chunk).split('\n')
        rest = parts.pop() ?? ''
        for (const part of parts) take(part)
      })
      // A killed process leaves half a line: it is text for the report, never an event.
      stream.on('end', () => rest !== '' && lines.push(rest))
    }
    ended = new Promise((resolve) => {
      started.once('error', (error) => {
        ownEnds.push({ name, code: null, said: String(error) })
        resolve(null)
      })
      started.once('close', (code) => {
        living.remove(started.pid)
        if (child === started) child = undefined
        isReady = false
        if (!isKilled && isWanted) ownEnds.push({ name, code, said: mine.slice(-30).join('\n') })
        resolve(code)
        if (isWanted) void delay(pauseMs).then(() => isWanted && !child && start())
      })
    })
  }

  return {
    name,
    isReady: () => isReady,
    start,
    pid: () => child?.pid,
    kill: (pause) => {
      if (!child || isKilled) return false
      isKilled = true
      isReady = false
      pauseMs = pause
      child.kill('SIGKILL')
      return true
    },
    freeze: async (forMs) => {
      const frozen = child
      if (!frozen) return
      frozen.kill('SIGSTOP')
      await delay(forMs)
      // Ended or not, a signal to this handle reaches this process or none.
      frozen.kill('SIGCONT')
    },
    stop: async (signal) => {
      isWanted = false
      child?.kill('SIGCONT')
      child?.kill(signal)
      return ended
    },
    ownEnds: () => ownEnds,
    lines: () => lines,
  }
}

/** A whole line of JSON; undefined for one that was cut off. */
function eventOf(line: string): ProcessEvent | undefined {
  try {
    return JSON.parse(line) as ProcessEvent
  } catch {
    return undefined
  }
}
